//! What is seen of a replay as it goes: response times by operation, lateness, and the records of all IOs.

use flashscope_analysis::Histogram;
use flashscope_core::{Control, Io, Nanos, Observer, Op, Record};
use flashscope_store::Recorder;
use serde::{Deserialize, Serialize};

/// A request within this of its time went on time.
pub const ON_TIME: Nanos = Nanos::from_us(50);

/// The listener hears of so many at once.
const HEARD_IOS: u64 = 256;

/// Times in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResponseUs {
    /// How many.
    pub ios: u64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Half are at most this.
    pub p50: f64,
    /// 95 % are at most this.
    pub p95: f64,
    /// 99 % are at most this.
    pub p99: f64,
    /// 99.9 % are at most this.
    pub p999: f64,
    /// Longest.
    pub max: f64,
}

/// Times as they are gathered.
#[derive(Clone, Default)]
pub(super) struct Times {
    histogram: Histogram,
    sum_ns: u128,
}

impl Times {
    pub(super) fn add(&mut self, time: Nanos) {
        self.histogram.record(time.0);
        self.sum_ns += u128::from(time.0);
    }

    /// What they are like, if there are any.
    pub(super) fn summary(&self) -> Option<ResponseUs> {
        let ios = self.histogram.ios();
        let at = |share: f64| self.histogram.quantile_ns(share) / 1e3;
        (ios > 0).then(|| ResponseUs {
            ios,
            mean: self.sum_ns as f64 / ios as f64 / 1e3,
            p50: at(0.5),
            p95: at(0.95),
            p99: at(0.99),
            p999: at(0.999),
            max: self.histogram.max_ns() as f64 / 1e3,
        })
    }
}

/// Sees every IO.
pub struct Tally<'a> {
    /// From submission to completion.
    all: Times,
    by_op: [Times; 4],
    late: Times,
    on_time: u64,
    ios: u64,
    bytes: [u64; 4],
    recorder: Option<&'a mut Recorder>,
    heard: &'a mut dyn FnMut(u64),
}

impl<'a> Tally<'a> {
    /// Nothing seen yet; `heard` is called with the number of IOs, now and then.
    pub fn new(recorder: Option<&'a mut Recorder>, heard: &'a mut dyn FnMut(u64)) -> Tally<'a> {
        let (all, by_op, late) = (Times::default(), Default::default(), Times::default());
        Tally { all, by_op, late, on_time: 0, ios: 0, bytes: [0; 4], recorder, heard }
    }

    /// Response times of all IOs, from submission on.
    pub fn response_us(&self) -> Option<ResponseUs> {
        self.all.summary()
    }

    /// Response times of one operation.
    pub fn response_us_of(&self, op: Op) -> Option<ResponseUs> {
        self.by_op[op as usize].summary()
    }

    /// How long after their time requests were submitted.
    pub fn lateness_us(&self) -> Option<ResponseUs> {
        self.late.summary()
    }

    /// Share of the requests that went within [`ON_TIME`] of their time.
    pub fn on_time_share(&self) -> f64 {
        self.on_time as f64 / self.ios.max(1) as f64
    }

    /// IOs seen.
    pub fn ios(&self) -> u64 {
        self.ios
    }

    /// Bytes of one operation.
    pub fn bytes(&self, op: Op) -> u64 {
        self.bytes[op as usize]
    }
}

impl Observer for Tally<'_> {
    fn observe(&mut self, io: &Io) -> Control {
        let taken = io.response - io.late;
        self.all.add(taken);
        let op = io.op as usize;
        self.by_op[op].add(taken);
        self.bytes[op] += u64::from(io.length_bytes);
        self.late.add(io.late);
        self.on_time += u64::from(io.late <= ON_TIME);
        self.ios += 1;
        if self.ios.is_multiple_of(HEARD_IOS) {
            (self.heard)(self.ios);
        }
        match &mut self.recorder {
            None => Control::Continue,
            Some(recorder) => {
                recorder.push(Record::new(io.submitted + io.late, taken, io.stream, io.index));
                if recorder.has_failed() { Control::Stop } else { Control::Continue }
            }
        }
    }
}
