//! What kind of storage it says it is: turning or not, zoned, able to discard, read-only.

use crate::doctor::scene::Scene;
use crate::doctor::{Check, Remark};
use crate::sysfs::BlockDir;

pub(super) const CHECK: Check =
    Check { name: "medium", about: "rotational, zoned, discard, read-only", examine };

fn examine(scene: &Scene) -> Vec<Remark> {
    scene.drives().flat_map(medium).collect()
}

fn medium(disk: &BlockDir) -> Vec<Remark> {
    let name = disk.name();
    let mut remarks = Vec::new();
    if disk.number("queue/rotational") == Some(1) {
        let matters = "a hard disk, or a virtual or USB disk reported as one: findings assume flash";
        let mend = format!("echo 0 | sudo tee {}    # if it is flash", disk.queue_file("rotational"));
        remarks.push(Remark::note(format!("{name} reports that it is rotational"), matters).mend(mend));
    }
    if let Some(zoned @ ("host-managed" | "host-aware")) = disk.text("queue/zoned").as_deref() {
        let matters = "writes within a zone must be sequential: random writes fail or are redirected";
        remarks.push(Remark::warning(format!("{name} is zoned ({zoned})"), matters));
    }
    if disk.number("ro") == Some(1) {
        let matters = "only reads can be measured";
        let mend = format!("sudo blockdev --setrw /dev/{name}");
        remarks.push(Remark::note(format!("{name} is read-only"), matters).mend(mend));
    }
    if disk.number("queue/discard_max_bytes").unwrap_or(0) == 0 {
        let matters = "it cannot be emptied: its state depends on all earlier writes";
        remarks.push(Remark::note(format!("{name} does not support discards"), matters));
    }
    if remarks.is_empty() {
        remarks.push(Remark::ok(format!("{name}: flash, supports discards")));
    }
    remarks
}
