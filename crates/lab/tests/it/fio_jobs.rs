//! Jobs of fio as measurements: what is refused and with which line, what is noted.

use flashscope_core::{Bytes, JobSpace, Op, Pattern, Rate};
use flashscope_lab::fio_job::{Job, Refusal, Starter, import};
use flashscope_lab::{Engine, LatencyTarget, Nanos};

fn imported(job: &str) -> Result<Vec<Job>, Vec<Refusal>> {
    let size = |name: &str| (name == "of10m").then_some((10 << 20) + 1000);
    import(job, &|name| Err(format!("{name} is not set")), &size)
}

/// `line: option: why`, a line each.
fn refusals(job: &str) -> String {
    let line = |Refusal { line, option, why }: &Refusal| format!("{line}: {option}: {why}\n");
    match imported(job) {
        Ok(jobs) => panic!("{job} was taken over: {jobs:?}"),
        Err(refusals) => refusals.iter().map(line).collect(),
    }
}

/// What means something else, a line each.
fn notes(job: &str) -> String {
    let jobs = imported(job).unwrap_or_else(|refusals| panic!("{job} was refused: {refusals:?}"));
    jobs.iter().flat_map(|job| &job.notes).map(|note| format!("{note}\n")).collect()
}

fn assert_refused(job: &str, words: &[&str]) {
    let found = refusals(job);
    assert!(words.iter().all(|word| found.contains(word)), "{job}: {words:?} in {found}");
}

#[test]
fn what_a_pattern_cannot_express_is_refused_with_its_line() {
    for (job, words) in [
        ("[a]\nrw=trimwrite\nbssplit=4k/50:8k/50,4k,8k", &["3: bssplit=", "the same size"][..]),
        ("[a]\nbssplit=4k/50:8k/40", &["2: bssplit=", "not 100 %"]),
        ("[a]\nbsrange=4k-12k", &["2: bsrange=4k-12k", "bssplit=4096/50:12288/50"]),
        ("[a]\nbsrange=12k-4k", &["2: bsrange=12k-4k", "no range"]),
        ("[a]\nzonesize=1m", &["2: zonesize=1m", "zonemode=strided"]),
        ("[a]\nzonemode=zbd\nzonesize=1m", &["2: zonemode=zbd", "zoned devices"]),
        ("[a]\nrw=randread\nzonemode=strided\nzonesize=1m", &["3: zonemode=strided", "sequential"]),
        ("[a]\nzonemode=strided\nzonesize=6k\nbs=4k", &["2: zonemode=strided", "multiple of bs"]),
        (
            "[a]\nrw=randread\nrandom_distribution=zoned:50/5:30/15:10/80",
            &["3: random_distribution=", "whole percentages"],
        ),
        ("[a]\nnrfiles=4", &["2: nrfiles=4", "one target"]),
        ("[a]\nverify_only=1", &["2: verify_only=1", "replay a trace"]),
        ("[a]\nprio=3", &["2: prio=3", "prioclass=2"]),
        ("[a]\nprioclass=4", &["2: prioclass=4", "1 to 3"]),
        ("[a]\ncpus_allowed=0;1\nnice=40", &["3: nice=40", "-20 to 19"]),
        ("[a]\ncpus_allowed=$(reboot)", &["2:"]),
        ("[a]\ncpus_allowed=0 1", &["2: cpus_allowed=0 1", "0,2-3"]),
        ("[a]\nnuma_mem_policy=bind:x", &["2: numa_mem_policy=bind:x", "0,2-3"]),
        ("[a]\nrw=read:-6k\nbs=4k\nsize=1m", &["2: rw=read:-6k", "multiple of bs"]),
        ("[a]\nrw=randread:8\nsize=1m", &["2: rw=randread:8", "leave out"]),
        ("[a]\nrate=1m\nthinktime=5", &["2: rate=1m", "excludes thinktime"]),
        ("[a]\nrw=randrw\nrwmixread=170\nsize=1m", &["3: rwmixread=170", "0 to 100"]),
        ("[a]\nrw=RR\nsize=1m", &["2: rw=RR", "randtrim"]),
        ("[a]\nbs=0", &["2: bs=0", "more than 0"]),
        ("[a]\nfilename=x\x1b[2J", &["2: filename=x\u{fffd}[2J", "control character"]),
        ("[a\u{9b}2J]\nbs=4k", &["1: [a\u{fffd}2J]", "control character"]),
        ("[a]\nsize=10%", &["2: size=10%", "add filename"]),
        ("[a]\nfilename=gone\nsize=10%", &["3: size=10%", "part of gone", "in bytes"]),
        ("[a]\nfilename=of10m\nsize=0%", &["3: size=0%", "1% to 100%"]),
        ("[a]\nfilename=of10m\nio_size=50%", &["3: io_size=50%", "in bytes"]),
        ("[a]\nstartdelay=1-3", &["2: startdelay=1-3", "is a range", "one time"]),
        ("[a]\niodepth_batch=4", &["2: iodepth_batch=4", "one by one"]),
        ("[a]\nexec_prerun=reboot", &["2: exec_prerun=reboot", "yourself"]),
        ("[a]\nsize=30k", &["2: size=30k", "multiple of bs", "28KiB"]),
        ("[a]\nioengine=rbd", &["2: ioengine=rbd", "libaio"]),
        ("[a]\nflow_id=1\nfrobnicate=2", &["2: flow_id=1", "share one", "3: frobnicate=2", "unknown option"]),
        ("[a]\nsize=${UNSET}", &["2:", "UNSET is not set"]),
        ("[a]\nsize=$mb_memory", &["2:", "${NAME}"]),
        ("rw=read", &["1: rw=read", "[global]"]),
        ("[global]\nrw=read", &["no job"]),
        ("[a]\nrandom_distribution=pareto:0.2\nrw=randread", &["2:", "zipf:THETA"]),
        ("[a]\nfilename=/dev/a:/dev/b", &["2:", "one target"]),
        ("[a]\nfilesize=1m\nnumjobs=2\noffset_increment=64k", &["4:", "write size for filesize"]),
        ("[a]\nfilesize=64k\noffset=64k", &["2: filesize=64k", "more than offset"]),
    ] {
        assert_refused(job, words);
    }
}

