//! Made-up machines shown to the checks: each says what it should of what was planted, and nothing of a
//! machine where all is well.

use std::error::Error as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::clock::{ClockInfo, ClockSource};
use crate::identify::{Filesystem, Kind, hardware};
use crate::sysfs::{BlockDir, DevId};
use scene::Counts;

/// A folder that stands for `/`; gone at the end.
struct Machine(PathBuf);

const NVME: &str = "sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0/nvme0n1";
const CPUS: &str = "sys/devices/system/cpu";

impl Machine {
    /// A well-kept machine with an NVMe drive.
    fn new() -> Machine {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("flashscope-doctor-{}-{number}", std::process::id());
        let machine = Machine(std::env::temp_dir().join(name));
        for (file, text) in WELL {
            machine.put(file, text);
        }
        machine.put(&format!("{NVME}/device/hwmon3/temp1_input"), "36850");
        machine.put(&format!("{NVME}/device/hwmon3/temp1_max"), "81850");
        for (file, text) in DISK {
            machine.put(&format!("{NVME}/{file}"), text);
        }
        machine
    }

    fn put(&self, file: &str, text: &str) {
        let path = self.0.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("{text}\n")).unwrap();
    }

    /// Gathered as from `/`, with `meanwhile` between the two looks at what is counted.
    fn scene(&self, meanwhile: impl FnOnce(&Machine)) -> Scene {
        let disk = BlockDir::at(&self.0.join(NVME)).expect("the drive is there");
        let before = Counts::read(&self.0);
        meanwhile(self);
        Scene {
            root: self.0.clone(),
            target: Some(identity(&disk)),
            verdict: None,
            counts: [before, Counts::read(&self.0)],
            watched: Duration::from_secs(1),
            clock: ClockInfo { source: ClockSource::Tsc, cost_ns: 9.0, rate_error_ppm: 2.0 },
            is_root: true,
            memlock_bytes: None,
            ring: Ok(()),
            direct_read: Some(Ok(())),
            smart: Vec::new(),
            disks: vec![disk],
        }
    }

    fn remarks(&self) -> Vec<Remark> {
        diagnose(self.scene(|_| ()), CHECKS).remarks
    }

    /// Everything that a check finds to say.
    fn says(&self, check: &str) -> Vec<(Level, String)> {
        said(&self.remarks(), check)
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn said(remarks: &[Remark], check: &str) -> Vec<(Level, String)> {
    assert!(CHECKS.iter().any(|known| known.name == check), "there is no check '{check}'");
    let of_check = remarks.iter().filter(|remark| remark.check == check);
    of_check.map(|remark| (remark.level, remark.found.clone())).collect()
}

fn identity(disk: &BlockDir) -> Identity {
    Identity {
        path: "/dev/nvme0n1".into(),
        canonical_path: "/dev/nvme0n1".into(),
        kind: Kind::BlockDevice,
        size_bytes: 1 << 40,
        device: DevId { major: 259, minor: 0 },
        inode: 7,
        disk_sequence: None,
        logical_block_bytes: 4096,
        physical_block_bytes: 4096,
        optimal_io_bytes: None,
        filesystem: None,
        hardware: Some(hardware(disk)),
        kernel_release: "6.18".into(),
    }
}

const WELL: &[(&str, &str)] = &[
    ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance"),
    ("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance"),
    ("sys/devices/system/cpu/intel_pstate/no_turbo", "1"),
    ("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "0"),
    ("sys/devices/system/cpu/cpu0/cpuidle/state1/latency", "2"),
    ("sys/devices/system/cpu/cpu0/cpuidle/state1/name", "C1E"),
    ("sys/devices/system/cpu/cpufreq/none", ""),
    ("proc/loadavg", "0.08 0.10 0.09 1/431 12345"),
    ("proc/pressure/cpu", "some avg10=0.20 avg60=0.1 avg300=0.1 total=1"),
    ("proc/pressure/memory", "some avg10=0.00 avg60=0.0 avg300=0.0 total=1"),
    ("proc/pressure/io", "some avg10=0.10 avg60=0.0 avg300=0.0 total=1"),
    ("proc/stat", "cpu  100 0 50 9000 5 0 1 0 0 0\ncpu0 100 0 50 9000 5 0 1 0 0 0"),
    ("proc/diskstats", "259 0 nvme0n1 1000 0 8000 90 2000 0 16000 90 0 400 180 0 0 0 0 0 0"),
    ("proc/self/cgroup", "0::/user.slice/lab.scope"),
    ("proc/cpuinfo", "flags\t\t: fpu tsc constant_tsc nonstop_tsc"),
    ("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc"),
];

const DISK: &[(&str, &str)] = &[
    ("dev", "259:0"),
    ("ro", "0"),
    ("device/model", "Samsung SSD 990 PRO 1TB"),
    ("device/power/pm_qos_latency_tolerance_us", "0"),
    ("../../../current_link_speed", "16.0 GT/s PCIe"),
    ("../../../max_link_speed", "16.0 GT/s PCIe"),
    ("../../../current_link_width", "4"),
    ("../../../max_link_width", "4"),
    ("queue/scheduler", "[none] mq-deadline"),
    ("queue/write_cache", "write through"),
    ("queue/rotational", "0"),
    ("queue/nr_requests", "1023"),
    ("queue/max_sectors_kb", "1280"),
    ("queue/read_ahead_kb", "128"),
    ("queue/discard_max_bytes", "2199023255040"),
    ("queue/iostats", "1"),
    ("queue/zoned", "none"),
];

#[test]
fn a_well_kept_machine_has_nothing_to_heed() {
    let machine = Machine::new();
    let remarks = machine.remarks();
    let bad: Vec<_> = remarks.iter().filter(|remark| remark.level != Level::Ok).collect();
    assert!(bad.is_empty(), "{bad:#?}");
    for check in CHECKS.iter().filter(|check| !["use", "filesystem", "room", "health"].contains(&check.name))
    {
        assert!(!said(&remarks, check.name).is_empty(), "{} has nothing to say", check.name);
    }
}

/// What is planted, and the one remark that it must bring: its check, level, words, and a part of the
/// command.
type Case = (&'static [(&'static str, &'static str)], &'static str, Level, &'static str, &'static str);

const PLANTED_ON_DISK: &[Case] = &[
    (&[("device/hwmon3/temp1_input", "84850")], "temperature", Level::Wrong, "85 °C", "cool"),
    (
        &[("device/hwmon3/temp1_input", "75000")],
        "temperature",
        Level::Warning,
        "75 °C, its limit is 82",
        "air",
    ),
    // An absurd limit is none.
    (
        &[("device/hwmon3/temp1_max", "65261850"), ("device/hwmon3/temp1_input", "66000")],
        "temperature",
        Level::Warning,
        "its limit is 70",
        "air flow",
    ),
    (
        &[("queue/scheduler", "none [bfq]")],
        "scheduler",
        Level::Warning,
        "bfq on",
        "none | sudo tee /sys/block/",
    ),
    (
        &[("queue/scheduler", "none [mq-deadline]")],
        "scheduler",
        Level::Note,
        "mq-deadline",
        "queue/scheduler",
    ),
    (&[("queue/write_cache", "write back")], "write cache", Level::Note, "volatile", "nvme set-feature"),
    (&[("queue/rotational", "1")], "medium", Level::Note, "is rotational", "rotational"),
    (&[("queue/zoned", "host-managed")], "medium", Level::Warning, "host-managed", ""),
    (&[("queue/discard_max_bytes", "0")], "medium", Level::Note, "does not support discards", ""),
    (&[("ro", "1")], "medium", Level::Note, "read-only", "blockdev --setrw"),
    (&[("queue/nr_requests", "64")], "queue", Level::Note, "only 64", "128 | sudo tee"),
    (
        &[("queue/max_sectors_kb", "128"), ("queue/max_hw_sectors_kb", "2048")],
        "queue",
        Level::Note,
        "split at 128 KiB",
        "echo 2048",
    ),
    (&[("queue/iostats", "0")], "neighbours", Level::Note, "does not count", "iostats"),
    (&[("../../../current_link_width", "2")], "link", Level::Warning, "x2", "lspci -vv -s 0000:01:00.0"),
    (
        &[("device/power/pm_qos_latency_tolerance_us", "100000")],
        "power",
        Level::Note,
        "APST",
        "/sys/class/nvme/nvme0/power",
    ),
    (&[("device/model", "QEMU NVMe Ctrl")], "host", Level::Warning, "virtual disk QEMU", ""),
];

const PLANTED_ON_MACHINE: &[Case] = &[
    (
        &[("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave")],
        "frequency",
        Level::Warning,
        "powersave governor on 1 of 2",
        "echo performance",
    ),
    (
        &[("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "schedutil")],
        "frequency",
        Level::Note,
        "schedutil",
        "scaling_governor",
    ),
    (&[("sys/devices/system/cpu/intel_pstate/no_turbo", "0")], "frequency", Level::Note, "turbo", "echo 1"),
    (
        &[("sys/devices/system/cpu/cpu0/cpuidle/state3/latency", "133")],
        "idle states",
        Level::Note,
        "133",
        "-set",
    ),
    (
        &[("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "12")],
        "throttling",
        Level::Note,
        "12 times",
        "",
    ),
    (&[("proc/loadavg", "1.80 1.0 1.0 3/431 1")], "load", Level::Warning, "load 1.80 on 2", "top"),
    (&[("proc/pressure/memory", "some avg10=7.50 avg60=1")], "load", Level::Warning, "memory", "free"),
    (&[("proc/cpuinfo", "flags : fpu hypervisor tsc")], "host", Level::Note, "this is a virtual machine", ""),
    (&[(".dockerenv", "")], "host", Level::Note, "container", ""),
    (
        &[("sys/fs/cgroup/user.slice/cpu.max", "50000 100000")],
        "cgroup",
        Level::Warning,
        "50000 100000 us in /user.slice",
        "echo max | sudo tee /sys/fs/cgroup/user.slice/cpu.max",
    ),
    (
        &[("sys/fs/cgroup/user.slice/lab.scope/io.max", "259:0 rbps=1048576 wbps=max riops=max wiops=max")],
        "cgroup",
        Level::Wrong,
        "rbps=1048576",
        "259:0 rbps=max",
    ),
    (
        &[
            ("proc/self/cgroup", "7:blkio:/a"),
            ("sys/fs/cgroup/blkio/a/blkio.throttle.write_bps_device", "259:0 999"),
        ],
        "cgroup",
        Level::Wrong,
        "999 in /a",
        "259:0 0",
    ),
    (
        &[("proc/self/cgroup", "3:cpu,cpuacct:/a"), ("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "20000")],
        "cgroup",
        Level::Warning,
        "20000",
        "echo -1",
    ),
    (
        &[("sys/class/power_supply/AC/type", "Mains"), ("sys/class/power_supply/AC/online", "0")],
        "power",
        Level::Warning,
        "battery",
        "plug",
    ),
];

#[test]
fn each_flaw_is_found_with_its_command_and_brings_no_other() {
    let on_disk = PLANTED_ON_DISK.iter().map(|case| (format!("{NVME}/"), case));
    let on_machine = PLANTED_ON_MACHINE.iter().map(|case| (String::new(), case));
    for (folder, (files, check, level, words, mend)) in on_disk.chain(on_machine) {
        let machine = Machine::new();
        files.iter().for_each(|(file, text)| machine.put(&format!("{folder}{file}"), text));
        let remarks = machine.remarks();
        let bad: Vec<_> = remarks.iter().filter(|remark| remark.level != Level::Ok).collect();
        let [remark] = bad[..] else { panic!("{files:?} brought {bad:#?}") };
        assert_eq!((remark.check, remark.level), (*check, *level), "{remark:?}");
        assert!(remark.found.contains(words), "'{words}' is missing in {remark:?}");
        assert!(
            remark.mend.as_ref().map(ToString::to_string).unwrap_or_default().contains(mend),
            "{remark:?}"
        );
        assert!(!remark.matters.is_empty(), "{remark:?} does not say which numbers");
    }
}

#[test]
fn limits_that_do_not_limit_are_fine() {
    let machine = Machine::new();
    machine.put("sys/fs/cgroup/user.slice/cpu.max", "max 100000");
    machine.put("sys/fs/cgroup/user.slice/io.max", "8:0 rbps=1 wbps=max");
    assert_eq!(machine.says("cgroup"), [(Level::Ok, "no limit on IO or CPU time".into())]);
}

#[test]
fn what_is_counted_meanwhile_is_told() {
    let machine = Machine::new();
    let meanwhile = |machine: &Machine| {
        machine.put("proc/stat", "cpu  100 0 50 9180 5 0 1 20 0 0");
        machine.put("proc/diskstats", "259 0 nvme0n1 1100 0 9600 90 2000 0 16000 90 0 650 180 0");
        machine.put(&format!("{CPUS}/cpu0/thermal_throttle/core_throttle_count"), "3");
    };
    let remarks = diagnose(machine.scene(meanwhile), CHECKS).remarks;
    let [(Level::Warning, neighbours)] = &said(&remarks, "neighbours")[..] else { panic!("{remarks:#?}") };
    assert!(neighbours.contains("100 reads and 0 writes (800 KiB)"), "{neighbours}");
    assert!(neighbours.contains("busy for 25 %"), "{neighbours}");
    assert_eq!(
        said(&remarks, "stolen time"),
        [(Level::Warning, "the host took 10 % of the CPU time".into())]
    );
    assert_eq!(said(&remarks, "throttling")[0].0, Level::Warning);
}

#[test]
fn what_cannot_be_seen_is_told_with_its_reason() {
    let machine = Machine::new();
    fs::remove_dir_all(machine.0.join(CPUS)).unwrap();
    fs::remove_dir_all(machine.0.join("proc/pressure")).unwrap();
    fs::remove_dir_all(machine.0.join(NVME).join("device/hwmon3")).unwrap();
    fs::remove_file(machine.0.join("proc/self/cgroup")).unwrap();
    let remarks = machine.remarks();
    let unseen: Vec<_> = remarks.iter().filter(|remark| !remark.seen).map(|remark| remark.check).collect();
    assert_eq!(unseen, ["temperature", "load", "frequency", "cgroup"]);
    assert!(remarks.iter().all(|remark| remark.seen || remark.level == Level::Note));
}

#[test]
fn layers_are_told_apart_by_the_kernels_names() {
    let machine = Machine::new();
    for (name, extra, level, words) in [
        ("zram0", ("none", ""), Level::Wrong, "compressed memory"),
        ("ram3", ("none", ""), Level::Wrong, "is memory"),
        ("loop4", ("loop/dio", "1"), Level::Warning, "loop device"),
        ("loop4", ("loop/dio", "0"), Level::Wrong, "page cache"),
        ("dm-0", ("dm/uuid", "CRYPT-LUKS2-0123-home"), Level::Warning, "encrypted"),
        ("dm-1", ("dm/uuid", "LVM-abc"), Level::Note, "logical volume"),
        ("md127", ("none", ""), Level::Warning, "several devices"),
        ("nbd1", ("none", ""), Level::Warning, "another machine"),
    ] {
        machine.put(&format!("sys/block/{name}/dev"), "1:1");
        machine.put(&format!("sys/block/{name}/{}", extra.0), extra.1);
        let mut scene = machine.scene(|_| ());
        scene.disks = vec![BlockDir::at(&machine.0.join("sys/block").join(name)).unwrap()];
        let remarks = diagnose(scene, CHECKS).remarks;
        let told = said(&remarks, "layers");
        assert!(told.iter().any(|(is, found)| *is == level && found.contains(words)), "{name}: {told:?}");
        assert!(said(&remarks, "scheduler").is_empty(), "{name} is no drive");
    }
}

#[test]
fn a_file_is_judged_by_its_filesystem() {
    for (name, options, level, words) in [
        ("ext4", "rw", Level::Ok, "passes direct IO through"),
        ("ext4", "rw,data=journal", Level::Wrong, "journal"),
        ("tmpfs", "rw", Level::Wrong, "is in memory"),
        ("btrfs", "rw,subvol=/", Level::Warning, "is copy-on-write"),
        ("btrfs", "rw,compress=zstd:3", Level::Warning, "compresses"),
        ("zfs", "rw", Level::Warning, "is copy-on-write"),
        ("nfs4", "rw", Level::Wrong, "another machine"),
        ("fuse.sshfs", "rw", Level::Wrong, "served by a userspace program"),
        ("overlay", "rw", Level::Warning, "is an overlay"),
    ] {
        let machine = Machine::new();
        machine.put("proc/self/mountinfo", &format!("1 0 0:1 / /my\\040disk rw - {name} /dev/x {options}"));
        let mut scene = machine.scene(|_| ());
        let target = scene.target.as_mut().unwrap();
        target.kind = Kind::File;
        target.canonical_path = machine.0.join("proc/self/mountinfo");
        let mount_point = PathBuf::from("/my disk");
        target.filesystem = Some(Filesystem { name: name.into(), mount_point, source: "/dev/x".into() });
        let told = said(&diagnose(scene, CHECKS).remarks, "filesystem");
        assert!(told.iter().any(|(is, found)| *is == level && found.contains(words)), "{name}: {told:?}");
    }
}

#[test]
fn a_partition_off_its_blocks_is_told() {
    let machine = Machine::new();
    for (start_bytes, level) in
        [(63 * 512, Some(Level::Warning)), (64 << 10, Some(Level::Note)), (1 << 20, None)]
    {
        let mut scene = machine.scene(|_| ());
        let hardware = scene.target.as_mut().unwrap().hardware.as_mut().unwrap();
        hardware.partition_start_bytes = Some(start_bytes);
        let told = said(&diagnose(scene, CHECKS).remarks, "sectors");
        assert_eq!(told.get(1).map(|(level, _)| *level), level, "{start_bytes}: {told:?}");
    }
}

#[test]
fn what_the_drive_says_of_itself_is_passed_on() {
    let machine = Machine::new();
    let health = |text: &str| {
        let mut scene = machine.scene(|_| ());
        scene.smart = vec![("nvme0n1".into(), Ok(serde_json::from_str(text).unwrap()))];
        said(&diagnose(scene, CHECKS).remarks, "health")
    };
    let fine = r#"{"smart_status": {"passed": true},
        "nvme_smart_health_information_log": {"critical_warning": 0, "percentage_used": 3}}"#;
    assert_eq!(health(fine), [(Level::Ok, "nvme0n1 is healthy, 3 % worn".into())]);
    assert_eq!(health(r#"{"smart_status": {"passed": false}}"#)[0].0, Level::Wrong);
    let worn = fine.replace("\"percentage_used\": 3", "\"percentage_used\": 97, \"media_errors\": 2");
    assert_eq!(health(&worn).iter().map(|(level, _)| *level).collect::<Vec<_>>(), [Level::Warning; 2]);
    let failing = fine.replace("\"critical_warning\": 0", "\"critical_warning\": 4");
    assert_eq!(health(&failing)[0].0, Level::Wrong);
}

#[test]
fn a_slow_clock_and_a_forbidden_ring_are_told() {
    let machine = Machine::new();
    let slow = ClockInfo { source: ClockSource::Monotonic, cost_ns: 900.0, rate_error_ppm: 0.0 };
    let clock = "sys/devices/system/clocksource/clocksource0";
    machine.put(&format!("{clock}/current_clocksource"), "hpet");
    machine.put(&format!("{clock}/available_clocksource"), "tsc hpet acpi_pm");
    machine.put("proc/sys/kernel/io_uring_disabled", "2");
    let mut scene = machine.scene(|_| ());
    (scene.clock, scene.ring) = (slow, Err("Operation not permitted".into()));
    (scene.is_root, scene.memlock_bytes) = (false, Some(64 << 10));
    let remarks = diagnose(scene, CHECKS).remarks;
    let of = |check: &str| remarks.iter().filter(move |remark| remark.check == check).collect::<Vec<_>>();
    assert_eq!(of("clock")[0].level, Level::Warning);
    assert!(of("clock")[0].mend.as_ref().unwrap().to_string().starts_with("echo tsc"));
    assert!(
        of("io_uring")[0].mend.as_ref().unwrap().to_string().contains("sysctl kernel.io_uring_disabled=0")
    );
    assert!(of("io_uring")[1].found.contains("64 KiB"));
}

#[test]
fn the_machine_alone_is_examined_without_a_target() {
    let diagnosis = examine(None).unwrap();
    assert!(diagnosis.target.is_none());
    let of_targets = ["direct IO", "use", "filesystem", "room", "layers", "medium", "sectors", "scheduler"];
    for check in of_targets {
        assert!(said(&diagnosis.remarks, check).is_empty(), "{check}");
    }
    assert!(!said(&diagnosis.remarks, "clock").is_empty());
}

#[test]
fn what_is_no_storage_is_refused() {
    let refused = |path: &str| examine(Some(Path::new(path))).unwrap_err();
    assert!(refused("/dev/null").to_string().contains("a character device"));
    let missing = refused("/no/such/disk");
    assert!(missing.source().unwrap().to_string().contains("No such file"), "{missing}");
}

#[test]
fn every_check_has_a_row_on_its_page() {
    let page = include_str!("../../../../docs/doctor.md");
    for check in CHECKS {
        let has_row = page.contains(&format!("\n| {} |", check.name));
        assert!(
            has_row,
            "docs/doctor.md lacks the check '{}': add its row to the table of checks",
            check.name
        );
    }
}
