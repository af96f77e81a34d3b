//! A capture sees what the kernel counts, and leaves nothing behind.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::kernel::{Loop, Scratch, requires, run};
use crate::common::{Ended, call, folder, start, text, wait_for};
use crate::schemas::check_document;
use serde_json::Value;

const MIB: u64 = 1 << 20;
const TRACING: &str = "/sys/kernel/tracing";

/// Whether the machine can run the tests of this file.
fn can_capture(tools: &[&str]) -> bool {
    let filesystems = fs::read_to_string("/proc/filesystems").unwrap_or_default();
    requires(&[&["losetup"], tools].concat()) && filesystems.contains("tracefs")
}

/// A loop device in memory.
fn disk(scratch: &Scratch, size_bytes: u64) -> Loop {
    Loop::attach(&scratch.image("disk", size_bytes), &[])
}

/// Fields of `/sys/block/NAME/stat`, which are those of `/proc/diskstats`.
#[derive(Clone, Copy, Debug)]
struct Stat {
    reads: u64,
    read_sectors: u64,
    writes: u64,
    written_sectors: u64,
    flushes: u64,
}

impl Stat {
    fn of(device: &Loop) -> Stat {
        let name = device.name().strip_prefix("/dev/").expect("a device");
        let stat = fs::read_to_string(format!("/sys/block/{name}/stat")).expect("a disk has one");
        let fields: Vec<u64> =
            stat.split_whitespace().map(|field| field.parse().expect("a number")).collect();
        let [reads, read_sectors, writes, written_sectors, flushes] = [0, 2, 4, 6, 15].map(|i| fields[i]);
        Stat { reads, read_sectors, writes, written_sectors, flushes }
    }

    fn since(self, before: Stat) -> Stat {
        Stat {
            reads: self.reads - before.reads,
            read_sectors: self.read_sectors - before.read_sectors,
            writes: self.writes - before.writes,
            written_sectors: self.written_sectors - before.written_sectors,
            flushes: self.flushes - before.flushes,
        }
    }
}

/// Writes that carry nothing and only ask for a flush: the kernel counts them among its writes, but the
/// device gets none of them. Each ends with a completion of no sectors at sector 0, where ext4 itself never
/// writes with a flush before or behind it.
fn empty_writes(trace: &str) -> u64 {
    let is_empty = |line: &&str| {
        let words: Vec<&str> =
            line.split_once("block_rq_complete: ").map_or(vec![], |(_, e)| e.split(' ').collect());
        matches!(words[..], [_, rwbs, "()", "0", "+", "0", ..] if rwbs.starts_with('W'))
    };
    trace.lines().filter(is_empty).count() as u64
}

/// A folder of our own files as a tar, 8 MB or more.
fn tar(scratch: &Scratch) -> PathBuf {
    let tree = scratch.path("tree");
    for i in 0..300_u32 {
        let folder = tree.join(format!("folder-{}", i % 10));
        fs::create_dir_all(&folder).expect("a folder can be made");
        let bytes: Vec<u8> = (0..i * 200).map(|at| (at ^ i) as u8).collect();
        fs::write(folder.join(format!("file-{i}")), bytes).expect("a file can be made");
    }
    let tar = scratch.path("tree.tar");
    run("tar", &["-C", text(&tree), "-cf", text(&tar), "."]);
    tar
}

