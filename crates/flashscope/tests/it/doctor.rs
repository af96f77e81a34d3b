//! `flashscope doctor` on real targets: it finds what is known to be there, writes nothing, needs no root,
//! and says by its status what a script has to know.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

use crate::common::kernel::{Loop, Mounted, Scratch, fingerprint, requires, run};
use crate::common::{call, ended, scratch, text};
use serde_json::Value;

const MIB: u64 = 1 << 20;

fn examined(scratch: &Scratch, target: &str) -> Value {
    let folder: PathBuf = scratch.path("");
    let json = call(&folder, &["doctor", target, "--json"]).well().json();
    assert_eq!(json["schema_version"], 1);
    json
}

/// What a check said: level and words of one of its remarks.
fn says(json: &Value, check: &str, level: &str, words: &str) -> bool {
    let remarks = json["remarks"].as_array().expect("a list");
    let mut of_check = remarks.iter().filter(|remark| remark["check"] == check);
    of_check.any(|remark| remark["level"] == level && remark["found"].as_str().unwrap().contains(words))
}

fn must_say(json: &Value, check: &str, level: &str, words: &str) {
    assert!(says(json, check, level, words), "no {level} of {check} with '{words}' in {json:#}");
}

#[test]
fn a_file_on_a_disk_is_examined_without_a_change() {
    let scratch = scratch();
    let file = scratch.path("mine");
    fs::write(&file, vec![3; MIB as usize]).unwrap();
    let before = fingerprint(&file);
    let json = examined(&scratch, text(&file));
    must_say(&json, "direct IO", "ok", "O_DIRECT reads");
    must_say(&json, "use", "ok", "no other known use");
    must_say(&json, "clock", "ok", "ns a reading");
    assert_eq!(json["target"]["kind"], "file");
    assert_eq!(fingerprint(&file), before);
    fs::File::options().write(true).open(&file).unwrap().set_len(4 * MIB).unwrap();
    must_say(&examined(&scratch, text(&file)), "room", "wrong", "75 % of the file was never written");
}

#[test]
fn the_status_tells_a_script_only_if_asked() {
    let scratch = scratch();
    let holes = scratch.image("holes", MIB);
    let folder = scratch.path("");
    call(&folder, &["doctor", text(&holes)]).well();
    assert_eq!(call(&folder, &["doctor", text(&holes), "--strict"]).status, 4);
    assert_eq!(call(&folder, &["doctor", "rig:mtron", "--strict"]).status, 0);
    call(&folder, &["doctor", "."]).failed(3, &["directory"]);
    call(&folder, &["doctor", "nothing"]).failed(2, &["nothing", "No such file"]);
    call(&folder, &["doctor", "rig:nothing"]).failed(2, &["mtron"]);
}

#[test]
fn virtual_targets_are_answered_sensibly() {
    let scratch = scratch();
    for target in ["rig:mtron", "sim:bplru-board"] {
        let json = examined(&scratch, target);
        assert_eq!((&json["level"], &json["target"]["name"]), (&"ok".into(), &target.into()));
        let view = call(&scratch.path(""), &["doctor", target]).well().out;
        assert!(view.contains("virtual time"), "{view}");
    }
    // Measured by this machine's clock, but on no disk.
    let null = examined(&scratch, "null:");
    must_say(&null, "clock", "ok", "ns a reading");
    assert!(null["remarks"].as_array().unwrap().iter().all(|remark| remark["check"] != "scheduler"));
}

#[test]
fn commands_stand_on_lines_of_their_own_to_be_copied() {
    let scratch = scratch();
    let holes = scratch.image("holes", MIB);
    let view = call(&scratch.path(""), &["doctor", text(&holes)]).well().out;
    let commands: Vec<_> = view.lines().filter_map(|line| line.trim().strip_prefix("$ ")).collect();
    assert!(commands.iter().any(|line| line.starts_with("flashscope create NEWFILE 1048576")), "{view}");
    let wide = view.lines().filter(|line| line.chars().count() > 110 && !line.trim().starts_with("$ "));
    assert_eq!(wide.count(), 0, "{view}");
}

