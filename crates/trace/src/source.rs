//! A trace as a source of requests for the drive loop.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use flashscope_core::{Op, Request, RequestSource, TargetInfo, Time};

use crate::error::{Remedy, TraceError};
use crate::record::Record;
use crate::records::Records;

/// The longest piece of a request that does not fit one: a multiple of every block size up to it.
const PIECE_BYTES: u64 = 1 << 31;

/// The requests of one device of a trace, in the trace's order, due as they came: from the first record of
/// that device on. A record that is earlier than the one before it is due with it.
///
/// Nothing is wrapped, shifted or rounded: a request that the target cannot take ends the source, as a bad
/// line does. Whoever drives it asks for [`TraceSource::error`] at the end.
pub struct TraceSource {
    trace: Box<dyn Records>,
    /// `None`: the only one there is.
    device: Option<String>,
    size_bytes: u64,
    logical_block_bytes: u64,
    piece_bytes: u64,
    depths: Option<Depths>,
    records: Vec<Record>,
    next: usize,
    /// Pieces still to come of a record that is longer than a request can be.
    rest: Option<Request64>,
    /// Records of the trace taken so far, of any device.
    taken: u64,
    first_ns: Option<u64>,
    due: Time,
    error: Option<TraceError>,
    at_end: bool,
}

/// A request of any length.
struct Request64 {
    request: Request,
    length_bytes: u64,
}

/// How many requests were in flight in the trace, from its latencies.
#[derive(Default)]
struct Depths {
    /// When those in flight were done, the earliest on top.
    done_ns: BinaryHeap<Reverse<u64>>,
}

impl Depths {
    /// One more begins, and will be done then; returns how many there are with it.
    fn enter(&mut self, time_ns: u64, done_ns: u64) -> u16 {
        while self.done_ns.peek().is_some_and(|Reverse(first_ns)| *first_ns <= time_ns) {
            self.done_ns.pop();
        }
        // More than any target holds; what is beyond it is not kept.
        if self.done_ns.len() < usize::from(u16::MAX) {
            self.done_ns.push(Reverse(done_ns));
        }
        self.done_ns.len() as u16
    }
}

impl TraceSource {
    /// The requests that `trace` has not given yet, for a target as `info` says. Without a `device`, the
    /// trace must hold only one.
    pub fn new(trace: impl Records + 'static, info: &TargetInfo, device: Option<&str>) -> TraceSource {
        TraceSource {
            trace: Box::new(trace),
            device: device.map(Into::into),
            size_bytes: info.size_bytes,
            logical_block_bytes: u64::from(info.logical_block_bytes.max(1)),
            piece_bytes: PIECE_BYTES,
            depths: None,
            records: Vec::new(),
            next: 0,
            rest: None,
            taken: 0,
            first_ns: None,
            due: Time::ZERO,
            error: None,
            at_end: false,
        }
    }

    /// Longer requests come in pieces of this many bytes, a multiple of the target's blocks, due together.
    pub fn in_pieces(self, piece_bytes: u32) -> TraceSource {
        TraceSource { piece_bytes: u64::from(piece_bytes), ..self }
    }

    /// With the queue depth implied by the trace's latencies, for [`flashscope_core::Pacing::Traced`]. A
    /// record without a latency ends the source.
    pub fn with_depths(self) -> TraceSource {
        TraceSource { depths: Some(Depths::default()), ..self }
    }

    /// What ended the source before the end of the trace.
    pub fn error(&self) -> Option<&TraceError> {
        self.error.as_ref()
    }

    /// The trace, for its counts and devices.
    pub fn trace(&self) -> &dyn Records {
        &*self.trace
    }

    /// The next request, whole.
    fn next(&mut self) -> Result<Option<Request64>, TraceError> {
        loop {
            while let Some(&record) = self.records.get(self.next) {
                self.next += 1;
                self.taken += 1;
                if self.is_chosen(&record)? {
                    return self.request(&record).map(Some);
                }
            }
            // What a failed batch still brought is served before its error.
            if let Some(error) = self.error.take() {
                return Err(error);
            }
            self.next = 0;
            match self.trace.next_batch(&mut self.records) {
                Ok(0) => return self.check_device().map(|()| None),
                Ok(_) => {}
                Err(error) => self.error = Some(error),
            }
        }
    }

