//! The IO scheduler: it may hold back, reorder and merge what the device is to be asked.

use crate::doctor::scene::Scene;
use crate::doctor::{Check, Remark};
use crate::identify::chosen;
use crate::sysfs::BlockDir;

pub(super) const CHECK: Check = Check { name: "scheduler", about: "the IO scheduler of each disk", examine };

fn examine(scene: &Scene) -> Vec<Remark> {
    scene.drives().filter_map(scheduler).collect()
}

fn scheduler(disk: &BlockDir) -> Option<Remark> {
    let name = disk.name();
    let choices = disk.text("queue/scheduler")?;
    let chosen = chosen(&choices);
    if chosen == "none" {
        return Some(Remark::ok(format!("none on {name}")));
    }
    let found = format!("{chosen} on {name}");
    let remark = match chosen.as_str() {
        "bfq" => {
            let matters = "it waits for a program's next IO and shares time between programs: mixes, \
                parallelism and queue depths measure the scheduler, and each IO takes microseconds longer";
            Remark::warning(found, matters)
        }
        _ => {
            let matters = "it reorders IOs in flight, reads before writes: affects mixes, parallelism and \
                queue depths, not single IOs";
            Remark::note(found, matters)
        }
    };
    let mend = format!("echo none | sudo tee {}", disk.queue_file("scheduler"));
    Some(remark.mend(mend))
}
