//! Runs and single measurements: what is concluded, what an interruption leaves, and what finishing it adds.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use flashscope_analysis::Finished;
use flashscope_bench::{Event, Scope};
use flashscope_core::Bytes;
use flashscope_lab::replay::PlannedReplay;
use flashscope_lab::{
    Error, ErrorKind, Interrupt, MeasureRequest, OpenMeasurement, PlannedRun, ReplayRequest, Resumption,
    RunRequest, RunResult, TargetSpec, TraceInput, characterise, measure,
};
use flashscope_store::Stored;

use crate::kernel::{Loop, Scratch, requires};
use crate::names;

fn quick(target: &str) -> RunRequest {
    RunRequest { target: target.into(), scope: Scope::Quick, seed: Some(1), ..RunRequest::default() }
}

fn run(request: &RunRequest, folder: &Path) -> RunResult {
    characterise(request, Some(folder), None, &mut |_| {}, &Interrupt::new()).unwrap()
}

/// Which experiment, and which of its repeats.
fn places(finished: &[Finished]) -> BTreeSet<(String, u32)> {
    finished.iter().map(|finished| (finished.experiment.id(), finished.repeat)).collect()
}

#[test]
fn a_rig_of_known_truth_is_characterised_as_what_it_is() {
    let scratch = Scratch::new();
    // Every IO takes the same time on this one; writes of the other depend on where they go.
    let [plain, mtron] = ["rig:plain", "rig:mtron"].map(|rig| {
        let result = run(&quick(rig), &scratch.path(&rig[4..]));
        assert!(result.error.is_none() && result.stopped.is_none(), "{:?}", result.error);
        result.conclusions().indicators
    });
    let ratio = |found: &flashscope_analysis::Indicators| {
        found.rw_ms.as_ref().unwrap().value / found.sw_ms.as_ref().unwrap().value
    };
    assert!((0.95..1.05).contains(&ratio(&plain)), "{}", ratio(&plain));
    assert!(ratio(&mtron) > 10.0, "{}", ratio(&mtron));
}

#[test]
fn an_interrupted_run_is_finished_and_measures_nothing_twice() {
    let scratch = Scratch::new();
    let request = RunRequest { only: Some(names(["granularity", "alignment"])), ..quick("rig:mtron") };
    let whole = run(&request, &scratch.path("whole"));
    let folder = scratch.path("cut");
    let interrupt = Interrupt::new();
    let mut done = 0;
    let mut after_five = |event: &Event<'_>| {
        done += u32::from(matches!(event, Event::Done(_)));
        if done == 5 {
            interrupt.set();
        }
    };
    let cut = characterise(&request, Some(&folder), None, &mut after_five, &interrupt).unwrap();
    assert!(cut.stopped.is_some() && !cut.context.complete);
    let before = places(&cut.finished);
    assert!((5..places(&whole.finished).len()).contains(&before.len()), "{}", before.len());
    drop(cut);

    let planned = PlannedRun::resume(&folder, &Resumption::default(), &Interrupt::new()).unwrap();
    let mut again = BTreeSet::new();
    let mut heard = |event: &Event<'_>| {
        if let Event::Done(finished) = event {
            again.insert((finished.experiment.id(), finished.repeat));
        }
    };
    let resumed = planned.begin().unwrap().measure(&mut heard, &Interrupt::new());
    assert!(resumed.stopped.is_none() && resumed.context.complete);
    let kept: BTreeSet<_> = before.intersection(&again).collect();
    assert!(kept.len() <= 1, "only the run that was cut is measured again: {kept:?}");
    assert_eq!(places(&resumed.finished), places(&whole.finished));
    assert_eq!(places(&Stored::read(&folder).unwrap().finished), places(&whole.finished));
}

