//! A stored result is shown as what it is, whichever kind it is.

use std::path::Path;

use crate::common::Scratch;
use flashscope_bench::Scope;
use flashscope_core::{Bytes, Pattern, Rw};
use flashscope_lab::sweep::Work;
use flashscope_lab::{
    Interrupt, MeasureRequest, PlannedSweep, RunRequest, SweepSpec, TargetSpec, characterise, measure,
};
use flashscope_show::{Form, Style, Words, leave_page, look_for, page_of, site, text_of};
use flashscope_store::ResultKind;

fn pattern(rw: Rw) -> Pattern {
    Pattern { number_ios: Some(500), ..Pattern::baseline(rw, Bytes(4 << 10), Bytes(64 << 20)) }
}

fn sweep(folder: &Path) {
    let spec =
        SweepSpec { work: Work::Pattern(pattern(Rw::RandWrite)), seed: Some(1), ..SweepSpec::default() };
    let planned = PlannedSweep::new(&spec, true, &Interrupt::new()).expect("a device");
    let made = planned.run(Some(folder), None, &mut |_| {}, &Interrupt::new());
    assert!(made.error.is_none(), "{:?}", made.error);
}

fn run(folder: &Path) {
    let request = RunRequest {
        target: TargetSpec::from("rig:plain"),
        scope: Scope::Quick,
        only: Some(vec!["order".into()]),
        size: Some(Bytes(64 << 20)),
        write: true,
        seed: Some(3),
        ..RunRequest::default()
    };
    characterise(&request, Some(folder), None, &mut |_| {}, &Interrupt::new()).expect("it runs");
}

fn measurement(folder: &Path) {
    let request = MeasureRequest::new(TargetSpec::from("rig:plain"), pattern(Rw::RandRead));
    measure(&request, Some(folder), None, &mut |_| {}, &Interrupt::new()).expect("it runs");
}

pub fn form(json: bool) -> Form {
    Form { json, details: true, style: Style { width: 100, colour: false }, words: Words::default() }
}

type Make = fn(&Path);

/// Folders of several kinds.
pub const KINDS: [Make; 3] = [sweep, run, measurement];

#[test]
fn a_result_is_shown_as_the_kind_that_its_folder_holds() {
    let scratch = Scratch::new();
    let kinds: [(Make, ResultKind, &str, &str, &str); 3] = [
        (sweep, ResultKind::Sweep, "sim", "bplru-board", "write_amplification"),
        (run, ResultKind::Run, "run", "rig:plain", "indicators"),
        (measurement, ResultKind::Measurement, "measure", "rig:plain", "mean_ms"),
    ];
    for (number, (make, kind, page, word, key)) in kinds.into_iter().enumerate() {
        let folder = scratch.path(&format!("{number}"));
        make(&folder);
        assert_eq!(ResultKind::of(&folder), kind);
        let [text, json] = [false, true].map(|json| text_of(&folder, &form(json)).expect("it is whole").text);
        assert!(text.contains(word) && json.contains(key), "{text}\n{json}");
        let made = page_of(&folder, 1 << 20, &[], &Words::default()).expect("it is whole");
        assert_eq!((made.bundle.document.kind, made.warnings.len()), (page, 0));
        leave_page(&folder, &Words::default()).expect("written");
        assert!(folder.join("report.html").is_file());
    }
    let out = scratch.path("site");
    let found = look_for(&scratch.path(""));
    let made = site(found, &out, &Words::default(), &Interrupt::new()).expect("written");
    assert_eq!((made.results, made.problems.len()), (3, 0), "{:?}", made.problems);
    let index = std::fs::read_to_string(out.join("index.html")).expect("a page");
    assert!((0..3).all(|number| index.contains(&format!("results/{number}.html"))));
    // An old site is replaced, anything else is not.
    let again = |place: &Path| site(look_for(&scratch.path("")), place, &Words::default(), &Interrupt::new());
    assert!(again(&out).is_ok() && again(&scratch.path("0")).is_err());
    let stop = Interrupt::new();
    stop.set();
    let stopped = site(look_for(&scratch.path("")), &scratch.path("none"), &Words::default(), &stop);
    assert!(stopped.is_err() && !scratch.path("none").exists(), "it is there whole or not at all");
}

#[test]
fn what_is_no_result_is_refused_and_what_is_damaged_has_a_page() {
    let scratch = Scratch::new();
    let folder = scratch.path("sweep");
    assert!(text_of(&folder, &form(false)).is_err());
    assert!(page_of(&folder, 1 << 20, &[], &Words::default()).is_err());
    sweep(&folder);
    std::fs::write(folder.join("sim.json"), "[{").expect("written");
    assert!(text_of(&folder, &form(false)).is_err());
    let made = page_of(&folder, 1 << 20, &[], &Words::default()).expect("a page of its remains");
    assert_eq!((made.bundle.document.kind, made.warnings.len()), ("remains", 1));
}
