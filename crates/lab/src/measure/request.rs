//! What is asked of a measurement, and what of it cannot be.

use std::str::FromStr;

use flashscope_analysis::{Goal, Stop};
use flashscope_bench::{Effort, LatencyTarget, OnError};
use flashscope_core::{Bytes, Nanos, ParseError, Pattern};
use flashscope_device::{DataPattern, Engine, Intent};

use crate::error::{Error, Remedy, Result};
use crate::run::{PRECISION, check_precision};
use crate::target::{OpenOptions, TargetSpec};
use crate::time::fresh_seed;

/// Bytes that the first look at writes spans where time is virtual and IOs are cheap: more than a volatile
/// cache holds, whose writes say nothing about the medium behind it.
const VIRTUAL_FIRST_BYTES: u64 = 64 << 20;
/// The most IOs that are spent on a precision.
const IOS_MAX: u64 = 1 << 24;
/// How far a measurement looks unless told otherwise: long enough that the longest stalls of a flash drive
/// that it could have missed do not change the mean by more than a twentieth.
pub const HORIZON: Reach = Reach::Time(Nanos::from_ms(6_200));
/// The longest that a real device is measured for a precision, unless a budget says otherwise.
pub const BUDGET: Nanos = Nanos::from_s(600);

/// How far a measurement looks before it believes that nothing else comes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reach {
    /// Time with IOs in flight.
    Time(Nanos),
    /// Bytes read and written.
    Bytes(Bytes),
    /// Bytes as a share of the pattern's space; may be above 1.
    Share(f64),
}

impl FromStr for Reach {
    type Err = ParseError;

    /// `10s`, `4GiB`, `200%`.
    fn from_str(text: &str) -> std::result::Result<Reach, ParseError> {
        if let Some(percent) = text.strip_suffix('%') {
            let share = percent.parse::<f64>().ok().map(|percent| percent / 100.0);
            let share = share.filter(|share| *share > 0.0 && share.is_finite());
            return share.map(Reach::Share).ok_or_else(|| Reach::no_value(text));
        }
        let time = text.parse().map(Reach::Time);
        time.or_else(|_| text.parse().map(Reach::Bytes)).map_err(|_: ParseError| Reach::no_value(text))
    }
}

impl Reach {
    fn no_value(text: &str) -> ParseError {
        ParseError::invalid(text, "not a horizon", "a time, a size or a share of the target: 10s, 4GiB, 200%")
    }
}

/// What to measure, and how long. The default reads only.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasureRequest {
    /// What to measure.
    pub target: TargetSpec,
    /// The pattern; a size of 0 is the rest of the target.
    pub pattern: Pattern,
    /// Find the block size from which on a larger one brings no more throughput; the pattern's own is not
    /// used.
    pub scales_bs: bool,
    /// Find the largest queue depth up to the pattern's own that meets this, and measure that for a window.
    pub latency_target: Option<LatencyTarget>,
    /// Half width of the 95 % interval of the mean, as a share of it; none: 0.05.
    pub precision: Option<f64>,
    /// Measure for this long instead.
    pub runtime: Option<Nanos>,
    /// Look at least at this many IOs before believing that no later regime comes.
    pub explore_ios: Option<u64>,
    /// How far to look before the mean is believed; none: [`MEASURE_HORIZON`](crate::MEASURE_HORIZON).
    pub horizon: Option<Reach>,
    /// Give up on the precision after this long; none: 10 min on a real device.
    pub budget: Option<Nanos>,
    /// Write so many bytes at most; none: as many as it takes.
    pub write_budget: Option<Bytes>,
    /// Whether the target may be written. Virtual ones always may.
    pub write: bool,
    /// Whether a file may be overwritten that flashscope did not make.
    pub overwrite_existing_data: bool,
    /// Whether IOs go through the page cache.
    pub buffered: bool,
    /// What becomes of IOs that fail. With a single experiment nothing else is lost, so the first one ends it
    /// unless something else is said.
    pub on_error: OnError,
    /// Seed of everything random; none: a new one.
    pub seed: Option<u64>,
    /// What writes contain.
    pub data: DataPattern,
    /// Engine for single IOs; none chooses.
    pub engine: Option<Engine>,
}

impl MeasureRequest {
    /// This pattern on this target.
    pub fn new(target: TargetSpec, pattern: Pattern) -> MeasureRequest {
        MeasureRequest {
            target,
            pattern,
            scales_bs: false,
            latency_target: None,
            precision: None,
            runtime: None,
            explore_ios: None,
            horizon: None,
            budget: None,
            write_budget: None,
            write: false,
            overwrite_existing_data: false,
            buffered: false,
            on_error: OnError::Stop,
            seed: None,
            data: DataPattern::Random,
            engine: None,
        }
    }

