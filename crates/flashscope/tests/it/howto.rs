//! README and how-to pages, as their readers meet them: each command of a `console` block is run, and must
//! print what the page says. A line `…` stands for lines that are left out.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{ended, folder, scratch};

fn pages() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/howto")
}

/// A test for each page, by its name, and the list of the names.
macro_rules! pages {
    ($($test:ident, $name:literal;)*) => {
        const TESTED: &[&str] = &[$($name),*];
        $(#[test]
        fn $test() {
            prints_what_it_says($name);
        })*
    };
}

pages! {
    two_drives, "compare-drives.md";
    an_engine, "engine.md";
    publishing, "publish.md";
    queue_depth, "queue-depth.md";
    a_slow_drive, "worn-or-throttled.md";
}

#[test]
fn the_readme() {
    prints_what_it_says("../../README.md");
}

#[test]
fn every_page_is_tested() {
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let found: BTreeSet<String> = fs::read_dir(pages()).unwrap().map(name).collect();
    assert_eq!(found, TESTED.iter().map(ToString::to_string).collect(), "add the page to howto.rs");
}

/// Commands with what the page says that they print.
fn commands(page: &str) -> Vec<(&str, Vec<&str>)> {
    let mut commands: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut is_console = false;
    for line in page.lines() {
        match (line.strip_prefix("```"), line.strip_prefix("$ ")) {
            (Some(language), _) => is_console = language == "console",
            (None, Some(command)) if is_console => commands.push((command, Vec::new())),
            (None, None) if is_console => {
                commands.last_mut().expect("a command before its output").1.push(line)
            }
            _ => {}
        }
    }
    commands
}

fn prints_what_it_says(name: &str) {
    let page = fs::read_to_string(pages().join(name)).expect("the page is there");
    let commands = commands(&page);
    assert!(!commands.is_empty(), "{name} has its commands in blocks of console");
    let program = Path::new(env!("CARGO_BIN_EXE_flashscope")).parent().expect("a folder");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let scratch = scratch();
    for (command, said) in commands {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).env("PATH", &path).env_remove("COLUMNS").env_remove("NO_COLOR");
        let printed = ended(&mut shell, &folder(&scratch)).well().out;
        let printed: Vec<&str> = printed.trim_end().lines().map(str::trim_end).collect();
        assert!(
            is_as_said(&printed, &said),
            "{name}: $ {command}\n{}\n\nbut the page says\n\n{}",
            printed.join("\n"),
            said.join("\n")
        );
    }
}

/// Whether lines are those that are said, with any number in the place of `…`.
fn is_as_said(printed: &[&str], said: &[&str]) -> bool {
    match said {
        [] => printed.is_empty(),
        ["…", rest @ ..] => (0..=printed.len()).any(|left_out| is_as_said(&printed[left_out..], rest)),
        [first, rest @ ..] => printed.first() == Some(first) && is_as_said(&printed[1..], rest),
    }
}
