//! Calls the program as a person does, and takes what it prints.
#![allow(dead_code, reason = "each test binary uses its own part")]

#[path = "../../../../device/tests/it/common.rs"]
pub mod kernel;

pub mod python;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use kernel::Scratch;
use serde_json::Value;

/// The program, ready to be told more.
pub fn flashscope(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flashscope"));
    command.args(arguments).stdin(Stdio::null()).env_remove("NO_COLOR").env_remove("COLUMNS");
    command
}

/// How a call ended.
#[derive(Debug)]
pub struct Ended {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl Ended {
    /// The only thing on standard output must be one JSON document.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// It must have gone well.
    pub fn well(self) -> Ended {
        assert_eq!(self.status, 0, "{self:?}");
        self
    }

    /// It must have failed with `status` and with each of `words` in its message.
    pub fn failed(self, status: i32, words: &[&str]) -> Ended {
        assert_eq!(self.status, status, "{self:?}");
        for word in words {
            assert!(self.err.contains(word), "'{word}' is missing in: {}", self.err);
        }
        assert!(!self.err.contains("panicked"), "{}", self.err);
        self
    }
}

impl From<Output> for Ended {
    fn from(output: Output) -> Ended {
        Ended {
            status: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).expect("what is printed is text"),
            err: String::from_utf8(output.stderr).expect("what is printed is text"),
        }
    }
}

/// Runs a command in `folder`, so that what it leaves behind is cleaned up with it.
pub fn ended(command: &mut Command, folder: &Path) -> Ended {
    command.current_dir(folder).output().expect("flashscope starts").into()
}

/// One call.
pub fn call(folder: &Path, arguments: &[&str]) -> Ended {
    ended(&mut flashscope(arguments), folder)
}

/// A call that goes on in the background.
pub fn start(folder: &Path, arguments: &[&str]) -> Child {
    let mut command = flashscope(arguments);
    command.current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("flashscope starts")
}

/// Ctrl-C to a call that goes on, and how it ends.
pub fn interrupt(child: Child) -> Ended {
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(status.expect("kill is there").success(), "it ended by itself");
    child.wait_with_output().expect("it ends").into()
}

/// Waits for `condition`; a hundred times longer than it ever takes before it gives up.
pub fn wait_for(what: &str, mut condition: impl FnMut() -> bool) {
    for _ in 0..6_000 {
        if condition() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("waited in vain for {what}");
}

/// A path as an argument.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

/// A folder on a disk that takes direct IO, gone at the end.
pub fn scratch() -> Scratch {
    Scratch::under(Path::new(env!("CARGO_TARGET_TMPDIR")))
}

/// Where it is.
pub fn folder(scratch: &Scratch) -> PathBuf {
    scratch.path("")
}

/// The whole lines of a result's `runs.jsonl`.
pub fn stored_runs(result: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(result.join("runs.jsonl")).unwrap_or_default();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    whole.lines().map(|line| serde_json::from_str(line).expect("a whole line is JSON")).collect()
}
