//! Who else holds the target: mounts, holders, swap, loop devices, other partitions of the disk.

use crate::doctor::scene::Scene;
use crate::doctor::{Check, Remark};
use crate::guard::Finding;
use crate::remedy::Remedy;

pub(super) const CHECK: Check = Check { name: "use", about: "mounts, holders, swap, shared use", examine };

fn examine(scene: &Scene) -> Vec<Remark> {
    let Some(verdict) = &scene.verdict else { return Vec::new() };
    let matters = "its response times and state depend on that use, and writing is refused";
    let shared = verdict.findings.iter().filter_map(|finding| match finding {
        Finding::Shared { with, remedy } => {
            Some(Remark { mend: remedy.clone().map(Remedy::from), ..Remark::warning(with.clone(), matters) })
        }
        _ => None,
    });
    let mut remarks: Vec<_> = shared.collect();
    if remarks.is_empty() {
        let whose = if verdict.identity.filesystem.is_some() { "file" } else { "device" };
        remarks.push(Remark::ok(format!("no other known use of this {whose}")));
    }
    remarks
}
