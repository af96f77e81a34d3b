//! What only real time shows: whether the instrument keeps the device waiting, and what a device makes of it.
#![allow(clippy::print_stdout)]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::sleep;
use std::time::{Duration, Instant};

use flashscope_analysis::Goal;
use flashscope_bench::{MeasuredRun, Measurement, Recording, Unrecorded, measure};
use flashscope_core::{
    Completion, Control, Io, Limits, Nanos, Pattern, Record, Request, Target, TargetError, TargetInfo, Time,
    drive,
};
use flashscope_device::{DeviceTarget, Engine, EngineSpec, Handle, Intent};
use flashscope_sim::{Rig, RigSpec};
use rustix::time::{ClockId, clock_gettime};

use crate::kernel::Scratch;

/// A rig served by wall clock: an IO takes as long as the rig says, and time between IOs is idle time to it.
struct WallClock {
    rig: Rig,
    info: TargetInfo,
    epoch: Instant,
    /// When the last IO was done, by the wall and by the rig's own clock.
    done: (Time, Time),
    /// What the rig's IOs took, without what the machine added to them.
    response_ns: u64,
}

impl WallClock {
    /// Writes take 20 us until 2 MiB are written, then 80 us, until it was idle for 0.5 ms.
    fn new() -> WallClock {
        let rig = "size = \"1GiB\"\n[latency]\nsequential_read = [[\"0\", \"20us\"]]\n\
                   sequential_write = [[\"0\", \"20us\"]]\n\
                   [regimes]\nreset_after_idle = \"500us\"\nsteps = [{ from = \"2MiB\", factor = 4 }]";
        let rig = Rig::new(RigSpec::parse("idle", rig).unwrap(), 1);
        let info = TargetInfo { virtual_time: false, queue_depth_max: 1, ..rig.info().clone() };
        WallClock { rig, info, epoch: Instant::now(), done: (Time::ZERO, Time::ZERO), response_ns: 0 }
    }

    fn wall(&self) -> Time {
        Time(self.epoch.elapsed().as_nanos() as u64)
    }
}

impl Target for WallClock {
    fn info(&self) -> &TargetInfo {
        &self.info
    }
    fn now(&mut self) -> Time {
        self.wall()
    }
    fn submit(&mut self, _: &[Request]) -> Result<(), TargetError> {
        unreachable!("one IO at a time is served")
    }
    fn reap(&mut self, _: usize, _: Time, _: &mut Vec<Completion>) -> Result<(), TargetError> {
        unreachable!("one IO at a time is served")
    }
    fn serve(&mut self, request: &Request) -> Result<Completion, TargetError> {
        let submitted = self.wall();
        self.rig.wait_until(self.done.1 + submitted.since(self.done.0));
        let done = self.rig.serve(request)?;
        let response = done.completed.since(done.submitted);
        self.response_ns += response.0;
        while self.wall() < submitted + response {
            std::hint::spin_loop();
        }
        self.done = (self.wall(), done.completed);
        Ok(Completion { submitted, completed: self.done.0, ..done })
    }
    fn wait_until(&mut self, time: Time) {
        while self.wall() < time {
            std::hint::spin_loop();
        }
    }
}

const IOS: u64 = 30_000;

/// What the rig's IOs took in the mean.
fn mean_of_rig(goal: Option<Goal>, recording: &mut impl Recording) -> (f64, MeasuredRun) {
    let text = format!("rw=randwrite bs=16k size=1g number_ios={IOS}");
    let pattern: Pattern = text.parse().unwrap();
    let mut target = WallClock::new();
    let measured = run(&mut target, &pattern, goal, None, recording);
    (target.response_ns as f64 / measured.run.ios as f64, measured)
}

fn run<T: Target>(
    target: &mut T,
    pattern: &Pattern,
    goal: Option<Goal>,
    runtime: Option<Nanos>,
    recording: &mut impl Recording,
) -> MeasuredRun {
    let interrupted = AtomicBool::new(false);
    let runtime = runtime.map(|span| (span, flashscope_analysis::Stop::Runtime));
    let request = Measurement { goal, runtime, ..Measurement::new(pattern, &interrupted) };
    let measured = measure(target, &request, recording, &mut |_, _, _| {});
    assert!(measured.error.is_none(), "{:?}", measured.error);
    measured
}

/// A goal that no run reaches: the judge looks to the end.
fn endless() -> Goal {
    Goal { precision: 1e-9, ..Goal::exploring(64) }
}

/// An instrument that keeps the device waiting for a millisecond, as often as a judge looks.
struct Pausing(u64);

impl Recording for Pausing {
    fn push(&mut self, _: Record) {
        self.0 += 1;
        if self.0.is_multiple_of(1_000) {
            sleep(Duration::from_millis(1));
        }
    }
    fn has_failed(&self) -> bool {
        false
    }
}

