//! What engines do to real devices and files: the right bytes in the right place, every IO once, and errors
//! that name the IO and keep those before it.

use std::collections::HashSet;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use crate::common::{Loop, Mounted, Scratch, fingerprint, requires, run};
use flashscope_core::{
    Bytes, Completion, Control, ErrorKind, Flags, Io, Limits, Location, Nanos, Op, Pattern, PatternSource,
    Request, Rw, Stream, Target, TargetError, Time, drive,
};
use flashscope_device::{
    DataPattern, DeviceError, DeviceTarget, Engine, EngineSpec, Handle, Intent, NullTarget, Reason,
};

const MIB: u64 = 1 << 20;
const ENGINES: [Engine; 2] = [Engine::Sync, Engine::IoUring];

fn open(engine: Engine, path: &Path, intent: Intent, spec: EngineSpec) -> DeviceTarget {
    let handle = Handle::open(path, &intent).unwrap_or_else(|error| panic!("{error}"));
    DeviceTarget::new(engine, Arc::new(handle), &spec).unwrap_or_else(|error| panic!("{error}"))
}

fn spec(queue_depth: u32, data: DataPattern) -> EngineSpec {
    EngineSpec { queue_depth, io_bytes_max: 65536, data, ..EngineSpec::default() }
}

fn request(op: Op, offset_bytes: u64, length_bytes: u32) -> Request {
    Request { op, offset_bytes, length_bytes, ..Request::default() }
}

/// Submits one request and waits for it.
fn perform(target: &mut DeviceTarget, request: Request) -> Result<Completion, TargetError> {
    let mut done = Vec::new();
    target.submit(&[request])?;
    target.reap(1, Time::NEVER, &mut done)?;
    assert_eq!(done.len(), 1);
    Ok(done[0])
}

/// Drives a pattern and returns what was observed, and how it ended.
fn observe(target: &mut DeviceTarget, pattern: &Pattern) -> (Vec<Io>, Result<(), TargetError>) {
    let mut ios = Vec::new();
    let mut streams = [Stream { source: PatternSource::new(pattern, 0, 1), pacing: pattern.pacing() }];
    let driven = drive(target, &mut streams, Limits::default(), &mut |io: &Io| {
        ios.push(*io);
        Control::Continue
    });
    (ios, driven.map(drop))
}

fn pattern(rw: Rw, size_bytes: u64, iodepth: u32, number_ios: u64) -> Pattern {
    let location = if rw.is_random() { Location::Random } else { Location::Sequential };
    Pattern {
        rw,
        location,
        bs: Bytes(4096),
        size: Bytes(size_bytes),
        iodepth,
        number_ios: Some(number_ios),
        ..Pattern::default()
    }
}

#[test]
fn every_engine_writes_the_whole_target_with_the_bytes_asked_for() {
    if !requires(&[]) {
        return;
    }
    for engine in ENGINES {
        let scratch = Scratch::new();
        let disk = Loop::attach(&scratch.image("disk", 4 * MIB), &[]);
        let mut target = open(engine, &disk.device, Intent::WRITE, spec(8, DataPattern::Counter));
        let depth = target.info().queue_depth_max;
        let (ios, end) = observe(&mut target, &pattern(Rw::Write, 4 * MIB, depth, 1024));
        end.unwrap();
        let indices: HashSet<u64> = ios.iter().map(|io| io.index).collect();
        assert_eq!((ios.len(), indices.len()), (1024, 1024), "{engine}: each IO once");
        assert!(ios.iter().all(|io| io.response > Nanos::ZERO), "{engine}: no IO takes no time");
        perform(&mut target, request(Op::Flush, 0, 0)).unwrap();
        drop(target);
        let bytes = fs::read(&disk.image).unwrap();
        assert!(
            bytes.iter().enumerate().all(|(n, byte)| *byte == n as u8),
            "{engine}: every byte is written"
        );
    }
}