#[test]
fn loops_memory_and_copy_on_write_are_found() {
    if !requires(&["losetup", "mkfs.btrfs", "mount"]) {
        return;
    }
    let scratch = scratch();
    let memory = Scratch::new();
    fs::write(memory.path("file"), vec![3; MIB as usize]).unwrap();
    must_say(&examined(&memory, text(&memory.path("file"))), "filesystem", "wrong", "is in memory");

    let disk = Loop::attach(&scratch.image("disk", 128 * MIB), &[]);
    let before = fingerprint(&disk.image);
    let json = examined(&scratch, disk.name());
    must_say(&json, "layers", "warning", "is a loop device on");
    must_say(&json, "layers", "wrong", "through the page cache");
    must_say(&json, "direct IO", "ok", "O_DIRECT reads");
    assert_eq!(fingerprint(&disk.image), before);

    run("mkfs.btrfs", &["-q", disk.name()]);
    let place = scratch.path("mounted");
    let _mounted = Mounted::with(disk.name(), "compress=zstd", place.clone());
    fs::write(place.join("file"), vec![3; MIB as usize]).unwrap();
    let json = examined(&scratch, text(&place.join("file")));
    must_say(&json, "filesystem", "warning", "is copy-on-write");
    must_say(&json, "filesystem", "warning", "compresses");
    let used = examined(&scratch, disk.name());
    must_say(&used, "use", "warning", "is mounted on");
    let remarks = used["remarks"].as_array().unwrap();
    let mend = remarks.iter().find(|remark| remark["check"] == "use").unwrap()["mend"].as_str();
    assert_eq!(mend, Some(format!("umount {}", text(&place)).as_str()));
}

#[test]
fn compressed_memory_is_no_device() {
    // A kernel without the module has no such device to be fooled by.
    if !requires(&[]) || !Path::new("/dev/zram0").exists() {
        return;
    }
    must_say(&examined(&scratch(), "/dev/zram0"), "layers", "wrong", "compressed memory");
}

#[test]
fn without_root_it_says_what_it_could_not_see() {
    if !requires(&["losetup"]) {
        return;
    }
    let scratch = Scratch::new();
    let program = scratch.path("flashscope");
    fs::copy(env!("CARGO_BIN_EXE_flashscope"), &program).unwrap();
    let disk = Loop::attach(&scratch.image("disk", 32 * MIB), &[]);
    let mut command = std::process::Command::new(&program);
    let nobody = command.args(["doctor", disk.name(), "--json"]).uid(65534).gid(65534);
    let json = ended(nobody, &scratch.path("")).well().json();
    must_say(&json, "direct IO", "wrong", "no permission to read it");
    must_say(&json, "layers", "warning", "is a loop device on");
}

#[test]
fn what_the_doctor_warns_of_is_told_before_a_measurement_and_stored_with_it() {
    let scratch = scratch();
    let folder = scratch.path("");
    call(&folder, &["create", "target", "4MiB"]).well();
    let measure = ["measure", "target", "--rw", "randread", "--number-ios", "64", "-o", "out"];
    let told = call(&folder, &measure).well();
    let manifest = fs::read_to_string(scratch.path("out/manifest.json")).expect("a manifest");
    let manifest: Value = serde_json::from_str(&manifest).expect("JSON");
    let stored = manifest["warnings"].as_array().expect("a list");
    let doctor = call(&folder, &["doctor", "target", "--json"]).well().json();
    let remarks = doctor["remarks"].as_array().expect("remarks");
    let is_told = |remark: &&Value| {
        let line = format!("{}: ", remark["check"].as_str().expect("a name"));
        told.err.contains(&format!("warning: {line}"))
    };
    // Load and temperature may have changed meanwhile; a scheduler, a governor, a virtual disk have not.
    let lasting = ["layers", "scheduler", "write cache", "governor", "virtualisation"];
    let grave = |remark: &&Value| remark["level"] == "warning" || remark["level"] == "wrong";
    let grave =
        remarks.iter().filter(|remark| lasting.iter().any(|name| remark["check"] == *name)).filter(grave);
    let grave: Vec<&Value> = grave.collect();
    assert!(grave.len() > 3 || grave.iter().all(is_told), "{grave:?} {told:?}");
    assert_eq!(!stored.is_empty(), told.err.contains("details: flashscope doctor target"), "{told:?}");
    let shown = call(&folder, &["show", "out"]).well();
    let page = fs::read_to_string(scratch.path("out/report.html")).expect("a page");
    for warning in stored {
        let seen = warning["seen"].as_str().expect("text");
        assert!(told.err.contains(&format!("warning: {seen}; ")), "{seen} {told:?}");
        assert!(shown.err.contains(seen), "{seen} {shown:?}");
        assert!(page.contains(seen), "{seen} is not on the page");
    }
}
