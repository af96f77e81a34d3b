//! One run of one pattern: drive it, record it, judge it, stop.

mod beside;
mod heartbeat;
mod kinds;
mod lanes;
mod reader;
mod schedstat;
mod totals;

use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use flashscope_analysis::{Cut, Estimate, Gaps, Goal, Run, Stop, Why, Windows};
use flashscope_core::seed::derive;
use flashscope_core::{
    Control, Driven, Io, Limits, Nanos, Observer, Pattern, PatternSource, Record, Stream, Target,
    TargetError, Time, WriteBudget, drive,
};

use self::beside::{Hand, beside};
use self::heartbeat::{Heartbeat, LongIos, Pauses};
use self::lanes::{Merged, drive_each};
use self::reader::{Look, Reader, Sample};
use self::schedstat::SchedStat;
use self::totals::Totals;
pub(crate) use self::totals::is_overloaded;
use crate::journal::Recording;
use crate::lab::{CpuClock, Lab, Opener, Surroundings};
use crate::on_error::OnError;
use crate::together::Place;

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
    /// Bytes that may be written.
    pub writes: Option<&'a WriteBudget>,
    /// What becomes of IOs that fail.
    pub on_error: OnError,
    /// Its place among others at the same time, in real time.
    pub place: Option<&'a Place<'a>>,
    /// Seed of its addresses.
    pub seed: u64,
    /// Ctrl-C.
    pub interrupted: &'a AtomicBool,
}

impl<'a> Measurement<'a> {
    /// A run of the pattern to its own count or an interruption, with seed 1, which the first IO that fails
    /// ends.
    pub fn new(pattern: &'a Pattern, interrupted: &'a AtomicBool) -> Measurement<'a> {
        Measurement {
            pattern,
            beside: None,
            goal: None,
            runtime: None,
            enough: None,
            patience: None,
            windows: None,
            writes: None,
            on_error: OnError::Stop,
            place: None,
            seed: 1,
            interrupted,
        }
    }

    /// The run's requests, one source for each parallel process. The same every time.
    pub fn sources(&self) -> Vec<PatternSource> {
        self.pattern.streams(self.seed).map(|stream| stream.source).collect()
    }

    /// IOs in flight, those of the load too.
    pub fn depth(&self) -> u32 {
        self.pattern.in_flight() + self.beside.map_or(0, Pattern::in_flight)
    }

    /// Whether several processes run side by side, and nothing else.
    fn has_lanes(&self) -> bool {
        self.pattern.numjobs > 1 && self.beside.is_none()
    }

    fn limits(&self) -> Limits<'_> {
        let Measurement { runtime, writes, interrupted, .. } = *self;
        let flow = self.place.map_or(&[][..], Place::shares);
        let limits =
            Limits { runtime: runtime.map(|(span, _)| span), writes, flow, interrupted, ..Limits::default() };
        self.place.map_or(limits, |place| Limits { ended: place.end(), ..limits })
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
    /// What ended it, if that was an error.
    pub error: Option<TargetError>,
}

/// The load's addresses have a seed of their own.
const LOAD: u64 = 0x6c6f_6164;
/// Progress is reported at least this often, in the target's time.
const LOOK_EVERY: Nanos = Nanos::from_ms(200);

/// Maximum IOs of a run: the record's clock would overflow first.
const IOS_MAX: u64 = u64::MAX / 4;

/// Hears of progress: IOs so far, the estimate, why the run goes on.
pub type Progress<'a> = &'a mut (dyn FnMut(u64, Option<Estimate>, Option<Why>) + Send);

