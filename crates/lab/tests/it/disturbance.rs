//! What goes on beside a measurement is seen, and what is said of the drive is weak.

use std::path::Path;
use std::process::{Child, Command};

use flashscope_analysis::{Disturbed, Limit, Support, trust};
use flashscope_core::Nanos;
use flashscope_lab::{Interrupt, MeasureRequest, MeasureResult, TargetSpec, measure};

use crate::kernel::{Loop, Scratch, requires};

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

/// The shares that are too large, and how sure the mean is.
fn excesses(result: &MeasureResult) -> (Vec<(Disturbed, f64)>, Support) {
    let trust = trust(&result.finished[0], &result.context);
    let of_it = trust.limits.iter().filter_map(|limit| match limit {
        Limit::Disturbed { by, share } => Some((*by, *share)),
        _ => None,
    });
    (of_it.collect(), trust.confidence)
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
    let (found, confidence) = excesses(&result);
    let share = found.iter().find(|(by, _)| *by == Disturbed::Processors);
    assert!(share.is_some_and(|(_, share)| (0.3..=1.0).contains(share)), "{found:?}");
    assert!(confidence < Support::Supported, "{confidence}");
}

/// A loop device that somebody else reads too; its own reads are no others'.
#[test]
fn others_on_the_same_disk_make_a_measurement_weak() {
    if !requires(&["losetup", "dd"]) {
        return;
    }
    let scratch = Scratch::new();
    let image = scratch.path("image");
    std::fs::write(&image, vec![1; 16 << 20]).unwrap();
    let disk = Loop::attach(&image, &["--direct-io=on"]);
    let device = disk.name().to_string();
    let traffic = |result: &MeasureResult| result.finished[0].run.disturbance.unwrap().disk;
    let alone = measured(&device, &scratch.path("alone"));
    assert_eq!(traffic(&alone), Some(0.0), "nobody else knows of it");
    let (ended, end) = std::sync::mpsc::channel::<()>();
    let other = std::thread::spawn({
        let device = device.clone();
        move || {
            // Past the page cache, so that every read reaches the disk.
            while end.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
                let _ = Command::new("dd")
                    .arg(format!("if={device}"))
                    .args(["of=/dev/null", "bs=1M", "iflag=direct", "status=none"])
                    .status();
            }
        }
    });
    let beside = measured(&device, &scratch.path("beside"));
    drop(ended);
    other.join().unwrap();
    let share = traffic(&beside).unwrap();
    assert!((0.05..1.0).contains(&share), "{share}");
    assert!(excesses(&beside).0.contains(&(Disturbed::Disk, share)));
}

#[test]
fn nothing_disturbs_a_virtual_device() {
    let scratch = Scratch::under(&std::env::temp_dir());
    let busy = Busy::on_all_processors();
    let result = measured("rig:mtron", &scratch.path(""));
    drop(busy);
    assert_eq!(result.finished[0].run.disturbance, None);
}
