//! The four numbers by which a drive is known: reads and writes, in order and at random, of the baseline's
//! size, one at a time.

use std::path::Path;

use flashscope_analysis::{
    Answered, Context, Finished, Histogram, Indicator, Metric, Point, RunThreshold, Series, Support,
    percentiles_from, points,
};
use flashscope_core::Op;
use flashscope_store::ResultFile;
use flashscope_store::ios::IoFile;

/// The four, by their names in words and in uFLIP.
pub const FOUR: [(&str, &str); 4] =
    [("sequential read", "SR"), ("random read", "RR"), ("sequential write", "SW"), ("random write", "RW")];

/// So many response times are kept one by one: of more, percentiles are those of bins.
const EXACT_MAX: usize = 1 << 20;

/// Percentiles that are shown.
pub const SHOWN: [f64; 3] = [50.0, 99.0, 99.9];

/// One of the four.
pub struct Headline<'a> {
    /// `sequential read`.
    pub name: &'static str,
    /// All its rounds: the mean response time and its interval.
    pub point: Point<'a>,
    /// How sure the mean is.
    pub state: Support,
    /// Response times behind the means of all rounds; nothing where the IOs could not be kept.
    pub latencies: Histogram,
    /// The same sorted, unless there are more than [`EXACT_MAX`].
    sorted_ns: Vec<u64>,
}

impl Headline<'_> {
    /// Bytes of an IO, in the mean.
    pub fn io_bytes(&self) -> f64 {
        self.point.experiment.pattern.bs_mean()
    }

    fn answer(&self, condition: &RunThreshold, folder: &Path) -> Answered {
        let estimate = self.point.estimate;
        let number = match condition.threshold.metric {
            Metric::Mean => estimate.map(|mean| Indicator {
                value: mean.mean_ns,
                ci_low: mean.ci_low_ns,
                ci_high: mean.ci_high_ns,
            }),
            Metric::Percentile(percent) => self.percentile(percent, folder),
            Metric::Iops => self.point.iops(),
            Metric::MbPerS => self.point.iops().map(|rate| rate.times(self.io_bytes() / 1e6)),
        };
        let confidence = estimate.map(|mean| mean.confidence);
        let (unseen, is_sound) = (self.point.unseen_share(), self.point.is_sound());
        let answered = condition.threshold.answer_of(number, unseen, is_sound, confidence);
        Answered { of: Some(self.name), ..answered }
    }

    /// In nanoseconds, with its interval; none where the IOs are too few for one.
    fn percentile(&self, percent: f64, folder: &Path) -> Option<Indicator> {
        let mut series = Series::new();
        each_response_ns(folder, &self.point, |response_ns| series.push(response_ns, 0));
        let found = percentiles_from(&series, 0, self.point.estimate?.confidence);
        let one = found.into_iter().find(|one| one.percent == percent)?;
        Some(Indicator { value: one.value_ns, ci_low: one.ci_low_ns, ci_high: one.ci_high_ns })
    }

    /// As the rounds themselves have it, without their IOs: the middle one of theirs.
    pub fn percentile_of_rounds_ns(&self, percent: f64) -> Option<f64> {
        let kinds = self.point.counting().flat_map(|run| &run.kinds);
        let all = kinds.flat_map(|kind| &kind.percentiles).filter(|one| one.percent == percent);
        let mut values_ns: Vec<f64> = all.map(|one| one.value_ns).collect();
        values_ns.sort_by(f64::total_cmp);
        values_ns.get(values_ns.len() / 2).copied()
    }

    /// In nanoseconds; none where fewer than ten IOs lie beyond.
    pub fn percentile_ns(&self, percent: f64) -> Option<f64> {
        let of_bin = self.latencies.quantile_told_ns(percent / 100.0)?;
        // A share such as 0.999 is not exact.
        let rank = (percent / 100.0 * self.sorted_ns.len() as f64 - 1e-6).ceil().max(1.0) as usize;
        Some(self.sorted_ns.get(rank - 1).map_or(of_bin, |exact| *exact as f64))
    }
}

/// Those of the four that have a mean; `folder` has the IOs.
pub fn headlines<'a>(
    context: &Context,
    finished: &'a [Finished],
    folder: Option<&Path>,
) -> Vec<Headline<'a>> {
    let points = points(finished);
    let of = |(name, curve): (&'static str, &str)| {
        let is_it = |point: &&Point<'_>| {
            (point.experiment.micro.as_str(), point.experiment.curve.as_str()) == ("baseline", curve)
        };
        let point = points.iter().find(is_it).filter(|point| point.estimate.is_some())?.clone();
        let state = point.confidence(context.precision);
        let (latencies, sorted_ns) = folder.map_or_else(Default::default, |folder| latencies(folder, &point));
        Some(Headline { name, point, state, latencies, sorted_ns })
    };
    FOUR.into_iter().filter_map(of).collect()
}

/// Whether conditions on the four hold. A percentile is that of the IOs of all rounds together.
pub fn answers(
    conditions: &[RunThreshold],
    context: &Context,
    finished: &[Finished],
    folder: &Path,
) -> Vec<Answered> {
    let four = if conditions.is_empty() { Vec::new() } else { headlines(context, finished, None) };
    let answer = |condition: &RunThreshold| {
        let is_about = |one: &&Headline<'_>| {
            let op = if one.name.ends_with("read") { Op::Read } else { Op::Write };
            condition.is_about(one.name.starts_with("random"), op)
        };
        condition.answer(four.iter().filter(is_about).map(|one| one.answer(condition, folder)))
    };
    conditions.iter().map(answer).collect()
}

/// Counted, and sorted unless there are too many.
fn latencies(folder: &Path, point: &Point<'_>) -> (Histogram, Vec<u64>) {
    let (mut all, mut each) = (Histogram::new(), Vec::new());
    each_response_ns(folder, point, |response_ns| {
        all.record(response_ns);
        if each.len() <= EXACT_MAX {
            each.push(response_ns);
        }
    });
    each.sort_unstable();
    (all, if each.len() > EXACT_MAX { Vec::new() } else { each })
}

/// Hears of the response times behind the means of all rounds.
fn each_response_ns(folder: &Path, point: &Point<'_>, mut hear: impl FnMut(u64)) {
    for run in point.counting() {
        let Some(records) = &run.records else { continue };
        let mut left_out = run.ios_ignored();
        let take = |responses_ns: &[i64]| {
            let skipped = left_out.min(responses_ns.len() as u64);
            left_out -= skipped;
            let running = &responses_ns[skipped as usize..];
            running.iter().for_each(|response_ns| hear(response_ns.unsigned_abs()));
        };
        // What is damaged is reported where the whole folder is read.
        let _ = IoFile::open(&ResultFile::new(folder, records)).and_then(|ios| ios.each_response_ns(take));
    }
}