/// Runs a pattern on the target of a lab: each of several processes on a thread of its own where the lab
/// opens the target so often ([`Lab::opener`]), else all in one loop.
///
/// # Errors
/// The lab has no target for it.
pub fn measure_on<L: Lab, R: Recording>(
    lab: &mut L,
    measurement: &Measurement<'_>,
    recording: &mut R,
    look: Progress<'_>,
) -> Result<MeasuredRun, TargetError> {
    let beside = Beside { clock: lab.cpu_clock(), surroundings: lab.surroundings() };
    if measurement.has_lanes()
        && let Some(open) = lab.opener(measurement.pattern.numjobs, measurement.pattern.iodepth)
    {
        return Ok(on_threads(&open, beside, measurement, recording, look));
    }
    Ok(in_one_loop(lab.target(measurement.depth())?, beside, measurement, recording, look))
}

/// What is read beside a run.
#[derive(Default)]
struct Beside {
    clock: Option<CpuClock>,
    surroundings: Option<Box<dyn Surroundings>>,
}

/// Runs a pattern in one loop.
///
/// In real time the reading goes on beside the loop, on a thread of its own, so that a look never keeps an IO
/// waiting; what was done until its verdict arrives counts. In virtual time a look costs nothing that the
/// target could notice: there the verdict falls at the IO, and the same seed gives the same run.
pub fn measure<T: Target, R: Recording>(
    target: &mut T,
    measurement: &Measurement<'_>,
    recording: &mut R,
    look: Progress<'_>,
) -> MeasuredRun {
    in_one_loop(target, Beside::default(), measurement, recording, look)
}

/// With what is read beside it.
fn in_one_loop<T: Target, R: Recording>(
    target: &mut T,
    beside_it: Beside,
    measurement: &Measurement<'_>,
    recording: &mut R,
    look: Progress<'_>,
) -> MeasuredRun {
    let mut streams = measurement.streams();
    if target.info().virtual_time {
        let mut show = |shown: Look| look(shown.ios, shown.estimate, shown.why);
        let reader = Reader::new(measurement, false);
        let mut watch = Watch::new(measurement, recording, Inline { reader, show: &mut show });
        let driven = drive(target, &mut streams, measurement.limits(), &mut watch);
        let Watch { totals, feed, .. } = watch;
        return totals.into_measured(feed.reader, driven, measurement);
    }
    let mut cpu_ns = None;
    let mut measured = in_real_time(beside_it.surroundings, measurement, recording, look, |watch, begun| {
        begun(vec![SchedStat::own()]);
        let timed = beside_it.clock.map(|clock| (clock, clock()));
        let driven = drive(target, &mut streams, measurement.limits(), watch);
        cpu_ns = timed.map(|(clock, begin_ns)| clock().saturating_sub(begin_ns));
        driven
    });
    measured.run.cpu_ns = cpu_ns;
    measured
}

/// Runs each process of a pattern on a thread of its own, in real time. What was done until a verdict, an
/// interruption or an error has reached all of them counts.
pub fn measure_each<T: Target, R: Recording>(
    open: &Opener<'_, T>,
    measurement: &Measurement<'_>,
    recording: &mut R,
    look: Progress<'_>,
) -> MeasuredRun {
    on_threads(open, Beside::default(), measurement, recording, look)
}

/// With what is read beside it.
fn on_threads<T: Target, R: Recording>(
    open: &Opener<'_, T>,
    beside_it: Beside,
    measurement: &Measurement<'_>,
    recording: &mut R,
    look: Progress<'_>,
) -> MeasuredRun {
    let mut streams = measurement.streams();
    let threads = streams.len() as u32;
    let mut most_ns = None;
    let mut measured = in_real_time(beside_it.surroundings, measurement, recording, look, |watch, begun| {
        let Merged { driven, cpu_ns } = drive_each(open, &mut streams, measurement.limits(), watch, begun);
        most_ns = cpu_ns;
        driven
    });
    (measured.run.cpu_ns, measured.run.threads) = (most_ns, Some(threads));
    measured
}

/// Hears that IOs begin, with the counts of the threads that drive them.
type Begun<'a> = &'a mut dyn FnMut(Vec<SchedStat>);

