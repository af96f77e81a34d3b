//! The kernel's queue for the disk: how many IOs it holds, how large a piece may be, reading ahead.

use flashscope_core::number::exact_size;

use crate::doctor::scene::Scene;
use crate::doctor::{Check, Remark};
use crate::sysfs::BlockDir;

pub(super) const CHECK: Check =
    Check { name: "queue", about: "queue length, largest request, read-ahead", examine };

/// As many as the widest micro-benchmark keeps in flight.
const REQUESTS_MIN: u64 = 128;

fn examine(scene: &Scene) -> Vec<Remark> {
    scene.drives().flat_map(queue).collect()
}

fn queue(disk: &BlockDir) -> Vec<Remark> {
    let name = disk.name();
    let Some(requests) = disk.number("queue/nr_requests") else { return Vec::new() };
    let piece_kib = disk.number("queue/max_sectors_kb");
    let ahead_kib = disk.number("queue/read_ahead_kb").unwrap_or(0);
    let piece = piece_kib.map_or(String::new(), |kib| format!(", requests of up to {}", of_kib(kib)));
    let ahead = format!("read-ahead {} (not used by direct IO)", of_kib(ahead_kib));
    let mut remarks = vec![Remark::ok(format!("{name} queues {requests} IOs{piece}, {ahead}"))];
    if requests < REQUESTS_MIN {
        let matters =
            format!("more IOs wait in the kernel: queue depths above {requests} give the same results");
        let mend = format!("echo {REQUESTS_MIN} | sudo tee {}", disk.queue_file("nr_requests"));
        remarks.push(Remark::note(format!("{name} queues only {requests} IOs"), matters).mend(mend));
    }
    // Granularity goes up to 512 KiB and beyond.
    if let Some(kib) = piece_kib.filter(|kib| *kib < 512) {
        let matters = format!("larger IOs are split: granularity shows a step at {}", of_kib(kib));
        let limit = disk.number("queue/max_hw_sectors_kb").unwrap_or(kib);
        let remark = Remark::note(format!("IOs on {name} are split at {}", of_kib(kib)), matters);
        let mend = format!("echo {limit} | sudo tee {}", disk.queue_file("max_sectors_kb"));
        remarks.push(if limit > kib { remark.mend(mend) } else { remark });
    }
    remarks
}

fn of_kib(kib: u64) -> String {
    exact_size(kib.saturating_mul(1024))
}
