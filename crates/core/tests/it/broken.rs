//! Targets that break a promise of `Target`, each in one way. A broken target becomes an error that names it
//! and what it broke: never a panic, a wait for ever or a response time that cannot be.

use flashscope_core::{
    Breach, Bytes, Completion, Control, Driven, ErrorKind, Io, Limits, Nanos, Pacing, Pattern, PatternSource,
    Request, Rw, Stream, Target, TargetError, TargetInfo, Time, drive, submit_and_reap,
};

const IOS: u64 = 300;
/// The IO that it goes wrong with.
const FAULTY: usize = 100;
const DEPTHS: [u32; 3] = [1, 2, 8];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    CompletesTwiceAtOnce,
    CompletesAgainLater,
    CompletesWhatItNeverGot,
    DoneBeforeItWasTaken,
    DoneAtTheEndOfTime,
    TakenBeforeItWasSubmitted,
    ClockGoesBack,
    /// Its completions are ahead of what it says the time is.
    ClockLags,
    ReturnsNothing,
    WakesEarly,
    /// [`Target::serve`] alone answers with another request's tag.
    ServesAnother,
}

/// Serves everything side by side, for 100 to 120 ns each.
struct Faulty {
    info: TargetInfo,
    fault: Fault,
    clock: u64,
    taken: usize,
    flying: Vec<Completion>,
    /// To be completed a second time.
    again: Option<Completion>,
}

impl Faulty {
    fn new(fault: Fault) -> Faulty {
        let info = TargetInfo {
            name: "faulty".into(),
            size_bytes: 1 << 30,
            logical_block_bytes: 512,
            virtual_time: true,
            engine: "test".into(),
            queue_depth_max: 64,
            placements: 1,
            zones: None,
        };
        Faulty { info, fault, clock: 5_000, taken: 0, flying: Vec::new(), again: None }
    }

    /// The completion of a request that it takes now, right or not.
    fn completion(&mut self, tag: u32) -> Completion {
        let (number, at) = (self.taken, self.clock);
        self.taken += 1;
        let done = at + 100 + number as u64 % 3 * 10;
        let (tag, submitted, completed) = match self.fault {
            Fault::CompletesWhatItNeverGot if number == FAULTY => (77, at, done),
            Fault::DoneBeforeItWasTaken if number == FAULTY => (tag, at, at - 1),
            Fault::DoneAtTheEndOfTime if number == FAULTY => (tag, at, u64::MAX),
            Fault::TakenBeforeItWasSubmitted if number == FAULTY => (tag, at - 200, done),
            _ => (tag, at, done),
        };
        if self.fault == Fault::ClockGoesBack && number == FAULTY {
            self.clock -= 400;
        }
        Completion { tag, submitted: Time(submitted), completed: Time(completed) }
    }
}

impl Target for Faulty {
    fn info(&self) -> &TargetInfo {
        &self.info
    }

    fn now(&mut self) -> Time {
        Time(self.clock - if self.fault == Fault::ClockLags { 1_000 } else { 0 })
    }

    fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError> {
        for request in requests {
            let is_in_flight = self.flying.iter().any(|other| other.tag == request.tag);
            assert!(!is_in_flight, "tag {} was given out while in flight", request.tag);
            let completion = self.completion(request.tag);
            self.flying.push(completion);
        }
        Ok(())
    }

    fn reap(&mut self, min: usize, until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        out.extend(self.again.take());
        if self.fault == Fault::ReturnsNothing && self.taken > FAULTY {
            return Ok(());
        }
        self.flying.sort_by_key(|completion| completion.completed);
        for _ in 0..min {
            if self.flying[0].completed > until {
                self.clock = self.clock.max(until.0);
                return Ok(());
            }
            let done = self.flying.remove(0);
            // A clock that went back stays behind for a while.
            let is_behind = self.fault == Fault::ClockGoesBack && self.taken > FAULTY;
            self.clock = if is_behind { self.clock + 1 } else { self.clock.max(done.completed.0) };
            out.push(done);
            match self.fault {
                Fault::CompletesTwiceAtOnce if self.taken > FAULTY => out.push(done),
                Fault::CompletesAgainLater if self.taken > FAULTY => self.again = Some(done),
                _ => {}
            }
        }
        Ok(())
    }

    fn serve(&mut self, request: &Request) -> Result<Completion, TargetError> {
        let done = submit_and_reap(self, request, &mut Vec::new())?;
        let tag = done.tag + u32::from(self.fault == Fault::ServesAnother);
        Ok(Completion { tag, ..done })
    }

    fn wait_until(&mut self, time: Time) {
        let is_early = self.fault == Fault::WakesEarly && self.taken > FAULTY;
        self.clock = self.clock.max(if is_early { time.0 - 1 } else { time.0 });
    }
}

/// Closed loops without and with a pause, and an open loop that is idle between its IOs.
fn pacings(iodepth: u32) -> [Pacing; 4] {
    [
        Pacing::Closed { iodepth, pause: Nanos::ZERO, burst: 1 },
        Pacing::Closed { iodepth, pause: Nanos(50), burst: 3 },
        Pacing::Traced { iodepth },
        Pacing::Due { iodepth },
    ]
}

fn run(fault: Fault, pacing: Pacing) -> (Result<Driven, TargetError>, Vec<Io>) {
    let mut pattern = Pattern::baseline(Rw::RandRead, Bytes(0), Bytes(1 << 30));
    (pattern.number_ios, pattern.rate_iops) = (Some(IOS), Some(5e6.into()));
    let mut streams = [Stream { source: PatternSource::new(&pattern, 0, 1), pacing }];
    let mut ios = Vec::new();
    let driven = drive(&mut Faulty::new(fault), &mut streams, Limits::default(), &mut |io: &Io| {
        ios.push(*io);
        Control::Continue
    });
    (driven, ios)
}

