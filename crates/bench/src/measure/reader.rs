//! What is read of a run while it goes on: a series for each kind of IO, and the verdict over them.

use flashscope_analysis::{
    Decision, Estimate, Goal, Judge, Options, Outcome, Phases, Regime, Responses, Series, Stop, Why,
    estimate, percentiles_from,
};
use flashscope_core::{Op, Time};

use super::kinds::Kinds;
use super::{Measurement, fixed_goal};

/// What the loop hands over of an IO.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub response_ns: u64,
    pub written_bytes: u32,
    pub op: Op,
    /// The pattern asks that no summary uses it.
    pub is_ignored: bool,
}

/// A look at the run, for a display.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    pub ios: u64,
    pub estimate: Option<Estimate>,
    pub why: Option<Why>,
}

/// Everything that is read of a run.
pub(super) struct Reader {
    /// All IOs of the pattern; flushes are none.
    series: Series,
    /// Each kind by itself; none where there is one alone.
    kinds: Option<Kinds>,
    op: Op,
    judge: Judge,
    confidence: f64,
    next_check_ios: u64,
    patience: Time,
    last: (Option<Estimate>, Option<Why>),
    ignored: Regime,
    /// Why it was found to be enough.
    verdict: Option<Stop>,
}

impl Reader {
    /// `is_watched`: somebody sees the looks that come before the first decision.
    pub fn new(measurement: &Measurement<'_>, is_watched: bool) -> Reader {
        let pattern = measurement.pattern;
        let judge = match measurement.goal {
            Some(goal) => Judge::new(goal, Options::default()),
            None => Judge::of_fixed_length(fixed_goal(pattern), Options::default()),
        };
        let next_check_ios = match (measurement.goal, is_watched) {
            (None, _) => u64::MAX,
            (Some(_), true) => judge.first_check_ios(),
            (Some(_), false) => judge.first_decision_ios(),
        };
        let has_kinds =
            pattern.mix.is_some_and(|mix| mix.rw.op() != pattern.rw.op()) || pattern.fsync.is_some();
        Reader {
            series: Series::new(),
            kinds: has_kinds.then(Kinds::new),
            op: pattern.rw.op(),
            judge,
            confidence: measurement.goal.map_or(Goal::reads().confidence, |goal| goal.confidence),
            next_check_ios,
            patience: measurement.patience.map_or(Time::NEVER, |patience| Time::ZERO + patience),
            last: (None, None),
            ignored: Regime { from_ios: 0, from_bytes: 0, mean_ns: 0.0 },
            verdict: None,
        }
    }

    /// Takes one IO.
    #[inline]
    pub fn push(&mut self, sample: &Sample) {
        let Sample { response_ns, written_bytes, op, is_ignored } = *sample;
        if is_ignored {
            self.ignored.from_ios += 1;
            self.ignored.from_bytes += u64::from(written_bytes);
            return;
        }
        if let Some(kinds) = &mut self.kinds {
            kinds.push(op, response_ns, written_bytes);
            if op == Op::Flush {
                return;
            }
        }
        self.series.push(response_ns, written_bytes);
    }

    /// Whether it is time for a look.
    #[inline]
    pub fn is_due(&self) -> bool {
        self.series.len() >= self.next_check_ios
    }

    /// Looks at what there is at `now`, the end of the last IO; why it is enough, if it is.
    pub fn look(&mut self, now: Time) -> Option<Stop> {
        if self.is_due() {
            match self.judge.check(&self.series) {
                Decision::Enough(outcome) => self.verdict = Some(outcome.stopped_because),
                Decision::Continue { next_check_ios, why, estimate } => {
                    self.next_check_ios = next_check_ios;
                    self.last = (estimate, Some(why));
                }
            }
        }
        if self.verdict.is_none() && now >= self.patience && self.is_only_wide() {
            self.verdict = Some(Stop::Runtime);
        }
        self.verdict
    }

    /// Whether more IOs would only narrow the interval.
    fn is_only_wide(&self) -> bool {
        matches!(self.last.1, Some(Why::Wide { .. } | Why::Drifting { .. } | Why::NoInterval))
    }

    /// What a display may show.
    pub fn shown(&self) -> Look {
        Look { ios: self.series.len(), estimate: self.last.0, why: self.last.1 }
    }

    /// What the run says; `because` is why it ended, where nothing that was read ended it.
    pub fn finish(self, because: Stop) -> (Outcome, Vec<Responses>) {
        let because = self.verdict.unwrap_or(because);
        let mut outcome = self.judge.finish(&self.series, because);
        let kinds = self.responses(&outcome.phases);
        behind(&self.ignored, &mut outcome);
        (outcome, kinds)
    }

    fn responses(&self, phases: &Phases) -> Vec<Responses> {
        let Some(kinds) = &self.kinds else {
            return vec![self.of_kind(self.op, &self.series, phases)];
        };
        kinds
            .behind(phases.startup_ios_high)
            .map(|(op, series, from_ios)| {
                let of_kind = Phases {
                    startup_ios: from_ios,
                    startup_ios_low: from_ios,
                    startup_ios_high: from_ios,
                    regimes: Vec::new(),
                    period: None,
                    ios: series.len(),
                    ..phases.clone()
                };
                self.of_kind(op, series, &of_kind)
            })
            .collect()
    }

    fn of_kind(&self, op: Op, series: &Series, phases: &Phases) -> Responses {
        let from_ios = phases.startup_ios_high.min(series.len());
        Responses {
            op,
            ios: series.len() - from_ios,
            estimate: estimate(series, phases, self.confidence).ok(),
            percentiles: percentiles_from(series, from_ios, self.confidence),
        }
    }
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