/// Reads beside the driving, and notices where the threads that drive could not run. `drive` says when they
/// begin.
fn in_real_time<R: Recording>(
    mut surroundings: Option<Box<dyn Surroundings>>,
    measurement: &Measurement<'_>,
    recording: &mut R,
    look: Progress<'_>,
    drive: impl FnOnce(&mut Watch<'_, R, Hand<'_>>, Begun<'_>) -> Result<Driven, TargetError>,
) -> MeasuredRun {
    let mut show = |shown: Look| look(shown.ios, shown.estimate, shown.why);
    let reader = Reader::new(measurement, true);
    let (is_enough, pauses) = (AtomicBool::new(false), Pauses::default());
    thread::scope(|scope| {
        let (hand, reading) = beside(scope, reader, &is_enough, &mut show);
        let (mut heartbeat, mut began_s) = (None, None);
        let mut watch = Watch::new(measurement, recording, hand);
        watch.long = Some(LongIos::new(&pauses));
        let driven = drive(&mut watch, &mut |threads| {
            if let Some(place) = measurement.place {
                place.arrive(measurement.interrupted);
            }
            heartbeat = Some(Heartbeat::start(scope, threads, &pauses));
            surroundings.iter_mut().for_each(|surroundings| surroundings.begin());
            began_s = SystemTime::now().duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs_f64());
        });
        measurement.place.into_iter().for_each(Place::leave);
        heartbeat.into_iter().for_each(Heartbeat::stop);
        let Watch { totals, feed, long, .. } = watch;
        let disturbance = surroundings.map(|mut around| around.end(totals.read_bytes, totals.written_bytes));
        feed.close(totals.end, &reading);
        let reader = reading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let mut measured = totals.into_measured(reader, driven, measurement);
        (measured.run.began_s, measured.run.disturbance) = (began_s, disturbance);
        measured.run.standstills = long.and_then(LongIos::finish);
        measured.run.takes_turns = measurement.place.is_some_and(|place| !place.shares().is_empty());
        measured
    })
}

/// Where the loop puts what a summary may use.
trait Feed {
    /// Only then a gap between IOs is the instrument's.
    const IN_REAL_TIME: bool;
    /// An IO that ended at `end`; whether that is enough.
    fn push(&mut self, sample: Sample, end: Time) -> bool;
    /// The rare look at progress.
    fn pause(&mut self, end: Time) -> bool;
}

/// Read where it is driven.
struct Inline<'a> {
    reader: Reader,
    show: &'a mut (dyn FnMut(Look) + Send),
}

impl Feed for Inline<'_> {
    const IN_REAL_TIME: bool = false;

    #[inline]
    fn push(&mut self, sample: Sample, end: Time) -> bool {
        self.reader.push(&sample);
        self.reader.is_due() && self.pause(end)
    }

    #[cold]
    fn pause(&mut self, end: Time) -> bool {
        let is_enough = self.reader.look(end).is_some();
        if !is_enough {
            (self.show)(self.reader.shown());
        }
        is_enough
    }
}

impl Feed for Hand<'_> {
    const IN_REAL_TIME: bool = true;

    #[inline]
    fn push(&mut self, sample: Sample, end: Time) -> bool {
        Hand::push(self, sample, end)
    }

    fn pause(&mut self, _: Time) -> bool {
        false
    }
}

/// The observer of a run.
struct Watch<'a, R, F> {
    measurement: &'a Measurement<'a>,
    recording: &'a mut R,
    feed: F,
    next_look: Time,
    /// Those that may hold a pause of this process, in real time.
    long: Option<LongIos<'a>>,
    /// When it is over, if it has so many IOs.
    enough: (Time, u64),
    totals: Totals,
    /// IOs of each process that no summary may use.
    ignore_ios: u64,
    /// Streams from this one on are the load.
    load_from: u16,
}

