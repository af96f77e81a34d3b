//! IOs that fail while the target goes on: the observer hears of each of them once, decides whether the drive
//! goes on, and sees all others as if nothing had happened.

use flashscope_core::{
    Breach, Bytes, Completion, Control, Driven, ErrorKind, Io, Limits, Nanos, Observer, Pacing, Pattern,
    PatternSource, Request, Rw, Stream, Target, TargetError, TargetInfo, Time, drive,
};

/// An IO takes this long, one that fails too.
const SERVICE: u64 = 100;
const IOS: u64 = 1_000;

/// When an error comes back.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Heard {
    AsSubmitted,
    AsReaped,
}

/// Serves all in flight beside one another, and fails each `nth` request that it gets.
struct Patchy {
    info: TargetInfo,
    clock: u64,
    taken: u64,
    nth: u64,
    heard: Heard,
    /// Whether an error is said to be of one IO.
    is_of_one: bool,
    flying: Vec<(Completion, Request, bool)>,
}

impl Patchy {
    fn new(nth: u64, heard: Heard) -> Patchy {
        let info = TargetInfo {
            name: "patchy".into(),
            size_bytes: 1 << 30,
            logical_block_bytes: 512,
            virtual_time: true,
            engine: "test".into(),
            queue_depth_max: 64,
            placements: 1,
            zones: None,
        };
        Patchy { info, clock: 5_000, taken: 0, nth, heard, is_of_one: true, flying: Vec::new() }
    }

    fn error(&self, request: &Request) -> TargetError {
        TargetError {
            kind: ErrorKind::Device,
            tag: self.is_of_one.then_some(request.tag),
            target: self.info.name.clone(),
            op: request.op,
            offset_bytes: request.offset_bytes,
            length_bytes: request.length_bytes,
            cause: "it broke".into(),
            remedy: "mend it".into(),
        }
    }
}

impl Target for Patchy {
    fn info(&self) -> &TargetInfo {
        &self.info
    }
    fn now(&mut self) -> Time {
        Time(self.clock)
    }
    fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError> {
        for request in requests {
            self.taken += 1;
            let fails = self.taken.is_multiple_of(self.nth);
            if fails && self.heard == Heard::AsSubmitted {
                self.clock += SERVICE;
                return Err(self.error(request));
            }
            let (submitted, completed) = (Time(self.clock), Time(self.clock + SERVICE));
            self.flying.push((Completion { tag: request.tag, submitted, completed }, *request, fails));
        }
        Ok(())
    }
    fn reap(&mut self, min: usize, until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        let wanted = out.len() + min;
        self.flying.sort_by_key(|(done, ..)| done.completed);
        while let Some(&(done, request, fails)) = self.flying.first() {
            if done.completed.0 > self.clock {
                if out.len() >= wanted || done.completed > until {
                    break;
                }
                self.clock = done.completed.0;
            }
            self.flying.remove(0);
            if fails {
                return Err(self.error(&request));
            }
            out.push(done);
        }
        if out.len() < wanted && until != Time::NEVER {
            self.clock = self.clock.max(until.0);
        }
        Ok(())
    }
    fn serve(&mut self, request: &Request) -> Result<Completion, TargetError> {
        flashscope_core::submit_and_reap(self, request, &mut Vec::new())
    }
    fn wait_until(&mut self, time: Time) {
        self.clock = self.clock.max(time.0);
    }
}

/// Goes on after `patience` errors.
struct Patient {
    patience: usize,
    seen: Vec<Io>,
    failed: Vec<Io>,
}

impl Observer for Patient {
    fn observe(&mut self, io: &Io) -> Control {
        self.seen.push(*io);
        Control::Continue
    }
    fn fail(&mut self, io: &Io, error: TargetError) -> Result<Control, TargetError> {
        assert_eq!((error.offset_bytes, error.length_bytes), (io.offset_bytes, io.length_bytes));
        self.failed.push(*io);
        if self.failed.len() > self.patience { Err(error) } else { Ok(Control::Continue) }
    }
}

const PACINGS: [Pacing; 5] = [
    Pacing::CONSECUTIVE,
    Pacing::Closed { iodepth: 1, pause: Nanos(30), burst: 7 },
    Pacing::Closed { iodepth: 4, pause: Nanos::ZERO, burst: 1 },
    Pacing::Closed { iodepth: 8, pause: Nanos(500), burst: 20 },
    Pacing::Due { iodepth: 3 },
];

fn source(pacing: Pacing) -> PatternSource {
    let mut pattern = Pattern::baseline(Rw::RandRead, Bytes(0), Bytes(1 << 30));
    pattern.number_ios = Some(IOS);
    pattern.rate_iops = matches!(pacing, Pacing::Due { .. }).then_some(4e7.into());
    PatternSource::new(&pattern, 0, 1)
}

fn run(target: &mut Patchy, pacing: Pacing, patience: usize) -> (Result<Driven, TargetError>, Patient) {
    let mut observer = Patient { patience, seen: Vec::new(), failed: Vec::new() };
    let mut streams = [Stream { source: source(pacing), pacing }];
    (drive(target, &mut streams, Limits::default(), &mut observer), observer)
}

fn cases() -> impl Iterator<Item = (Pacing, Heard, u64)> {
    let heard = [Heard::AsSubmitted, Heard::AsReaped];
    let each = move |pacing| heard.map(|heard| [1, 2, 7, 64].map(|nth| (pacing, heard, nth)));
    PACINGS.into_iter().flat_map(each).flatten()
}

