//! What a sound measurement of a rig must find, in closed form from its rules. Where none is known the truth
//! says so; it never guesses.

mod backlog;
mod kind;
mod mix;

use flashscope_core::Pattern;

use self::kind::Kind;
use super::background::{capacity_ns, work_ns};
use super::classify::ESTABLISHED;
use super::service::{misalignment_factors, scaled};
use super::spec::{Background, Baseline, Cycle, RigSpec};
use backlog::Draining;

/// The truth about a pattern run on a rig that rested before: longer than `forget_after`, and long enough for
/// deferred work, after-effects and regimes to be over.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Truth {
    /// Mean response time in the running phase, in nanoseconds. None where no closed form is known; then the
    /// other fields mean nothing.
    pub mean_ns: Option<f64>,
    /// IOs before the running phase, of all processes together. The first two IOs of any pattern may swap
    /// part of their costs and are not counted for that: their mean is right.
    pub startup_ios: u64,
    /// The same in bytes.
    pub startup_bytes: u64,
    /// IOs in one oscillation of the running phase; none if it does not oscillate or that is not known.
    pub period_ios: Option<u64>,
    /// The levels that the response time goes through, as far as they are known; the last one is the
    /// running phase.
    pub regimes: Vec<Level>,
}

/// One level of the response time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// The first IO of it.
    pub from_ios: u64,
    /// The bytes before that.
    pub from_bytes: u64,
    /// Its mean response time in nanoseconds.
    pub mean_ns: f64,
}

impl RigSpec {
    /// The truth about `pattern`, which is valid for this rig.
    pub fn truth(&self, pattern: &Pattern) -> Truth {
        let truth = if pattern.mix.is_some() { self.mixed_truth(pattern) } else { self.plain_truth(pattern) };
        truth.unwrap_or_default()
    }

    fn plain_truth(&self, pattern: &Pattern) -> Option<Truth> {
        let kind = kind::kind(self, pattern)?;
        let crowd = self.crowding(pattern)?;
        self.check_pause(pattern, kind)?;
        let levels = match (kind, self.background) {
            (Kind::Random { .. } | Kind::LargeIncrement { .. }, Some(background)) => {
                self.deferred_levels(pattern, kind, background)?
            }
            _ => self.written_levels(pattern, kind)?,
        };
        let extra_ns = self.noise.spikes.map_or(0.0, |spikes| spikes.cost.0 as f64 / spikes.one_in as f64);
        let bs = pattern.bs.0;
        // A response time counts the services of the IOs ahead in the queue, too: they belong to the
        // level before.
        let ahead = u64::from(pattern.numjobs * pattern.iodepth) - 1;
        let level = |(from_ios, mean_ns)| {
            let from_ios = if from_ios > 0 { from_ios + ahead } else { 0 };
            Level { from_ios, from_bytes: from_ios * bs, mean_ns: (mean_ns + extra_ns) * crowd }
        };
        let regimes: Vec<Level> = levels.into_iter().map(level).collect();
        let last = regimes.last()?;
        Some(Truth {
            mean_ns: Some(last.mean_ns),
            startup_ios: last.from_ios,
            startup_bytes: last.from_bytes,
            period_ios: self.period(pattern, kind, regimes.len() > 1),
            regimes,
        })
    }

    /// Response time over service time: IOs in flight beyond the channels wait (Little's law, in saturation).
    fn crowding(&self, pattern: &Pattern) -> Option<f64> {
        let depth = pattern.numjobs * pattern.iodepth;
        let steady = pattern.rate_iops.is_none() && (depth == 1 || pattern.thinktime.0 == 0);
        steady.then(|| (f64::from(depth) / f64::from(self.parallel.channels)).max(1.0))
    }

