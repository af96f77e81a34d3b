//! One run of one pattern: drive it, record it, judge it, stop.

use std::sync::atomic::AtomicBool;

use flashscope_analysis::{
    Cut, Decision, Estimate, Goal, Judge, Options, Outcome, Regime, Run, Series, Stop, Why, Windows,
};
use flashscope_core::seed::derive;
use flashscope_core::{
    Control, Driven, Io, Limits, Nanos, Observer, Op, Pattern, PatternSource, Record, Stream, Target,
    TargetError, Time, drive,
};

use crate::journal::Recording;

/// What is asked of a run.
#[derive(Clone, Copy, Debug)]
pub struct Measurement<'a> {
    /// The pattern, validated against the target.
    pub pattern: &'a Pattern,
    /// A load that runs beside it until it is over, validated too.
    pub beside: Option<&'a Pattern>,
    /// When it is enough; none means only the pattern's own count, the runtime or an interruption ends it.
    pub goal: Option<Goal>,
    /// The longest time it may take, and what to call it when that ends the run.
    pub runtime: Option<(Nanos, Stop)>,
    /// It is over after this long, once it has so many IOs.
    pub enough: Option<(Nanos, u64)>,
    /// After this long a run ends that would only narrow its interval or wait for a drift to end.
    pub patience: Option<Nanos>,
    /// Into which windows it is cut, and how many of them there are at most.
    pub windows: Option<(Cut, usize)>,
    /// Seed of its addresses.
    pub seed: u64,
    /// Ctrl-C.
    pub interrupted: &'a AtomicBool,
}

impl Measurement<'_> {
    /// The run's requests, one source for each parallel process. The same every time.
    pub fn sources(&self) -> Vec<PatternSource> {
        self.pattern.streams(self.seed).map(|stream| stream.source).collect()
    }

    /// IOs in flight, those of the load too.
    pub fn depth(&self) -> u32 {
        self.pattern.in_flight() + self.beside.map_or(0, Pattern::in_flight)
    }

    /// Its own streams, and behind them those of the load.
    fn streams(&self) -> Vec<Stream<PatternSource>> {
        let load = self.beside.into_iter().flat_map(|load| load.streams(derive(self.seed, LOAD)));
        self.pattern.streams(self.seed).chain(load).collect()
    }
}

/// A run, whole or broken off.
#[derive(Debug)]
pub struct MeasuredRun {
    /// What was measured up to the end or the error.
    pub run: Run,
    /// The IO that failed, if one did.
    pub error: Option<TargetError>,
}

/// The load's addresses have a seed of their own.
const LOAD: u64 = 0x6c6f_6164;
/// Progress is reported at least this often, in the target's time.
const LOOK_EVERY: Nanos = Nanos::from_ms(200);

/// Runs a pattern. `look` hears of progress: IOs so far, the estimate, why the run goes on.
pub fn measure<T: Target, R: Recording>(
    target: &mut T,
    measurement: &Measurement<'_>,
    recording: &mut R,
    look: &mut dyn FnMut(u64, Option<Estimate>, Option<Why>),
) -> MeasuredRun {
    let mut streams = measurement.streams();
    let limits =
        Limits { runtime: measurement.runtime.map(|(span, _)| span), interrupted: measurement.interrupted };
    let is_watched = !target.info().virtual_time;
    let mut watch = Watch::new(measurement, recording, look, is_watched);
    let driven = drive(target, &mut streams, limits, &mut watch);
    watch.into_measured(driven, measurement)
}

/// The observer of a run.
struct Watch<'a, R> {
    recording: &'a mut R,
    look: &'a mut dyn FnMut(u64, Option<Estimate>, Option<Why>),
    series: Series,
    judge: Judge,
    next_check_ios: u64,
    next_look: Time,
    patience: Time,
    /// When it is over, if it has so many IOs.
    enough: (Time, u64),
    last: (Option<Estimate>, Option<Why>),
    outcome: Option<Outcome>,
    /// IOs of each process that no summary may use, and how many were left out so far.
    ignore_ios: u64,
    ignored: Regime,
    /// IOs that were in flight at the verdict.
    drained_ios: u64,
    read_bytes: u64,
    written_bytes: u64,
    end: Time,
    windows: Option<Windows>,
    /// Streams from this one on are the load.
    load_from: u16,
}

