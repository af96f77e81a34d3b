//! What is kept of every IO of a simulation: the distribution of response times, and a record if a folder was
//! asked for.

use flashscope_analysis::Histogram;
use flashscope_core::{Control, Io, Observer, Record};
use flashscope_store::Recorder;
use serde::{Deserialize, Serialize};

/// Response times in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ResponseUs {
    /// Mean.
    pub mean: f64,
    /// Median.
    pub p50: f64,
    /// 99th percentile.
    pub p99: f64,
    /// 99.9th percentile.
    pub p999: f64,
    /// Longest.
    pub max: f64,
}

/// Sees every IO.
pub struct Tally<'a> {
    histogram: Histogram,
    sum_ns: u64,
    recorder: Option<&'a mut Recorder>,
}

impl<'a> Tally<'a> {
    /// Nothing seen yet.
    pub fn new(recorder: Option<&'a mut Recorder>) -> Tally<'a> {
        Tally { histogram: Histogram::new(), sum_ns: 0, recorder }
    }

    /// The response times seen; none without an IO.
    pub fn response_us(&self) -> Option<ResponseUs> {
        let ios = self.histogram.ios();
        let at = |share: f64| self.histogram.quantile_ns(share) / 1e3;
        (ios > 0).then(|| ResponseUs {
            mean: self.sum_ns as f64 / ios as f64 / 1e3,
            p50: at(0.5),
            p99: at(0.99),
            p999: at(0.999),
            max: self.histogram.max_ns() as f64 / 1e3,
        })
    }

    /// IOs seen.
    pub fn ios(&self) -> u64 {
        self.histogram.ios()
    }
}

impl Observer for Tally<'_> {
    #[inline]
    fn observe(&mut self, io: &Io) -> Control {
        self.histogram.record(io.response.0);
        self.sum_ns += io.response.0;
        if let Some(recorder) = &mut self.recorder {
            recorder.push(Record::new(io.submitted, io.response, io.stream, io.index));
            if recorder.has_failed() {
                return Control::Stop;
            }
        }
        Control::Continue
    }
}
