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
    ("rw=randrw\nrwmixread=70\nbs=4k\nsize=2m", false),
    ("rw=rw\nrwmixwrite=30\nbs=4k\nsize=256k\nio_size=1m\nnumber_ios=40", false),
    ("rw=read:12k\nbs=4k\nsize=256k\nnumber_ios=16", true),
    ("rw=write\nbs=4k\nfilesize=128k", true),
    ("rw=write\nbsrange=8k-8k\nsize=128k\nsync=dsync\nfdatasync=0", true),
    ("rw=read\nbs=64k\nsize=1m\nzonemode=strided\nzonesize=256k\nzoneskip=512k", true),
    ("rw=read\nbs=64k\nsize=1m\nzonemode=strided\nzonesize=256k\nzonerange=384k\nzoneskip=512k", true),
    ("rw=write\nbs=16k\nsize=512k\noffset=128k\nzonemode=strided\nzonesize=64k\nzoneskip=192k", true),
    ("rw=read\nbs=4k\nsize=1m\nnumber_ios=100\nloops=3", true),
    ("rw=read\nbs=4k\nsize=1m\nnumber_ios=20\ntime_based", true),
    ("rw=write:12k\nbs=4k\nsize=1m\noffset=1m", true),
    ("rw=write:4k\nbs=8k\nsize=1032k\noffset=1m\nnumber_ios=100", true),
    ("rw=read:5k\nbs=4k\nsize=1m\noffset=64k\nloops=2", true),
    ("rw=read\nbs=8k,\nblockalign=16k\nsize=256k", true),
    ("rw=randread\nbs=4k\nblockalign=16k\nsize=1m", false),
    ("rw=randwrite\nbs=4k,4k\nsize=1m", false),
    ("rw=randwrite\nbs=,8k\nnorandommap\nsize=1m", false),
    ("rw=randread\nbs=12k\nsize=1000k", false),
    ("rw=randread\nbs=12k\nsize=1000k\nnorandommap", false),
    ("rw=randread\nbs=12k\nsize=1200k\nio_size=1000k", false),
    ("rw=write:112k\nbs=16k\noffset=120k\nio_size=256k\nloops=2", true),
    ("rw=write\nbs=4k\nfilesize=128k\noffset=64k", true),
    ("rw=randwrite\nbs=4k\nfilesize=1m\nsize=64k", false),
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

/// The line that these jobs become.
fn imported(scratch: &Scratch, jobs: &str) -> String {
    fs::write(scratch.path("job.fio"), jobs).expect("written");
    call(&scratch.path(""), &["import", "job.fio"]).well().out
}

/// What fio does, by its own iolog.
fn by_fio(scratch: &Scratch, job: &str, target: &Path) -> Vec<(u64, u64)> {
    let log = iolog(scratch, job, target);
    let io = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = words.iter().position(|word| *word == "read" || *word == "write")?;
        Some((words[at + 1].parse().ok()?, words[at + 2].parse().ok()?))
    };
    log.lines().filter_map(io).collect()
}

fn iolog(scratch: &Scratch, job: &str, target: &Path) -> String {
    let log = scratch.path("iolog");
    // fio appends to what is there.
    let _ = fs::remove_file(&log);
    let file = scratch.path("with-log.fio");
    let (target, log_name) = (target.display(), log.display());
    let text = format!("[x]\n{job}\nfilename={target}\ndirect=0\nwrite_iolog={log_name}\n");
    fs::write(&file, text).expect("written");
    run("fio", &[file.to_str().expect("a plain path"), "--output-format=json"]);
    fs::read_to_string(&log).expect("an iolog")
}

#[test]
fn rates_of_directions_decide_over_the_shares_as_in_fio() {
    if !requires(&["fio"]) {
        return;
    }
    let scratch = Scratch::new();
    let folder = scratch.path("");
    call(&folder, &["create", "target", "8MiB"]).well();
    for job in [
        "rw=randrw\nrwmixread=90\nrate_iops=1500",
        "rw=randrw\nrwmixread=50\nrate_iops=500,1500",
        "rw=randrw\nrate_iops=4000,20",
        "rw=rw\nrwmixread=75\nrate=8m,8m",
    ] {
        let job = format!("{job}\nbs=4k\nsize=4m\nnumber_ios=800");
        let line = imported(&scratch, &format!("[x]\n{job}\ndirect=1\n")).replace("TARGET", "rig:plain");
        let words: Vec<&str> = line.split_whitespace().skip(1).collect();
        let found: Value = call(&folder, &[&words[..], &["--json"]].concat()).well().json();
        let ours = found["percentiles"]["write"]["ios"].as_u64().expect("writes");
        let writes = |log: String| log.lines().filter(|line| line.contains(" write ")).count() as u64;
        let by_fio = || writes(iolog(&scratch, &job, &scratch.path("target")));
        // fio's own turns shift by an IO or two, by more where it gets no processor: the nearest of three.
        let all = [by_fio(), by_fio(), by_fio()];
        let theirs = all.into_iter().min_by_key(|theirs| ours.abs_diff(*theirs)).expect("there are three");
        assert!(ours.abs_diff(theirs) <= 8, "{job}: {ours} writes of 800, fio {theirs}: {line}");
    }
}