#[test]
fn random_data_reaches_the_device_with_no_two_pages_alike() {
    if !requires(&[]) {
        return;
    }
    for engine in ENGINES {
        let scratch = Scratch::new();
        let disk = Loop::attach(&scratch.image("disk", 4 * MIB), &[]);
        let mut target = open(engine, &disk.device, Intent::WRITE, spec(4, DataPattern::Random));
        let depth = target.info().queue_depth_max;
        let mut writes = pattern(Rw::Write, 4 * MIB, depth, 256);
        writes.bs = Bytes(16384);
        observe(&mut target, &writes).1.unwrap();
        drop(target);
        let bytes = fs::read(&disk.image).unwrap();
        let pages: HashSet<&[u8]> = bytes.chunks(4096).collect();
        assert_eq!(pages.len(), 1024, "{engine}");
    }
}

/// One IO after the other: their times cannot add up to more than has passed, nor stem from before the start.
#[test]
fn response_times_lie_within_the_time_that_passed() {
    let scratch = Scratch::under(&std::env::temp_dir());
    let path = scratch.path("target");
    fs::write(&path, vec![1; MIB as usize]).unwrap();
    for engine in ENGINES {
        let mut target = open(engine, &path, Intent::READ, spec(1, DataPattern::Random));
        for _ in 0..2 {
            let start = target.now();
            let (ios, end) = observe(&mut target, &pattern(Rw::RandRead, MIB, 1, 50));
            let passed = target.now().since(start);
            end.unwrap();
            let sum: u64 = ios.iter().map(|io| io.response.0).sum();
            assert!(sum <= passed.0, "{engine}: {sum} ns in {passed}");
            assert!(ios.windows(2).all(|pair| pair[0].submitted + pair[0].response <= pair[1].submitted));
        }
    }
}

/// The engine's own count of writes, seen on the device.
#[test]
fn the_age_stamp_counts_the_writes() {
    if !requires(&[]) {
        return;
    }
    for engine in ENGINES {
        let scratch = Scratch::new();
        let disk = Loop::attach(&scratch.image("disk", MIB), &[]);
        let spec = EngineSpec { age_writes: 500, ..spec(1, DataPattern::Age) };
        let mut target = open(engine, &disk.device, Intent::WRITE, spec);
        for offset in [0, 8192, 0] {
            perform(&mut target, request(Op::Write, offset, 512)).unwrap();
        }
        drop(target);
        let bytes = fs::read(&disk.image).unwrap();
        assert_eq!(
            (bytes[..8].to_vec(), bytes[8192..8200].to_vec()),
            (503u64.to_le_bytes().into(), 502u64.to_le_bytes().into())
        );
    }
}

#[test]
fn reads_change_nothing_and_writes_need_a_handle_for_writing() {
    if !requires(&["mkfs.ext4"]) {
        return;
    }
    let scratch = Scratch::new();
    let disk = Loop::attach(&scratch.image("disk", 16 * MIB), &[]);
    run("mkfs.ext4", &["-q", "-F", disk.name()]);
    let before = fingerprint(&disk.image);
    for engine in ENGINES {
        let mut target = open(engine, &disk.device, Intent::READ, spec(4, DataPattern::Random));
        let depth = target.info().queue_depth_max;
        observe(&mut target, &pattern(Rw::RandRead, 16 * MIB, depth, 500)).1.unwrap();
        for op in [Op::Write, Op::Trim] {
            let error = perform(&mut target, request(op, 0, 4096)).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Invalid, "{engine}: {error}");
        }
    }
    assert_eq!(fingerprint(&disk.image), before);
}

/// The image shrinks under its loop device: reads beyond its new end fail with EIO.
#[test]
fn a_read_error_names_the_io_and_keeps_those_before_it() {
    if !requires(&[]) {
        return;
    }
    for engine in ENGINES {
        let scratch = Scratch::new();
        let disk = Loop::attach(&scratch.image("disk", 4 * MIB), &[]);
        let mut target = open(engine, &disk.device, Intent::READ, spec(1, DataPattern::Random));
        File::options().write(true).open(&disk.image).unwrap().set_len(MIB).unwrap();
        let (ios, end) = observe(&mut target, &pattern(Rw::Read, 4 * MIB, 1, 1024));
        let error = end.unwrap_err();
        assert_eq!(
            (error.kind, error.op, error.offset_bytes),
            (ErrorKind::Device, Op::Read, MIB),
            "{engine}"
        );
        assert_eq!(ios.len(), 256, "{engine}: the 256 IOs that still succeeded are kept");
        let message = error.to_string();
        assert!(message.contains(disk.name()) && message.contains("Input/output error"), "{message}");
    }
}