#[test]
fn a_capture_of_tar_on_ext4_sees_every_write_that_the_kernel_counts() {
    if !can_capture(&["mkfs.ext4", "tar", "mount", "umount"]) {
        return;
    }
    let scratch = Scratch::new();
    let (disk, tar, mounted) = (disk(&scratch, 128 * MIB), tar(&scratch), scratch.path("mounted"));
    fs::create_dir_all(&mounted).expect("a mount point can be made");
    run("mkfs.ext4", &["-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", disk.name()]);
    run("blockdev", &["--flushbufs", disk.name()]);
    // Mounted only while it is recorded: nothing else writes before or after.
    let command = format!(
        "mount {0} {1} && tar -C {1} -xf {2} && sync -f {1} && rm -r {1}/folder-3 && umount {1}",
        disk.name(),
        text(&mounted),
        text(&tar)
    );
    let before = Stat::of(&disk);
    let capture = ["trace", "capture", disk.name(), "out.tracefs", "--json", "--strict", "--no-sync"];
    let ended = call(&folder(&scratch), &[&capture[..], &["--during", &command]].concat()).well();
    let counted = Stat::of(&disk).since(before);
    let json = ended.json();
    let trace = fs::read_to_string(scratch.path("out.tracefs")).expect("the trace is there");
    let number = |key: &str| json[key].as_u64().unwrap_or_else(|| panic!("{key}: {json:#}"));
    assert!(counted.written_sectors * 512 > 8 * MIB, "{counted:?}");
    assert_eq!(number("writes") + empty_writes(&trace), counted.writes, "{counted:?} {json:#}");
    assert_eq!(number("written_bytes"), counted.written_sectors * 512, "{counted:?} {json:#}");
    assert_eq!(number("reads"), counted.reads, "{counted:?} {json:#}");
    assert_eq!(number("read_bytes"), counted.read_sectors * 512, "{counted:?} {json:#}");
    assert_eq!(number("flushes"), counted.flushes, "{counted:?} {json:#}");
    assert_eq!((number("dropped"), number("bad_lines")), (0, 0), "{json:#}");
    assert_eq!(number("completed"), number("requests"), "every request was seen to its end");
    assert_eq!(json["command"]["exit_status"], 0);
    check_document("trace-capture", &json);
    is_gone(&ended);
    same_in_other_formats(&scratch, &json);
}

/// The text, compressed or not, reads as what the capture said.
fn same_in_other_formats(scratch: &Scratch, json: &Value) {
    call(&folder(scratch), &["trace", "convert", "out.tracefs", "out.csv"]).well();
    let csv = fs::read_to_string(scratch.path("out.csv")).expect("the trace is there");
    assert_eq!(
        csv.lines().count() as u64,
        json["requests"].as_u64().unwrap_or(0) + 1,
        "a line each, and a header"
    );
    let column = csv.lines().next().and_then(|names| names.split(',').position(|name| name == "latency_ns"));
    let header = csv.lines().next().unwrap_or_default();
    assert!(column.is_some(), "{header}");
}

/// No instance of a process that is over is left.
fn is_gone(ended: &Ended) {
    let instances = fs::read_dir(Path::new(TRACING).join("instances")).into_iter().flatten().flatten();
    for instance in instances {
        let name = instance.file_name().to_string_lossy().into_owned();
        let Some(process) = name.strip_prefix("flashscope-") else { continue };
        assert!(Path::new("/proc").join(process).exists(), "{name} is left behind: {ended:?}");
    }
}

fn write_some(disk: &Loop) -> String {
    format!("dd if=/dev/zero of={} bs=4k count=64 oflag=direct 2>/dev/null", disk.name())
}

#[test]
fn what_the_command_leaves_in_the_cache_is_synced_and_seen() {
    if !can_capture(&["dd"]) {
        return;
    }
    let scratch = Scratch::new();
    let disk = disk(&scratch, 16 * MIB);
    let command = write_some(&disk).replace("oflag=direct", "") + "; echo done; exit 3";
    for name in ["out.tracefs.zst", "out.csv", "out.csv.gz"] {
        let capture = ["trace", "capture", disk.name(), name, "--json", "--during", &command];
        let ended = call(&folder(&scratch), &capture);
        let json = ended.json();
        assert_eq!(json["written_bytes"], 64 * 4096, "{json:#}");
        assert_eq!(json["command"]["exit_status"], 3);
        let sniffed = call(&folder(&scratch), &["trace", "sniff", name]).well();
        assert!(
            sniffed.out.contains(if name.contains("csv") { "csv" } else { "tracefs" }),
            "{}",
            sniffed.out
        );
        is_gone(&ended);
        ended.failed(1, &["the command ended with exit status: 3", name, "done"]);
    }
    assert!(
        !fs::read_dir(folder(&scratch))
            .unwrap()
            .any(|entry| { entry.unwrap().file_name().to_string_lossy().ends_with(".part") })
    );
}

