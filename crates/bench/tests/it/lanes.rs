//! Each process of a pattern on a thread of its own: what they did is one run, as if one loop had done it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::{Duration, Instant};

use flashscope_analysis::Stop;
use flashscope_bench::{
    MeasuredRun, Measurement, OnError, Opener, Recording, Unrecorded, measure, measure_each,
};
use flashscope_core::{
    Completion, ErrorKind, Nanos, Op, Pattern, Record, Request, Target, TargetError, TargetInfo, Time,
    WriteBudget,
};

/// What all lanes of a target have in common.
struct Device {
    epoch: Instant,
    /// The offsets of each lane, in the order of submission.
    offsets: Vec<Mutex<Vec<u64>>>,
    written_bytes: AtomicU64,
    /// When each lane submitted its first IO, by the clock of all.
    firsts: Mutex<Vec<(usize, Time)>>,
    /// A lane, which of its IOs fails, and whether the error is of that IO alone.
    bad: Option<(usize, u64, bool)>,
    /// A lane, which of its IOs takes long, and how long.
    slow: Option<(usize, u64, Duration)>,
}

impl Device {
    fn new(lanes: usize) -> Device {
        let offsets = (0..lanes).map(|_| Mutex::default()).collect();
        let (written_bytes, firsts) = (AtomicU64::new(0), Mutex::default());
        Device { epoch: Instant::now(), offsets, written_bytes, firsts, bad: None, slow: None }
    }

    fn opener(self: &Arc<Device>) -> Opener<'static, Wall> {
        let device = Arc::clone(self);
        Box::new(move |lane| Ok(Wall::of(&device, Some(usize::from(lane)))))
    }

    fn offsets(&self) -> Vec<Vec<u64>> {
        self.offsets.iter().map(|offsets| offsets.lock().unwrap().clone()).collect()
    }
}

/// A device by wall clock, as one lane has it, or all of them in one loop. An IO takes 5 to 60 us.
struct Wall {
    device: Arc<Device>,
    lane: Option<usize>,
    info: TargetInfo,
    done: u64,
    /// In flight: since when, until when.
    flying: Vec<(Request, Time, Time)>,
}

impl Wall {
    fn of(device: &Arc<Device>, lane: Option<usize>) -> Wall {
        let info = TargetInfo {
            name: "wall".into(),
            size_bytes: 1 << 40,
            logical_block_bytes: 512,
            virtual_time: false,
            engine: "wall".into(),
            queue_depth_max: 64,
            placements: 1,
            zones: None,
        };
        Wall { device: Arc::clone(device), lane, info, done: 0, flying: Vec::new() }
    }

    /// Takes an IO: when it will be done.
    fn take(&mut self, request: &Request, submitted: Time) -> Result<Time, TargetError> {
        let lane = self.lane.unwrap_or(usize::from(request.stream));
        if self.done == 0 {
            self.device.firsts.lock().unwrap().push((lane, submitted));
        }
        self.device.offsets[lane].lock().unwrap().push(request.offset_bytes);
        let number = self.done;
        self.done += 1;
        if let Some((_, _, is_of_one)) = self.device.bad.filter(|bad| (bad.0, bad.1) == (lane, number)) {
            return Err(eio(request, is_of_one));
        }
        if request.op == Op::Write {
            self.device.written_bytes.fetch_add(request.length_bytes.into(), Ordering::Relaxed);
        }
        let slow = self.device.slow.filter(|slow| (slow.0, slow.1) == (lane, number));
        let us = 5 + (request.offset_bytes >> 12) % 56;
        Ok(submitted + Nanos(slow.map_or(us * 1_000, |(_, _, time)| time.as_nanos() as u64)))
    }
}

