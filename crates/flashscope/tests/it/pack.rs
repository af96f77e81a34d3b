//! A pack is the result, without what says whose it is, and nothing else is unpacked.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::kernel::Scratch;
use crate::common::{call, ended, flashscope, interrupt, start, wait_for};
use serde_json::{Value, json};

/// What must not be seen, planted everywhere.
const SERIAL: &str = "S4NDNX0R123456";
const WWID: &str = "eui.0025385b71b0c0de";
const USER: &str = "mallory";
const TARGET: &str = "/home/mallory/secret disk/diary.img";

fn words(folder: &Path, line: &str) -> crate::common::Ended {
    call(folder, &line.split_whitespace().collect::<Vec<_>>())
}

/// A measurement of a file, with a device's identity planted into it, and its name into the files of IOs.
fn planted(folder: &Path, name: &str) {
    let image = folder.join(TARGET.trim_start_matches('/'));
    fs::create_dir_all(image.parent().unwrap()).unwrap();
    call(folder, &["create", crate::common::text(&image), "1MiB"]).well();
    let line =
        ["measure", crate::common::text(&image), "--rw", "randread", "--bs", "4k", "--number-ios", "200"];
    call(folder, &[&line[..], &["--seed", "7", "-o", name]].concat()).well();
    let file = folder.join(name).join("manifest.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    manifest["device"]["hardware"] = json!({
        "serial": SERIAL, "wwid": WWID, "name": "nvme7n1", "model": "Nonesuch 900", "firmware": "1.0",
    });
    manifest["device"]["filesystem"]["mount_point"] = json!("/home/mallory/secret disk");
    manifest["state"] = json!(format!("as {USER} left {SERIAL} of {WWID}"));
    fs::write(&file, serde_json::to_vec(&manifest).unwrap()).unwrap();
}

/// Every byte of a pack: names and contents.
fn unpacked(pack: &Path) -> Vec<(String, Vec<u8>)> {
    let bytes = zstd::decode_all(fs::File::open(pack).unwrap()).unwrap();
    let mut archive = tar::Archive::new(&bytes[..]);
    let entries = archive.entries().unwrap().map(|entry| {
        let mut entry = entry.unwrap();
        let mut content = Vec::new();
        std::io::Read::read_to_end(&mut entry, &mut content).unwrap();
        (entry.path().unwrap().display().to_string(), content)
    });
    entries.collect()
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}

#[test]
fn a_pack_holds_neither_serial_nor_host_nor_user_nor_path_in_any_byte() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    planted(&folder, "mine");
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap().trim().to_string();
    let mut command = flashscope(&["pack", "mine", "-o", "sent.flashscope"]);
    let packed = ended(command.env("USER", USER).env("HOME", "/home/mallory"), &folder).well();
    for what in
        ["serial numbers", "world-wide identifiers", "the target's path", "mount points", "user's name"]
    {
        assert!(packed.err.contains(what), "'{what}' is not told: {}", packed.err);
    }
    let whole = zstd::decode_all(fs::File::open(folder.join("sent.flashscope")).unwrap()).unwrap();
    let place = folder.display().to_string();
    let names = [SERIAL, WWID, USER, TARGET, "diary", "secret disk", "nvme7n1", place.trim_end_matches('/')];
    for hidden in names {
        assert!(!holds(&whole, hidden), "{hidden} is in the pack");
    }
    assert!(!holds(&whole, &format!("\"{host}\"")), "{host} is in the pack");
    for (name, content) in unpacked(&folder.join("sent.flashscope")) {
        if name.ends_with(".parquet") {
            assert!(
                holds(&content, "flashscope.target") && holds(&content, "file on Nonesuch 900"),
                "{name}"
            );
        }
    }
    // The same with everything in it, so that the search above could have failed.
    words(&folder, "pack mine --identify -o whole.flashscope").well();
    let whole = zstd::decode_all(fs::File::open(folder.join("whole.flashscope")).unwrap()).unwrap();
    for hidden in [SERIAL, WWID, USER, "diary", "nvme7n1"] {
        assert!(holds(&whole, hidden), "{hidden} was to be kept");
    }
}

