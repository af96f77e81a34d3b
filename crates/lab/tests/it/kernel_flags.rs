//! What single IOs ask of the kernel: that a write is atomic, and priorities. The kernel says what it did.

use std::fs;
use std::path::Path;

use flashscope_core::{PatternSource, Request, RequestSource};
use flashscope_lab::{
    Engine, Error, ErrorKind, Interrupt, MeasureRequest, MeasureResult, Pattern, Remedy, TargetSpec, measure,
};

use crate::kernel::{Loop, Mounted, Scratch, requires, run};

const SEED: u64 = 17;

fn pattern(text: &str) -> Pattern {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn asked(target: &Path, text: &str) -> MeasureRequest {
    let target = TargetSpec::Path(target.into());
    MeasureRequest {
        write: true,
        overwrite_existing_data: true,
        seed: Some(SEED),
        ..MeasureRequest::new(target, pattern(text))
    }
}

fn measured(scratch: &Scratch, name: &str, request: &MeasureRequest) -> Result<MeasureResult, Error> {
    measure(request, Some(&scratch.path(name)), None, &mut |_| {}, &Interrupt::new())
}

/// A file of 2 MiB with data on a filesystem of its own, which `mkfs` makes.
fn on_filesystem(scratch: &Scratch, mkfs: &str, mib: u64) -> (Loop, Mounted, std::path::PathBuf) {
    let loops = Loop::attach(&scratch.image(mkfs, mib << 20), &[]);
    run(mkfs, &["-q", loops.name()]);
    let place = scratch.path("mounted");
    let mounted = Mounted::with(loops.name(), "noatime", place.clone());
    let file = place.join("file");
    fs::write(&file, vec![7; 2 << 20]).expect("written");
    (loops, mounted, file)
}

/// XFS has atomic writes on every device, of a block to some MiB.
#[test]
fn atomic_writes_reach_a_filesystem_that_has_them() {
    if !requires(&["mkfs.xfs", "losetup", "mount"]) {
        return;
    }
    let scratch = Scratch::new();
    let (_loop, _mounted, file) = on_filesystem(&scratch, "mkfs.xfs", 400);
    for (number, (text, engine)) in [
        ("rw=randwrite bs=4k number_ios=64", Some(Engine::Sync)),
        ("rw=randrw bs=16k iodepth=4 number_ios=64", None),
        ("rw=write bs=8k numjobs=2 job_space=shared number_ios=32", Some(Engine::IoUring)),
    ]
    .into_iter()
    .enumerate()
    {
        let plain = MeasureRequest { engine, ..asked(&file, &format!("{text} size=1m atomic=1")) };
        let result =
            measured(&scratch, &number.to_string(), &plain).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(result.error.is_none(), "{text}: {:?}", result.error);
        assert_eq!(result.finished[0].run.ios, 64, "{text}");
    }
    let too_large = measured(&scratch, "large", &asked(&file, "rw=write bs=512 size=1m atomic=1"));
    let error = too_large.expect_err("less than a block");
    assert_eq!((error.kind(), error.setting_name()), (ErrorKind::Usage, Some("atomic")), "{error}");
    assert!(error.to_string().contains("4 KiB") || error.to_string().contains("4KiB"), "{error}");
    let buffered = MeasureRequest { buffered: true, ..asked(&file, "rw=write bs=4k size=1m atomic=1") };
    let error = measured(&scratch, "buffered", &buffered).expect_err("through the page cache");
    assert_eq!(error.remedy(), Some(Remedy::LeaveOut("buffered")), "{error}");
}

#[test]
fn a_filesystem_without_atomic_writes_is_refused_before_anything_is_written() {
    if !requires(&["mkfs.ext4", "losetup", "mount"]) {
        return;
    }
    let scratch = Scratch::new();
    let (_loop, _mounted, file) = on_filesystem(&scratch, "mkfs.ext4", 32);
    let before = fs::read(&file).expect("it is there");
    let error = measured(&scratch, "out", &asked(&file, "rw=write bs=4k size=1m atomic=1"));
    let error = error.expect_err("ext4 on a loop device has none");
    assert_eq!((error.kind(), error.remedy()), (ErrorKind::Usage, Some(Remedy::LeaveOut("atomic"))));
    assert!(fs::read(&file).expect("it is there") == before && !scratch.path("out").exists());
    // Nothing tears the writes of what nothing interrupts; what stores nothing has none.
    let of = |target: &str| MeasureRequest {
        seed: Some(SEED),
        ..MeasureRequest::new(target.into(), pattern("rw=write bs=4k size=1m number_ios=64 atomic=1"))
    };
    assert!(measured(&scratch, "rig", &of("rig:plain")).is_ok());
    assert_eq!(measured(&scratch, "null", &of("null:")).expect_err("null").setting_name(), Some("atomic"));
}

/// Each read with its priority, as the kernel's own trace has it, is the one that the pattern says.
#[test]
fn the_kernel_sees_the_priority_of_each_io() {
    if !requires(&["losetup", "mount"]) {
        return;
    }
    let scratch = Scratch::new();
    let image = scratch.image("image", 4 << 20);
    let loops = Loop::attach(&image, &["--direct-io=off"]);
    let _tracing = Mounted::tracefs(scratch.path("tracing"));
    let instance = scratch.path("tracing").join(format!("instances/flashscope-{}", std::process::id()));
    fs::create_dir(&instance).expect("an instance");
    fs::write(instance.join("events/block/block_rq_issue/enable"), "1").expect("events");
    let text = "rw=randread bs=4k size=4m iodepth=4 number_ios=400 priority=30%/1/3,10%/3/0/2";
    let request = MeasureRequest { write: false, ..asked(Path::new(loops.name()), text) };
    let result = measured(&scratch, "out", &request);
    fs::write(instance.join("events/block/block_rq_issue/enable"), "0").expect("events");
    let trace = fs::read_to_string(instance.join("trace")).expect("a trace");
    fs::remove_dir(&instance).expect("an instance");
    let result = result.unwrap();
    assert!(result.error.is_none(), "{:?}", result.error);

    let mut expected = vec![Request::default(); 400];
    PatternSource::new(&pattern(text), 0, SEED).fill(&mut expected);
    let word = |priority: u16| match priority >> 13 {
        0 => "own",
        1 => "rt,0,3",
        _ => "idle,2,0",
    };
    let mut expected: Vec<String> = expected
        .iter()
        .map(|request| format!("{} + 8 {}", request.offset_bytes / 512, word(request.priority)))
        .collect();
    let minor = loops.name().trim_start_matches("/dev/loop").to_string();
    let issued = |line: &str| {
        let (_, event) = line.split_once(&format!("block_rq_issue: 7,{minor} R 4096 () "))?;
        let (io, rest) = event.split_once(" [")?.0.rsplit_once(' ')?;
        // That of the process depends on its niceness.
        Some(format!("{io} {}", if rest.starts_with("be,") { "own" } else { rest }))
    };
    let mut found: Vec<String> = trace.lines().filter_map(issued).collect();
    for all in [&mut expected, &mut found] {
        all.sort_unstable();
    }
    let urgent = found.iter().filter(|line| line.ends_with("rt,0,3")).count();
    assert!((80..160).contains(&urgent), "{urgent} of 400 in the real-time class, seed {SEED}");
    assert_eq!(found, expected, "seed {SEED}");
}

#[test]
fn priorities_need_a_real_target_and_io_uring() {
    let scratch = Scratch::new();
    let file = scratch.image("file", 1 << 20);
    let text = "rw=randread bs=4k size=1m number_ios=16 priority=50%/2/0";
    let error = measured(&scratch, "rig", &MeasureRequest::new("rig:plain".into(), pattern(text)));
    assert_eq!(error.expect_err("a rig").remedy(), Some(Remedy::LeaveOut("priority")));
    let sync = MeasureRequest { engine: Some(Engine::Sync), write: false, ..asked(&file, text) };
    let error = measured(&scratch, "sync", &sync).expect_err("system calls have none");
    assert_eq!(error.remedy(), Some(Remedy::LeaveOut("engine")), "{error}");
    let result = measured(&scratch, "ring", &MeasureRequest { write: false, ..asked(&file, text) }).unwrap();
    assert_eq!(result.context.target.engine, "io_uring", "even at depth 1");
}