fn eio(request: &Request, is_of_one: bool) -> TargetError {
    TargetError {
        kind: if is_of_one { ErrorKind::Device } else { ErrorKind::Vanished },
        tag: is_of_one.then_some(request.tag),
        target: "wall".into(),
        op: request.op,
        offset_bytes: request.offset_bytes,
        length_bytes: request.length_bytes,
        cause: "input/output error".into(),
        remedy: "replace it".into(),
    }
}

impl Target for Wall {
    fn info(&self) -> &TargetInfo {
        &self.info
    }
    fn now(&mut self) -> Time {
        Time(self.device.epoch.elapsed().as_nanos() as u64)
    }
    fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError> {
        for request in requests {
            let submitted = self.now();
            let until = self.take(request, submitted)?;
            self.flying.push((*request, submitted, until));
        }
        Ok(())
    }
    fn reap(&mut self, min: usize, until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        let wanted = out.len() + min;
        loop {
            let completed = self.now();
            let (done, left) = self.flying.iter().partition(|flying| flying.2 <= completed);
            let done: Vec<_> = done;
            out.extend(done.iter().map(|(request, submitted, _)| Completion {
                tag: request.tag,
                submitted: *submitted,
                completed,
            }));
            self.flying = left;
            if out.len() >= wanted || completed >= until {
                return Ok(());
            }
            sleep(Duration::from_micros(5));
        }
    }
    fn serve(&mut self, request: &Request) -> Result<Completion, TargetError> {
        let submitted = self.now();
        let until = self.take(request, submitted)?;
        self.wait_until(until);
        Ok(Completion { tag: request.tag, submitted, completed: self.now() })
    }
    fn wait_until(&mut self, time: Time) {
        sleep(Duration::from_nanos(time.since(self.now()).0));
    }
}

/// Keeps records in order.
#[derive(Default)]
struct Kept {
    records: Vec<Record>,
    /// Panics at this record.
    panics_at: Option<usize>,
    /// Has enough of it at this record.
    fails_at: Option<usize>,
}

impl Recording for Kept {
    fn push(&mut self, record: Record) {
        assert_ne!(Some(self.records.len()), self.panics_at, "as it was told");
        self.records.push(record);
    }
    fn has_failed(&self) -> bool {
        self.fails_at.is_some_and(|at| self.records.len() >= at)
    }
}

fn pattern(text: &str) -> Pattern {
    format!("bs=4k size=64m job_space=shared {text}").parse().unwrap()
}

fn request<'a>(pattern: &'a Pattern, interrupted: &'a AtomicBool) -> Measurement<'a> {
    Measurement { seed: 7, ..Measurement::new(pattern, interrupted) }
}

/// One that is never set.
static NEVER: AtomicBool = AtomicBool::new(false);

fn by_lanes(device: &Arc<Device>, request: &Measurement<'_>) -> (MeasuredRun, Vec<Record>) {
    let mut kept = Kept::default();
    let measured = measure_each(&device.opener(), request, &mut kept, &mut |_, _, _| {});
    (measured, kept.records)
}

fn in_one_loop(device: &Arc<Device>, request: &Measurement<'_>) -> (MeasuredRun, Vec<Record>) {
    let (mut kept, mut target) = (Kept::default(), Wall::of(device, None));
    (measure(&mut target, request, &mut kept, &mut |_, _, _| {}), kept.records)
}

/// Every IO of every process is there, and they are in the order of their completion.
fn whole_and_in_order(records: &[Record], of_each: &[usize]) {
    let mut numbers: Vec<Vec<u64>> = vec![Vec::new(); of_each.len()];
    for record in records {
        let of_stream = &mut numbers[usize::from(record.stream())];
        of_stream.push(record.index_near(of_stream.len() as u64));
    }
    for (stream, (mut numbers, ios)) in numbers.into_iter().zip(of_each).enumerate() {
        numbers.sort_unstable();
        assert_eq!(numbers, (0..*ios as u64).collect::<Vec<_>>(), "stream {stream}");
    }
    let failed_at = |record: &Record| record.is_failed();
    let ends: Vec<_> =
        records.iter().filter(|r| !failed_at(r)).map(|r| r.submitted() + r.response()).collect();
    assert!(ends.is_sorted(), "in the order of completion");
}