/// A sparse file on a full filesystem: its size promises space that is not there.
#[test]
fn a_full_disk_beneath_the_target_is_told_as_such() {
    if !requires(&["mount"]) {
        return;
    }
    for engine in ENGINES {
        let scratch = Scratch::new();
        let small = scratch.path("small");
        let _mounted = Mounted::memory("1m", small.clone());
        let target = small.join("target");
        File::create(&target).unwrap().set_len(4 * MIB).unwrap();
        let overwrite = Intent { overwrite_existing_data: true, ..Intent::WRITE };
        let mut device = open(engine, &target, overwrite, spec(1, DataPattern::Random));
        let (ios, end) = observe(&mut device, &pattern(Rw::Write, 4 * MIB, 1, 1024));
        drop(device);
        let error = end.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Full, "{engine}: {error}");
        assert_eq!(error.offset_bytes, ios.len() as u64 * 4096, "{engine}: all before it are kept");
        assert!(!ios.is_empty() && error.to_string().contains("free some space"), "{error}");
    }
}

#[test]
fn ios_that_fit_neither_target_nor_buffer_are_refused_before_they_reach_it() {
    let scratch = Scratch::under(&std::env::temp_dir());
    let path = scratch.path("target");
    fs::write(&path, vec![1; MIB as usize]).unwrap();
    let overwrite = Intent { overwrite_existing_data: true, ..Intent::WRITE };
    for engine in ENGINES {
        let mut target = open(engine, &path, overwrite, spec(2, DataPattern::Zeros));
        let beyond = perform(&mut target, request(Op::Write, MIB, 4096)).unwrap_err();
        let large = perform(&mut target, request(Op::Write, 0, 65536 + 512)).unwrap_err();
        let odd = perform(&mut target, request(Op::Read, 1, 511)).unwrap_err();
        assert_eq!([beyond.kind, large.kind, odd.kind], [ErrorKind::Invalid; 3]);
        assert!(odd.to_string().contains("sector"), "{odd}");
        drop(target);
        assert_eq!(fs::metadata(&path).unwrap().len(), MIB, "{engine}: the file did not grow");
    }
}

#[test]
fn trims_forget_and_forced_writes_stay() {
    if !requires(&[]) {
        return;
    }
    for engine in ENGINES {
        let scratch = Scratch::new();
        let disk = Loop::attach(&scratch.image("disk", MIB), &[]);
        let mut target = open(engine, &disk.device, Intent::WRITE, spec(1, DataPattern::Counter));
        let forced = Request { flags: Flags::FUA, ..request(Op::Write, 0, 65536) };
        perform(&mut target, forced).unwrap();
        perform(&mut target, request(Op::Trim, 4096, 8192)).unwrap();
        drop(target);
        let bytes = fs::read(&disk.image).unwrap();
        assert!(bytes[4096..12288].iter().all(|byte| *byte == 0), "{engine}: trimmed");
        assert!(bytes[..4096].iter().enumerate().all(|(n, byte)| *byte == n as u8), "{engine}: written");
    }
}

/// The kernel takes rings apart in the background: that must not keep the device claimed.
#[test]
fn a_device_can_be_opened_again_as_soon_as_its_target_is_dropped() {
    if !requires(&[]) {
        return;
    }
    let scratch = Scratch::new();
    let disk = Loop::attach(&scratch.image("disk", 4 * MIB), &[]);
    for _ in 0..20 {
        let mut target = open(Engine::IoUring, &disk.device, Intent::WRITE, spec(8, DataPattern::Random));
        observe(&mut target, &pattern(Rw::RandWrite, 4 * MIB, 8, 64)).1.unwrap();
    }
}