#[test]
fn a_folder_in_use_is_not_written_by_a_second_run() {
    let scratch = Scratch::new();
    let request = RunRequest { only: Some(names(["granularity"])), ..quick("rig:mtron") };
    let first = run(&request, &scratch.path("busy"));
    let resumption = Resumption::default();
    let resume = || PlannedRun::resume(&scratch.path("busy"), &resumption, &Interrupt::new());
    assert!(resume().is_err(), "the first still holds it");
    drop(first);
    assert!(resume().is_ok());
}

#[test]
fn a_measurement_is_the_same_from_the_same_seed() {
    let scratch = Scratch::new();
    let mean_ns = |seed, name: &str| {
        let pattern = "rw=randwrite bs=32k".parse().unwrap();
        let request =
            MeasureRequest { seed: Some(seed), ..MeasureRequest::new("rig:memoright".into(), pattern) };
        let folder = scratch.path(name);
        let result = measure(&request, Some(&folder), None, &mut |_| {}, &Interrupt::new()).unwrap();
        result.finished[0].run.outcome.estimate.expect("a mean").mean_ns
    };
    let first = mean_ns(1, "a");
    assert_eq!(first.to_bits(), mean_ns(1, "b").to_bits());
    assert_ne!(first.to_bits(), mean_ns(2, "c").to_bits());
}

#[test]
fn requests_that_make_no_sense_are_refused_before_a_folder_is_made() {
    let scratch = Scratch::new();
    let folder = scratch.path("none");
    let refused = |request: RunRequest, words: &[&str]| {
        let error = characterise(&request, Some(&folder), None, &mut |_| {}, &Interrupt::new()).err();
        let error = error.expect("it makes no sense");
        assert_eq!(error.kind(), ErrorKind::Usage, "{error:?}");
        for word in words {
            assert!(error.message().contains(word), "'{word}' is missing in: {error:?}");
        }
        assert!(!folder.exists(), "{error:?}");
    };
    let mtron = || quick("rig:mtron");
    for precision in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused(RunRequest { precision: Some(precision), ..mtron() }, &["precision", "more than 0"]);
    }
    refused(RunRequest { repeats: Some(0), ..mtron() }, &["repeats", "more than 0"]);
    refused(RunRequest { only: Some(names(["granularit"])), ..mtron() }, &["granularit", "granularity"]);
    refused(quick("null:"), &["null:"]);
    refused(quick("rig:mtro"), &["mtro", "mtron"]);
    refused(quick("sim:x25m"), &["x25m", "x25m-2009"]);
}

/// A result keeps the name alone: what it named again would be another target.
#[test]
fn a_file_whose_name_cannot_be_kept_is_refused() {
    let scratch = Scratch::new();
    let folder = scratch.path("none");
    let unreadable = scratch.path("").join(std::ffi::OsStr::from_bytes(b"f\xff"));
    std::fs::write(&unreadable, [1; 4096]).unwrap();
    for path in [PathBuf::from("rig:mtron"), PathBuf::from("null:"), unreadable] {
        let request = RunRequest { target: TargetSpec::Path(path.clone()), ..quick("rig:mtron") };
        let error = characterise(&request, Some(&folder), None, &mut |_| {}, &Interrupt::new()).err();
        let error = error.expect("it is not that target");
        assert!(!folder.exists() && error.kind() == ErrorKind::Usage, "{}: {error:?}", path.display());
        assert_eq!(error.setting_name(), Some("target"), "{}: {error:?}", path.display());
    }
}

#[test]
fn a_search_for_a_block_size_that_is_interrupted_has_found_none() {
    let scratch = Scratch::new();
    let pattern = || "rw=read".parse().unwrap();
    let request = |seed| {
        let request = MeasureRequest::new("rig:mtron".into(), pattern());
        MeasureRequest { scales_bs: true, seed: Some(seed), ..request }
    };
    let whole = measure(&request(1), Some(&scratch.path("a")), None, &mut |_| {}, &Interrupt::new()).unwrap();
    assert!(whole.chosen_bs >= Some(Bytes(64 << 10)), "{:?}", whole.chosen_bs);
    for runs in [1, 3, 6] {
        let (interrupt, mut begun) = (Interrupt::new(), 0);
        let mut heard = |event: &Event<'_>| {
            begun += u32::from(matches!(event, Event::Started { .. }));
            if begun == runs {
                interrupt.set();
            }
        };
        let folder = scratch.path(&format!("b{runs}"));
        let cut = measure(&request(1), Some(&folder), None, &mut heard, &interrupt).unwrap();
        assert!(!cut.context.complete && cut.chosen_bs.is_none(), "{runs} runs: {:?}", cut.chosen_bs);
    }
}

