//! Jobs of fio taken over, beside fio itself: as many IOs and bytes, in the same range, and in order at the
//! same addresses.

use std::fs;
use std::path::Path;

use crate::common::kernel::{Scratch, requires, run};
use crate::common::{call, ended, flashscope};
use serde_json::Value;

/// A job and whether its addresses are told beforehand.
const JOBS: &[(&str, bool)] = &[
    ("rw=read\nbs=4k\nsize=256k", true),
    ("rw=write\nbs=8k\nsize=128k\noffset=64k", true),
    ("rw=read\nbs=4k\nsize=64k\nio_size=160k\noffset=1m", true),
    ("readwrite=read\nblocksize=16k ; comment\nsize=1m\nnumber_ios=10", true),
    ("rw=write\nbs=4k\nsize=64k\nloops=3", true),
    ("rw=randread\nbs=4k\nsize=256k", false),
    ("rw=randwrite\nbs=4k\nsize=256k\noffset=256k\nnorandommap\nioengine=libaio\niodepth=8", false),
    ("rw=randread\nbs=8kB\nsize=1m\nnumjobs=4\noffset_increment=1m", false),
    ("rw=randread\nbs=4k\nsize=1m\nrandom_distribution=zipf:1.2\nrandseed=7", false),
    ("rw=read\nbs=4k\nsize=128k\nthinktime=100\nthinktime_blocks=4", true),
    ("kb_base=1000\nrw=read\nbs=4KiB\nsize=64KiB", true),
];

/// IOs, bytes, first byte, end, and each address in the order of submission.
#[derive(Debug, PartialEq)]
struct Issued {
    ios: u64,
    bytes: u64,
    from: u64,
    to: u64,
}

fn issued(ios: &[(u64, u64)]) -> Issued {
    Issued {
        ios: ios.len() as u64,
        bytes: ios.iter().map(|(_, length)| length).sum(),
        from: ios.iter().map(|(offset, _)| *offset).min().expect("an IO"),
        to: ios.iter().map(|(offset, length)| offset + length).max().expect("an IO"),
    }
}

/// What fio does, by its own iolog.
fn by_fio(scratch: &Scratch, job: &str, target: &Path) -> Vec<(u64, u64)> {
    let log = scratch.path("iolog");
    // fio appends to what is there.
    let _ = fs::remove_file(&log);
    let file = scratch.path("with-log.fio");
    let (target, log_name) = (target.display(), log.display());
    let text = format!("[x]\n{job}\nfilename={target}\ndirect=0\nwrite_iolog={log_name}\n");
    fs::write(&file, text).expect("written");
    run("fio", &[file.to_str().expect("a plain path"), "--output-format=json"]);
    let log = fs::read_to_string(&log).expect("an iolog");
    let io = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = words.iter().position(|word| *word == "read" || *word == "write")?;
        Some((words[at + 1].parse().ok()?, words[at + 2].parse().ok()?))
    };
    log.lines().filter_map(io).collect()
}

#[test]
fn imported_jobs_issue_what_fio_issues() {
    if !requires(&["fio"]) {
        return;
    }
    let scratch = Scratch::new();
    let folder = scratch.path("");
    let target = scratch.path("target");
    call(&folder, &["create", "target", "8MiB"]).well();
    for (number, (job, is_told)) in JOBS.iter().enumerate() {
        let name = format!("{number}.fio");
        fs::write(scratch.path(&name), format!("[x]\n{job}\ndirect=1\n")).expect("written");
        let line = call(&folder, &["import", &name]).well().out;
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words[..3], ["flashscope", "measure", "TARGET"], "{job}: {line}");
        let line = line.replace("TARGET", "rig:plain");
        let words: Vec<&str> = line.split_whitespace().collect();
        let engine = words.iter().position(|word| *word == "--engine");
        let without = |at: &usize| engine.is_none_or(|engine| *at != engine && *at != engine + 1);
        let words: Vec<&str> = (1..words.len()).filter(without).map(|at| words[at]).collect();
        let out = format!("out-{number}");
        call(&folder, &[&words[..], &["-q", "-o", &out]].concat()).well();
        call(&folder, &["export", &out, "--to", "csv", "--ios", "-o", &format!("csv-{number}")]).well();
        let file = fs::read_dir(scratch.path(&format!("csv-{number}/ios"))).expect("a folder").next();
        let table = fs::read_to_string(file.expect("a file").expect("an entry").path()).expect("text");
        let cells = table.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
        let parse = |cell: &str| cell.parse::<u64>().expect("a number");
        let ours: Vec<(u64, u64)> = cells.map(|cells| (parse(cells[3]), parse(cells[4]))).collect();
        if job.contains("numjobs") {
            // fio's iolog has one process only; its JSON has the sums.
            let sums = issued(&ours);
            assert_eq!((sums.ios, sums.bytes, sums.from, sums.to), (512, 4 << 20, 0, 4 << 20), "{job}");
            continue;
        }
        let theirs = by_fio(&scratch, job, &target);
        let (ours_sum, theirs_sum) = (issued(&ours), issued(&theirs));
        assert_eq!((ours_sum.ios, ours_sum.bytes), (theirs_sum.ios, theirs_sum.bytes), "{job}: {line}");
        if *is_told {
            assert_eq!(ours, theirs, "{job}: {line}");
        } else if !job.contains("zipf") && !job.contains("norandommap") {
            assert_eq!(ours_sum, theirs_sum, "{job}: {line}");
        } else {
            assert!(ours.iter().all(|(offset, _)| offset % 4096 == 0), "{job}: {line}");
        }
    }
}

