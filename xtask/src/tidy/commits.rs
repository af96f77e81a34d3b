//! The subjects of commits are short enough for every list of them.

use std::path::Path;
use std::process::Command;

use super::Finding;

const SUBJECT_CHARS_MAX: usize = 72;

/// The commit before the first that has to keep the rule.
const SINCE: &str = "cec2580ff67b9e836f354f4e5a9d8acd429d8985";

/// Name and subject of each commit since; nothing where there is no history, as in a package of the sources.
pub fn read(root: &Path) -> Vec<(String, String)> {
    let range = format!("{SINCE}..HEAD");
    let git = Command::new("git").args(["log", "--format=%h %s", &range]).current_dir(root).output();
    let log =
        git.ok().filter(|output| output.status.success()).map(|output| output.stdout).unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    log.lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(name, subject)| (name.into(), subject.into()))
        .collect()
}

pub fn check(commits: &[(String, String)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, subject) in commits {
        let chars = subject.chars().count();
        if chars > SUBJECT_CHARS_MAX {
            let what = format!("a subject of {chars} characters: {subject}");
            let way_out = format!("say it in {SUBJECT_CHARS_MAX}, the rest in the body");
            findings.push(Finding::new(&format!("commit {name}"), 1, "commit-subject", what, &way_out));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_of_73_characters_is_too_long() {
        let of = |chars: usize| check(&[("abc".into(), "µ".repeat(chars))]).len();
        assert_eq!((of(72), of(73)), (0, 1));
    }

    #[test]
    fn a_folder_without_history_has_no_commits() {
        assert_eq!(read(&std::env::temp_dir()), []);
    }
}