#[test]
fn a_device_that_recovers_when_idle_does_not_notice_that_it_is_judged() {
    // A busy machine may take the processor away between two IOs: once in three tries it does not.
    let mut seen = Vec::new();
    for _ in 0..3 {
        let (without_us, _) = mean_of_rig(None, &mut Unrecorded);
        let (with_us, judged) = mean_of_rig(Some(endless()), &mut Unrecorded);
        assert_eq!(judged.run.ios, IOS, "{:?}", judged.run.outcome);
        seen.push(with_us / without_us);
        if (with_us / without_us - 1.0).abs() < 0.02 {
            break;
        }
    }
    assert!(seen.iter().any(|ratio| (ratio - 1.0).abs() < 0.02), "with looks over without: {seen:?}");
    // The device would have noticed.
    let ratio = mean_of_rig(None, &mut Pausing(0)).0 / mean_of_rig(None, &mut Unrecorded).0;
    assert!(ratio < 0.95, "with pauses over without: {ratio}");
}

/// Between the end of one IO and the beginning of the next, by the wall and in processor time of the thread.
struct Between {
    inner: DeviceTarget,
    last: Option<(Time, u64)>,
    gaps: Vec<(u32, u32)>,
}

fn thread_cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

impl Target for Between {
    fn info(&self) -> &TargetInfo {
        self.inner.info()
    }
    fn now(&mut self) -> Time {
        self.inner.now()
    }
    fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError> {
        self.inner.submit(requests)
    }
    fn reap(&mut self, min: usize, until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        self.inner.reap(min, until, out)
    }
    fn serve(&mut self, request: &Request) -> Result<Completion, TargetError> {
        let (now, cpu_ns) = (self.inner.now(), thread_cpu_ns());
        if let Some((end, cpu_end_ns)) = self.last {
            self.gaps.push((now.since(end).0 as u32, (cpu_ns - cpu_end_ns) as u32));
        }
        let done = self.inner.serve(request)?;
        let cpu_ns = thread_cpu_ns();
        self.last = Some((self.inner.now(), cpu_ns));
        Ok(done)
    }
    fn wait_until(&mut self, time: Time) {
        self.inner.wait_until(time);
    }
}

fn between(file: &Path) -> Between {
    let handle = Handle::open(file, &Intent::READ).unwrap();
    let inner = DeviceTarget::new(Engine::Sync, Arc::new(handle), &EngineSpec::default()).unwrap();
    Between { inner, last: None, gaps: Vec::with_capacity(4 << 20) }
}

/// Shares of the gaps from 20 us and from 100 us on, by the wall and in processor time.
struct Shares {
    wall: [f64; 2],
    processor: [f64; 2],
}

fn shares(name: &str, gaps: &[(u32, u32)]) -> Shares {
    let of = |what: &str, mut gaps: Vec<u32>| {
        gaps.sort_unstable();
        let above = [20_000, 100_000].map(|limit| gaps.len() - gaps.partition_point(|gap| *gap < limit));
        println!(
            "{name}, {what}: median {} ns, {above:?} of {} are 20 us or 100 us and more, longest {:.1} us",
            gaps[gaps.len() / 2],
            gaps.len(),
            f64::from(gaps[gaps.len() - 1]) / 1e3,
        );
        above.map(|count| count as f64 / gaps.len() as f64)
    };
    Shares {
        wall: of("wall", gaps.iter().map(|gap| gap.0).collect()),
        processor: of("processor", gaps.iter().map(|gap| gap.1).collect()),
    }
}

/// Prints the figures of docs/performance.md. Beside the loop stands the barest one there is, in one run:
/// what the machine itself does to a thread is in both.
#[test]
#[ignore = "takes a minute, on a quiet machine"]
fn the_loop_leaves_no_gap_between_ios_of_a_file() {
    let scratch = Scratch::under(&std::env::temp_dir());
    let file = scratch.path("file");
    std::fs::write(&file, vec![1; 64 << 20]).unwrap();
    let pattern: Pattern = "rw=randread bs=4k size=64m".parse().unwrap();
    let half_a_minute = Nanos::from_s(30);
    let mut judged = between(&file);
    run(&mut judged, &pattern, Some(endless()), Some(half_a_minute), &mut Unrecorded);
    let mut bare = between(&file);
    let mut streams: Vec<_> = pattern.streams(1).collect();
    let limits = Limits { runtime: Some(half_a_minute), ..Limits::default() };
    drive(&mut bare, &mut streams, limits, &mut |_: &Io| Control::Continue).unwrap();
    let (judged, bare) = (shares("judged", &judged.gaps), shares("bare", &bare.gaps));
    println!("by the wall, judged less bare: {:.4} %", 100.0 * (judged.wall[0] - bare.wall[0]));
    assert!(judged.processor[0] <= bare.processor[0] + 1e-4, "of 20 us and more");
    assert!(judged.processor[1] <= bare.processor[1] + 1e-5, "of 100 us and more");
}
