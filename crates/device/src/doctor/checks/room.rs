//! Room: how full a file's filesystem is, and parts of the file that were never written.

use flashscope_core::number::{percent, size};
use rustix::fs::statvfs;

use crate::doctor::scene::Scene;
use crate::doctor::{Check, Remark};
use crate::guard::Finding;
use crate::remedy::Remedy;

pub(super) const CHECK: Check = Check { name: "room", about: "free space, holes in the file", examine };

/// A share of free space, in per cent, below which files come in pieces and drives have little to collect
/// with.
const FREE_SHARE_MIN: u64 = 10;

fn examine(scene: &Scene) -> Vec<Remark> {
    let Some(target) = scene.target.as_ref().filter(|target| target.filesystem.is_some()) else {
        return Vec::new();
    };
    let mut remarks = Vec::new();
    let holes = scene.verdict.iter().flat_map(|verdict| &verdict.findings);
    for finding in holes {
        let Finding::Sparse { unwritten_bytes, size_bytes, .. } = finding else { continue };
        let share = percent(*unwritten_bytes as f64 / *size_bytes as f64);
        let matters = "reads of holes cause no IO, and first writes allocate space";
        let mend = Remedy::CreateFull { size_bytes: Some(*size_bytes) };
        remarks.push(Remark::wrong(format!("{share} of the file was never written"), matters).mend(mend));
    }
    let Ok(room) = statvfs(&target.canonical_path) else { return remarks };
    let free_share = room.f_bavail * 100 / room.f_blocks.max(1);
    let free = size((room.f_bavail * room.f_frsize) as f64);
    let found = format!("{free_share} % of the filesystem is free ({free})");
    let matters = "new files are fragmented, and the drive has less free space for garbage collection: \
        writes take longer";
    remarks.push(match free_share {
        share if share < FREE_SHARE_MIN => Remark::warning(found, matters).mend("df -h    # make room"),
        _ => Remark::ok(found),
    });
    remarks
}
