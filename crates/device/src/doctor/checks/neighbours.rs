//! IO of others on the same disks, watched for a second while flashscope does none.

use flashscope_core::number::{counted, percent, size, span};

use crate::doctor::scene::{Counts, Scene};
use crate::doctor::{Check, Remark};
use crate::sysfs::BlockDir;

pub(super) const CHECK: Check =
    Check { name: "neighbours", about: "other programs' IO on the same disk", examine };

/// What one disk did.
struct Work {
    reads: u64,
    writes: u64,
    bytes: u64,
    busy_ms: u64,
}

fn examine(scene: &Scene) -> Vec<Remark> {
    scene.disks.iter().map(|disk| neighbours(scene, disk)).collect()
}

fn neighbours(scene: &Scene, disk: &BlockDir) -> Remark {
    let name = disk.name();
    let [before, after] = &scene.counts;
    if disk.number("queue/iostats") == Some(0) {
        let matters = "other programs' IO would go unnoticed";
        let mend = format!("echo 1 | sudo tee {}", disk.queue_file("iostats"));
        return Remark::unseen(format!("{name} does not count its IOs"), matters).mend(mend);
    }
    let (Some(before), Some(after)) = (work(before, &name), work(after, &name)) else {
        return Remark::unseen(
            format!("/proc/diskstats does not show {name}"),
            "other IO would go unnoticed",
        );
    };
    let reads = after.reads.saturating_sub(before.reads);
    let writes = after.writes.saturating_sub(before.writes);
    let seconds = scene.watched.as_secs_f64().max(1e-3);
    let busy = after.busy_ms.saturating_sub(before.busy_ms) as f64 / 10.0 / seconds;
    if reads + writes == 0 {
        return Remark::ok(format!("no other IO on {name} within {}", span(seconds * 1e9)));
    }
    let found = format!(
        "background IO on {name}: {} and {} ({}) in {}, busy for {}",
        counted(reads, "read"),
        counted(writes, "write"),
        size(after.bytes.saturating_sub(before.bytes) as f64),
        span(seconds * 1e9),
        percent(busy / 100.0)
    );
    let matters = "it delays all IOs, and changes the device's state: affects all response times, above all \
        the longest";
    let is_much = busy >= 2.0 || (reads + writes) as f64 / seconds > 50.0;
    let remark = if is_much { Remark::warning(found, matters) } else { Remark::note(found, matters) };
    remark.mend("sudo iotop -o    # which program")
}

/// A line: `major minor name reads merged sectors ms writes merged sectors ms in-flight busy-ms ...`.
fn work(counts: &Counts, name: &str) -> Option<Work> {
    let mut lines = counts.diskstats.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let fields = lines.find(|fields| fields.get(2) == Some(&name))?;
    let number = |field: usize| fields.get(field)?.parse::<u64>().ok();
    let bytes = (number(5)? + number(9)?) * 512;
    Some(Work { reads: number(3)?, writes: number(7)?, bytes, busy_ms: number(12)? })
}