    fn is_chosen(&mut self, record: &Record) -> Result<bool, TraceError> {
        let Some(name) = self.trace.devices().get(record.device as usize) else {
            return Err(self.refused(
                record,
                "it is of a device that its reader did not name",
                Remedy::Reader,
            ));
        };
        match &self.device {
            Some(device) => Ok(device == name),
            None if record.device == 0 => Ok(true),
            None => {
                let problem = format!("it is for a second device, {name}");
                Err(self.refused(record, &problem, Remedy::OneDevice))
            }
        }
    }

    fn request(&mut self, record: &Record) -> Result<Request64, TraceError> {
        let Record { time_ns, offset_bytes, length_bytes, op, flags, .. } = *record;
        if offset_bytes.checked_add(length_bytes).is_none_or(|end| end > self.size_bytes) {
            let problem = format!("it lies beyond the target's {} bytes", self.size_bytes);
            return Err(self.refused(record, &problem, Remedy::Fit));
        }
        if length_bytes == 0 && op != Op::Flush {
            return Err(self.refused(record, "it has no bytes", Remedy::Reader));
        }
        let block = self.logical_block_bytes;
        if offset_bytes % block != 0 || length_bytes % block != 0 {
            let problem = format!("it is not aligned to the target's blocks of {block} bytes");
            return Err(self.refused(record, &problem, Remedy::Align));
        }
        let first_ns = *self.first_ns.get_or_insert(time_ns);
        self.due = self.due.max(Time(time_ns.saturating_sub(first_ns)));
        let depth = match (&mut self.depths, record.latency_ns) {
            (None, _) => 0,
            (Some(depths), Some(latency_ns)) => {
                // From its own time on, which is earlier than when it is due if the trace goes back.
                let done_ns = time_ns.saturating_add(latency_ns).saturating_sub(first_ns);
                depths.enter(self.due.0, done_ns)
            }
            (Some(_), None) => {
                let remedy = Remedy::Other("replay it on time or as fast as possible instead".into());
                return Err(self.refused(record, "the trace has no latency for it", remedy));
            }
        };
        let request = Request { offset_bytes, due: self.due, depth, op, flags, ..Request::default() };
        Ok(Request64 { request, length_bytes })
    }

    fn refused(&self, record: &Record, problem: &str, remedy: Remedy) -> TraceError {
        let Record { op, length_bytes, offset_bytes, .. } = record;
        TraceError::Request {
            record: self.taken,
            request: format!("{op} of {length_bytes} bytes at offset {offset_bytes}"),
            problem: problem.into(),
            remedy,
        }
    }

    /// An error if the chosen device was not in the trace.
    fn check_device(&self) -> Result<(), TraceError> {
        match &self.device {
            Some(device) if self.first_ns.is_none() => {
                let known = self.trace.devices().join(" ");
                Err(TraceError::NoSuchDevice { device: device.clone(), known })
            }
            _ => Ok(()),
        }
    }

    /// The next request that fits one.
    fn piece(&mut self) -> Result<Option<Request>, TraceError> {
        let whole = match self.rest.take() {
            Some(rest) => rest,
            None => match self.next()? {
                Some(whole) => whole,
                None => return Ok(None),
            },
        };
        let Request64 { mut request, length_bytes } = whole;
        request.length_bytes = length_bytes.min(self.piece_bytes) as u32;
        if length_bytes > self.piece_bytes {
            let rest = Request { offset_bytes: request.offset_bytes + self.piece_bytes, ..request };
            self.rest = Some(Request64 { request: rest, length_bytes: length_bytes - self.piece_bytes });
        }
        debug_assert!(request.length_bytes > 0 || request.op == Op::Flush);
        Ok(Some(request))
    }
}

impl RequestSource for TraceSource {
    fn fill(&mut self, batch: &mut [Request]) -> usize {
        let mut filled = 0;
        while filled < batch.len() && !self.at_end {
            match self.piece() {
                Ok(Some(request)) => {
                    batch[filled] = request;
                    filled += 1;
                }
                Ok(None) => self.at_end = true,
                Err(error) => (self.error, self.at_end) = (Some(error), true),
            }
        }
        filled
    }
}