/// Maximum IOs of a run: the record's clock would overflow first.
const IOS_MAX: u64 = u64::MAX / 4;

impl<'a, R: Recording> Watch<'a, R> {
    fn new(
        measurement: &Measurement<'_>,
        recording: &'a mut R,
        look: &'a mut dyn FnMut(u64, Option<Estimate>, Option<Why>),
        is_watched: bool,
    ) -> Watch<'a, R> {
        let judge = match measurement.goal {
            Some(goal) => Judge::new(goal, Options::default()),
            None => Judge::of_fixed_length(fixed_goal(measurement.pattern), Options::default()),
        };
        let next_check_ios = match (measurement.goal, is_watched) {
            (None, _) => u64::MAX,
            (Some(_), true) => judge.first_check_ios(),
            (Some(_), false) => judge.first_decision_ios(),
        };
        let enough = measurement.enough.map_or((Time::NEVER, 0), |(after, ios)| (Time::ZERO + after, ios));
        Watch {
            recording,
            look,
            series: Series::new(),
            judge,
            next_check_ios,
            next_look: (Time::ZERO + LOOK_EVERY).min(enough.0),
            patience: measurement.patience.map_or(Time::NEVER, |patience| Time::ZERO + patience),
            enough,
            last: (None, None),
            outcome: None,
            ignore_ios: measurement.pattern.ignore_ios,
            ignored: Regime { from_ios: 0, from_bytes: 0, mean_ns: 0.0 },
            drained_ios: 0,
            read_bytes: 0,
            written_bytes: 0,
            end: Time::ZERO,
            windows: measurement.windows.map(|(cut, most)| Windows::new(cut, most)),
            load_from: measurement.pattern.numjobs as u16,
        }
    }

    /// An IO of the load: only its bytes count.
    #[cold]
    fn observe_load(&mut self, io: &Io) -> Control {
        self.count(io);
        Control::Continue
    }

    /// Counts the bytes of an IO, and the time at which it ended. Returns what it read and wrote.
    #[inline]
    fn count(&mut self, io: &Io) -> (u32, u32) {
        let (read, written) = match io.op {
            Op::Write => (0, io.length_bytes),
            Op::Read => (io.length_bytes, 0),
            Op::Flush | Op::Trim => (0, 0),
        };
        self.read_bytes += u64::from(read);
        self.written_bytes += u64::from(written);
        self.end = self.end.max(io.submitted + io.response);
        (read, written)
    }

    /// The rare part of an observation.
    #[cold]
    fn pause_to_think(&mut self) -> Control {
        if self.recording.has_failed() {
            return Control::Stop;
        }
        if self.series.len() >= self.next_check_ios {
            match self.judge.check(&self.series) {
                Decision::Enough(outcome) => {
                    self.outcome = Some(*outcome);
                    return Control::Stop;
                }
                Decision::Continue { next_check_ios, why, estimate } => {
                    self.next_check_ios = next_check_ios;
                    self.last = (estimate, Some(why));
                }
            }
        }
        let is_enough =
            self.end >= self.enough.0 && self.ignored.from_ios + self.series.len() >= self.enough.1;
        if is_enough || self.end >= self.patience && self.is_only_wide() {
            self.outcome = Some(self.judge.finish(&self.series, Stop::Runtime));
            return Control::Stop;
        }
        self.next_look = (self.end + LOOK_EVERY).min(self.enough.0.max(self.end));
        (self.look)(self.series.len(), self.last.0, self.last.1);
        Control::Continue
    }

    /// Whether more IOs would only narrow the interval.
    fn is_only_wide(&self) -> bool {
        matches!(self.last.1, Some(Why::Wide { .. } | Why::Drifting { .. } | Why::NoInterval))
    }

    fn into_measured(
        self,
        driven: Result<Driven, TargetError>,
        measurement: &Measurement<'_>,
    ) -> MeasuredRun {
        let (stop, error) = match driven {
            Ok(Driven::Exhausted) => (Stop::Ios, None),
            Ok(Driven::OutOfTime) => (measurement.runtime.map_or(Stop::Runtime, |(_, stop)| stop), None),
            Ok(Driven::Interrupted | Driven::Stopped) => (Stop::Interrupted, None),
            Err(error) => (Stop::Failed, Some(error)),
        };
        let mut outcome = self.outcome.unwrap_or_else(|| self.judge.finish(&self.series, stop));
        behind(&self.ignored, &mut outcome);
        let ios = self.ignored.from_ios + self.series.len() + self.drained_ios;
        if is_overloaded(measurement.pattern, ios, self.end) {
            // The queue grows for as long as the run lasts: no mean exists.
            (outcome.estimate, outcome.stationary) = (None, false);
        }
        if measurement.pattern.in_flight() > 1 {
            // What recurs in the order of completions is the queue, not the device.
            outcome.phases.period = None;
        }
        let run = Run {
            ios,
            read_bytes: self.read_bytes,
            written_bytes: self.written_bytes,
            elapsed_ns: self.end.0,
            outcome,
            records: None,
            windows: self.windows.map_or(Vec::new(), Windows::finish),
            summary_only: false,
            cpu_ns: None,
        };
        MeasuredRun { run, error }
    }
}

