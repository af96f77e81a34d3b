//! A result may come from anywhere: whatever its bytes are, readers answer with what is there or an error,
//! never with a panic, and not after long.
//!
//! Every case follows from a seed and its number, which a failure names; `FLASHSCOPE_SEED` gives another
//! seed.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use flashscope_core::seed::Random;
use flashscope_core::{Bytes, Nanos, Pattern, PatternSource, Record, Rw, Time};
use flashscope_store::{
    EXPORTS, Material, Opened, Origin, Recorder, Responses, ResultFile, ResultFolder, StoreError, Stored,
    export, write_pack,
};
use serde_json::{Value, json};

use crate::common::{Scratch, baselines, context, manifest};
use crate::hands::{Outside, files, lay_a_hand_on};

const CASES: u64 = 250;
/// A case takes milliseconds.
const HANGS: Duration = Duration::from_secs(60);

fn seed() -> u64 {
    std::env::var("FLASHSCOPE_SEED").map_or(20_261_122, |seed| seed.parse().expect("a number"))
}

/// Runs the cases, each with its own randomness.
fn each_case(cases: u64, case: fn(u64, &mut Random)) {
    for number in 0..cases {
        let (done, ended) = mpsc::channel();
        let seed = seed();
        let worker = thread::spawn(move || {
            case(number, &mut Random::new(seed.wrapping_add(number)));
            let _ = done.send(());
        });
        let again = format!("FLASHSCOPE_SEED={seed}, case {number}");
        assert!(ended.recv_timeout(HANGS) != Err(RecvTimeoutError::Timeout), "it hangs: {again}");
        assert!(worker.join().is_ok(), "it panics: {again}");
    }
}

/// A small result: a run, or one with the document of another kind.
fn result(folder: &Path, kind: u64) {
    let mut made = ResultFolder::create(folder, &manifest()).expect("a folder");
    for mut run in baselines(1.0, 1).into_iter().take(2) {
        let records = made.records(&run.experiment, run.repeat);
        write_ios(&records.path);
        run.run.records = Some(records.relative);
        made.append(&run).expect("a run");
    }
    made.write_context(&context()).expect("the context");
    let entry =
        json!({ "profile": "mtron", "records": "ios/replay.parquet", "ios": 200, "trace": "/a/b.csv" });
    match kind {
        1 => made.write_text("sim.json", &json!([entry, entry]).to_string()).expect("a sweep"),
        2 => {
            write_ios(&folder.join("ios/replay.parquet"));
            made.write_text("replay.json", &entry.to_string()).expect("a replay");
        }
        3 => made.write_text("stats.json", &entry.to_string()).expect("a description"),
        _ => {}
    }
}

fn write_ios(path: &Path) {
    let pattern = Pattern::baseline(Rw::RandWrite, Bytes(0), Bytes(1 << 30));
    let source = Box::new(PatternSource::new(&pattern, 0, 1));
    let mut recorder = Recorder::create(path, vec![source], &Origin::default()).expect("a file");
    for index in 0..200 {
        recorder.push(Record::new(Time(index * 1000), Nanos(100 + index % 7), 0, index));
    }
    recorder.finish().expect("it is written");
}

/// All that reads a result. What an answer is does not matter here, but that there is one.
fn read_in_all_ways(folder: &Path, scratch: &Scratch) {
    let never = AtomicBool::new(false);
    let _ = Stored::read(folder);
    if let Ok((stored, damage)) = Stored::salvage(folder) {
        assert!(damage.iter().all(|warning| !warning.seen.is_empty()));
        for run in stored.finished.iter().filter_map(|finished| finished.run.records.as_ref()) {
            let _ = Responses::read(&ResultFile::new(folder, run), 50);
        }
    }
    for format in EXPORTS {
        let out = scratch.path(format.name);
        fs::create_dir_all(&out).expect("a folder");
        let _ = Material::read(folder).and_then(|material| export(format, &[material], &out, true, &never));
        let _ = fs::remove_dir_all(&out);
    }
    let pack = scratch.path("a.flashscope");
    for identify in [true, false] {
        if write_pack(folder, &pack, identify, &never).is_ok() {
            let opened = Opened::of(&pack, &never).expect("what was packed can be opened");
            let _ = Stored::read(opened.folder());
        }
    }
}

/// Values of wrong types, and numbers at the borders of all types.
fn odd(random: &mut Random) -> Value {
    let all = [
        Value::Null,
        json!(true),
        json!(""),
        json!("\u{1b}[2J/../../etc/passwd"),
        json!([]),
        json!({}),
        json!([[[[]]]]),
        json!(-1),
        json!(0),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(1e308),
        json!(-1e308),
        json!(5e-324),
        json!(u32::MAX),
    ];
    all[random.below(all.len() as u64) as usize].clone()
}