#[test]
fn what_a_pattern_cannot_express_is_refused_with_its_line() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    for (job, words) in [
        ("[a]\nrw=read\nbssplit=4k/50:8k/50", &["job.fio:3: bssplit=", "one IO size"][..]),
        ("[a]\nrw=randrw\nrwmixread=70", &["job.fio:3: rwmixread=70", "nearest is 67"]),
        ("[a]\nrw=trimwrite", &["job.fio:2: rw=trimwrite", "randtrim"]),
        ("[a]\nbs=0", &["job.fio:2: bs=0", "more than 0"]),
        ("[a]\nfilename=x\x1b[2J", &["job.fio:2: filename=x\u{fffd}[2J", "control character"]),
        ("[a\u{9b}2J]\nbs=4k", &["job.fio:1: [a\u{fffd}2J]", "control character"]),
        ("[a]\nsize=10%", &["job.fio:2: size=10%", "write the size"]),
        ("[a]\nsize=30k", &["job.fio:2: size=30k", "multiple of bs", "28KiB"]),
        ("[a]\nioengine=rbd", &["job.fio:2: ioengine=rbd", "libaio"]),
        (
            "[global]\nrw=read\n[a]\nsize=1m\n[b]\nsize=1m",
            &["job.fio:5: [b]", "in parallel with [a]", "stonewall"],
        ),
        (
            "[a]\nfdatasync=1\nfrobnicate=2",
            &["job.fio:2: fdatasync=1", "fsync", "job.fio:3: frobnicate=2", "unknown option"],
        ),
        ("[a]\nsize=${SIZE}", &["job.fio:2:", "variables"]),
        ("rw=read", &["job.fio:1: rw=read", "[global]"]),
        ("[global]\nrw=read", &["no job"]),
        ("[a]\nrandom_distribution=pareto:0.2\nrw=randread", &["job.fio:2:", "zipf:THETA"]),
        ("[a]\nfilename=/dev/a:/dev/b", &["job.fio:2:", "one target"]),
        ("[a]\nsize=1m\nnumjobs=2\noffset_increment=2m", &["job.fio:4:", "offset_increment to size"]),
    ] {
        fs::write(scratch.path("job.fio"), job).expect("written");
        call(&folder, &["import", "job.fio"]).failed(2, words);
    }
}

#[test]
fn differences_of_meaning_are_told_and_the_pattern_file_can_be_measured() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    let job = "[global]\nbs=4k\nsize=1m\n[one]\nrw=randrw\nrwmixread=75\n[two]\nstonewall\nrw=randread\n\
               rate_iops=500\nnumjobs=2\nnumber_ios=50\n";
    fs::write(scratch.path("job.fio"), job).expect("written");
    let told = call(&folder, &["import", "job.fio"]).well();
    assert_eq!(told.out.lines().count(), 2, "{told:?}");
    assert!(told.out.contains("--rw randread --bs 4KiB --size 1MiB --random permutation --mix randwrite:3"));
    for word in ["[one] mix: fio mixes at random", "[one] direct:", "[two] rate_iops:", "[two] numjobs:"] {
        assert!(told.err.contains(word), "{word} in {}", told.err);
    }
    call(&folder, &["import", "job.fio", "-o", "p.toml"]).failed(2, &["2 jobs", "--job"]);
    call(&folder, &["import", "job.fio", "--job", "three"]).failed(2, &["one, two"]);
    let line = call(&folder, &["import", "job.fio", "--job", "two", "-o", "p.toml"]).well().out;
    assert_eq!(line.trim(), "flashscope measure TARGET --pattern p.toml");
    let found: Value =
        call(&folder, &["measure", "rig:plain", "--pattern", "p.toml", "--json", "-o", "out"]).well().json();
    assert_eq!(found["ios"], 100, "fifty of each process");
}

#[test]
fn a_job_is_read_from_a_pipe_and_a_pattern_written_to_one() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    fs::write(scratch.path("job.fio"), "[a]\nrw=randread # \x1b[31mred\nsize=1m\n").expect("written");
    let mut piped = flashscope(&["import", "-", "-o", "-"]);
    piped.stdin(fs::File::open(scratch.path("job.fio")).expect("it is there"));
    let pattern = ended(&mut piped, &folder).well();
    assert!(pattern.out.starts_with('#') && pattern.out.contains("\nrw = \"randread\"\n"), "{pattern:?}");
    assert!(
        !pattern.out.contains("flashscope measure TARGET") && !pattern.err.contains('\x1b'),
        "{pattern:?}"
    );
    let mut bad = flashscope(&["import", "-"]);
    bad.stdin(fs::File::open("/dev/null").expect("it is there"));
    ended(&mut bad, &folder).failed(2, &["standard input:1", "no job"]);
}

#[test]
fn import_writes_over_nothing_but_its_own_patterns() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    fs::write(scratch.path("job.fio"), "[a]\nrw=randread\nsize=1m\n").expect("written");
    let import = |output: &str| call(&folder, &["import", "job.fio", "-o", output]);
    fs::write(scratch.path("mine.toml"), "name = \"mine\"\n").expect("written");
    fs::write(scratch.path("binary"), [0xff; 200]).expect("written");
    for foreign in ["mine.toml", "binary", "job.fio"] {
        let before = fs::read(scratch.path(foreign)).expect("it is there");
        import(foreign).failed(2, &[foreign, "other content", "name another"]);
        assert_eq!(fs::read(scratch.path(foreign)).expect("it is there"), before);
    }
    for _ in 0..2 {
        import("p.toml").well();
    }
}