/// Whether an open loop asked for more than the target serves.
fn is_overloaded(pattern: &Pattern, ios: u64, end: Time) -> bool {
    // A hundred arrivals late at the end are more than a hiccup.
    let asked = pattern.rate_iops.map(|rate| rate * end.0 as f64 / 1e9);
    asked.is_some_and(|asked| (ios as f64) < 0.97 * asked - 100.0)
}

/// Counts the IOs and bytes that were ignored into everything that counts from the first IO.
fn behind(ignored: &Regime, outcome: &mut Outcome) {
    let phases = &mut outcome.phases;
    phases.startup_ios += ignored.from_ios;
    phases.startup_ios_low += ignored.from_ios;
    phases.startup_ios_high += ignored.from_ios;
    phases.startup_bytes += ignored.from_bytes;
    phases.ios += ignored.from_ios;
    for regime in &mut phases.regimes {
        regime.from_ios += ignored.from_ios;
        regime.from_bytes += ignored.from_bytes;
    }
    if let Some(estimate) = &mut outcome.estimate {
        estimate.ios_ignored += ignored.from_ios;
    }
}

/// What a run of fixed length is held against when it is over.
fn fixed_goal(pattern: &Pattern) -> Goal {
    let goal = if pattern.writes() { Goal::writes() } else { Goal::reads() };
    Goal { ios_max: IOS_MAX, ..goal }
}

impl<R: Recording> Observer for Watch<'_, R> {
    #[inline]
    fn observe(&mut self, io: &Io) -> Control {
        if io.stream >= self.load_from {
            return self.observe_load(io);
        }
        self.recording.push(Record::new(io.submitted, io.response, io.stream, io.index));
        let (read, written) = self.count(io);
        if let Some(windows) = &mut self.windows {
            windows.push(self.end.0, io.response.0, read + written);
        }
        // What was in flight at the verdict was done too and is counted, but the verdict stands.
        if self.outcome.is_some() {
            self.drained_ios += 1;
            return Control::Stop;
        }
        if io.index < self.ignore_ios {
            self.ignored.from_ios += 1;
            self.ignored.from_bytes += u64::from(written);
        } else {
            self.series.push(io.response.0, written);
        }
        if self.series.len() >= self.next_check_ios || self.end >= self.next_look {
            return self.pause_to_think();
        }
        Control::Continue
    }
}