#[test]
fn a_pack_is_read_wherever_a_folder_is_and_says_the_same() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    words(&folder, "run rig:mtron --quick --only granularity --seed 3 -q -o m").well();
    words(&folder, "pack m").well();
    let [of_folder, of_pack] =
        ["m", "m.flashscope"].map(|name| words(&folder, &format!("show {name} --json")));
    let [a, b] = [of_folder.well().json(), of_pack.well().json()];
    assert_eq!(a["target"], b["target"]);
    assert_eq!(a["indicators"], b["indicators"]);
    assert!(a["indicators"].is_object(), "{a}");
    let compared = words(&folder, "compare m m.flashscope").well();
    assert!(compared.out.contains("m.flashscope"), "the pack's name is shown: {}", compared.out);
    words(&folder, "report m.flashscope -o p.html").well();
    let page = fs::read_to_string(folder.join("p.html")).unwrap();
    assert!(page.contains("m.flashscope") && !page.contains("/flashscope-"), "the page names the pack");
    words(&folder, "export m.flashscope --to csv --ios -o out").well();
    words(&folder, "export m --to csv --ios -o same").well();
    let names: Vec<PathBuf> = fs::read_dir(folder.join("same")).unwrap().map(|e| e.unwrap().path()).collect();
    assert!(!names.is_empty());
    for path in names.iter().filter(|path| path.is_file()) {
        let of_pack = fs::read(folder.join("out").join(path.file_name().unwrap())).unwrap();
        assert!(fs::read(path).unwrap() == of_pack, "{path:?} differs");
    }
}

#[test]
fn every_kind_of_result_can_be_packed_and_shown() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    words(&folder, "trace generate zipf diary.csv --number-ios 800").well();
    words(&folder, "trace stats diary.csv -o stats").well();
    words(&folder, "sim bplru-board --buffer lru,fab --trace diary.csv --fit modulo -o sweep").well();
    words(&folder, "replay diary.csv sim:bplru-board --timing asap --fit modulo -o replay").well();
    for name in ["stats", "sweep", "replay"] {
        words(&folder, &format!("pack {name}")).well();
        let shown = words(&folder, &format!("show {name}.flashscope")).well().out;
        assert!(shown.contains("trace.csv") && !shown.contains("diary"), "{shown}");
        words(&folder, &format!("report {name}.flashscope -o {name}.html")).well();
        let page = fs::read_to_string(folder.join(format!("{name}.html"))).unwrap();
        assert!(!page.contains("diary"), "{name}");
    }
}

#[test]
fn a_pack_is_the_same_whoever_makes_it_and_no_link_is_followed() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    words(&folder, "measure rig:mtron --rw randread --number-ios 100 --seed 3 -o m").well();
    fs::write(folder.join("keys.txt"), "private").unwrap();
    std::os::unix::fs::symlink(folder.join("keys.txt"), folder.join("m/ios/x.parquet")).unwrap();
    fs::write(folder.join("m/notes.txt"), "private").unwrap();
    let told = words(&folder, "pack m -o a.flashscope").well().err;
    assert!(told.contains("ios/x.parquet") && told.contains("notes.txt"), "{told}");
    words(&folder, "pack m -o b.flashscope").well();
    let [a, b] = ["a", "b"].map(|name| fs::read(folder.join(format!("{name}.flashscope"))).unwrap());
    assert_eq!(a, b);
    assert!(!holds(&zstd::decode_all(&a[..]).unwrap(), "private"));
}

/// A pack of these entries, made by somebody else.
fn foreign(path: &Path, entries: &[(&str, &[u8])], link: Option<&str>) {
    let mut raw = Vec::new();
    for (name, content) in entries {
        let mut header = tar::Header::new_old();
        header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(content.len() as u64);
        header.set_entry_type(tar::EntryType::Regular);
        if let Some(to) = link.filter(|_| *name == "runs.jsonl") {
            header.set_entry_type(tar::EntryType::Symlink);
            header.set_link_name(to).unwrap();
        }
        header.set_cksum();
        raw.extend_from_slice(header.as_bytes());
        raw.extend_from_slice(content);
        raw.resize(raw.len().next_multiple_of(512), 0);
    }
    raw.resize(raw.len() + 1024, 0);
    fs::write(path, zstd::encode_all(&raw[..], 1).unwrap()).unwrap();
}

