//! What a device is given to do: patterns, traces and lists of pages, as one kind of source.

use flashscope_core::{Op, Pattern, PatternSource, Request, RequestSource, TargetInfo};
use flashscope_lab::{Error, Result};
use flashscope_trace::generate::{self, Options};
use flashscope_trace::{TraceSource, samples};

/// What is to be done.
#[expect(clippy::large_enum_variant, reason = "a study has few")]
pub enum Work {
    /// A pattern with a count of IOs.
    Pattern(Pattern),
    /// A recorded trace by its name: see [`flashscope_trace::samples`].
    Sample(&'static str),
    /// A recorded trace with a flush behind every so many of its writes.
    Flushed(&'static str, u64),
    /// A generated trace by its name or its paper's, with settings.
    Generated(&'static str, &'static [(&'static str, &'static str)]),
    /// Writes of so many bytes at these multiples of them.
    Writes(u32, Vec<u64>),
}

/// The requests of a work.
pub enum Requests {
    /// Of a pattern.
    Pattern(Box<PatternSource>),
    /// Of a trace.
    Trace(Box<TraceSource>),
    /// Of a trace, with flushes put in.
    Flushed(Box<Flushed>),
    /// Of a list: those that are left, in order.
    List(std::vec::IntoIter<Request>),
}

impl RequestSource for Requests {
    fn fill(&mut self, batch: &mut [Request]) -> usize {
        match self {
            Requests::Pattern(source) => source.fill(batch),
            Requests::Trace(source) => source.fill(batch),
            Requests::Flushed(source) => source.fill(batch),
            Requests::List(left) => {
                let taken = batch.iter_mut().zip(left).map(|(slot, request)| *slot = request);
                taken.count()
            }
        }
    }
}

/// A trace, and a flush behind every so many of its writes.
pub struct Flushed {
    trace: TraceSource,
    every: u64,
    writes: u64,
    is_due: bool,
}

impl RequestSource for Flushed {
    fn fill(&mut self, batch: &mut [Request]) -> usize {
        for (at, slot) in batch.iter_mut().enumerate() {
            if std::mem::take(&mut self.is_due) {
                *slot = Request { op: Op::Flush, ..Request::default() };
            } else if self.trace.fill(std::slice::from_mut(slot)) == 0 {
                return at;
            } else if slot.op == Op::Write {
                self.writes += 1;
                self.is_due = self.writes.is_multiple_of(self.every);
            }
        }
        batch.len()
    }
}

/// The writes of other requests, and none of the rest.
pub struct Writes(Requests);

impl RequestSource for Writes {
    fn fill(&mut self, batch: &mut [Request]) -> usize {
        // Fewer than asked would mean the end: it goes on until the batch is full.
        let mut kept = 0;
        while kept < batch.len() {
            let open = &mut batch[kept..];
            let (asked, filled) = (open.len(), self.0.fill(open));
            let mut writes = 0;
            for at in 0..filled {
                if open[at].op == Op::Write {
                    open.swap(writes, at);
                    writes += 1;
                }
            }
            kept += writes;
            if filled < asked {
                break;
            }
        }
        kept
    }
}

impl Writes {
    /// See [`Requests::check`].
    ///
    /// # Errors
    /// The target cannot take a request.
    pub fn check(&self) -> Result<()> {
        self.0.check()
    }
}

impl Requests {
    /// Writes alone, none of a trace longer than `piece_bytes`.
    pub fn of_writes(self, piece_bytes: u32) -> Writes {
        Writes(match self {
            Requests::Trace(source) => Requests::Trace(Box::new(source.in_pieces(piece_bytes))),
            other => other,
        })
    }

    /// Tells what ended a trace early.
    ///
    /// # Errors
    /// The target cannot take a request of it.
    pub fn check(&self) -> Result<()> {
        let trace = match self {
            Requests::Trace(source) => source,
            Requests::Flushed(source) => &source.trace,
            _ => return Ok(()),
        };
        trace.error().map_or(Ok(()), |error| Err(Error::failed(error.to_string())))
    }
}

impl Work {
    /// Its requests, for a target as `info` says.
    ///
    /// # Errors
    /// The pattern does not fit; there is no such trace.
    pub fn source(&self, info: &TargetInfo, seed: u64) -> Result<Requests> {
        Ok(match self {
            Work::Pattern(pattern) => {
                pattern.validate(info)?;
                Requests::Pattern(Box::new(PatternSource::new(pattern, 0, seed)))
            }
            Work::Sample(name) => {
                Requests::Trace(Box::new(TraceSource::new(samples::open(name)?, info, None)))
            }
            Work::Flushed(name, every) => {
                let trace = TraceSource::new(samples::open(name)?, info, None);
                Requests::Flushed(Box::new(Flushed { trace, every: *every, writes: 0, is_due: false }))
            }
            Work::Generated(name, set) => {
                let set = set.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
                let options = Options { size_bytes: info.size_bytes, seed, set, ..Default::default() };
                let trace = generate::generate(name, &options)?;
                Requests::Trace(Box::new(TraceSource::new(trace, info, None)))
            }
            Work::Writes(length_bytes, places) => {
                let length_bytes = *length_bytes;
                let write = |place: &u64| Request {
                    offset_bytes: place * u64::from(length_bytes),
                    length_bytes,
                    op: Op::Write,
                    ..Request::default()
                };
                Requests::List(places.iter().map(write).collect::<Vec<_>>().into_iter())
            }
        })
    }
}