    pub(super) fn check(&self) -> Result<()> {
        let MeasureRequest { target, pattern, .. } = self;
        check_precision(self.precision)?;
        for (setting, time) in [("runtime", self.runtime), ("budget", self.budget)] {
            if time == Some(Nanos::ZERO) {
                return Err(Error::setting(setting, "must be more than 0"));
            }
        }
        if self.scales_bs && pattern.sizes.is_some() {
            return Err(Error::setting("bssplit", "has sizes of its own; look for a block size without it"));
        }
        if let Some(target) = &self.latency_target {
            self.check_latency_target(target)?;
        }
        // Before a target makes room for all that may be in flight.
        pattern.check()?;
        if pattern.writes() && !self.write && !target.is_virtual() {
            let problem = format!("{} writes to {target}", pattern.rw_word().unwrap_or(pattern.rw.name()));
            return Err(Error::usage(problem).with(Remedy::AllowWriting));
        }
        if self.engine == Some(Engine::Sync) && pattern.iodepth > 1 {
            return Err(Error::usage("the sync engine has one IO in flight").with(Remedy::OneInFlight));
        }
        if self.buffered && target.is_virtual() {
            let problem = format!("has no effect on {target}, which is not a real device");
            return Err(Error::setting("buffered", problem).with(Remedy::LeaveOut("buffered")));
        }
        if pattern.is_atomic && self.buffered {
            let problem = "goes past the page cache, so that each write reaches the device as it is";
            return Err(Error::setting("atomic", problem).with(Remedy::LeaveOut("buffered")));
        }
        if pattern.priorities.is_some() && target.is_virtual() {
            let problem = format!("has no effect on {target}, which is not a real device");
            return Err(Error::setting("priority", problem).with(Remedy::LeaveOut("priority")));
        }
        if pattern.priorities.is_some() && self.engine == Some(Engine::Sync) {
            let problem = "the sync engine has one priority for all IOs";
            return Err(Error::usage(problem).with(Remedy::LeaveOut("engine")));
        }
        target.refuse_ignored(self.engine, self.data)
    }

    fn check_latency_target(&self, target: &LatencyTarget) -> Result<()> {
        if target.latency == Nanos::ZERO {
            return Err(Error::setting("latency_target", "must be more than 0"));
        }
        if target.window == Nanos::ZERO {
            return Err(Error::setting("latency_window", "must be more than 0"));
        }
        if !(target.share > 0.0 && target.share <= 1.0) {
            return Err(Error::setting("latency_percentile", "must be more than 0% and at most 100%"));
        }
        let others = [
            ("bs", self.scales_bs),
            ("number_ios", self.pattern.number_ios.is_some()),
            ("rate_iops", self.pattern.rate_iops.is_some()),
            ("runtime", self.runtime.is_some()),
            ("precision", self.precision.is_some()),
            ("budget", self.budget.is_some()),
            ("horizon", self.horizon.is_some()),
            ("explore_ios", self.explore_ios.is_some()),
        ];
        match others.into_iter().find(|(_, is_given)| *is_given) {
            None => Ok(()),
            Some((other, _)) => {
                let problem = "tries each queue depth for its window, in a closed loop";
                Err(Error::setting("latency_target", problem).with(Remedy::LeaveOut(other)))
            }
        }
    }

    pub(super) fn opening(&self) -> OpenOptions {
        let pattern = &self.pattern;
        let span_bytes = if pattern.size.0 == 0 { 0 } else { pattern.end_bytes() };
        let intent = Intent {
            write: pattern.writes(),
            span_bytes,
            // Pattern::validate checks sizes against the sector, with the setting's name.
            io_unit_bytes: 0,
            overwrite_existing_data: self.overwrite_existing_data,
            buffered: self.buffered,
        };
        let io_bytes_max =
            if self.scales_bs { 8 << 20 } else { pattern.bs_max().0.clamp(512, 1 << 30) as u32 };
        OpenOptions {
            intent,
            engine: self.engine.or(pattern.priorities.is_some().then_some(Engine::IoUring)),
            data: self.data,
            io_bytes_max,
            depth_max: pattern.in_flight().max(1),
            seed: self.seed.unwrap_or_else(fresh_seed),
        }
    }

    /// What ends a run of `pattern`.
    pub(super) fn goal(&self, pattern: &Pattern, is_virtual: bool) -> Option<Goal> {
        if self.runtime.is_some() || pattern.number_ios.is_some() || self.latency_target.is_some() {
            return None;
        }
        let precision = self.precision.unwrap_or(PRECISION);
        let effort = Effort { precision, confidence: 0.95, explore_factor: 1, ios_max: IOS_MAX };
        let goal = effort.exploring(pattern);
        let first_ios = if is_virtual { virtual_first_ios(pattern) } else { 0 };
        let explore_ios = self.explore_ios.unwrap_or(goal.explore_ios.max(first_ios));
        let explore_ios = explore_ios.max(pattern.ignore_ios);
        let in_flight = u64::from(pattern.in_flight().max(1));
        let in_time =
            |span: Nanos| Goal { explore_ios, explore_ns: span.0.saturating_mul(in_flight), ..goal };
        let in_bytes = |bytes: u64| Goal {
            explore_ios: explore_ios.max((bytes as f64 / pattern.bs_mean().max(1.0)).ceil() as u64),
            ..goal
        };
        // A count of IOs is a horizon too.
        let asked = self.horizon.or(self.explore_ios.is_none().then_some(HORIZON));
        Some(match asked {
            None => Goal { explore_ios, ..goal },
            Some(Reach::Time(span)) => in_time(span),
            Some(Reach::Bytes(bytes)) => in_bytes(bytes.0),
            Some(Reach::Share(share)) => in_bytes((share * pattern.size.0 as f64).ceil() as u64),
        })
    }

    /// What ends it at the latest.
    pub(super) fn latest(&self, pattern: &Pattern, is_virtual: bool) -> Option<(Nanos, Stop)> {
        let window = self.latency_target.map(|target| target.window);
        match (self.runtime.or(window), self.budget) {
            (Some(runtime), _) => Some((runtime, Stop::Runtime)),
            (None, Some(budget)) => Some((budget, Stop::Budget)),
            // A real device that never settles must not be written for ever.
            (None, None) if is_virtual => None,
            (None, None) => self.goal(pattern, is_virtual).map(|_| (BUDGET, Stop::Budget)),
        }
    }
}

/// IOs of the first look at a virtual target; 0 for reads, which fill no cache.
fn virtual_first_ios(pattern: &Pattern) -> u64 {
    let bytes_each = pattern.write_share() * pattern.bs_mean();
    if bytes_each > 0.0 { (VIRTUAL_FIRST_BYTES as f64 / bytes_each).ceil() as u64 } else { 0 }
}