#[test]
fn more_ios_in_flight_than_can_be_told_apart_are_refused() {
    for target in ["null:", "rig:mtron"] {
        let pattern = "rw=randread bs=4k size=1g numjobs=4294967295".parse().unwrap();
        let request = MeasureRequest::new(target.into(), pattern);
        let error = measure(&request, None, None, &mut |_| {}, &Interrupt::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage, "{target}: {error:?}");
    }
}

#[test]
fn nothing_is_begun_on_a_device_that_nobody_confirmed() {
    if !requires(&["losetup"]) {
        return;
    }
    let scratch = Scratch::new();
    let image = scratch.image("disk", 64 << 20);
    let disk = Loop::attach(&image, &[]);
    let target = TargetSpec::Path(disk.device.clone());
    let folder = scratch.path("none");
    let before = std::fs::read(&image).unwrap();
    let refused = |error: Option<Error>| {
        assert_eq!(error.expect("it was not confirmed").kind(), ErrorKind::Refused);
        assert!(!folder.exists() && std::fs::read(&image).unwrap() == before);
    };
    let run = RunRequest { target: target.clone(), write: true, ..quick("rig:mtron") };
    refused(PlannedRun::new(&run, Some(&folder), false, &Interrupt::new()).unwrap().begin().err());
    let request = MeasureRequest::new(target.clone(), "rw=randwrite bs=4k number_ios=10".parse().unwrap());
    let request = MeasureRequest { write: true, ..request };
    refused(OpenMeasurement::new(&request, &Interrupt::new()).unwrap().begin(Some(&folder)).err());
    let trace = scratch.path("t.load");
    std::fs::write(&trace, "0.0 ; 0 ; 8 ; W ; 0.0 ; 0.0\n").unwrap();
    let replay = ReplayRequest { write: true, ..ReplayRequest::new(TraceInput::new(trace), target) };
    refused(PlannedReplay::new(&replay, &Interrupt::new()).unwrap().begin(Some(&folder)).err());
}

/// Writing results is IO too: on the file system that is measured it is named before the first IO.
#[test]
fn results_beside_the_target_are_named_before_the_run() {
    let scratch = Scratch::new();
    let file = scratch.path("target");
    std::fs::write(&file, vec![1; 1 << 20]).unwrap();
    let pattern: flashscope_core::Pattern = "rw=randread bs=4k number_ios=16".parse().unwrap();
    let target = TargetSpec::from(file.to_str().unwrap());
    let request = flashscope_lab::MeasureRequest::new(target, pattern);
    let warns = |folder: &Path| {
        let opened = flashscope_lab::OpenMeasurement::new(&request, &Interrupt::new()).unwrap();
        let begun = opened.begin(Some(folder)).unwrap();
        begun.facts().warnings.iter().any(|warning| warning.seen.contains("the file system that is measured"))
    };
    assert!(warns(&scratch.path("beside")));
    let device = |path: &Path| std::fs::metadata(path).unwrap().dev();
    let others = [PathBuf::from("/dev/shm"), std::env::temp_dir()];
    let other = others.iter().find(|other| device(other) != device(&file)).expect("another file system");
    let elsewhere = other.join(format!("flashscope-results-{}", std::process::id()));
    assert!(!warns(&elsewhere));
    std::fs::remove_dir_all(&elsewhere).unwrap();
}