    /// None if the pauses are so long that the device forgets or recovers between bursts.
    fn check_pause(&self, pattern: &Pattern, kind: Kind) -> Option<()> {
        let pause = pattern.thinktime;
        let sequential = matches!(kind, Kind::SequentialRead | Kind::SequentialWrite { streams: 1 });
        let recovers = self.regimes.as_ref().and_then(|regimes| regimes.reset_after_idle);
        let known = (pause < self.forget_after || sequential)
            && (!pattern.writes() || recovers.is_none_or(|reset| pause < reset));
        known.then_some(())
    }

    /// Mean service time of one IO in the running phase at a regime's `level`, and of a random one its share
    /// that is due at once.
    fn service_ns(&self, pattern: &Pattern, kind: Kind, level: f64) -> (u64, u64) {
        let bs = pattern.bs.0;
        let at_once_ns = scaled(self.latency.sequential_write.at(bs), level);
        let aligned = |baseline: Baseline, cost_ns| self.aligned_ns(pattern, baseline, cost_ns);
        let by_sequential = |factor| aligned(Baseline::SequentialWrite, scaled(at_once_ns, factor));
        let by_random = |factor: f64| {
            let mean_ns = scaled(self.latency.random_write().at(bs), level * factor);
            aligned(Baseline::RandomWrite, mean_ns)
        };
        let mean_ns = match kind {
            Kind::SequentialRead => aligned(Baseline::SequentialRead, self.latency.sequential_read.at(bs)),
            Kind::RandomRead => aligned(Baseline::RandomRead, self.latency.random_read().at(bs)),
            Kind::SequentialWrite { streams: 1 } => by_sequential(1.0),
            Kind::SequentialWrite { .. } => by_sequential(self.streams.factor),
            Kind::InPlace => by_sequential(self.order.in_place),
            Kind::Reverse => by_sequential(self.order.reverse),
            Kind::Local => by_sequential(self.locality.map_or(1.0, |locality| locality.factor)),
            Kind::Random { .. } => by_random(1.0),
            Kind::LargeIncrement { .. } => by_random(self.order.large_increment),
        };
        (mean_ns, at_once_ns.min(mean_ns))
    }

    fn aligned_ns(&self, pattern: &Pattern, baseline: Baseline, cost_ns: u64) -> u64 {
        let Some(alignment) = &self.alignment else { return cost_ns };
        let first = pattern.offset.0 + pattern.shift.0;
        let misaligned = (first | pattern.bs.0) & (alignment.unit.0 - 1) != 0;
        if misaligned { scaled(cost_ns, misalignment_factors(self)[baseline as usize]) } else { cost_ns }
    }

    /// Levels `(from_ios, mean_ns)` along the bytes written.
    fn written_levels(&self, pattern: &Pattern, kind: Kind) -> Option<Vec<(u64, f64)>> {
        let mean = |level| self.service_ns(pattern, kind, level).0 as f64;
        let opening_ios = self.opening_ios(pattern, kind);
        let Some(regimes) = self.regimes.as_ref().filter(|_| pattern.writes()) else {
            return Some(vec![(opening_ios, mean(1.0))]);
        };
        let mut levels = vec![(0, mean(1.0))];
        for step in &regimes.steps {
            let from_ios = step.from.0.div_ceil(pattern.bs.0);
            levels.retain(|(earlier, _)| *earlier < from_ios);
            levels.push((from_ios, mean(step.factor)));
        }
        (opening_ios == 0).then_some(levels)
    }

