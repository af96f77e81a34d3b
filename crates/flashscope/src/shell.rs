//! Commands that are printed to be copied into a shell.

use std::path::Path;

use flashscope_lab::Leave;

/// A path as one word of a shell's command line, that flashscope takes for a path.
pub fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    // Neither a flag nor a virtual device.
    let is_other = ["-", "rig:", "sim:"].iter().any(|begin| text.starts_with(begin)) || text == "null:";
    let text = if is_other { format!("./{text}") } else { text };
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:,@%=".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The command that finishes the run in a folder, with the leave that it takes.
pub fn resume(folder: &Path, leave: Leave) -> String {
    let write = if leave.write { " --write" } else { "" };
    let overwrite = if leave.overwrite_existing_data { " --overwrite-existing-data" } else { "" };
    format!("flashscope run --resume {}{write}{overwrite}", quoted(folder))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};

    /// What a shell makes of the command, as the program's own parser reads it.
    fn parsed(command: &str) -> Cli {
        let script = format!("printf '%s\\0' {command}");
        let words = std::process::Command::new("sh").args(["-c", &script]).output().expect("a shell");
        let words = String::from_utf8(words.stdout).expect("text");
        Cli::parse_from(words.split_terminator('\0'))
    }

    #[test]
    fn the_command_that_resumes_a_run_asks_for_its_folder_and_its_leave() {
        let folders = ["result", "/tmp/a b/it's", "-x", "rig:plain", "$(exit 1)", "a; b\nc", "~"];
        for folder in folders {
            for (write, overwrite_existing_data) in [(false, false), (true, false), (true, true)] {
                let command = resume(Path::new(folder), Leave { write, overwrite_existing_data });
                let Command::Run(run) = parsed(&command).command else { panic!("{command}") };
                let named = run.resume.expect("a folder");
                assert!(named.ends_with(folder), "{command} is of {}", named.display());
                assert_eq!(run.writing.write, write, "{command}");
                assert_eq!(run.writing.overwrite_existing_data, overwrite_existing_data, "{command}");
                assert!(run.target.is_none() && run.suite.is_none(), "{command}");
            }
        }
    }

    #[test]
    fn a_quoted_path_is_one_word_and_a_path() {
        let quoted = |text: &str| quoted(Path::new(text));
        assert_eq!(quoted("/tmp/a-1.img"), "/tmp/a-1.img");
        assert_eq!(quoted("my disk.img"), "'my disk.img'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted("$(rm -r ~)"), "'$(rm -r ~)'");
        assert_eq!([quoted("-x"), quoted("null:"), quoted("sim:x")], ["./-x", "./null:", "./sim:x"]);
    }
}
