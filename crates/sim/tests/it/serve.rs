//! A request served at once is the same as one submitted and reaped: same IOs, same end, same clock, same
//! flash.

use flashscope_core::{
    Bytes, Completion, Control, Driven, Io, Limits, Pattern, PatternSource, Request, Stream, Target,
    TargetError, TargetInfo, Time, drive, submit_and_reap,
};
use flashscope_sim::{Disk, Profile, Rig, Settings, Ssd, rigs};

/// A target that may be left no short way.
struct Detour<T> {
    target: T,
    is_on: bool,
}

impl<T: Target> Target for Detour<T> {
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
        self.target.submit(requests)
    }
    fn reap(&mut self, min: usize, until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        self.target.reap(min, until, out)
    }
    fn serve(&mut self, request: &Request) -> Result<Completion, TargetError> {
        match self.is_on {
            true => submit_and_reap(&mut self.target, request, &mut Vec::new()),
            false => self.target.serve(request),
        }
    }
    fn wait_until(&mut self, time: Time) {
        self.target.wait_until(time);
    }
}

struct Seen {
    ios: Vec<Io>,
    end: Result<Driven, TargetError>,
    clock: Time,
}

fn run<T: Target>(target: T, is_on: bool, text: &str, enough: usize) -> (Seen, T) {
    let pattern: Pattern = text.parse().expect("a pattern");
    let mut target = Detour { target, is_on };
    pattern.validate(target.info()).expect("a valid pattern");
    let mut streams = [Stream { source: PatternSource::new(&pattern, 0, 5), pacing: pattern.pacing() }];
    let mut ios = Vec::new();
    let mut observer = |io: &Io| {
        ios.push(*io);
        if ios.len() < enough { Control::Continue } else { Control::Stop }
    };
    let end = drive(&mut target, &mut streams, Limits::default(), &mut observer);
    let clock = target.now();
    (Seen { ios, end, clock }, target.target)
}

/// Compares both ways; returns what was seen, and the target after each.
fn assert_same<T: Target>(target: impl Fn() -> T, text: &str, enough: usize) -> (Seen, [T; 2]) {
    let (served, after) = run(target(), false, text, enough);
    let (by_parts, after_parts) = run(target(), true, text, enough);
    assert_eq!(served.ios, by_parts.ios, "{text}");
    assert_eq!(served.end, by_parts.end, "{text}");
    assert_eq!(served.clock, by_parts.clock, "{text}");
    (served, [after, after_parts])
}

fn ssd() -> Ssd {
    let settings = Settings { capacity: Bytes(16 << 20), over_provisioning: 0.2, ..Settings::default() };
    Ssd::new("small", settings, 1).expect("the settings are right")
}

fn rig() -> Rig {
    Rig::new(rigs::get("mtron").expect("built in"), 3)
}

fn disk() -> Disk {
    let Ok(Profile::Disk(settings)) = Profile::find("hdd-7200", &[]) else { panic!("it is built in") };
    Disk::new("hdd-7200", &settings).expect("the settings are right")
}

#[test]
fn serving_at_once_changes_nothing() {
    for text in [
        "rw=randwrite bs=4KiB size=16MiB number_ios=10001",
        "rw=write bs=6KiB size=12MiB number_ios=5000",
        "rw=randread bs=4KiB size=16MiB mix=randwrite:2 fsync=10 number_ios=3000",
        "rw=randtrim bs=4KiB size=16MiB number_ios=100",
    ] {
        for enough in [1, 64, 1_000, usize::MAX] {
            let (_, [at_once, by_parts]) = assert_same(ssd, text, enough);
            assert_eq!(at_once.nand().counts(), by_parts.nand().counts(), "{text}");
            assert_same(rig, text, enough);
            assert_same(disk, text, enough);
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
    let (seen, _) = assert_same(short_lived, "rw=randwrite bs=4KiB size=4MiB", usize::MAX);
    let error = seen.end.expect_err("blocks wear out");
    assert!(error.cause.contains("worn out"), "{error}");
    assert!(seen.ios.len() > 1_000);
}

#[test]
fn what_does_not_fit_is_refused_alike() {
    let beyond = Request { offset_bytes: 1 << 60, length_bytes: 4096, ..Request::default() };
    let odd = Request { length_bytes: 100, ..Request::default() };
    for request in [beyond, odd] {
        let refusals = [ssd().serve(&request), rig().serve(&request), disk().serve(&request)];
        let by_parts = [
            submit_and_reap(&mut ssd(), &request, &mut Vec::new()),
            submit_and_reap(&mut rig(), &request, &mut Vec::new()),
            submit_and_reap(&mut disk(), &request, &mut Vec::new()),
        ];
        assert!(refusals.iter().all(Result::is_err));
        assert_eq!(refusals, by_parts);
    }
}