#[test]
fn lost_events_are_told_loudly() {
    if !can_capture(&["dd"]) {
        return;
    }
    let scratch = Scratch::new();
    let disk = disk(&scratch, 16 * MIB);
    let command = write_some(&disk).replace("count=64", "count=4096");
    let capture = ["trace", "capture", disk.name(), "out.tracefs", "--json", "--no-sync", "--buffer", "8KiB"];
    let ended = call(&folder(&scratch), &[&capture[..], &["--strict", "--during", &command]].concat());
    let json = ended.json();
    assert!(json["dropped"].as_u64() > Some(0), "{json:#}");
    let (seen, lost) = (json["lines"].as_u64().unwrap(), json["dropped"].as_u64().unwrap());
    let marks = json["bad_lines"].as_u64().unwrap();
    assert_eq!(seen - marks + lost, 2 * 4096, "what is lost is counted, not more and not less: {json:#}");
    is_gone(&ended);
    ended.failed(4, &["WARNING", "lost", "--buffer"]);
}

#[test]
fn an_interruption_ends_command_and_capture_and_keeps_what_there_is() {
    if !can_capture(&["dd"]) {
        return;
    }
    let scratch = Scratch::new();
    let disk = disk(&scratch, 16 * MIB);
    let command = format!("{}; touch written; sleep 1000; true", write_some(&disk));
    for (name, signal, during) in [("a.tracefs", "-INT", true), ("b.csv", "-TERM", false)] {
        let mut capture = vec!["trace", "capture", disk.name(), name, "--json"];
        capture.extend(if during { vec!["--no-sync", "--during", &command] } else { vec![] });
        let child = start(&folder(&scratch), &capture);
        let id = child.id().to_string();
        if during {
            wait_for("the command", || scratch.path("written").exists());
        } else {
            // Its output has a file as soon as it listens to signals; it may need some more to record.
            wait_for("the capture", || scratch.path(&format!("{name}.{id}.part")).exists());
            std::thread::sleep(std::time::Duration::from_millis(500));
            run("sh", &["-c", &write_some(&disk)]);
        }
        run("kill", &[signal, &id]);
        let ended: Ended = child.wait_with_output().expect("it ends").into();
        assert_eq!(ended.status, if during { 130 } else { 0 }, "{ended:?}");
        assert_eq!(ended.json()["ended_by"], "interruption");
        assert_eq!(ended.json()["writes"], 64, "{ended:?}");
        assert!(scratch.path(name).exists());
        is_gone(&ended);
    }
}

#[test]
fn what_a_killed_capture_left_behind_is_cleaned_up() {
    if !can_capture(&["dd"]) {
        return;
    }
    let scratch = Scratch::new();
    let disk = disk(&scratch, 16 * MIB);
    let mut child = start(&folder(&scratch), &["trace", "capture", disk.name(), "killed.tracefs"]);
    let part = scratch.path(&format!("killed.tracefs.{}.part", child.id()));
    wait_for("the capture", || part.exists());
    std::thread::sleep(std::time::Duration::from_millis(500));
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    let capture = ["trace", "capture", disk.name(), "out.tracefs", "--time", "10ms"];
    is_gone(&call(&folder(&scratch), &capture).well());
}

#[test]
fn a_full_disk_ends_the_capture_but_not_the_command() {
    if !can_capture(&["dd", "mount"]) {
        return;
    }
    let scratch = Scratch::new();
    let disk = disk(&scratch, 16 * MIB);
    let _small = crate::common::kernel::Mounted::memory("64k", scratch.path("small"));
    let command =
        format!("{}; sleep 0.5; touch finished", write_some(&disk).replace("count=64", "count=4096"));
    for name in ["small/out.tracefs", "small/out.csv"] {
        let capture = ["trace", "capture", disk.name(), name, "--no-sync", "--during", &command];
        let ended = call(&folder(&scratch), &capture);
        assert!(scratch.path("finished").exists());
        fs::remove_file(scratch.path("finished")).expect("it is there");
        is_gone(&ended);
        ended.failed(1, &[name, "No space left"]);
        assert_eq!(fs::read_dir(scratch.path("small")).unwrap().count(), 0, "nothing half is left");
    }
}