#[test]
fn a_target_dropped_with_ios_in_flight_waits_for_them() {
    if !requires(&[]) {
        return;
    }
    let scratch = Scratch::new();
    let disk = Loop::attach(&scratch.image("disk", 4 * MIB), &[]);
    let mut target = open(Engine::IoUring, &disk.device, Intent::WRITE, spec(32, DataPattern::Counter));
    let write = |tag| Request { tag, ..request(Op::Write, u64::from(tag) * 65536, 65536) };
    target.submit(&(0..32).map(write).collect::<Vec<_>>()).unwrap();
    target.reap(0, Time::ZERO, &mut Vec::new()).unwrap();
    drop(target);
    let bytes = fs::read(&disk.image).unwrap();
    assert!(bytes[..32 * 65536].iter().enumerate().all(|(n, byte)| *byte == n as u8));
}

/// Set up here, used there: each thread of a parallel run owns its target.
#[test]
fn a_target_may_move_to_the_thread_that_uses_it() {
    if !requires(&[]) {
        return;
    }
    let scratch = Scratch::new();
    let disk = Loop::attach(&scratch.image("disk", 4 * MIB), &[]);
    let mut target = open(Engine::IoUring, &disk.device, Intent::WRITE, spec(4, DataPattern::Random));
    let user = std::thread::spawn(move || {
        observe(&mut target, &pattern(Rw::RandWrite, 4 * MIB, 4, 200)).1.unwrap();
        target
    });
    drop(user.join().unwrap());
}

/// With nothing complete yet, `reap` comes back when its time is over, and the IO is not lost.
#[test]
fn a_reap_ends_at_its_time_and_the_next_one_finds_the_io() {
    if !requires(&[]) {
        return;
    }
    let scratch = Scratch::new();
    let disk = Loop::attach(&scratch.image("disk", 64 * MIB), &[]);
    let spec = EngineSpec { io_bytes_max: 16 << 20, ..spec(1, DataPattern::Counter) };
    let mut target = open(Engine::IoUring, &disk.device, Intent::WRITE, spec);
    for wait_us in [0, 20, 150, 1_000] {
        let mut done = Vec::new();
        target.submit(&[request(Op::Write, 0, 16 << 20)]).unwrap();
        let until = target.now() + Nanos::from_us(wait_us);
        target.reap(1, until, &mut done).unwrap();
        assert!(!done.is_empty() || target.now() >= until, "{wait_us} us");
        if done.is_empty() {
            target.reap(1, Time::NEVER, &mut done).unwrap();
        }
        assert_eq!(done.len(), 1);
        assert!(done[0].completed >= done[0].submitted);
    }
}

#[test]
fn a_queue_depth_that_no_ring_has_is_refused() {
    let scratch = Scratch::under(&std::env::temp_dir());
    let path = scratch.path("target");
    fs::write(&path, vec![1; 8192]).unwrap();
    for depth in [0, 4097, u32::MAX] {
        let handle = Arc::new(Handle::open(&path, &Intent::READ).unwrap());
        let refused = DeviceTarget::new(Engine::IoUring, handle, &spec(depth, DataPattern::Random));
        assert!(matches!(refused, Err(DeviceError::QueueDepth { .. })), "queue depth {depth}");
    }
}

#[test]
fn our_own_file_stays_ours_through_a_run() {
    let scratch = Scratch::under(&std::env::temp_dir());
    let path = scratch.path("target");
    flashscope_device::create_file(&path, 2 * MIB, 1, &mut |_| std::ops::ControlFlow::Continue(())).unwrap();
    for engine in ENGINES {
        let mut target = open(engine, &path, Intent::WRITE, spec(4, DataPattern::Random));
        let depth = target.info().queue_depth_max;
        observe(&mut target, &pattern(Rw::RandWrite, 2 * MIB, depth, 100)).1.unwrap();
    }
    let file = File::options().write(true).open(&path).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(20));
    file.write_all_at(b"somebody else", 0).unwrap();
    match Handle::open(&path, &Intent::WRITE) {
        Err(DeviceError::Refused { reasons, .. }) => {
            assert_eq!(reasons, [Reason::NotOurs { changed: true }]);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_null_target_answers_every_request_at_every_depth() {
    for depth in [1, 3, 32] {
        let mut target = DeviceTarget::Null(NullTarget::new(1 << 30, depth));
        let (ios, end) = observe(&mut target, &pattern(Rw::RandWrite, 1 << 30, depth, 1000));
        end.unwrap();
        assert_eq!(ios.iter().map(|io| io.index).collect::<HashSet<_>>().len(), 1000);
    }
}