#[test]
fn atomic_writes_sequences_and_priorities_that_cannot_be_are_refused() {
    for (job, words) in [
        ("[a]\nrw=randwrite\natomic=1", &["3: atomic=1", "pvsync2, libaio and io_uring"][..]),
        ("[a]\nrw=randwrite\natomic=1\nioengine=null", &["3: atomic=1", "pvsync2, libaio and io_uring"]),
        ("[a]\nrw=randwrite\natomic=1\nioengine=libaio", &["3: atomic=1", "direct=1"]),
        ("[a]\nrw=write\nbs=12k\natomic=1\nioengine=libaio\ndirect=1", &["4: atomic=1", "power of two"]),
        ("[a]\nrw=randread\nrandom_distribution=sequence:2,x", &["3: random_distribution=", "2,0,1"]),
        ("[a]\nrw=randread\nsize=8k\nrandom_distribution=sequence:2,0,1", &["3: size=8k", "too small"]),
        (
            "[a]\nrw=randread\nsize=48k\nrandom_distribution=sequence:2,0\nrandom_sequence_stride=1\n\
             time_based\nruntime=1",
            &["4: random_distribution=", "no more IOs"],
        ),
        ("[a]\ncmdprio_percentage=20", &["2: cmdprio_percentage=20", "libaio and io_uring"]),
        ("[a]\nioengine=libaio\ncmdprio_percentage=120", &["3: cmdprio_percentage=120", "0 to 100"]),
        ("[a]\nioengine=libaio\ncmdprio_percentage=20\ncmdprio_class=4", &["4: cmdprio_class=4", "0 to 3"]),
        (
            "[a]\nioengine=libaio\ncmdprio_percentage=20\ncmdprio_bssplit=4k/20",
            &["3: cmdprio_percentage=20", "leave out one"],
        ),
        ("[a]\nlatency_target=500", &["2: latency_target=500", "add latency_window"]),
        (
            "[a]\nlatency_target=500\nlatency_window=1s\nlatency_percentile=0",
            &["4: latency_percentile=0", "99.9"],
        ),
        (
            "[a]\nlatency_target=500\nlatency_window=1s\nruntime=5\ntime_based",
            &["2: latency_target=500", "leave out runtime"],
        ),
        ("[a]\nlatency_run=1", &["2: latency_run=1", "leave it out"]),
        ("[a]\nioengine=libaio\ncmdprio_bssplit=4k", &["3: cmdprio_bssplit=4k", "SIZE/PERCENT"]),
        ("[a]\nioengine=libaio\ncmdprio_bssplit=4k/60:4k/60", &["3: cmdprio_bssplit=", "100 %"]),
    ] {
        assert_refused(job, words);
    }
}

