//! An observer that need not be asked after each IO sees the same IOs, and the same end, as one that is.

use flashscope_core::{
    Bytes, Completion, Control, Driven, Io, Limits, Observer, Pattern, PatternSource, Request, Stream,
    Target, TargetError, TargetInfo, Time, drive,
};
use flashscope_sim::{Rig, Settings, Ssd, rigs};

/// A target that counts how it is asked.
struct Counting<T> {
    target: T,
    batches: usize,
    submits: usize,
}

impl<T: Target> Target for Counting<T> {
    fn info(&self) -> &TargetInfo {
        self.target.info()
    }
    fn now(&mut self) -> Time {
        self.target.now()
    }
    fn prepare(&mut self, requests: &[Request]) {
        self.target.prepare(requests);
    }
    fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError> {
        self.submits += 1;
        self.target.submit(requests)
    }
    fn reap(&mut self, min: usize, until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        self.target.reap(min, until, out)
    }
    fn serve_in_turn(&mut self, requests: &[Request], out: &mut Vec<Completion>) -> Result<(), TargetError> {
        self.batches += 1;
        self.target.serve_in_turn(requests, out)
    }
    fn wait_until(&mut self, time: Time) {
        self.target.wait_until(time);
    }
}

/// Has enough after so many IOs, and may be asked only every so often.
struct Enough {
    ios: Vec<Io>,
    enough: usize,
    free_run: usize,
}

impl Observer for Enough {
    fn observe(&mut self, io: &Io) -> Control {
        self.ios.push(*io);
        if self.ios.len() < self.enough { Control::Continue } else { Control::Stop }
    }
    fn free_run(&self) -> usize {
        self.free_run.min(self.enough - self.ios.len())
    }
}

struct Seen {
    ios: Vec<Io>,
    end: Result<Driven, TargetError>,
    clock: Time,
    batches: usize,
    submits: usize,
}

fn run<T: Target>(target: T, text: &str, enough: usize, free_run: usize) -> Seen {
    let pattern: Pattern = text.parse().expect("a pattern");
    let mut target = Counting { target, batches: 0, submits: 0 };
    pattern.validate(target.info()).expect("a valid pattern");
    let mut streams = [Stream { source: PatternSource::new(&pattern, 0, 5), pacing: pattern.pacing() }];
    let mut observer = Enough { ios: Vec::new(), enough, free_run };
    let end = drive(&mut target, &mut streams, Limits::default(), &mut observer);
    let Counting { mut target, batches, submits } = target;
    Seen { ios: observer.ios, end, clock: target.now(), batches, submits }
}

/// Compares runs that ask after each IO with others; returns one that asked least.
fn assert_same<T: Target>(target: impl Fn() -> T, text: &str, enough: usize) -> Seen {
    let asked = run(target(), text, enough, 1);
    assert_eq!(asked.batches, 0, "{text}");
    for free_run in [2, 7, 64, usize::MAX] {
        let free = run(target(), text, enough, free_run);
        assert_eq!(free.ios, asked.ios, "{text}, {free_run} at once");
        assert_eq!(free.end, asked.end, "{text}, {free_run} at once");
        assert_eq!(free.clock, asked.clock, "{text}, {free_run} at once");
    }
    run(target(), text, enough, usize::MAX)
}

fn ssd() -> Ssd {
    let settings = Settings { capacity: Bytes(16 << 20), over_provisioning: 0.2, ..Settings::default() };
    Ssd::new("small", settings, 1).expect("the settings are right")
}

fn rig() -> Rig {
    Rig::new(rigs::get("mtron").expect("built in"), 3)
}

#[test]
fn nothing_that_is_observed_depends_on_how_often_the_observer_is_asked() {
    for text in ["rw=randwrite bs=4KiB size=16MiB number_ios=10001", "rw=write bs=6KiB size=12MiB"] {
        for enough in [1, 64, 1_000, 10_000, 50_000] {
            if enough < 20_000 || text.contains("number_ios") {
                let on_ssd = assert_same(ssd, text, enough);
                let on_rig = assert_same(rig, text, enough);
                assert!(on_ssd.submits <= 1 && on_rig.submits <= 1, "{text}: not in batches");
                assert!(on_ssd.batches >= on_ssd.ios.len() / 64, "{text}");
            }
        }
    }
}

#[test]
fn a_failure_ends_the_run_at_the_same_io() {
    let short_lived = || {
        let mut settings =
            Settings { capacity: Bytes(4 << 20), over_provisioning: 0.5, ..Settings::default() };
        settings.nand.endurance_erases = 3;
        Ssd::new("short-lived", settings, 1).expect("the settings are right")
    };
    let seen = assert_same(short_lived, "rw=randwrite bs=4KiB size=4MiB", 100_000);
    let error = seen.end.expect_err("blocks wear out");
    assert!(error.cause.contains("worn out"), "{error}");
    assert!(seen.ios.len() > 1_000);
}

#[test]
fn pauses_and_queues_are_served_one_by_one() {
    for text in ["rw=randwrite bs=4KiB size=16MiB thinktime=1ms", "rw=randwrite bs=4KiB size=16MiB iodepth=4"]
    {
        let seen = assert_same(ssd, text, 1_000);
        assert_eq!(seen.batches, 0, "{text}");
    }
}