/// Replaces a value somewhere in a document, or leaves a field out.
fn change(value: &mut Value, random: &mut Random) {
    let goes_on = random.below(8) != 0;
    match value {
        Value::Object(fields) if goes_on && !fields.is_empty() => {
            let place = random.below(fields.len() as u64) as usize;
            let name = fields.keys().nth(place).expect("it is there").clone();
            if random.below(20) == 0 {
                fields.remove(&name);
            } else {
                change(&mut fields[&name], random);
            }
        }
        Value::Array(values) if goes_on && !values.is_empty() => {
            let place = random.below(values.len() as u64) as usize;
            change(&mut values[place], random);
        }
        value => *value = odd(random),
    }
}

/// Bytes changed, cut off, put in twice, or another value in a document of JSON.
fn damaged(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let place = |random: &mut Random, bytes: &[u8]| random.below(bytes.len() as u64 + 1) as usize;
    match random.below(8) {
        0 => bytes.truncate(place(random, &bytes)),
        1 => {
            for _ in 0..=random.below(8) {
                let at = place(random, &bytes);
                bytes.get_mut(at).into_iter().for_each(|byte| *byte = random.below(256) as u8);
            }
        }
        2 => {
            let at = place(random, &bytes);
            let piece = bytes[at..].iter().copied().take(random.below(200) as usize).collect::<Vec<u8>>();
            bytes.splice(at..at, piece);
        }
        3 => {
            let at = place(random, &bytes);
            let deep = [b'[', b'{', b'"', b'9'][random.below(4) as usize];
            bytes.splice(at..at, std::iter::repeat_n(deep, 5000));
        }
        _ => bytes = other_values(&bytes, random),
    }
    bytes
}

/// The documents of a file of JSON, one of them changed; other files as they are but for a bit.
fn other_values(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(mut document) = serde_json::from_str::<Value>(&text) {
        change(&mut document, random);
        return document.to_string().into_bytes();
    }
    let parse = |line| serde_json::from_str::<Value>(line);
    if let Ok(mut lines) = text.lines().map(parse).collect::<Result<Vec<Value>, _>>()
        && !lines.is_empty()
    {
        let at = random.below(lines.len() as u64) as usize;
        change(&mut lines[at], random);
        return lines.iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes();
    }
    let mut bytes = bytes.to_vec();
    if !bytes.is_empty() {
        let at = random.below(bytes.len() as u64) as usize;
        bytes[at] ^= 1 << random.below(8);
    }
    bytes
}

#[test]
fn damaged_folders_are_read_or_refused() {
    each_case(CASES, |number, random| {
        let scratch = Scratch::new();
        let folder = scratch.path("result");
        result(&folder, number % 4);
        for _ in 0..=random.below(2) {
            let files = files(&folder);
            let at = random.below(files.len() as u64) as usize;
            let (file, other) = (&files[at], &files[(at + 1) % files.len()]);
            match random.below(12) {
                0 => fs::remove_file(file).expect("it is there"),
                1 => drop(fs::copy(other, file).expect("both are there")),
                2 => {
                    fs::remove_file(file).expect("it is there");
                    fs::create_dir(file).expect("its name is free");
                }
                _ => {
                    let bytes = fs::read(file).unwrap_or_default();
                    if file.is_file() {
                        fs::write(file, damaged(&bytes, random)).expect("it can be written");
                    }
                }
            }
        }
        read_in_all_ways(&folder, &scratch);
    });
}

/// Names that lead anywhere, links, pipes, devices, sizes beyond all memory: it ends, and looks at nothing
/// outside.
#[test]
fn folders_of_hostile_hands_are_read_within_themselves() {
    each_case(CASES, hostile_hands);
}

#[test]
#[ignore = "minutes"]
fn many_folders_of_hostile_hands_are_read_within_themselves() {
    each_case(100 * CASES, hostile_hands);
}

fn hostile_hands(number: u64, random: &mut Random) {
    let scratch = Scratch::new();
    let folder = scratch.path("result");
    result(&folder, number % 4);
    let outside = Outside::beside(&folder);
    let done: Vec<String> = (0..=random.below(3)).map(|_| lay_a_hand_on(&folder, &outside, random)).collect();
    let outside = outside.guard();
    read_in_all_ways(&folder, &scratch);
    assert!(outside.is_untouched(), "it is read outside: {done:?}");
    // Who goes on in it writes.
    if let Ok(mut again) = ResultFolder::open(&folder) {
        let _ = again.write_context(&context());
        let _ = again.write_text("/../../outside", "");
        let _ = again.append(&baselines(1.0, 1)[0]);
    }
    assert!(outside.is_untouched(), "it is written outside: {done:?}");
}

