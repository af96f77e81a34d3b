//! Chores of the workspace: `cargo xtask tidy` checks the rules that keep the house in order.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "printing is all it is for")]

mod tidy;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask tidy    check the house rules (see CONTRIBUTING.md)";

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments != ["tidy"] {
        eprintln!("{USAGE}");
        return Ok(ExitCode::from(2));
    }
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
