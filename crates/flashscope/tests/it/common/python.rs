//! The Python that reads what we write: `FLASHSCOPE_PYTHON`, or what the system has.

use std::io::Write as _;
use std::process::Command;

/// Its name.
pub fn python() -> String {
    std::env::var("FLASHSCOPE_PYTHON").unwrap_or("python3".into())
}

/// The same if it has these modules (`a, b`); if not, that is said, and is a failure in CI.
pub fn python_with(modules: &str) -> Option<String> {
    let python = python();
    let has = Command::new(&python).args(["-c", &format!("import {modules}")]).output();
    if has.is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    let why = format!("{python} has no {modules} (set FLASHSCOPE_PYTHON)");
    assert!(std::env::var("CI").as_deref() != Ok("true"), "skipped in CI: {why}");
    // Past the harness, which would keep it to itself.
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
    None
}

/// Runs a program and gives what it prints; its failure is the test's.
pub fn python_ok(python: &str, program: &str, arguments: &[&str]) -> String {
    let output = Command::new(python).arg("-c").arg(program).args(arguments).output().expect("python starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}