#[test]
fn what_lanes_do_is_what_one_loop_does() {
    for text in [
        "rw=randread numjobs=4 number_ios=3000",
        "rw=randwrite numjobs=3 iodepth=8 number_ios=4000",
        "rw=randrw rwmixread=70 numjobs=2 iodepth=3 number_ios=2000 thinktime=100us thinktime_blocks=50",
        "rw=randread numjobs=2 rate_iops=20000 iodepth=4 number_ios=1000",
        "rw=write numjobs=2 job_space=parts fsync=10 number_ios=500",
    ] {
        let mut pattern = pattern("");
        let keys = text.split(' ').map(|word| word.split_once('=').unwrap());
        keys.for_each(|(name, value)| pattern.set(name, value).unwrap());
        let (jobs, ios) = (pattern.numjobs as usize, pattern.number_ios.unwrap() as usize);
        let request = request(&pattern, &NEVER);
        let (one, many) = (Arc::new(Device::new(jobs)), Arc::new(Device::new(jobs)));
        let (loop_run, loop_records) = in_one_loop(&one, &request);
        let (lanes_run, records) = by_lanes(&many, &request);
        assert!(lanes_run.error.is_none() && loop_run.error.is_none());
        assert_eq!(many.offsets(), one.offsets(), "{text}");
        whole_and_in_order(&loop_records, &vec![ios; jobs]);
        whole_and_in_order(&records, &vec![ios; jobs]);
        let (one, many) = (loop_run.run, lanes_run.run);
        let counts = |run: &flashscope_analysis::Run| {
            let kinds: Vec<_> = run.kinds.iter().map(|kind| kind.op).collect();
            (run.ios, run.read_bytes, run.written_bytes, run.outcome.stopped_because, kinds)
        };
        assert_eq!(counts(&many), counts(&one), "{text}");
        assert_eq!((many.threads, one.threads), (Some(jobs as u32), None), "{text}");
        let last = records.iter().map(|record| record.submitted() + record.response()).max().unwrap();
        assert_eq!(many.elapsed_ns, last.0, "one time zero: {text}");
    }
}

/// At the same time, not one after the other: four that wait take the time of one.
#[test]
fn lanes_run_side_by_side() {
    let device = Arc::new(Device::new(4));
    let pattern = pattern("rw=randread numjobs=4 number_ios=20 thinktime=10ms");
    let (measured, records) = by_lanes(&device, &request(&pattern, &NEVER));
    whole_and_in_order(&records, &[20; 4]);
    // Twenty pauses of 10 ms each; one after the other they would be 800 ms.
    assert!(measured.run.elapsed_ns < 600_000_000, "{} ns", measured.run.elapsed_ns);
    let firsts = records.iter().filter(|record| record.index_near(0) == 0);
    let firsts: Vec<_> = firsts.map(|record| (record.stream(), record.submitted())).collect();
    let begun = firsts.iter().map(|(_, at)| at.0).max().unwrap();
    assert!(begun < 100_000_000, "the last lane began after {begun} ns");
    let zeros = device.firsts.lock().unwrap().clone();
    let zero = |(lane, at): &(usize, Time)| {
        let of_lane = firsts.iter().find(|(stream, _)| usize::from(*stream) == *lane).unwrap();
        at.since(of_lane.1)
    };
    assert!(zeros.iter().all(|first| zero(first) == zero(&zeros[0])), "one time zero: {firsts:?} {zeros:?}");
}

