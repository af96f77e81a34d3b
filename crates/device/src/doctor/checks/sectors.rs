//! Logical and physical blocks, and whether a partition begins on a physical one.

use crate::doctor::scene::Scene;
use crate::doctor::{Check, Remark};

pub(super) const CHECK: Check =
    Check { name: "sectors", about: "logical and physical block size, alignment of a partition", examine };

/// What partitions are aligned to nowadays: a multiple of all flash pages and most blocks.
const ALIGNMENT_BYTES: u64 = 1 << 20;

fn examine(scene: &Scene) -> Vec<Remark> {
    let Some(target) = &scene.target else { return Vec::new() };
    let (logical, physical) = (target.logical_block_bytes, target.physical_block_bytes);
    let sizes = format!("{logical} B logical, {physical} B physical");
    let mut remarks = vec![match logical < physical {
        true => {
            let matters = format!("IOs that are not aligned to {physical} B need a read first");
            Remark::note(sizes, format!("{matters}: use them only to measure that"))
        }
        false => Remark::ok(sizes),
    }];
    let start = target.hardware.as_ref().and_then(|hardware| hardware.partition_start_bytes);
    let name = target.hardware.as_ref().map(|hardware| hardware.name.clone()).unwrap_or_default();
    if let Some(start) = start.filter(|start| !start.is_multiple_of(ALIGNMENT_BYTES)) {
        let found = format!("{name} begins at byte {start}, not a multiple of 1 MiB");
        let matters = "offset 0 is not aligned on the device: alignment results are shifted, and every IO \
            may touch two pages";
        let remark = match start.is_multiple_of(u64::from(physical)) {
            true => Remark::note(found, matters),
            false => Remark::warning(found, matters),
        };
        remarks.push(remark.mend("sudo parted DISK align-check optimal NUMBER    # then partition anew"));
    }
    remarks
}