    /// IOs that are priced by another rule before the pattern shows, if that is to be seen at all.
    fn opening_ios(&self, pattern: &Pattern, kind: Kind) -> u64 {
        let ios = match kind {
            Kind::SequentialWrite { streams } if streams > 1 => streams,
            Kind::InPlace => u64::from(ESTABLISHED),
            Kind::Reverse => u64::from(ESTABLISHED) + 1,
            Kind::LargeIncrement { .. } => u64::from(ESTABLISHED),
            Kind::Random { local_ios } => local_ios,
            _ => return 0,
        };
        let cost = |kind| self.service_ns(pattern, kind, 1.0);
        let (steady_ns, _) = cost(kind);
        let random = cost(Kind::Random { local_ios: 0 });
        let random_ns = if self.background.is_some() { random.1 } else { random.0 };
        let mut others = vec![cost(Kind::SequentialWrite { streams: 1 }).0];
        others.extend(self.locality.map(|_| cost(Kind::Local).0));
        // A single place is local wherever there is such a rule.
        if kind != Kind::InPlace || self.locality.is_none() {
            others.push(random_ns);
        }
        let cycles = self.cycle.sequential_write.is_some() || self.cycle.random_write.is_some();
        let same = !cycles && others.iter().all(|&other_ns| other_ns == steady_ns);
        if same { 0 } else { ios }
    }

    /// Levels where random writes put off work: cheap until the backlog is full, then the mean.
    fn deferred_levels(
        &self,
        pattern: &Pattern,
        kind: Kind,
        background: Background,
    ) -> Option<Vec<(u64, f64)>> {
        if self.regimes.is_some() {
            return None;
        }
        let (mean_ns, at_once_ns) = self.service_ns(pattern, kind, 1.0);
        let draining = Draining {
            capacity_ns: capacity_ns(self, background.startup),
            work_ns: mean_ns - at_once_ns,
            pause_ns: if background.drains_while_idle { pattern.thinktime.0 } else { 0 },
            burst_ios: pattern.thinktime_blocks,
        };
        let (startup_ios, later_ns) = match self.opening_work(pattern, kind) {
            (0, _) => draining.steady()?,
            (ios, ns) if draining.pause_ns == 0 => (draining.after(ios, ns), draining.work_ns as f64),
            _ => return None,
        };
        let steady = (startup_ios, at_once_ns as f64 + later_ns);
        Some(if startup_ios > 0 { vec![(0, at_once_ns as f64), steady] } else { vec![steady] })
    }

    /// How many IOs at the start are priced by another rule, and the work that they leave behind in all.
    fn opening_work(&self, pattern: &Pattern, kind: Kind) -> (u64, u64) {
        let (ios, local_ios) = match kind {
            Kind::LargeIncrement { local_ios } => (u64::from(ESTABLISHED), local_ios),
            Kind::Random { local_ios } => (local_ios, local_ios),
            _ => (0, 0),
        };
        let (mean_ns, at_once_ns) = self.service_ns(pattern, Kind::Random { local_ios: 0 }, 1.0);
        (ios, (ios - local_ios) * (mean_ns - at_once_ns))
    }

    /// `deferred` says that work was put off and is paid for in the running phase.
    fn period(&self, pattern: &Pattern, kind: Kind, deferred: bool) -> Option<u64> {
        if pattern.numjobs * pattern.iodepth > 1 {
            return None;
        }
        let length = |cycle: Option<Cycle>| cycle.map(|cycle| u64::from(cycle.period));
        match kind {
            Kind::SequentialRead => length(self.cycle.sequential_read),
            Kind::RandomRead => length(self.cycle.random_read),
            Kind::SequentialWrite { .. } => length(self.cycle.sequential_write),
            Kind::Random { .. } | Kind::LargeIncrement { .. } => match self.background {
                None => length(self.cycle.random_write),
                Some(background) => {
                    let even = pattern.thinktime.0 == 0 || pattern.thinktime_blocks == 1;
                    let pays = deferred || background.startup == 0;
                    (pays && even && background.period > 1).then_some(u64::from(background.period))
                }
            },
            Kind::InPlace | Kind::Reverse | Kind::Local => None,
        }
    }

    /// The pause between two random writes of 32 KiB from which on they cost as sequential ones.
    pub(super) fn hiding_pause_ns(&self) -> Option<u64> {
        let background = self.background?;
        background.drains_while_idle.then(|| work_ns(self, super::background::REFERENCE_BYTES))
    }
}
