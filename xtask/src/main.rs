//! Chores of the workspace: `cargo xtask tidy` checks the rules that keep the house in order, `cargo xtask
//! papers` writes docs/papers.md again, `cargo xtask typescript` writes the types of the front end.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "printing is all it is for")]

mod tidy;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask tidy      check the house rules (see CONTRIBUTING.md)
       cargo xtask papers    write docs/papers.md and docs/papers/ again, in some minutes
       cargo xtask typescript    write report/src/document.ts after the Rust types";

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["tidy"] => check(),
        ["typescript"] => tidy::typescript::renew(root()).map(|()| ExitCode::SUCCESS),
        ["papers"] => tidy::papers::renew(root()).map(|()| ExitCode::SUCCESS),
        _ => {
            eprintln!("{USAGE}");
            Ok(ExitCode::from(2))
        }
    }
}

fn check() -> anyhow::Result<ExitCode> {
    let findings = tidy::check(root())?;
    findings.iter().for_each(|finding| println!("{finding}"));
    if findings.is_empty() {
        println!("tidy: all rules hold");
        return Ok(ExitCode::SUCCESS);
    }
    println!("tidy: {} findings", findings.len());
    Ok(ExitCode::FAILURE)
}

/// The folder of the workspace.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace")
}