#[test]
fn directions_that_differ_are_refused_and_so_is_what_fio_ends_early() {
    for (job, words) in [
        ("[a]\nrw=randrw\nrate_iops=,300", &["3: rate_iops=,300", "both a rate"][..]),
        ("[a]\nrw=randrw\nrate=1m,0", &["3: rate=1m,0", "goes as fast as it can"]),
        ("[a]\nrate_iops=300\nrate=1m", &["2: rate_iops=300", "not both"]),
        ("[a]\nrw=trimwrite\nbs=8k,4k,8k", &["3: bs=8k,4k,8k", "the same size"]),
        ("[a]\nrw=randrw\nbs=8k,4k\nblockalign=16k", &["4: blockalign=16k", "leave it out"]),
        ("[a]\nrw=randread\nbs=8k,", &["3: bs=8k,", "ends such a job early", "bs=8192"]),
        ("[a]\nbs=1k,2k,3k,4k", &["2: bs=1k,2k,3k,4k", "READ,WRITE,TRIM"]),
        ("[a]\nrw=randread\nbs=12k\nsize=5k", &["4: size=5k", "12KiB fits"]),
        ("[a]\nrw=randread\nba=2k", &["3: blockalign=2k", "leave it out"]),
        ("[a]\ninvalidate=0\nsize=1m", &["2: invalidate=0", "leave it out"]),
        ("[a]\nrw=rw:4k\noffset=1m\nsize=1m", &["2: rw=rw:4k", "separately"]),
        ("[a]\nrw=rw:4k\nfilename=f\nsize=1m", &["2: rw=rw:4k", "separately"]),
    ] {
        assert_refused(job, words);
    }
}

#[test]
fn what_a_job_does_otherwise_than_in_fio_is_noted() {
    for (job, word) in [
        ("rw=randrw\nrwmixread=80\nfsync=10", "fsync: "),
        ("rw=randrw\nrwmixread=80\nfsync=10", "5.0 times as often"),
        ("rw=rw\nrwmixread=80\nrate_iops=1000,2000", "rwmixread: ignored"),
        ("rw=read:12k\nfilename=f", "after 64 IOs"),
        ("rw=write:4k\nbs=8k\noffset=1m", "one IO more"),
        ("rw=write\nbuffer_pattern=0xabcd", "buffer_pattern: "),
        ("rw=write\nfilename=f", "overwrite existing data"),
        ("rw=write\nsync=1", "sync: as O_DSYNC"),
        ("end_fsync=1", "end_fsync: ignored"),
        ("ioengine=io_uring\nhipri=1", "hipri: ignored"),
    ] {
        let told = notes(&format!("[a]\n{job}\nsize=1m\n"));
        assert!(told.contains(word), "{job}: {word} in {told}");
    }
    for job in ["rw=write\nfsync=10\nfilename=/dev/sdz", "rw=write\nioengine=null\nzero_buffers"] {
        let told = notes(&format!("[a]\n{job}\nsize=1m\n"));
        assert!(told.is_empty(), "{job}: {told}");
    }
}

