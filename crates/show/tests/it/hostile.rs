//! Results of hostile hands are shown from within their folder, in time, and nothing in them steers a
//! terminal or a page.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::common::Scratch;
use crate::hands::{Outside, files, lay_a_hand_on};
use crate::kinds::{KINDS, form};
use flashscope_core::plain::is_steering;
use flashscope_core::seed::{Random, derive};
use flashscope_show::html::page;
use flashscope_show::{Words, leave_page, page_of, text_of};

const SEED: u64 = 20_261_122;
/// Of each kind.
const CASES: u64 = 25;
/// A case takes milliseconds.
const HANGS: Duration = Duration::from_secs(60);

#[test]
fn results_of_hostile_hands_are_shown_from_within() {
    let seed = std::env::var("FLASHSCOPE_SEED").map_or(SEED, |seed| seed.parse().expect("a number"));
    for (number, make) in KINDS.iter().enumerate() {
        let whole = Scratch::new();
        make(&whole.path("result"));
        for case in 0..CASES {
            let (done, ended) = mpsc::channel();
            let scratch = Scratch::new();
            let copied =
                Command::new("cp").arg("-r").args([whole.path("result"), scratch.path("result")]).status();
            assert!(copied.expect("cp is there").success());
            let mut random = Random::new(derive(seed, case * 10 + number as u64));
            let worker = thread::spawn(move || {
                show(&scratch.path("result"), &mut random);
                let _ = done.send(());
            });
            let name = format!("FLASHSCOPE_SEED={seed}, kind {number}, case {case}");
            assert!(ended.recv_timeout(HANGS) != Err(mpsc::RecvTimeoutError::Timeout), "it hangs: {name}");
            assert!(worker.join().is_ok(), "{name}");
        }
    }
}

fn show(folder: &Path, random: &mut Random) {
    let outside = Outside::beside(folder);
    rename_the_target(folder);
    let done: Vec<String> = (0..=random.below(2)).map(|_| lay_a_hand_on(folder, &outside, random)).collect();
    let guarded = outside.guard();
    for json in [false, true] {
        if let Ok(shown) = text_of(folder, &form(json)) {
            assert!(!shown.text.contains(is_steering), "{done:?}: {}", shown.text);
        }
    }
    if let Ok(made) = page_of(folder, 1 << 20, &[], &Words::default()) {
        let html = page(&[made.bundle]);
        let words = html.split("<script>").next().expect("all before the program");
        assert!(!words.contains(is_steering) && !words.contains("\\u001b"), "{done:?}");
    }
    let _ = leave_page(folder, &Words::default());
    assert!(guarded.is_untouched(), "it looks outside: {done:?}");
}

/// What the target is called reaches every view.
fn rename_the_target(folder: &Path) {
    for file in files(folder).iter().filter(|file| file.extension().is_some_and(|end| end != "parquet")) {
        let Ok(text) = fs::read_to_string(file) else { continue };
        let evil = text
            .replace("rig:plain", "rig:\\u001b[2J\u{202e}\\u202eplain\u{9b}\\b\\r")
            .replace("bplru-board", "bplru\\u001b[2J\u{202e}\\u2066board\u{9b}");
        fs::write(file, evil).expect("it can be written");
    }
}
