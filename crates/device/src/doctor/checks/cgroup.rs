//! Limits that a control group sets to IO or processor time (cgroup v2, and v1's blkio and cpu).

use crate::doctor::scene::Scene;
use crate::doctor::{Check, Remark};
use crate::quota::{has, memberships, upwards};

pub(super) const CHECK: Check = Check { name: "cgroup", about: "IO and CPU limits of this process", examine };

fn examine(scene: &Scene) -> Vec<Remark> {
    let Some(groups) = scene.text("proc/self/cgroup") else {
        return vec![Remark::unseen("/proc/self/cgroup cannot be read", "an IO limit would go unnoticed")];
    };
    let mut remarks = Vec::new();
    for (controllers, path) in memberships(&groups) {
        for group in upwards(path).filter(|group| !group.is_empty()) {
            remarks.extend(processor_limit(scene, controllers, has(controllers, "cpu"), group));
            remarks.extend(io_limits(scene, controllers, has(controllers, "blkio"), group));
        }
    }
    if remarks.is_empty() {
        remarks.push(Remark::ok("no limit on IO or CPU time"));
    }
    remarks
}

fn processor_limit(scene: &Scene, controllers: &str, is_v1: bool, group: &str) -> Option<Remark> {
    let matters = "the process is stopped for the rest of each period: long response times not caused by the \
        device, lower rates";
    let (file, value, open) = match (controllers, is_v1) {
        ("", _) => (format!("sys/fs/cgroup{group}/cpu.max"), None, "max"),
        (_, true) => (format!("sys/fs/cgroup/cpu{group}/cpu.cfs_quota_us"), Some("-1"), "-1"),
        _ => return None,
    };
    let limit = scene.text(&file)?;
    let is_free = value.map_or(limit.starts_with("max"), |free| limit == free);
    let remark = Remark::warning(format!("CPU time is limited ({limit} us in {group})"), matters);
    (!is_free).then(|| remark.mend(format!("echo {open} | sudo tee /{file}")))
}

fn io_limits(scene: &Scene, controllers: &str, is_v1: bool, group: &str) -> Vec<Remark> {
    let disks: Vec<_> = scene.disks.iter().filter_map(|disk| Some((disk.device()?, disk.name()))).collect();
    let files = match (controllers, is_v1) {
        ("", _) => vec![(format!("sys/fs/cgroup{group}/io.max"), "rbps=max wbps=max riops=max wiops=max")],
        (_, true) => ["read_bps", "write_bps", "read_iops", "write_iops"]
            .map(|what| (format!("sys/fs/cgroup/blkio{group}/blkio.throttle.{what}_device"), "0"))
            .to_vec(),
        _ => return Vec::new(),
    };
    let mut remarks = Vec::new();
    for (file, open) in files {
        let limits = scene.text(&file).unwrap_or_default();
        for line in limits.lines() {
            let Some((device, limit)) = line.split_once(' ') else { continue };
            let Some((_, name)) = disks.iter().find(|(number, _)| number.to_string() == device) else {
                continue;
            };
            let found = format!("IO on {name} is limited ({limit} in {group})");
            let remark =
                Remark::wrong(found, "throughput and IOPS are those of the limit, not of the device");
            remarks.push(remark.mend(format!("echo '{device} {open}' | sudo tee /{file}")));
        }
    }
    remarks
}