impl<'a, R: Recording, F: Feed> Watch<'a, R, F> {
    fn new(measurement: &'a Measurement<'a>, recording: &'a mut R, feed: F) -> Watch<'a, R, F> {
        let pattern = measurement.pattern;
        let enough = measurement.enough.map_or((Time::NEVER, 0), |(after, ios)| (Time::ZERO + after, ios));
        let is_tight = F::IN_REAL_TIME
            && measurement.depth() == 1
            && pattern.thinktime == Nanos::ZERO
            && pattern.rate_iops.is_none()
            && measurement.place.is_none_or(|place| place.shares().is_empty());
        let totals = Totals {
            gaps: is_tight.then(Gaps::default),
            windows: measurement.windows.map(|(cut, most)| Windows::new(cut, most)),
            ..Totals::default()
        };
        Watch {
            measurement,
            recording,
            feed,
            next_look: (Time::ZERO + LOOK_EVERY).min(enough.0),
            long: None,
            enough,
            totals,
            ignore_ios: pattern.ignore_ios,
            load_from: pattern.numjobs as u16,
        }
    }

    /// An IO of the load: only its bytes count.
    #[cold]
    fn observe_load(&mut self, io: &Io) -> Control {
        self.totals.count(io);
        Control::Continue
    }

    /// The rare part of an observation.
    #[cold]
    fn pause(&mut self) -> Control {
        let end = self.totals.end;
        if self.recording.has_failed() {
            return Control::Stop;
        }
        if end >= self.enough.0 && self.totals.ios >= self.enough.1 {
            self.totals.is_over = Some(Stop::Runtime);
            return Control::Stop;
        }
        if self.feed.pause(end) {
            self.totals.is_over = Some(Stop::Precision);
            return Control::Stop;
        }
        self.next_look = (end + LOOK_EVERY).min(self.enough.0.max(end));
        Control::Continue
    }
}

/// What a run of fixed length is held against when it is over.
fn fixed_goal(pattern: &Pattern) -> Goal {
    let goal = if pattern.writes() { Goal::writes() } else { Goal::reads() };
    Goal { ios_max: IOS_MAX, ..goal }
}

impl<R: Recording, F: Feed> Observer for Watch<'_, R, F> {
    #[inline]
    fn observe(&mut self, io: &Io) -> Control {
        if io.stream >= self.load_from {
            return self.observe_load(io);
        }
        self.recording.push(Record::new(io.submitted, io.response, io.stream, io.index));
        let (read, written) = self.totals.count(io);
        let end = self.totals.end;
        if F::IN_REAL_TIME
            && let Some(long) = &mut self.long
        {
            long.see(io);
        }
        if let Some(windows) = &mut self.totals.windows {
            windows.push(end.0, io.response.0, read + written);
        }
        self.totals.ios += 1;
        // What was in flight at the verdict was done too and is counted, but the verdict stands.
        if self.totals.is_over.is_some() {
            return Control::Stop;
        }
        let is_ignored = io.index < self.ignore_ios;
        let sample = Sample { response_ns: io.response.0, written_bytes: written, op: io.op, is_ignored };
        if self.feed.push(sample, end) {
            self.totals.is_over = Some(Stop::Precision);
            return Control::Stop;
        }
        if end >= self.next_look { self.pause() } else { Control::Continue }
    }

    /// It has no response time, so nothing but its place is kept.
    #[cold]
    fn fail(&mut self, io: &Io, error: TargetError) -> Result<Control, TargetError> {
        if io.stream < self.load_from {
            self.recording.push(Record::failed(io.submitted, io.stream, io.index));
        }
        let Totals { ios, errors, end, is_over, .. } = &mut self.totals;
        errors.add(io, &error);
        // The time until its error is no gap between IOs.
        *end = (*end).max(io.submitted + io.response);
        if self.measurement.on_error.ends_experiment(errors.count, *ios) {
            return Err(error);
        }
        Ok(if is_over.is_some() { Control::Stop } else { Control::Continue })
    }
}