const LABEL: (&str, &[u8]) =
    ("flashscope-pack.json", br#"{ "pack_version": 1, "flashscope_version": "0.1.0", "identifies": false }"#);

#[test]
fn what_leads_out_of_the_folder_is_refused_and_nothing_is_left_behind() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    let temporary = folder.join("temporary");
    fs::create_dir(&temporary).unwrap();
    let outside = folder.join("outside.json");
    let absolute = outside.display().to_string();
    for name in ["../outside.json", "ios/../../outside.parquet", &absolute, ".bashrc", "inside/a/b.json"] {
        foreign(&folder.join("x.flashscope"), &[LABEL, (name, b"{}")], None);
        let shown = ended(flashscope(&["show", "x.flashscope"]).env("TMPDIR", &temporary), &folder);
        shown.failed(1, &["x.flashscope", "does not belong to a result"]);
    }
    foreign(&folder.join("x.flashscope"), &[LABEL, ("runs.jsonl", b"")], Some("/etc/passwd"));
    let shown = ended(flashscope(&["show", "x.flashscope"]).env("TMPDIR", &temporary), &folder);
    shown.failed(1, &["does not belong to a result"]);
    assert!(!outside.exists() && !folder.join("outside.parquet").exists());
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0, "what was unpacked is gone");
}

#[test]
fn foreign_damaged_and_newer_files_are_refused_by_name() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    words(&folder, "measure rig:mtron --rw randread --number-ios 100 --seed 3 -o m").well();
    words(&folder, "pack m").well();
    fs::write(folder.join("text.flashscope"), "no pack").unwrap();
    words(&folder, "show text.flashscope")
        .failed(2, &["text.flashscope", "neither a result folder nor a pack"]);
    let whole = fs::read(folder.join("m.flashscope")).unwrap();
    fs::write(folder.join("half.flashscope"), &whole[..whole.len() / 2]).unwrap();
    words(&folder, "show half.flashscope").failed(1, &["half.flashscope", "damaged or incomplete"]);
    foreign(&folder.join("tar.flashscope"), &[("a.txt", b"a")], None);
    words(&folder, "report tar.flashscope")
        .failed(1, &["not a valid pack", "`flashscope pack DIR` makes one"]);
    let newer: (&str, &[u8]) =
        ("flashscope-pack.json", br#"{ "pack_version": 9, "flashscope_version": "7.0.0" }"#);
    foreign(&folder.join("newer.flashscope"), &[newer], None);
    words(&folder, "show newer.flashscope").failed(1, &["version 9", "flashscope 7.0.0"]);
    fs::create_dir(folder.join("empty")).unwrap();
    words(&folder, "pack empty").failed(1, &["not a flashscope result"]);
    words(&folder, "pack nowhere").failed(2, &["nowhere"]);
    fs::write(folder.join("mine.txt"), "mine").unwrap();
    words(&folder, "pack m -o mine.txt").failed(2, &["mine.txt", "name another"]);
    words(&folder, "pack m.flashscope").failed(2, &["-o"]);
    assert_eq!(fs::read_to_string(folder.join("mine.txt")).unwrap(), "mine");
}

#[test]
fn an_interruption_leaves_no_part_and_the_old_pack() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    words(&folder, "measure rig:plain --rw randread --number-ios 50000 --seed 1 -q -o m").well();
    words(&folder, "pack m").well();
    let before = fs::read(folder.join("m.flashscope")).unwrap();
    // As many files as a long run has.
    let ios = fs::read_dir(folder.join("m/ios")).unwrap().next().unwrap().unwrap().path();
    for number in 0..1000 {
        fs::hard_link(&ios, folder.join(format!("m/ios/{number:04}-more.parquet"))).unwrap();
    }
    let parts = || {
        let entries = fs::read_dir(&folder).unwrap().flatten();
        let parts = entries.filter(|entry| entry.file_name().to_string_lossy().ends_with(".part"));
        parts.map(|entry| entry.metadata().map_or(0, |part| part.len())).collect::<Vec<u64>>()
    };
    let child = start(&folder, &["pack", "m"]);
    wait_for("the first bytes", || parts().iter().any(|bytes| *bytes > 0));
    interrupt(child).failed(130, &["interrupted: m.flashscope was not written"]);
    assert!(parts().is_empty(), "a part is left");
    assert!(fs::read(folder.join("m.flashscope")).unwrap() == before, "the old one is as it was");
}