#[test]
fn sizes_in_per_cent_are_those_of_fio() {
    if !requires(&["fio"]) {
        return;
    }
    let scratch = Scratch::new();
    fs::write(scratch.path("target"), vec![1; (1 << 20) + 1000]).expect("written");
    for job in [
        "bs=4k\noffset=25%\nsize=50%",
        "bs=4k\nsize=33%",
        "bs=64k\noffset=90%\nsize=50%",
        "bs=8k\noffset=7%\nsize=100%",
    ] {
        let theirs = by_fio(&scratch, &format!("rw=read\n{job}"), &scratch.path("target"));
        let line = imported(&scratch, &format!("[x]\nrw=read\n{job}\nfilename=target\n"));
        let words = format!(" --offset {} ", flashscope_core::Bytes(theirs[0].0));
        assert!(theirs[0].0 == 0 || line.contains(&words), "{job}: {words} in {line}");
        assert!(
            line.contains(&format!(" --number-ios {} ", theirs.len())),
            "{job}: {} in {line}",
            theirs.len()
        );
    }
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
        } else if !["zipf", "norandommap", "rw=rw", "blockalign", "io_size", "filesize"]
            .iter()
            .any(|by_chance| job.contains(by_chance))
        {
            assert_eq!(ours_sum, theirs_sum, "{job}: {line}");
        } else {
            let align = if job.contains("blockalign=16k") { 16 << 10 } else { 4096 };
            let is_aligned = |ios: &[(u64, u64)]| ios.iter().all(|(offset, _)| offset % align == 0);
            assert!(is_aligned(&ours) && is_aligned(&theirs), "{job}: {line}");
        }
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
    assert!(told.out.contains("--rw randrw --rwmixread 75 --bs 4KiB --size 1MiB --random permutation"));
    for word in ["[two] rate:", "[two] numjobs:"] {
        assert!(told.err.contains(word), "{word} in {}", told.err);
    }
    call(&folder, &["import", "job.fio", "-o", "p.toml"]).failed(2, &["2 jobs", "--job"]);
    call(&folder, &["import", "job.fio", "--job", "three"]).failed(2, &["one, two"]);
    let line = call(&folder, &["import", "job.fio", "--job", "two", "-o", "p.toml"]).well().out;
    assert_eq!(line.trim(), "flashscope measure TARGET --pattern p.toml --buffered");
    let found: Value =
        call(&folder, &["measure", "rig:plain", "--pattern", "p.toml", "--json", "-o", "out"]).well().json();
    assert_eq!(found["ios"], 100, "fifty of each process");
}