#[test]
fn enough_in_all_ends_all() {
    let pattern = pattern("rw=randread numjobs=3");
    let request = Measurement { enough: Some((Nanos::from_ms(50), 100)), ..request(&pattern, &NEVER) };
    let device = Arc::new(Device::new(3));
    let (measured, records) = by_lanes(&device, &request);
    assert_eq!(measured.run.outcome.stopped_because, Stop::Runtime);
    let of_each: Vec<_> = device.offsets().iter().map(Vec::len).collect();
    whole_and_in_order(&records, &of_each);
    assert_eq!(measured.run.ios as usize, records.len());
    assert!((50_000_000..2_000_000_000).contains(&measured.run.elapsed_ns));
}

#[test]
fn the_end_of_the_time_ends_all() {
    let pattern = pattern("rw=randread numjobs=3 iodepth=2");
    let request =
        Measurement { runtime: Some((Nanos::from_ms(60), Stop::Runtime)), ..request(&pattern, &NEVER) };
    let device = Arc::new(Device::new(3));
    let (measured, records) = by_lanes(&device, &request);
    assert_eq!(measured.run.outcome.stopped_because, Stop::Runtime);
    let of_each: Vec<_> = device.offsets().iter().map(Vec::len).collect();
    whole_and_in_order(&records, &of_each);
    let last = records.iter().map(|record| record.submitted()).max().unwrap();
    assert!(last <= Time(60_000_000) + Nanos::from_ms(500), "{last:?}: nothing is submitted later");
}

/// Each of them in a pause of an hour.
#[test]
fn an_interruption_ends_all_even_as_they_wait() {
    let pattern = pattern("rw=randread numjobs=4 thinktime=3600s");
    let (interrupted, begin) = (AtomicBool::new(false), Instant::now());
    let (measured, records) = std::thread::scope(|scope| {
        scope.spawn(|| {
            sleep(Duration::from_millis(100));
            interrupted.store(true, Ordering::Relaxed);
        });
        by_lanes(&Arc::new(Device::new(4)), &request(&pattern, &interrupted))
    });
    assert_eq!(measured.run.outcome.stopped_because, Stop::Interrupted);
    whole_and_in_order(&records, &[1; 4]);
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
}

#[test]
fn an_error_in_one_lane_ends_all_and_what_was_done_is_kept() {
    for is_of_one in [true, false] {
        for text in ["rw=randread numjobs=3", "rw=randread numjobs=3 iodepth=4"] {
            let pattern = pattern(text);
            let device = Arc::new(Device { bad: Some((1, 100, is_of_one)), ..Device::new(3) });
            let (measured, records) = by_lanes(&device, &request(&pattern, &NEVER));
            let error = measured.error.expect("an error");
            assert_eq!(error.tag.is_some(), is_of_one);
            assert_eq!(measured.run.outcome.stopped_because, Stop::Failed);
            assert_eq!(error.offset_bytes, device.offsets()[1][100], "it names the IO");
            assert!(device.offsets()[1].len() <= 104, "its lane submitted nothing behind it");
            let done = records.iter().filter(|record| !record.is_failed()).count();
            assert_eq!(measured.run.ios as usize, done);
            let submitted: usize = device.offsets().iter().map(Vec::len).sum();
            assert_eq!(done, submitted - 1, "all but the one that failed");
        }
    }
}

#[test]
fn an_error_that_may_be_lets_all_go_on() {
    let pattern = pattern("rw=randread numjobs=3 number_ios=500");
    let device = Arc::new(Device { bad: Some((2, 100, true)), ..Device::new(3) });
    let request = Measurement { on_error: OnError::CONTINUE, ..request(&pattern, &NEVER) };
    let (measured, records) = by_lanes(&device, &request);
    assert!(measured.error.is_none());
    whole_and_in_order(&records, &[500; 3]);
    let failed: Vec<_> = records.iter().filter(|record| record.is_failed()).collect();
    assert_eq!(failed.len(), 1);
    assert_eq!((failed[0].stream(), failed[0].index_near(100)), (2, 100));
    assert_eq!((measured.run.ios, measured.run.errors.count), (1499, 1));
}

