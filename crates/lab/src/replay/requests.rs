//! The trace of a replay: opened as often as it is needed, and watched as it passes.

use std::sync::{Arc, Mutex};

use flashscope_core::number::count;
use flashscope_core::{Bytes, Nanos, Op, Request, RequestSource, TargetInfo};
use flashscope_trace::{
    Counts, Follower, LayoutCache, Leader, Reached, Reading, Record, Records, Reopen, Stop, Through,
    TraceError, TraceSource,
};

use super::PIECE_BYTES_REAL;
use super::tally::{ResponseUs, Times};
use crate::error::Result;
use crate::interrupt::Interrupt;
use crate::timing::Timing;
use crate::traces::{TraceInput, open_end};

/// Longer requests come in pieces, so that the buffers of a real target's IOs in flight take no more than
/// this together.
const BUFFERS_BYTES: u64 = 256 << 20;
/// The longest piece on a simulated one.
const PIECE_BYTES_MAX: u64 = 1 << 30;

/// What of a trace has passed so far.
#[derive(Clone, Default)]
pub struct Passed {
    /// Requests by operation.
    pub requests: [u64; 4],
    /// Bytes by operation.
    pub bytes: [u64; 4],
    /// Time of the first request.
    pub first_ns: Option<u64>,
    /// Time of the latest request.
    pub last_ns: u64,
    /// The longest request.
    pub length_bytes_max: u64,
    /// Requests that a read-only replay leaves out.
    pub left_out: u64,
    /// Latencies recorded in the trace.
    all: Times,
    /// The same by operation.
    by_op: [Times; 4],
}

impl Passed {
    fn add(&mut self, record: &Record) {
        self.requests[record.op as usize] += 1;
        let bytes = &mut self.bytes[record.op as usize];
        *bytes = bytes.saturating_add(record.length_bytes);
        self.first_ns.get_or_insert(record.time_ns);
        self.last_ns = self.last_ns.max(record.time_ns);
        self.length_bytes_max = self.length_bytes_max.max(record.length_bytes);
        if let Some(latency_ns) = record.latency_ns {
            self.all.add(Nanos(latency_ns));
            self.by_op[record.op as usize].add(Nanos(latency_ns));
        }
    }

    /// Latencies recorded in the trace, of one operation or of all.
    pub fn latencies(&self, op: Option<Op>) -> Option<ResponseUs> {
        op.map_or(&self.all, |op| &self.by_op[op as usize]).summary()
    }

    /// Requests of any kind.
    pub fn all(&self) -> u64 {
        self.requests.iter().sum()
    }

    /// From the first request to the last.
    pub fn span_ns(&self) -> u64 {
        self.last_ns.saturating_sub(self.first_ns.unwrap_or(self.last_ns))
    }
}

/// Records that are counted as they pass.
fn watched(trace: Box<dyn Records>, passed: Arc<Mutex<Passed>>) -> impl Records {
    Through::new(trace, move |trace, records| {
        let read = trace.next_batch(records);
        let mut passed = passed.lock().expect("nobody panics with it");
        records.iter().for_each(|record| passed.add(record));
        read
    })
}

/// The reads of a trace: what changes data is left out before anything else is done with it, so that nothing
/// is said of it. Counted where it is read to be replayed.
struct Reads {
    trace: Arc<dyn Reopen>,
    passed: Arc<Mutex<Passed>>,
}

impl Reads {
    fn of(trace: Box<dyn Records>, mut count: impl FnMut(u64) + Send + 'static) -> Box<dyn Records> {
        Box::new(Through::new(trace, move |trace: &mut dyn Records, records: &mut Vec<Record>| {
            loop {
                let read = trace.next_batch(records);
                let before = records.len();
                records.retain(|record| record.op == Op::Read);
                count((before - records.len()) as u64);
                if read? == 0 || !records.is_empty() {
                    return Ok(records.len());
                }
            }
        }))
    }
}

impl Reopen for Reads {
    fn open(&self) -> std::result::Result<Box<dyn Records>, TraceError> {
        let passed = self.passed.clone();
        let count = move |left_out| passed.lock().expect("nobody panics with it").left_out += left_out;
        self.trace.open().map(|trace| Reads::of(trace, count))
    }

    fn open_for_survey(&self) -> std::result::Result<Box<dyn Records>, TraceError> {
        self.trace.open_for_survey().map(|trace| Reads::of(trace, |_| ()))
    }

    fn is_read_once(&self) -> bool {
        self.trace.is_read_once()
    }
}