#[test]
fn what_cannot_be_recorded_is_said() {
    let scratch = Scratch::new();
    let call = |arguments: &[&str]| call(&folder(&scratch), &[&["trace", "capture"], arguments].concat());
    call(&["/no/such/device", "out.tracefs"]).failed(2, &["/no/such/device"]);
    call(&["/dev/null", "out.tracefs"]).failed(2, &["/dev/null", "a character device"]);
    call(&["/proc/self/exe", "out.tracefs"]).failed(2, &["/proc/self/exe is a regular file"]);
    call(&["/dev/loop0", "out.xyz"]).failed(2, &["--to", "tracefs"]);
    call(&["/dev/loop0", "out.tracefs", "--time", "0"]).failed(2, &["--time"]);
    call(&["/dev/loop0", "-", "--json"]).failed(2, &["standard output"]);
    call(&["/dev/loop0", "out.tracefs", "--time", "1s", "--during", "true"]).failed(2, &["--during"]);
    if !can_capture(&[]) {
        return;
    }
    let disk = disk(&scratch, 16 * MIB);
    let short = disk.name().strip_prefix("/dev/").expect("a device");
    call(&[short, "out.tracefs"]).failed(2, &["did you mean", disk.name()]);
    call(&[disk.name(), disk.name(), "--to", "csv", "--time", "1ms"]).failed(2, &["is a block device"]);
    let nobody = Command::new("setpriv")
        .args(["--reuid", "65534", "--clear-groups"])
        .arg(env!("CARGO_BIN_EXE_flashscope"))
        .args(["trace", "capture", disk.name(), "/dev/null", "--to", "csv", "--time", "1ms"])
        .output();
    let ended: Ended = nobody.expect("setpriv is there").into();
    ended.failed(1, &["not allowed", "as root"]);
}

#[test]
fn of_a_partition_its_own_sectors_are_recorded() {
    if !can_capture(&["dd", "sfdisk", "partx"]) {
        return;
    }
    let scratch = Scratch::new();
    let image = scratch.image("disk", 16 * MIB);
    run(
        "sh",
        &[
            "-c",
            &format!(
                "printf '2048,8192\\n10240,8192\\n' | sfdisk -q --no-reread --no-tell-kernel {}",
                text(&image)
            ),
        ],
    );
    let disk = Loop::attach(&image, &[]);
    run("partx", &["--add", disk.name()]);
    let name = disk.name().strip_prefix("/dev/").expect("a device");
    // In a container nobody makes the nodes of partitions.
    let [first, second] = [1, 2].map(|number| {
        let device =
            fs::read_to_string(format!("/sys/block/{name}/{name}p{number}/dev")).expect("a partition");
        let (major, minor) = device.trim().split_once(':').expect("a number");
        let node = scratch.path(&format!("part{number}"));
        run("mknod", &[text(&node), "b", major, minor]);
        node
    });
    let write = |part: &Path, count: u32| {
        format!("dd if=/dev/zero of={} bs=4k count={count} oflag=direct conv=fsync 2>/dev/null", text(part))
    };
    let command = format!("{}; {}", write(&first, 7), write(&second, 11));
    let capture = ["trace", "capture", text(&second), "out.csv", "--no-sync", "--json", "--during", &command];
    let json = call(&folder(&scratch), &capture).well().json();
    assert_eq!(
        (&json["writes"], &json["disk"], &json["first_sector"]),
        (&11.into(), &name.into(), &10240.into())
    );
    assert!(json["flushes"].as_u64() >= Some(2), "those of the whole disk: {json:#}");
}
