//! What a person at a terminal sees while a command works: the standard error of each call is a terminal
//! here, of 100 columns, its standard output a pipe.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::common::kernel::Scratch;
use crate::common::python::{python_ok, python_with};
use crate::common::{call, folder, scratch, text};

const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../trace/samples");

/// Runs a command below a terminal and keeps all that is drawn there. When `until` was drawn, the pipe `feed`
/// is filled from a file.
const PROGRAM: &str = "
import fcntl, json, os, pty, select, struct, subprocess, sys, termios
spec = json.loads(sys.argv[1])
terminal, end = pty.openpty()
fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack('HHHH', 40, 100, 0, 0))
env = dict(os.environ, TERM='xterm')
for name in ['NO_COLOR', 'COLUMNS']:
    env.pop(name, None)
child = subprocess.Popen(spec['command'], cwd=spec['folder'], env=env, stderr=end,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
os.close(end)
drawn, feed = b'', spec['feed']
while True:
    if not select.select([terminal], [], [], 60)[0]:
        child.kill()
        raise SystemExit('nothing drawn for a minute: ' + repr(drawn))
    try:
        part = os.read(terminal, 65536)
    except OSError:
        break
    if not part:
        break
    drawn += part
    if feed and feed[2].encode() in drawn:
        with open(feed[0], 'rb') as file, open(feed[1], 'wb') as pipe:
            pipe.write(file.read())
        feed = None
out = child.stdout.read().decode()
print(json.dumps({'drawn': drawn.decode(errors='replace'), 'out': out, 'status': child.wait()}))";

/// What was drawn, without what steers the terminal, and what was printed.
struct Seen {
    drawn: String,
    out: String,
}

fn seen(python: &str, at: &Path, words: &[&str], feed: Option<[&str; 3]>) -> Seen {
    let command: Vec<&str> =
        std::iter::once(env!("CARGO_BIN_EXE_flashscope")).chain(words.iter().copied()).collect();
    let spec = json!({ "command": command, "folder": at, "feed": feed });
    let said = python_ok(python, PROGRAM, &[&spec.to_string()]);
    let said: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(said["status"], 0, "{said:#}");
    let mut drawn = String::new();
    for (number, part) in said["drawn"].as_str().expect("text").split("\x1b[").enumerate() {
        let rest =
            if number == 0 { part } else { part.trim_start_matches(|c: char| !c.is_ascii_alphabetic()) };
        drawn += if number == 0 { rest } else { rest.get(1..).unwrap_or_default() };
    }
    Seen { drawn, out: said["out"].as_str().expect("text").into() }
}

/// What stands behind the last `name  `, two words. A terminal is filled up to its last column, so that rows
/// need no line of their own.
fn row<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let at = text.rfind(&format!("{name}  ")).unwrap_or_else(|| panic!("no {name} in {text}"));
    text[at + name.len()..].split_whitespace().take(2).collect()
}

const FOUR: [&str; 4] = ["sequential read", "random read", "sequential write", "random write"];

#[test]
fn the_four_numbers_of_a_run_appear_while_it_goes_on() {
    let Some(python) = python_with("pty") else { return };
    let scratch = scratch();
    let at = folder(&scratch);
    let run = ["run", "rig:mtron", "--quick", "--seed", "1", "-o"];
    let on_terminal = seen(&python, &at, &[&run[..], &["a"]].concat(), None);
    for name in FOUR {
        let [drawn, printed] = [&on_terminal.drawn, &on_terminal.out].map(|text| row(text, name));
        // The last round may have changed them.
        for (so_far, at_end) in drawn.iter().zip(&printed) {
            let [so_far, at_end] =
                [so_far, at_end].map(|n| n.replace(',', "").parse::<f64>().expect("a number"));
            assert!((so_far / at_end - 1.0).abs() < 0.01, "{name}: {drawn:?}, {printed:?}");
        }
    }
    assert!(on_terminal.drawn.contains("32 KiB, depth 1"), "{}", on_terminal.drawn);
    let piped = call(&at, &[&run[..], &["b"]].concat()).well();
    assert_eq!(
        on_terminal.out,
        piped.out.replace("results in b", "results in a"),
        "what is printed is the same"
    );
    assert!(!piped.err.contains("depth 1"), "{}", piped.err);
    let quiet = seen(&python, &at, &[&run[..], &["c", "-q"]].concat(), None);
    assert_eq!(quiet.drawn, "");
}

#[test]
fn a_number_that_is_not_yet_known_has_its_row() {
    let Some(python) = python_with("pty") else { return };
    let scratch = scratch();
    let at = folder(&scratch);
    call(&at, &["create", "file", "16MiB"]).well();
    // Without leave to write, two of the four stay unknown.
    let run = ["run", "file", "--quick", "--only", "granularity", "--budget", "3s", "-o", "a"];
    let drawn = seen(&python, &at, &run, None).drawn;
    assert!(row(&drawn, "sequential read")[0].replace(',', "").parse::<f64>().is_ok(), "{drawn}");
    assert_eq!(row(&drawn, "random write")[0], "…", "{drawn}");
}

#[test]
fn what_waits_says_what_it_does() {
    let Some(python) = python_with("pty") else { return };
    let scratch = Scratch::new();
    let at = scratch.path("");
    let sample = format!("{SAMPLES}/install-ext3.tracefs.gz");
    let cases: [(&[&str], &str); 5] = [
        (&["trace", "convert", "pipe", "out.csv"], "converting pipe · "),
        (&["trace", "cut", "pipe", "cut.csv", "--to-time", "1s"], "cutting pipe · "),
        (&["trace", "merge", "pipe", &sample, "merged.csv"], "merging · "),
        (&["trace", "stats", "pipe"], "read "),
        (&["sim", "--trace", "pipe", "--fit", "modulo"], "simulated 0 of 1"),
    ];
    for (words, line) in cases {
        let pipe = at.join("pipe");
        let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo is there");
        assert!(made.success());
        // It comes to an end only because its line was seen.
        let seen = seen(&python, &at, words, Some([&sample, text(&pipe), line]));
        assert!(seen.drawn.contains(line), "{}", seen.drawn);
        std::fs::remove_file(pipe).expect("it can be removed");
    }
}