#[test]
fn each_failed_io_is_heard_of_once_and_all_others_are_observed() {
    for (pacing, heard, nth) in cases() {
        let mut target = Patchy::new(nth, heard);
        let (driven, Patient { seen, failed, .. }) = run(&mut target, pacing, usize::MAX);
        let case = format!("each {nth}th, {heard:?}, {pacing:?}");
        assert_eq!(driven, Ok(Driven::Exhausted), "{case}");
        assert!(target.flying.is_empty(), "{case}");
        assert_eq!((failed.len() as u64, target.taken), (IOS / nth, IOS), "{case}");
        assert!(failed.iter().all(|io| (io.index + 1).is_multiple_of(nth)), "{case}");
        let mut all: Vec<u64> = seen.iter().chain(&failed).map(|io| io.index).collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..IOS), "{case}: each IO once");
        if !matches!(pacing, Pacing::Due { .. }) {
            assert!(seen.iter().all(|io| io.response == Nanos(SERVICE)), "{case}");
        }
    }
}

/// A failed IO takes its place in the queue, in a burst and in time like any other.
#[test]
fn ios_beside_failed_ones_go_when_they_would_have_gone() {
    for pacing in PACINGS {
        let (_, sound) = run(&mut Patchy::new(u64::MAX, Heard::AsReaped), pacing, 0);
        let (_, patchy) = run(&mut Patchy::new(7, Heard::AsReaped), pacing, usize::MAX);
        let is_left = |io: &&Io| !(io.index + 1).is_multiple_of(7);
        let expected: Vec<Io> = sound.seen.iter().filter(is_left).copied().collect();
        assert_eq!(patchy.seen, expected, "{pacing:?}");
    }
}

#[test]
fn the_observer_decides_which_error_is_the_last() {
    for (pacing, heard, nth) in cases() {
        let mut target = Patchy::new(nth, heard);
        let patience = (IOS / nth / 2) as usize;
        let (driven, Patient { seen, failed, .. }) = run(&mut target, pacing, patience);
        let case = format!("each {nth}th, {heard:?}, {pacing:?}");
        assert_eq!(driven.map_err(|error| error.cause), Err("it broke".into()), "{case}");
        assert!(target.flying.is_empty(), "{case}: what was in flight is waited for");
        assert!(failed.len() > patience && failed.len() <= patience + 8, "{case}: {}", failed.len());
        let submitted = (seen.len() + failed.len()) as u64;
        assert_eq!(submitted, target.taken, "{case}: all is seen that was submitted, failed or not");
        assert!(submitted < (patience as u64 + 1) * nth + 8, "{case}: nothing goes after the last error");
    }
}

/// An observer that looks at IOs alone, such as a closure.
#[test]
fn who_says_nothing_about_errors_is_ended_by_the_first() {
    for (pacing, heard, nth) in cases() {
        let mut target = Patchy::new(nth, heard);
        let mut seen = 0;
        let mut streams = [Stream { source: source(pacing), pacing }];
        let driven = drive(&mut target, &mut streams, Limits::default(), &mut |_: &Io| {
            seen += 1;
            Control::Continue
        });
        assert!(driven.is_err() && (nth - 1..nth + 8).contains(&seen), "{pacing:?}: {seen} of {nth}");
    }
}

#[test]
fn an_error_of_no_one_io_ends_the_drive_whatever_the_observer_says() {
    for (pacing, heard, nth) in cases() {
        let mut target = Patchy { is_of_one: false, ..Patchy::new(nth, heard) };
        let (driven, observer) = run(&mut target, pacing, usize::MAX);
        assert!(driven.is_err() && observer.failed.is_empty(), "{pacing:?}, {heard:?}");
    }
}

#[test]
fn the_failure_of_an_io_that_is_not_in_flight_is_a_broken_promise() {
    struct Stray(Patchy);
    impl Target for Stray {
        fn info(&self) -> &TargetInfo {
            self.0.info()
        }
        fn now(&mut self) -> Time {
            self.0.now()
        }
        fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError> {
            self.0.submit(requests)
        }
        fn reap(&mut self, _: usize, _: Time, _: &mut Vec<Completion>) -> Result<(), TargetError> {
            Err(self.0.error(&Request { tag: 77, ..Request::default() }))
        }
        fn serve(&mut self, _: &Request) -> Result<Completion, TargetError> {
            Err(self.0.error(&Request { tag: 77, ..Request::default() }))
        }
        fn wait_until(&mut self, time: Time) {
            self.0.wait_until(time);
        }
    }
    for pacing in PACINGS {
        let mut streams = [Stream { source: source(pacing), pacing }];
        let mut observer = Patient { patience: 9, seen: Vec::new(), failed: Vec::new() };
        let mut target = Stray(Patchy::new(9, Heard::AsReaped));
        let error = drive(&mut target, &mut streams, Limits::default(), &mut observer).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Broken(Breach::NotInFlight { tag: 77 }), "{pacing:?}");
    }
}

#[test]
fn a_device_of_which_all_ios_fail_still_comes_to_the_end_of_its_runtime() {
    for (pacing, heard) in PACINGS.into_iter().flat_map(|p| [(p, Heard::AsSubmitted), (p, Heard::AsReaped)]) {
        let mut streams = [Stream { source: source(pacing), pacing }];
        let mut observer = Patient { patience: usize::MAX, seen: Vec::new(), failed: Vec::new() };
        let limits = Limits { runtime: Some(Nanos(1_050)), ..Limits::default() };
        let driven = drive(&mut Patchy::new(1, heard), &mut streams, limits, &mut observer);
        assert_eq!(driven, Ok(Driven::OutOfTime), "{pacing:?}, {heard:?}");
        assert!(observer.seen.is_empty() && observer.failed.len() > 5, "{}", observer.failed.len());
    }
}