/// What was found by reading the whole trace before the first IO.
pub struct Survey {
    /// What is in it.
    pub passed: Passed,
    /// What the reader counted.
    pub counts: Counts,
    /// Its first line that is left out.
    pub first_bad_line: Option<String>,
    /// What was changed to fit it.
    pub notes: Vec<String>,
    /// Its format.
    pub format: &'static str,
    /// How it is read.
    pub reading: Option<Reading>,
}

/// The requests of a trace for a target, from the beginning each time.
pub struct Requests {
    input: TraceInput,
    read_only: bool,
    info: TargetInfo,
    piece_bytes: u32,
    layouts: LayoutCache,
    interrupt: Interrupt,
}

impl Requests {
    /// Reads the whole trace once: whatever is wrong with it is found before the first IO.
    pub fn survey(
        input: &TraceInput,
        read_only: bool,
        info: &TargetInfo,
        iodepth: u32,
        interrupt: &Interrupt,
    ) -> Result<(Requests, Survey)> {
        let real = (BUFFERS_BYTES / u64::from(iodepth)).min(PIECE_BYTES_REAL);
        let most = if info.virtual_time { PIECE_BYTES_MAX } else { real };
        let mut requests = Requests {
            input: input.clone(),
            read_only,
            info: info.clone(),
            piece_bytes: PIECE_BYTES_MAX as u32,
            layouts: LayoutCache::default(),
            interrupt: interrupt.clone(),
        };
        let (mut source, passed) = requests.source()?;
        let mut batch = vec![Request::default(); 4096];
        let mut deeper = 0u64;
        while let count @ 1.. = source.fill(&mut batch) {
            deeper +=
                batch[..count].iter().filter(|request| u32::from(request.depth) > iodepth).count() as u64;
            interrupt.check()?;
        }
        let source = source.inner();
        requests.check(source)?;
        let passed = passed.lock().expect("nobody panics with it").clone();
        let block_bytes = u64::from(info.logical_block_bytes.max(1));
        let most = most.clamp(block_bytes, PIECE_BYTES_MAX) / block_bytes * block_bytes;
        requests.piece_bytes = passed.length_bytes_max.clamp(block_bytes, most) as u32;
        let trace = source.trace();
        let first_bad_line = trace.first_bad_line().map(|error| error.with_remedy(None));
        let mut notes: Vec<_> = trace.notes().into_iter().map(|note| note.to_string()).collect();
        if deeper > 0 {
            let deeper = count(deeper);
            notes.push(format!("requests with a queue depth in the trace above iodepth {iodepth}: {deeper}"));
        }
        notes.extend(open_end(trace));
        let (format, reading, counts) = (trace.format(), trace.reading(), trace.counts());
        let survey = Survey { passed, counts, first_bad_line, notes, format, reading };
        Ok((requests, survey))
    }

    /// The largest request.
    pub fn piece_bytes(&self) -> u32 {
        self.piece_bytes
    }

    /// All requests, from the first on, and the count of what has passed. They end when they are interrupted.
    pub fn source(&self) -> Result<(Leader<TraceSource>, Arc<Mutex<Passed>>)> {
        let reached = Arc::<Reached>::default();
        self.source_of(|stop| stop.first(reached.clone()))
            .map(|(source, passed)| (Leader::new(source, reached), passed))
    }

    /// The same requests once more, as far as those of the `first` source were taken.
    pub fn source_again(&self, first: Arc<Reached>) -> Result<Follower<TraceSource>> {
        self.source_of(|stop| stop.second(first.clone())).map(|(source, _)| Follower::new(source, first))
    }

    fn source_of(&self, until: impl Fn(Stop) -> Stop) -> Result<(TraceSource, Arc<Mutex<Passed>>)> {
        let passed = Arc::new(Mutex::new(Passed::default()));
        let size = Bytes(self.info.size_bytes);
        let reads = passed.clone();
        let narrow = |trace: Arc<dyn Reopen>| match self.read_only {
            true => Arc::new(Reads { trace, passed: reads }),
            false => trace,
        };
        let trace = self.input.records(size, &self.layouts, &self.interrupt, until, narrow)?;
        let trace = watched(trace, passed.clone());
        let source = TraceSource::new(trace, &self.info, None);
        let source = source.in_pieces(self.piece_bytes);
        Ok(match self.input.timing {
            Timing::Depth => (source.with_depths(), passed),
            Timing::OnTime | Timing::Asap => (source, passed),
        })
    }

    /// What ended a source before the end of the trace.
    pub fn check(&self, source: &TraceSource) -> Result<()> {
        self.input.check(source)
    }
}