#[test]
fn jobs_mean_what_they_mean_in_fio() {
    let scratch = Scratch::new();
    for (job, words) in [
        (
            "[a]\nioengine=null\nsize=1g\niodepth=4",
            "measure null: --rw read --bs 4KiB --size 1GiB --iodepth 4",
        ),
        (
            "[a]\ndirectory=d\nsize=1m\nbuffered=0",
            "measure d/a.0.0 --rw read --bs 4KiB --size 1MiB --number-ios 256\n",
        ),
        (
            "[a]\nfilename=f\ndirectory=d\nsize=1m\nfilesize=64k",
            "measure d/f --rw read --bs 4KiB --size 64KiB --number-ios 256 --buffered",
        ),
        (
            "[a]\nfilename=f\nsize=1m\nnumjobs=3",
            "--size 1MiB --numjobs 3 --job-space shared --number-ios 256",
        ),
        (
            "[g]\nsize=1m\nfilename=f\n[h]\nsize=1m\nfilename=f\n[i]\nsize=1m\nfilename=f",
            "--numjobs 3 --job-space shared",
        ),
        ("[a]\nrate=4m\nsize=1m", "--rate-iops 1024"),
        ("[a]\nrw=randrw\nrwmixread=75\nrate=1536,512\nsize=1m\nbs=512", "--rate-iops 3,1 "),
        ("[a]\nrw=randrw\nrwmixread=75\nfsync=8\nsize=1m", "--fsync 32 "),
        ("[a]\nrw=write\nsync=1\nsize=1m", "--sync dsync"),
        (
            "[a]\nrw=randread\nbssplit=4k/50:8k/\nba=16k\nsize=1m",
            "--bs 16KiB --bssplit 4KiB/50:8KiB/50 --size 1MiB --number-ios 170",
        ),
        ("[a]\nrw=read:-8k\nsize=1m", "--stride -1"),
        ("[a]\nsteadystate=iops:3%\nruntime=60", "--precision 3% --budget 1min"),
        ("[a]\nrw=trimwrite\nsize=1m", "--rw trimwrite --bs 4KiB --size 1MiB --number-ios 512"),
        ("[a]\nfilename=${CARGO_PKG_NAME}.img\nsize=1m", "measure flashscope.img "),
        ("[a]\nbsrange=4k-16k\nsize=1m", "--bssplit 4KiB/25:8KiB/25:12KiB/25:16KiB/25 "),
        (
            "[a]\nrw=randread\nrandom_distribution=zoned:50/5:30/15:20/\nsize=1m",
            "--random zones:50/5:30/15:20/80 ",
        ),
        ("[a]\nzonemode=strided\nzonesize=256m\nzoneskip=2g\nbs=64k", "--bs 64KiB --gap 2GiB/256MiB "),
        ("[a]\nioengine=cpp_null\nsize=1m", "measure null: "),
        ("[a]\nprioclass=2\nprio=7\nsize=1m", "ionice -c 2 -n 7 flashscope measure TARGET "),
        ("[a]\nprioclass=3\nnice=-5\nsize=1m", "ionice -c 3 nice -n -5 flashscope measure "),
        ("[a]\ncpus_allowed=0,2-3\nsize=1m", "taskset --cpu-list 0,2-3 flashscope measure "),
        (
            "[a]\nnuma_cpu_nodes=0-1\nnuma_mem_policy=interleave:0-1\nsize=1m",
            "numactl --cpunodebind=0-1 --interleave=0-1 flashscope measure ",
        ),
        ("[a]\nstartdelay=5\nsize=1m", "flashscope measure TARGET --rw read"),
    ] {
        let line = imported(&scratch, job);
        assert!(line.contains(words) && line.lines().count() == 1, "{job}: {words} in {line}");
    }
}

#[test]
fn sizes_orders_and_priorities_are_flags_of_the_pattern() {
    let scratch = Scratch::new();
    for (job, words) in [
        (
            "[a]\nrw=randrw\nbs=4k,16k\nsize=1m",
            "--bs 4KiB --bssplit 4KiB/100,16KiB/100 --size 1MiB --random permutation --number-ios 102 ",
        ),
        (
            "[a]\nrw=randread\nrandom_distribution=sequence:2,0,1\nrandom_sequence_stride=1\nsize=24k",
            "--random sequence:2,0,1:strided --number-ios 6 ",
        ),
        (
            "[a]\nrw=randwrite\nioengine=libaio\ndirect=1\natomic=1\nsize=1m",
            "--atomic 1 --number-ios 256 --engine io_uring --write",
        ),
        (
            "[a]\nrw=randread\nioengine=io_uring\ncmdprio_percentage=20\nsize=1m",
            "--priority 20%/1/0 --number-ios 256 --engine io_uring ",
        ),
        (
            "[a]\nrw=randread\nlatency_target=500\nlatency_window=1s\nlatency_percentile=99.9\niodepth=8\n\
             ioengine=libaio",
            "--engine io_uring --latency-target 500us --latency-percentile 99.9% --latency-window 1s ",
        ),
        (
            "[a]\nrw=read\nfilename=f\nnumjobs=2\noffset_increment=1g",
            "--numjobs 2 --job-space 1GiB:end --buffered",
        ),
    ] {
        let line = imported(&scratch, job);
        assert!(line.contains(words) && line.lines().count() == 1, "{job}: {words} in {line}");
    }
}

/// Each process of fio alone, at its own offset, has the addresses that all of ours have together.
#[test]
fn processes_at_a_distance_write_where_fios_write() {
    if !requires(&["fio"]) {
        return;
    }
    let scratch = Scratch::new();
    let folder = scratch.path("");
    let target = scratch.path("target");
    call(&folder, &["create", "target", "8MiB"]).well();
    for (number, (job, size)) in
        [("rw=write:112k\nbs=16k\nnumber_ios=10", ""), ("rw=write\nbs=8k", "size=128k\n")].iter().enumerate()
    {
        let all =
            format!("[x]\n{job}\n{size}offset=120k\noffset_increment=1m\nnumjobs=3\nfilename=t\ndirect=1\n");
        let line = imported(&scratch, &all).replace(" t ", " rig:plain ");
        let words: Vec<&str> = line.split_whitespace().skip(1).collect();
        let (out, csv) = (format!("out-{number}"), format!("csv-{number}"));
        call(&folder, &[&words[..], &["-q", "-o", &out]].concat()).well();
        call(&folder, &["export", &out, "--to", "csv", "--ios", "-o", &csv]).well();
        let file = fs::read_dir(scratch.path(&csv).join("ios")).expect("a folder").next();
        let table = fs::read_to_string(file.expect("a file").expect("an entry").path()).expect("text");
        let cells = table.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
        let number = |cell: &str| cell.parse::<u64>().expect("a number");
        let mut ours: Vec<_> = cells.map(|cells| (number(cells[3]), number(cells[4]))).collect();
        let alone = |process: u64| {
            let offset = (120 << 10) + (process << 20);
            by_fio(&scratch, &format!("{job}\n{size}offset={offset}"), &target)
        };
        let mut theirs: Vec<_> = (0..3).flat_map(alone).collect();
        ours.sort_unstable();
        theirs.sort_unstable();
        assert_eq!(ours, theirs, "{job}: {line}");
    }
}

