//! Whether io_uring serves IOs in flight together, and the memory it may pin.

use flashscope_core::number::size;

use crate::doctor::scene::Scene;
use crate::doctor::{Check, Remark};

pub(super) const CHECK: Check = Check {
    name: "io_uring",
    about: "whether io_uring is available, and the limit of locked memory",
    examine,
};

/// 128 buffers of 1 MiB for reads and as many for writes are the most that a run registers.
const MEMLOCK_BYTES_MIN: u64 = 256 << 20;

fn examine(scene: &Scene) -> Vec<Remark> {
    let mut remarks = vec![ring(scene)];
    let lockable = scene.memlock_bytes.filter(|bytes| *bytes < MEMLOCK_BYTES_MIN && !scene.is_root);
    if let Some(bytes) = lockable {
        let found = format!("locked memory is limited to {}", size(bytes as f64));
        let matters = "unregistered buffers add some 100 ns to each IO";
        let mend = "sudo prlimit -l=unlimited -p $$    # for this shell";
        remarks.push(Remark::note(found, matters).mend(mend));
    }
    remarks
}

fn ring(scene: &Scene) -> Remark {
    let Err(why) = &scene.ring else { return Remark::ok("io_uring is available") };
    let matters = "queue depths above 1 and parallel processes cannot be measured";
    match scene.number("proc/sys/kernel/io_uring_disabled") {
        Some(disabled @ 1..) => {
            let found = format!("io_uring is switched off (kernel.io_uring_disabled = {disabled})");
            Remark::warning(found, matters).mend("sudo sysctl kernel.io_uring_disabled=0")
        }
        _ => {
            let found = format!("io_uring is not available: {why}");
            Remark::warning(found, format!("{matters}; a container's seccomp profile may forbid it"))
        }
    }
}