#[test]
fn a_target_that_one_lane_cannot_open_is_an_error_and_no_io_goes() {
    let pattern = pattern("rw=randwrite numjobs=3");
    let device = Arc::new(Device::new(3));
    let open: Opener<'_, Wall> = Box::new(|lane| match lane {
        1 => Err(eio(&Request::default(), false)),
        _ => Ok(Wall::of(&device, Some(usize::from(lane)))),
    });
    let measured = measure_each(&open, &request(&pattern, &NEVER), &mut Unrecorded, &mut |_, _, _| {});
    assert!(measured.error.is_some());
    assert_eq!(device.offsets().concat().len(), 0);
}

/// Whichever lane takes the last of them.
#[test]
fn lanes_never_write_more_than_they_may() {
    for bytes in [0, 4096, 1 << 20, (1 << 20) + 1] {
        let pattern = pattern("rw=randwrite numjobs=4 iodepth=4");
        let budget = WriteBudget::new(bytes);
        let request = Measurement { writes: Some(&budget), ..request(&pattern, &NEVER) };
        let device = Arc::new(Device::new(4));
        let (measured, _) = by_lanes(&device, &request);
        assert_eq!(measured.run.outcome.stopped_because, Stop::Bytes);
        let written = device.written_bytes.load(Ordering::Relaxed);
        assert!(written <= bytes, "{written} of {bytes} bytes");
        assert_eq!(budget.left_bytes(), bytes - written);
        assert_eq!(measured.run.written_bytes, written);
    }
}

/// A lane that waits for its device keeps the others' IOs from nobody, and they stay in order.
#[test]
fn a_slow_io_of_one_lane_hides_nothing_of_the_others() {
    let pattern = pattern("rw=randread numjobs=2 number_ios=20000");
    let slow = Some((0, 10, Duration::from_millis(2_500)));
    let device = Arc::new(Device { slow, ..Device::new(2) });
    let mut kept = Kept::default();
    let mut seen = Vec::new();
    let begin = Instant::now();
    let request = request(&pattern, &NEVER);
    measure_each(&device.opener(), &request, &mut kept, &mut |ios, _, _| seen.push((begin.elapsed(), ios)));
    whole_and_in_order(&kept.records, &[20_000; 2]);
    let while_slow =
        seen.iter().filter(|(at, _)| *at < Duration::from_millis(2_400)).map(|(_, ios)| ios).max();
    assert!(while_slow.is_some_and(|ios| *ios > 1_000), "{seen:?}");
}

#[test]
fn a_recording_that_fails_ends_all() {
    let pattern = pattern("rw=randread numjobs=3");
    let mut kept = Kept { fails_at: Some(500), ..Kept::default() };
    let device = Arc::new(Device::new(3));
    let measured = measure_each(&device.opener(), &request(&pattern, &NEVER), &mut kept, &mut |_, _, _| {});
    assert_eq!(measured.run.outcome.stopped_because, Stop::Interrupted);
    assert!(kept.records.len() >= 500);
}

#[test]
#[should_panic(expected = "as it was told")]
fn a_panic_of_whoever_watches_ends_all() {
    let pattern = pattern("rw=randread numjobs=3");
    let mut kept = Kept { panics_at: Some(500), ..Kept::default() };
    let device = Arc::new(Device::new(3));
    measure_each(&device.opener(), &request(&pattern, &NEVER), &mut kept, &mut |_, _, _| {});
}

#[test]
#[should_panic(expected = "a scoped thread panicked")]
fn a_panic_of_one_lane_ends_all() {
    let pattern = pattern("rw=randread numjobs=3");
    let device = Arc::new(Device::new(3));
    let open: Opener<'_, Wall> = Box::new(|lane| {
        let device = if lane == 1 { &Arc::new(Device::new(0)) } else { &device };
        Ok(Wall::of(device, Some(usize::from(lane))))
    });
    measure_each(&open, &request(&pattern, &NEVER), &mut Unrecorded, &mut |_, _, _| {});
}