#[test]
fn damaged_packs_are_opened_or_refused() {
    each_case(CASES, |number, random| {
        let scratch = Scratch::new();
        let (folder, pack) = (scratch.path("result"), scratch.path("a.flashscope"));
        let never = AtomicBool::new(false);
        result(&folder, number % 4);
        write_pack(&folder, &pack, true, &never).expect("a pack");
        let whole = fs::read(&pack).expect("a pack");
        let bytes = if random.below(3) == 0 {
            damaged(&whole, random)
        } else {
            let archive = zstd::decode_all(&whole[..]).expect("an archive");
            zstd::encode_all(&damaged(&archive, random)[..], 1).expect("a pack")
        };
        fs::write(&pack, bytes).expect("it can be written");
        if let Ok(opened) = Opened::of(&pack, &never) {
            read_in_all_ways(opened.folder(), &scratch);
        }
    });
}

fn of_entries(pack: &Path, entries: &[(&[u8], tar::EntryType, u64)]) {
    let mut raw = Vec::new();
    for (name, kind, zeros) in entries {
        let mut header = tar::Header::new_gnu();
        header.as_mut_bytes()[..name.len()].copy_from_slice(name);
        header.set_entry_type(*kind);
        let label = br#"{ "pack_version": 1, "flashscope_version": "0.1.0" }"#;
        let is_label = name.starts_with(b"flashscope-pack");
        header.set_size(if is_label { label.len() as u64 } else { *zeros });
        header.set_cksum();
        raw.extend(header.as_bytes());
        if is_label {
            raw.extend(label);
        }
        raw.resize(raw.len().next_multiple_of(512) + *zeros as usize, 0);
    }
    raw.resize(raw.len() + 1024, 0);
    fs::write(pack, zstd::encode_all(&raw[..], 1).expect("a pack")).expect("it can be written");
}

#[test]
fn a_name_of_many_mebibytes_is_not_read_into_memory() {
    let scratch = Scratch::new();
    let pack = scratch.path("a.flashscope");
    let label: (&[u8], _, _) = (b"flashscope-pack.json", tar::EntryType::Regular, 0);
    for kind in [tar::EntryType::GNULongName, tar::EntryType::XHeader, tar::EntryType::XGlobalHeader] {
        of_entries(&pack, &[label, (b"././@LongLink", kind, 64 << 20)]);
        let error = Opened::of(&pack, &AtomicBool::new(false)).expect_err("it is no name").to_string();
        assert!(error.contains("do not trust its source"), "{error}");
    }
}

#[test]
fn a_long_name_comes_back_as_it_was() {
    let scratch = Scratch::new();
    let (folder, pack) = (scratch.path("result"), scratch.path("a.flashscope"));
    let never = AtomicBool::new(false);
    result(&folder, 0);
    let name = format!("ios/0009-{}.parquet", "long-".repeat(40));
    write_ios(&folder.join(&name));
    write_pack(&folder, &pack, false, &never).expect("a pack");
    let opened = Opened::of(&pack, &never).expect("it can be opened");
    assert!(opened.folder().join(&name).is_file());
    let alias = opened.alias().expect("it was unpacked");
    let text = format!("{}: gone", opened.folder().display());
    assert_eq!(alias.replace_in(&text), format!("{}: gone", pack.display()));
}

#[test]
fn an_interruption_ends_it_with_an_error_of_its_own() {
    let scratch = Scratch::new();
    let (folder, pack) = (scratch.path("result"), scratch.path("a.flashscope"));
    result(&folder, 0);
    let stopped = AtomicBool::new(true);
    let is_interruption = |error: StoreError| error.is_interruption();
    assert!(write_pack(&folder, &pack, false, &stopped).is_err_and(is_interruption));
    assert!(
        !pack.exists() && fs::read_dir(scratch.path("")).expect("a folder").count() == 1,
        "no part is left"
    );
    write_pack(&folder, &pack, false, &AtomicBool::new(false)).expect("a pack");
    assert!(Opened::of(&pack, &stopped).is_err_and(is_interruption));
    let material = Material::read(&folder).expect("a result");
    assert!(export(&EXPORTS[0], &[material], &scratch.path(""), true, &stopped).is_err_and(is_interruption));
}