#[test]
fn refusals_name_file_line_and_the_command_that_is_nearest() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    for (job, words) in [
        ("verify_only=1", &["job.fio:2: verify_only=1: ", "`flashscope replay --verify`"][..]),
        ("percentage_random=30", &["job.fio:2: percentage_random=30: ", "--mix read:30%"]),
        ("size=${FLASHSCOPE_UNSET}", &["job.fio:2:", "FLASHSCOPE_UNSET is not set", "--var"]),
    ] {
        fs::write(scratch.path("job.fio"), format!("[a]\n{job}\n")).expect("written");
        call(&folder, &["import", "job.fio"]).failed(2, words);
    }
    for (job, word) in [
        ("rw=read:12k\nfilename=f", "--number-ios 64"),
        ("rw=write\nfilename=f", "--overwrite-existing-data"),
        ("rw=write\nbuffer_pattern=0xabcd", "--data"),
    ] {
        fs::write(scratch.path("job.fio"), format!("[a]\n{job}\nsize=1m\n")).expect("written");
        let told = call(&folder, &["import", "job.fio"]).well();
        assert!(told.err.contains(word), "{job}: {word} in {told:?}");
    }
}

#[test]
fn variables_are_given_or_the_environments() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    fs::write(scratch.path("job.fio"), "[a]\nbs=${FLASHSCOPE_BS}\nfilename=${CARGO_PKG_NAME}\n")
        .expect("written");
    let import = |more: &[&str]| call(&folder, &[&["import", "job.fio"], more].concat());
    let line = import(&["--var", "FLASHSCOPE_BS=8k", "--var", "CARGO_PKG_NAME=mine"]).well().out;
    assert!(line.starts_with("flashscope measure mine --rw read --bs 8KiB "), "{line}");
    import(&["--var", "FLASHSCOPE_BS"]).failed(2, &["--var", "NAME=VALUE"]);
}

#[test]
fn rates_lengths_and_contents_mean_what_they_mean_in_fio() {
    let scratch = Scratch::new();
    for (job, words) in [
        (
            "[a]\nrw=randrw\nrwmixread=90\nrate_iops=300\nsize=1m",
            "--rw randrw --bs 4KiB --size 1MiB --random permutation --rate-iops 300,300 ",
        ),
        ("[a]\nrw=rw\nrate_iops=100,300\nnumjobs=2\nsize=1m", "--rate-iops 200,600 "),
        ("[a]\nrw=randrw\nrate_iops=10000,50\nsize=1m", "--rate-iops 10000,50 "),
        ("[a]\nrw=randrw\nrwmixread=100\nrate_iops=100,300\nsize=1m", "--rate-iops 100 "),
        ("[a]\nrw=write\nrate_iops=100,300\nsize=1m", "--rate-iops 300 "),
        ("[a]\nrw=randread\nrate_iops=,300\nsize=1m", "--random permutation --number-ios 256 "),
        ("[a]\nrw=trimwrite\nrate_iops=100,300\nnumber_ios=50\nsize=1m", "--rate-iops 600 --number-ios 100 "),
        ("[a]\nnumber_ios=50\ntime_based\nruntime=1\nsize=1m", "--size 1MiB --runtime 1s --buffered\n"),
        ("[a]\nrw=read:12k\nsize=1m", "--number-ios 256 "),
        ("[a]\nrw=read:4k\nbs=8k\nsize=1m", "--number-ios 85 "),
        ("[a]\nrw=read:12k\nfilename=/dev/sdz\nsize=1m", "--number-ios 64 "),
        ("[a]\nrw=write\nzero_buffers\nsize=1m", " --data zeros "),
        ("[a]\nrw=write\nbuffer_pattern=0x00\nsize=1m", " --data zeros "),
        ("[a]\ndirect=1\ninvalidate=0\nsize=1m", "--size 1MiB --number-ios 256\n"),
    ] {
        let line = imported(&scratch, job);
        assert!(line.contains(words), "{job}: {words} in {line}");
    }
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