/// Runs a broken target at all depths and paces and returns what it broke there. Whatever was observed until
/// then is true.
fn breaches(fault: Fault, paces: impl Fn(&Pacing) -> bool) -> Vec<Breach> {
    let all = DEPTHS.into_iter().flat_map(pacings).filter(paces);
    let breach = |pacing| {
        let (driven, mut ios) = run(fault, pacing);
        let error = driven.expect_err("a broken target is an error");
        let ErrorKind::Broken(breach) = error.kind else { panic!("{fault:?}, {pacing:?}: {error}") };
        let text = error.to_string();
        assert!(text.starts_with("faulty: ") && text.contains(&breach.to_string()), "{text}");
        let is_true = |io: &Io| (100..=120).contains(&(io.response - io.late).0);
        assert!(ios.iter().all(is_true), "{fault:?}, {pacing:?}: {ios:?}");
        ios.sort_unstable_by_key(|io| io.index);
        ios.dedup_by_key(|io| io.index);
        assert!(ios.len() <= FAULTY + 8, "{fault:?}, {pacing:?}: it was believed for {} IOs", ios.len());
        breach
    };
    all.map(breach).collect()
}

#[test]
fn a_target_that_keeps_its_promises_is_believed() {
    for pacing in DEPTHS.into_iter().flat_map(pacings) {
        let (driven, ios) = run(Fault::None, pacing);
        assert_eq!((driven, ios.len()), (Ok(Driven::Exhausted), IOS as usize), "{pacing:?}");
    }
}

#[test]
fn a_tag_comes_back_once_and_only_if_in_flight() {
    let is_tag = |breach: &Breach| matches!(breach, Breach::NotInFlight { .. });
    assert!(breaches(Fault::CompletesTwiceAtOnce, |_| true).iter().all(is_tag));
    let never_got = breaches(Fault::CompletesWhatItNeverGot, |_| true);
    assert_eq!(never_got, vec![Breach::NotInFlight { tag: 77 }; never_got.len()]);
    // A tag may have gone out again by then: the completion of its last use is older than its new one.
    let later = breaches(Fault::CompletesAgainLater, |_| true);
    let is_old = |breach: &Breach| is_tag(breach) || matches!(breach, Breach::TakenEarly { .. });
    assert!(later.iter().all(is_old), "{later:?}");
}

#[test]
fn an_io_is_done_after_it_was_taken_and_taken_after_it_was_submitted() {
    for breach in breaches(Fault::DoneBeforeItWasTaken, |_| true) {
        let Breach::DoneEarly { submitted, completed } = breach else { panic!("{breach:?}") };
        assert_eq!(submitted.since(completed), Nanos(1));
    }
    // Where others are in flight beside it, they all come first.
    let is_alone = |pacing: &Pacing| matches!(pacing, Pacing::Closed { iodepth: 1, .. });
    for breach in breaches(Fault::DoneAtTheEndOfTime, is_alone) {
        let Breach::DoneNever { completed, .. } = breach else { panic!("{breach:?}") };
        assert_eq!(completed, Time::NEVER);
    }
    for breach in breaches(Fault::TakenBeforeItWasSubmitted, |_| true) {
        let Breach::TakenEarly { submitted, known } = breach else { panic!("{breach:?}") };
        assert!(submitted < known);
    }
}

/// Where nobody reads the clock, it shows in the stamps.
#[test]
fn the_clock_never_goes_back() {
    let seen = breaches(Fault::ClockGoesBack, |_| true);
    assert!(
        seen.iter().all(|breach| matches!(breach, Breach::ClockWentBack { .. } | Breach::TakenEarly { .. })),
        "{seen:?}"
    );
    assert!(seen.iter().any(|breach| matches!(breach, Breach::ClockWentBack { .. })), "{seen:?}");
}

#[test]
fn no_io_is_done_at_a_time_that_has_not_come() {
    for pacing in DEPTHS.into_iter().flat_map(pacings) {
        let (driven, _) = run(Fault::ClockLags, pacing);
        let error = driven.expect_err("a broken target is an error");
        // A reap until a time that lags brings nothing at all.
        let is_clock = match error.kind {
            ErrorKind::Broken(Breach::NothingDone { .. }) => matches!(pacing, Pacing::Due { .. }),
            ErrorKind::Broken(Breach::ClockWentBack { .. } | Breach::WokeEarly { .. }) => true,
            _ => false,
        };
        assert!(is_clock, "{pacing:?}: {error}");
    }
}

#[test]
fn a_reap_brings_what_it_waited_for() {
    let seen = breaches(Fault::ReturnsNothing, |_| true);
    assert!(seen.iter().all(|breach| matches!(breach, Breach::NothingDone { in_flight: 1.. })), "{seen:?}");
}

#[test]
fn a_wait_is_as_long_as_was_asked() {
    let waits = |pacing: &Pacing| matches!(pacing, Pacing::Closed { pause: Nanos(1..), .. });
    for breach in breaches(Fault::WakesEarly, waits) {
        let Breach::WokeEarly { asked, reached } = breach else { panic!("{breach:?}") };
        assert_eq!(asked.since(reached), Nanos(1));
    }
}

#[test]
fn what_serves_one_request_answers_that_request() {
    let is_short_way = |pacing: &Pacing| *pacing == Pacing::CONSECUTIVE;
    assert_eq!(breaches(Fault::ServesAnother, is_short_way), [Breach::NotInFlight { tag: 1 }]);
}
