//! The drive's own write cache, which answers writes before they are on flash.

use crate::doctor::scene::Scene;
use crate::doctor::{Check, Remark};
use crate::sysfs::BlockDir;

pub(super) const CHECK: Check =
    Check { name: "write cache", about: "whether writes are acknowledged from volatile memory", examine };

fn examine(scene: &Scene) -> Vec<Remark> {
    scene.drives().filter_map(write_cache).collect()
}

fn write_cache(disk: &BlockDir) -> Option<Remark> {
    let name = disk.name();
    let cache = disk.text("queue/write_cache")?;
    if cache == "write through" {
        return Some(Remark::ok(format!("{name} is write-through")));
    }
    let matters = "writes are acknowledged from volatile memory until it is full: short write runs measure \
        the cache, and pauses let it drain, as for any program";
    let mend = match &name {
        nvme if nvme.starts_with("nvme") => {
            format!("sudo nvme set-feature /dev/{name} -f 6 -v 0")
        }
        sata if sata.starts_with("sd") => format!("sudo hdparm -W0 /dev/{name}"),
        _ => String::new(),
    };
    let remark = Remark::note(format!("{name} has a volatile write cache ({cache})"), matters);
    Some(if mend.is_empty() { remark } else { remark.mend(format!("{mend}    # to measure without it")) })
}