/// fio 3.33 does 131,072 random writes of 4 KiB to a file of 512 MiB and ends, whatever `runtime` is left.
#[test]
fn a_job_without_a_size_goes_once_through_a_target_that_is_there() {
    let text = "[a]\nfilename=f\nrw=randwrite\nbs=4k\nruntime=5\n";
    let of = |bytes: Option<u64>| import(text, &|name| Err(name.into()), &|_| bytes).unwrap().remove(0);
    let there = of(Some(512 << 20));
    assert_eq!((there.pattern.size.0, there.pattern.number_ios), (512 << 20, Some(131_072)));
    let not_yet = of(None);
    assert_eq!((not_yet.pattern.size.0, not_yet.pattern.number_ios), (0, None));
    assert!(not_yet.notes.iter().any(|note| note.to_string().contains("if that is sooner")));
}

#[test]
fn a_job_that_verifies_says_that_nothing_is_verified() {
    for (job, word) in [("rw=randwrite", "the writes alone"), ("rw=read", "not checked")] {
        let text = format!("[a]\n{job}\nsize=1m\nverify=crc32c\nverify_backlog=16\ndo_verify=1\n");
        let told = notes(&text);
        assert!(told.contains("verify: ") && told.contains(word), "{job}: {told}");
    }
}

/// The only job of a file.
fn job(text: &str) -> Job {
    let mut jobs = imported(text).unwrap_or_else(|refusals| panic!("{text}: {refusals:?}"));
    assert_eq!(jobs.len(), 1, "{text}");
    jobs.remove(0)
}

