//! What is there to be learnt from: examples that work, completions that shells accept, pages that man shows.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::common::kernel::Scratch;
use crate::common::{call, ended, folder, scratch, text};

/// A program that not every machine has; in CI it must be there.
fn is_there(tool: &str) -> bool {
    let found = Command::new("sh").args(["-c", &format!("command -v {tool}")]).stdout(Stdio::null()).status();
    let found = found.is_ok_and(|status| status.success());
    assert!(found || std::env::var("CI").as_deref() != Ok("true"), "{tool} is missing in CI");
    found
}

/// All commands by their paths, as the man pages name them.
fn pages(scratch: &Scratch) -> Vec<PathBuf> {
    call(&folder(scratch), &["man", "-o", "pages"]).well();
    let entries = std::fs::read_dir(scratch.path("pages")).unwrap();
    let mut pages: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    pages.sort();
    pages
}

/// The examples in the help of a command.
fn examples(scratch: &Scratch, path: &[&str]) -> Vec<String> {
    let help = call(&folder(scratch), &[path, &["--help"]].concat()).well().out;
    let (_, examples) = help.split_once("Examples:\n").unwrap_or_else(|| panic!("{path:?} has no examples"));
    examples.lines().filter(|line| line.starts_with("    ")).map(|line| line.trim().to_string()).collect()
}

/// In the order in which a person would: what one leaves behind the next may take.
const IN_ORDER: &[&[&str]] = &[
    &["run"],
    &["measure"],
    &["trace", "generate"],
    &["trace", "sniff"],
    &["trace", "stats"],
    &["trace", "convert"],
    &["trace", "cut"],
    &["trace", "merge"],
    &["sim"],
    &["replay"],
    &["doctor"],
    &["check"],
    &["show"],
    &["compare"],
    &["report"],
    &["export"],
    &["list"],
];

#[test]
fn examples_without_a_real_target_run_as_they_are_printed() {
    let scratch = scratch();
    let mut count = 0;
    for path in IN_ORDER {
        for line in examples(&scratch, path) {
            if line.contains("/dev/") || line.contains("test.img") {
                continue;
            }
            let program = env!("CARGO_BIN_EXE_flashscope");
            let line = line.replacen("flashscope", &format!("'{program}'"), 1);
            let mut shell = Command::new("sh");
            ended(shell.args(["-c", &line]), &folder(&scratch)).well();
            count += 1;
        }
    }
    assert!(count >= 25, "only {count} examples were run");
}

#[test]
fn shells_accept_their_completions() {
    let scratch = scratch();
    let checks: [(&str, &[&str]); 3] = [("bash", &["-n"]), ("zsh", &["-n"]), ("fish", &["--no-execute"])];
    for (shell, check) in checks {
        let script = call(&folder(&scratch), &["completions", shell]).well().out;
        let path = scratch.path(shell);
        std::fs::write(&path, script).unwrap();
        if is_there(shell) {
            ended(Command::new(shell).args(check).arg(&path), &folder(&scratch)).well();
        }
    }
    for shell in ["elvish", "powershell"] {
        assert!(call(&folder(&scratch), &["completions", shell]).well().out.contains("measure"));
    }
    call(&folder(&scratch), &["completions", "cmd"]).failed(2, &["cmd", "bash", "powershell"]);
}

/// What bash offers when the tabulator key is pressed at the end of `line`.
fn offered(scratch: &Scratch, line: &str) -> BTreeSet<String> {
    let script = call(&folder(scratch), &["completions", "bash"]).well().out;
    // Bash itself splits at the colon, too.
    let ask = format!(
        r#"
COMP_LINE='{line}'; COMP_POINT=${{#COMP_LINE}}
words=$(sed 's/:/ : /g' <<<"$COMP_LINE"); COMP_WORDS=($words)
[[ $COMP_LINE == *[[:space:]:] ]] && COMP_WORDS+=('')
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
function=$(complete -p flashscope | sed 's/.*-F \([^ ]*\).*/\1/')
$function flashscope "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD-1]}}"
printf '%s\n' "${{COMPREPLY[@]}}"
"#
    );
    let mut child = Command::new("bash")
        .args(["--norc", "--noprofile"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("bash starts");
    child.stdin.take().unwrap().write_all((script + &ask).as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_string).collect()
}

#[test]
fn bash_completes_commands_flags_and_names() {
    if !is_there("bash") {
        return;
    }
    let scratch = scratch();
    for (line, expected) in [
        ("flashscope tr", &["trace"][..]),
        ("flashscope trace st", &["stats"]),
        ("flashscope run --quic", &["--quick"]),
        ("flashscope run --only gran", &["granularity"]),
        ("flashscope sim --buffer bpl", &["bplru"]),
        ("flashscope sim bplru-b", &["bplru-board"]),
        ("flashscope trace convert a b --to parq", &["parquet"]),
        ("flashscope list prof", &["profiles"]),
        ("flashscope run rig:mtr", &["mtron"]),
        ("flashscope measure sim:x25m", &["x25m-2009"]),
        ("flashscope doctor nul", &["null:"]),
        ("flashscope completions f", &["fish"]),
    ] {
        let expected: BTreeSet<String> = expected.iter().map(ToString::to_string).collect();
        assert_eq!(offered(&scratch, line), expected, "{line}");
    }
    assert!(offered(&scratch, "flashscope run rig:").contains("plain"));
    assert!(offered(&scratch, "flashscope ").is_superset(&["run", "man"].map(str::to_string).into()));
}

#[test]
fn every_command_has_a_page_that_groff_has_nothing_against() {
    let scratch = scratch();
    let pages = pages(&scratch);
    let names: BTreeSet<_> = pages.iter().map(|page| page.file_name().unwrap().to_str().unwrap()).collect();
    let some = ["flashscope.1", "flashscope-run.1", "flashscope-trace-cut.1", "flashscope-doctor.1"];
    assert!(names.is_superset(&some.into()), "{names:?}");
    for page in &pages {
        let text = std::fs::read_to_string(page).unwrap();
        for part in [".SH NAME", ".SH SYNOPSIS", ".SH EXAMPLES", ".SH \"EXIT STATUS\""] {
            assert!(text.contains(part), "{} has no {part}", page.display());
        }
        if is_there("groff") {
            let warnings =
                Command::new("groff").args(["-man", "-ww", "-z"]).arg(page).output().unwrap().stderr;
            assert!(warnings.is_empty(), "{}: {}", page.display(), String::from_utf8_lossy(&warnings));
        }
    }
    let main = std::fs::read_to_string(scratch.path("pages/flashscope.1")).unwrap();
    assert!(main.contains(".SH \"ENVIRONMENT\"") && main.contains(".SH \"FILES\"") && main.contains("130"));
    assert_eq!(call(&folder(&scratch), &["man"]).well().out, main);
    let taken = scratch.path("taken");
    std::fs::write(&taken, "").unwrap();
    call(&folder(&scratch), &["man", "-o", text(&taken)]).failed(1, &["taken", "-o"]);
}

#[test]
fn help_has_no_colour_on_a_pipe() {
    let scratch = scratch();
    for arguments in [&["--help"][..], &["run", "--help"], &["help", "trace", "cut"]] {
        let help = call(&folder(&scratch), arguments).well().out;
        assert!(!help.contains('\x1b') && help.contains("Examples:"), "{help}");
    }
}
