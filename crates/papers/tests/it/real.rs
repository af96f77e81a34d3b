//! Studies on a real file: each works, or says in a sentence why not.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use flashscope_core::Nanos;
use flashscope_device::{Intent, create_file};
use flashscope_lab::{ErrorKind, Interrupt, OpenTarget, TargetSpec};
use flashscope_papers::{
    Finding, Judged, JudgedClaim, NotHere, RealDevice, Schedule, Stage, Verdict, judge, view,
};
use flashscope_show::Style;

use crate::common::{claim, claims, named, reason_of, value};
use crate::kernel::Scratch;

/// Short, for studies that shall only be seen to run.
const BRIEFLY: Schedule = Schedule { runtime: Nanos::from_ms(100), repeats: 1 };
const THRICE: Schedule = Schedule { runtime: Nanos::from_ms(100), repeats: 3 };

struct TestFile {
    _scratch: Scratch,
    path: PathBuf,
}

impl TestFile {
    fn new(size_bytes: u64) -> TestFile {
        let scratch = Scratch::under(Path::new(env!("CARGO_TARGET_TMPDIR")));
        let path = scratch.path("file");
        create_file(&path, size_bytes, 1, &mut |_| ControlFlow::Continue(())).unwrap();
        TestFile { _scratch: scratch, path }
    }

    fn device(&self, write: bool, schedule: Schedule) -> RealDevice {
        let options = RealDevice::open_options(Intent { write, ..Intent::READ }, 1);
        let spec = TargetSpec::from(self.path.to_str().unwrap());
        RealDevice::new(OpenTarget::open(&spec, options, &Interrupt::new()).unwrap(), schedule).unwrap()
    }

    fn run(&self, names: &str, write: bool, schedule: Schedule) -> Vec<Judged> {
        let (device, interrupt) = (self.device(write, schedule), Interrupt::new());
        judge(&named(names), &Stage::new(1, &interrupt).on_real(&device), 2, &|_| {}).unwrap()
    }

    fn content(&self) -> Vec<u8> {
        std::fs::read(&self.path).unwrap()
    }
}

/// Each claim has a number, or was looked for and not found, or cannot be run; and a reason, unless it holds.
#[track_caller]
fn all_are_told<'a>(claims: impl Iterator<Item = &'a JudgedClaim>) {
    for claim in claims {
        let name = claim.claim.name;
        assert!(!claim.reason.is_empty() || claim.verdict == Verdict::Reproduced, "{name} has no reason");
        let is_unknown = claim.found == Finding::Unknown;
        assert!(!is_unknown || claim.verdict == Verdict::NotHere, "{name}: {:?}", claim.verdict);
    }
}

/// Studies that between them use everything: times, counts of IOs, bursts, sessions, single IOs, fills.
#[test]
fn studies_run_on_a_file() {
    let file = TestFile::new(32 << 20);
    let studies = "ajwani-table-3-1 ajwani-chunks ajwani-aging ajwani-misaligned ajwani-spikes \
                   bplru-power-loss almost-sequential uflip-startup uflip-alignment";
    let judged = file.run(studies, true, BRIEFLY);
    all_are_told(claims(&judged));
    let measured = claims(&judged).filter(|claim| value(claim).is_some()).count();
    assert!(measured > 25, "{measured} of {} claims measured", claims(&judged).count());
    assert_eq!(file.content().len(), 32 << 20, "the file keeps its size");
}

#[test]
fn without_leave_nothing_is_written_and_that_is_said() {
    let file = TestFile::new(16 << 20);
    let before = file.content();
    let judged = file.run("ajwani-list-ranking bplru-power-loss", false, BRIEFLY);
    all_are_told(claims(&judged));
    assert!(value(claim(&judged, "ajwani-list-ranking/days")).is_some(), "reads alone need no leave");
    assert_eq!(reason_of(&judged[1]), Some(NotHere::Writes));
    assert!(before == file.content(), "the file was written");
}

#[test]
fn what_a_single_real_device_cannot_tell_says_why_in_a_sentence() {
    let file = TestFile::new(16 << 20);
    for (study, why) in [
        ("ajwani-hard-disk", NotHere::ComparesDevices),
        ("ajwani-interface", NotHere::ChangesDevice),
        ("bplru-table-1", NotHere::CountsInside),
        ("bplru-table-2", NotHere::KnowsBlocks),
        ("bplru-prototype", NotHere::TooSmall),
    ] {
        let judged = file.run(study, true, BRIEFLY);
        assert_eq!(reason_of(&judged[0]), Some(why), "{study}");
        for claim in claims(&judged) {
            assert_eq!(claim.reason, why.to_string(), "{study}/{}", claim.claim.name);
        }
    }
}

#[test]
fn a_schedule_out_of_range_is_refused() {
    for (setting, schedule) in [
        ("runtime", Schedule { runtime: Nanos::from_ms(99), ..Schedule::default() }),
        ("repeats", Schedule { repeats: 0, ..Schedule::default() }),
        ("repeats", Schedule { repeats: 101, ..Schedule::default() }),
    ] {
        let error = schedule.check().unwrap_err();
        assert_eq!((error.kind(), error.setting_name()), (ErrorKind::Usage, Some(setting)));
    }
    Schedule { repeats: 100, runtime: Nanos::from_ms(100) }.check().unwrap();
}

/// A real device never does quite the same again: a verdict shows how far its number may be off.
#[test]
fn on_a_real_device_numbers_have_intervals_and_what_differs_says_what_would_agree() {
    let file = TestFile::new(16 << 20);
    let judged = file.run("ajwani-chunks ajwani-misaligned", true, THRICE);
    all_are_told(claims(&judged));
    for id in ["ajwani-chunks/half", "ajwani-chunks/quarter", "ajwani-misaligned/by-2"] {
        let measure = claim(&judged, id).found.measure().expect("a number");
        let [low, high] = measure.interval.expect("an interval");
        assert!((low..=high).contains(&measure.value), "{id}: {measure:?}");
    }
    assert!(judged.iter().all(|judged| judged.repeats == 3));
    for claim in claims(&judged) {
        let (name, reason) = (claim.claim.name, &claim.reason);
        assert_eq!(claim.straddles, reason.contains("another verdict"), "{name}: {reason}");
        assert!(claim.verdict != Verdict::Differs || reason.contains("accepted:"), "{name}: {reason}");
    }
    let text = view(&judged, Style { width: 4000, colour: false });
    let place = |words: &str| text.find(words).unwrap_or_else(|| panic!("no '{words}' in {text}"));
    assert!(place(", 3 times") < place("For the simulated device of the study"), "{text}");
}