fn pattern(text: &str) -> Pattern {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn atomic_writes_are_those_of_direct_asynchronous_engines() {
    let text = "[a]\nrw=randwrite\nbs=4k\nsize=1m\ndirect=1\nioengine=libaio\nfilename=f\natomic=1\n\
                verify=crc64\nverify_write_sequence=0\nnumjobs=10\niodepth=16";
    let found = job(text);
    let expected = "rw=randwrite bs=4k size=1m random=permutation numjobs=10 job_space=shared iodepth=16 \
                    atomic=1 number_ios=256";
    assert_eq!(found.pattern, pattern(expected));
    assert!(notes(text).contains("verify: "));
    assert!(!job(&text.replace("atomic=1", "atomic=0")).pattern.is_atomic);
    assert!(!job(&text.replace("randwrite", "randread")).pattern.is_atomic, "fio forgets it for reads");
}

#[test]
fn processes_begin_as_far_apart_as_offset_increment_says() {
    // A whole device: each goes on to its end.
    let text = "[a]\nrw=write:112k\nbs=16k\noffset=120k\nio_size=1m\nloops=2\nfilename=/dev/sdz\n\
                numjobs=3\noffset_increment=8m\ndirect=1";
    let expected = "rw=write bs=16k gap=112k offset=120k numjobs=3 job_space=8m:end number_ios=128";
    assert_eq!(job(text).pattern, pattern(expected));
    assert!(notes(text).contains("loops: each process"), "{}", notes(text));
    assert!(!notes(&text.replace("loops=2\n", "")).contains("loops"));
    let sized = |increment: &str| {
        job(&format!("[a]\nrw=write\nsize=1m\nfilename=f\nnumjobs=2\noffset_increment={increment}")).pattern
    };
    assert_eq!(sized("3m").job_space, JobSpace::Apart(Bytes(3 << 20)));
    assert_eq!((sized("3m").size, sized("3m").number_ios), (Bytes(1 << 20), Some(256)));
    assert_eq!((sized("1m").job_space, sized("1m").size), (JobSpace::Parts, Bytes(2 << 20)), "side by side");
    let own_files = "[a]\nrw=write\nsize=1m\nnumjobs=2\noffset_increment=4m";
    assert!(notes(own_files).contains("a file each"), "{}", notes(own_files));
}

#[test]
fn a_sequence_ends_where_fio_ends_it() {
    let of = |more: &str| {
        let text = "[a]\nioengine=null\nrw=randread\nbs=4k\nrandom_distribution=sequence:2,0,1";
        job(&format!("{text}\n{more}")).pattern
    };
    let pattern = |text: &str| pattern(&format!("rw=randread bs=4k {text}"));
    assert_eq!(of("size=48k\nio_size=24k"), pattern("size=48k random=sequence:2,0,1 number_ios=6"));
    let strided = "random_sequence_stride=1";
    let expected = pattern("size=48k random=sequence:2,0,1:strided number_ios=6");
    assert_eq!(of(&format!("size=48k\nio_size=24k\n{strided}")), expected);
    // Slots 0 to 9: three cycles, and slot 11 is outside.
    for more in ["size=40k", "size=40k\nloops=4", "size=40k\nio_size=80k"] {
        assert_eq!(of(&format!("{more}\n{strided}")).number_ios, Some(9), "{more}");
    }
    assert_eq!(of("size=40k\nloops=4").number_ios, Some(40), "a fixed one is always inside");
    let open = "[a]\nrw=randread\nrandom_distribution=sequence:2,0,1\nrandom_sequence_stride=1";
    assert!(notes(open).contains("random_distribution: where the target ends"), "{}", notes(open));
}

#[test]
fn priorities_of_single_ios_are_those_of_each_direction() {
    let of = |more: &str| job(&format!("[a]\nioengine=libaio\nbs=4k\nsize=1m\n{more}"));
    let rules = |more: &str| of(more).pattern.priorities.map(|rules| rules.to_string()).unwrap_or_default();
    let idle = of("rw=randread\nprioclass=3\ncmdprio_percentage=20\ncmdprio_class=1");
    assert_eq!(idle.pattern.priorities.expect("rules").to_string(), "20%/1/0");
    assert_eq!(idle.starters, [Starter::IoPriority { class: 3, level: None }]);
    assert_eq!(idle.engine, Some(Engine::IoUring));
    assert!(idle.notes.iter().any(|note| note.text.starts_with("cmdprio: ")));
    assert_eq!(rules("rw=randrw\ncmdprio_percentage=20"), "20%/1/0", "real time unless another is said");
    assert_eq!(rules("rw=randrw\ncmdprio_percentage=20,5\ncmdprio=3"), "read:20%/1/3,write:5%/1/3");
    assert_eq!(rules("rw=randrw\ncmdprio_percentage=0,5\ncmdprio_class=1,2"), "write:5%/2/0");
    assert_eq!(rules("rw=randrw\ncmdprio_percentage=20\ncmdprio_class=1,2"), "read:20%/1/0,write:20%/2/0");
    assert_eq!(rules("rw=randread\ncmdprio_percentage=0,5"), "", "nothing is written");
    assert_eq!(rules("rw=randread\ncmdprio_class=1"), "", "a class of none");
    assert_eq!(
        rules("rw=randrw\nbssplit=4k/50:8k/50\ncmdprio_bssplit=4k/25/1/1:4k/75/3/2:8k/0,8k/10\ncmdprio=4"),
        "read@4KiB:25%/1/1,read@4KiB:75%/3/2,write@8KiB:10%/1/4"
    );
    assert_eq!(rules("rw=randread\ncmdprio_bssplit=4k/10/2/0/3"), "read@4KiB:10%/2/0/3");
}

#[test]
fn sizes_are_those_of_each_direction_in_use() {
    let of = |more: &str| job(&format!("[a]\nsize=1m\n{more}")).pattern;
    let split = |more: &str| of(more).sizes.map(|sizes| sizes.to_string()).unwrap_or_default();
    assert_eq!(split("rw=randrw\nbssplit=4k/40:64k/60,64k/100"), "4KiB/40:64KiB/60,64KiB/100");
    assert_eq!(split("rw=randread\nbssplit=4k/40:64k/60,64k/100"), "4KiB/40:64KiB/60");
    assert_eq!(split("rw=randwrite\nbssplit=4k/40:64k/60,64k/100"), "64KiB/100");
    assert_eq!(split("rw=randrw\nbssplit=4k/40:64k/60,4k/40:64k/60"), "4KiB/40:64KiB/60");
    assert_eq!(split("rw=randrw\nbs=4k,16k\nnorandommap"), "4KiB/100,16KiB/100");
    assert_eq!(split("rw=randrw\nbs=8k,8k"), "");
    assert_eq!(of("rw=rw\nbs=4k,16k").number_ios, Some(102), "as many as have 1 MiB on average");
    assert_eq!(of("rw=randrw\nbs=4k,384k").size, Bytes(768 << 10), "a whole number of the larger ones");
    let mixed = "[a]\nsize=1m\nrw=randrw\nbs=4k,16k";
    assert!(notes(mixed).contains("ends early"), "{}", notes(mixed));
    assert!(!notes(&format!("{mixed}\nnorandommap")).contains("ends early"));
}

#[test]
fn random_ios_use_the_whole_file_that_filesize_makes() {
    let of = |more: &str| job(&format!("[a]\nfilename=f\n{more}")).pattern;
    let random = of("rw=randread\nfilesize=1m\nsize=64k");
    assert_eq!((random.size, random.number_ios), (Bytes(1 << 20), Some(16)));
    let behind = of("rw=write\nfilesize=128k\noffset=64k");
    assert_eq!((behind.size, behind.number_ios), (Bytes(64 << 10), Some(16)));
    assert!(behind.sizes.is_none() && behind.rw.op() == Op::Write);
}

#[test]
fn a_latency_target_looks_for_the_queue_depth_up_to_iodepth() {
    let text = "[a]\nrw=randread\nbs=4k\nsize=1m\niodepth=128\nioengine=libaio\ndirect=1\n\
                latency_target=500000\nlatency_window=5000000\nlatency_percentile=99.9";
    let found = job(text);
    assert_eq!(found.pattern, pattern("rw=randread bs=4k size=1m random=permutation iodepth=128"));
    let (latency, window) = (Nanos::from_ms(500), Nanos::from_s(5));
    assert_eq!(found.latency_target, Some(LatencyTarget { latency, share: 99.9 / 100.0, window }));
    assert!(notes(text).contains("latency_target: ") && !notes(text).contains("length: "));
    let all = job("[a]\nlatency_target=2ms\nlatency_window=1s").latency_target.expect("a target");
    assert_eq!((all.latency, all.share), (Nanos::from_ms(2), 1.0));
}

/// 8 MiB/s of 4 KiB and of 16 KiB: 2,048 and 512 IOs a second.
#[test]
fn rates_in_bytes_are_those_of_each_directions_sizes() {
    let found = job("[a]\nrw=rw\nbs=4k,16k\nsize=64m\nrate=8m,8m").pattern;
    let rates = Rate::Each { reads: 2048.0, writes: 512.0 };
    assert_eq!((found.rate_iops, found.write_share()), (Some(rates), 0.2));
    // Where fio's processes have spaces of their own, each ends after one pass.
    let apart = "[a]\nrw=write:12k\nbs=4k\nsize=1m\nfilename=f\nnumjobs=2\noffset_increment=1m";
    assert_eq!(job(apart).pattern.number_ios, Some(64));
    assert_eq!(job(&apart.replace("numjobs=2", "numjobs=1")).pattern.number_ios, Some(256));
}

/// Those of one file, of which one process is enough; on others each is one of its own.
#[test]
fn jobs_of_one_time_share_a_process_where_they_share_a_file() {
    let jobs = |text: &str| imported(text).expect("jobs");
    let text = "[global]\nfilename=f\nsize=1m\n[a]\nrw=write\nflow=1\n[b]\nrw=randwrite\nflow=8\n\
                [c]\nstonewall\nflow=3";
    let found = jobs(text);
    assert_eq!(found.iter().map(|job| job.is_together).collect::<Vec<_>>(), [true, true, false]);
    assert_eq!(found.iter().map(|job| job.company.flow).collect::<Vec<_>>(), [Some(1), Some(8), None]);
    let apart = jobs(&text.replace("[b]", "[b]\nfilename=g").replace("flow", "iodepth"));
    assert!(apart.iter().all(|job| !job.is_together));
    // The example of fio: whose end ends the others of its time, and whose only its own processes.
    let text = "[global]\nfilename=f\nexitall=1\n[slow]\nnew_group\nexit_what=stonewall\n[fast]\nnew_group\n\
                rw=randread\n[next]\nstonewall\nexit_what=all\n[last]\nrw=randread";
    let ends: Vec<bool> = jobs(text).iter().map(|job| job.company.ends_others).collect();
    assert_eq!(ends, [true, false, true, true]);
}

#[test]
fn jobs_that_cannot_share_a_process_are_refused_where_they_need_one() {
    for (job, words) in [
        (
            "[global]\nrw=write\nfilename=f\n[a]\nsize=1m\n[b]\nrw=read\n[c]\nsize=2m\ndirect=1",
            &["8: [c]", "what [a] writes at the same time", "the same direct"][..],
        ),
        (
            "[a]\nfilename=f\nflow=1\n[b]\nfilename=g\nflow=2",
            &["1: [a]", "a share of all IOs (flow)", "one filename"],
        ),
        (
            "[global]\nfilename=f\nexitall\nexit_what=all\n[a]\n[b]\nrw=randread\n[c]\nstonewall",
            &["4: exit_what=all", "leave those jobs out"],
        ),
        (
            "[global]\nfilename=f\nexitall\n[a]\n[b]\nrw=randread\n[c]\nnew_group\nbs=8k",
            &["exitall: its group is a part", "exit_what=stonewall"],
        ),
    ] {
        assert_refused(job, words);
    }
}

/// fio 3.33 on such a file: an offset is rounded up to whole blocks, a size down and to what is left.
#[test]
fn sizes_in_per_cent_are_of_the_file() {
    let file_bytes = (10u64 << 20) + 1000;
    for (offset, size, bs) in [(25, 50, 4096), (0, 33, 4096), (90, 50, 65536), (7, 100, 8192)] {
        let offset_line = if offset > 0 { format!("offset={offset}%\n") } else { String::new() };
        let job = format!("[a]\nfilename=of10m\nbs={bs}\n{offset_line}size={size}%\n");
        let jobs = imported(&job).unwrap_or_else(|refusals| panic!("{job}: {refusals:?}"));
        let from = (file_bytes * offset / 100).next_multiple_of(bs);
        let pattern = &jobs[0].pattern;
        assert_eq!(pattern.offset.0, from, "{job}");
        let bytes = (file_bytes * size / 100).min(file_bytes - from) / bs * bs;
        assert_eq!((pattern.size.0, pattern.number_ios), (bytes, Some(bytes / bs)), "{job}");
    }
}

/// What is written out as it is without the line changes nothing.
#[test]
fn an_option_with_its_default_is_no_reason_to_refuse_a_job() {
    let job = "[a]\nsize=1m\niodepth_batch=1\nverify_only=0\nthinktime_spin=0\nhipri=0\nend_fsync=0\n\
               lockfile=none\n";
    assert!(!notes(job).contains("ignored"), "{}", notes(job));
}
