//! A program that computes beside a measurement is seen, and what is said of the drive is weak.

use std::path::Path;
use std::process::{Child, Command};

use flashscope_analysis::{Limit, Support, trust};
use flashscope_core::Nanos;
use flashscope_lab::{Interrupt, MeasureRequest, MeasureResult, TargetSpec, measure};

use crate::kernel::Scratch;

/// Programs that keep a processor busy each, until dropped.
struct Busy(Vec<Child>);

impl Busy {
    fn on_all_processors() -> Busy {
        let count = std::thread::available_parallelism().unwrap().get();
        let spin = || Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        Busy((0..count).map(|_| spin()).collect())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        for child in &mut self.0 {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}

fn measured(target: &str, folder: &Path) -> MeasureResult {
    let pattern = "rw=randread bs=4k size=16m".parse().unwrap();
    let request = MeasureRequest {
        runtime: Some(Nanos::from_s(1)),
        seed: Some(1),
        ..MeasureRequest::new(TargetSpec::from(target), pattern)
    };
    measure(&request, Some(&folder.join("result")), None, &mut |_| {}, &Interrupt::new()).unwrap()
}

/// Each processor has to be shared with one that never waits: others have a third of it at the least.
#[test]
fn programs_that_compute_make_a_measurement_weak() {
    let scratch = Scratch::under(&std::env::temp_dir());
    let file = scratch.path("file");
    std::fs::write(&file, vec![1; 16 << 20]).unwrap();
    let busy = Busy::on_all_processors();
    let result = measured(file.to_str().unwrap(), &scratch.path(""));
    drop(busy);
    let trust = trust(&result.finished[0], &result.context);
    let share = trust.limits.iter().find_map(|limit| match limit {
        Limit::OtherPrograms { share } => Some(*share),
        _ => None,
    });
    assert!(share.is_some_and(|share| (0.3..=1.0).contains(&share)), "{trust:?}");
    assert!(trust.confidence < Support::Supported, "{trust:?}");
}

#[test]
fn no_program_disturbs_a_virtual_device() {
    let scratch = Scratch::under(&std::env::temp_dir());
    let busy = Busy::on_all_processors();
    let result = measured("rig:mtron", &scratch.path(""));
    drop(busy);
    assert_eq!(result.finished[0].run.others_share, None);
}
