//! Block traces: read in two dozen formats, changed, described, made up, written, and turned into requests.
//!
//! ```text
//!  file, pipe --TraceFile--> Reader --+                             +--> Writer --> another format
//!            (any of Formats)         |                             |
//!  Generators --> Generated ----------+--> Pipeline, transform -----+--> Stats --> Summary
//!                                     |    (Records to Records)     |
//!  capture --> the kernel's text -----+                             +--> TraceSource --> drive loop
//! ```
//!
//! Everything that yields a [`Record`] is [`Records`]: a reader, a transform of another, a generator. Memory
//! is constant in the length of the trace. A bad line stops a strict reader with its number and text; a
//! lenient one leaves such lines out and counts them. What is changed, and what a format cannot hold, is
//! counted.
//!
//! Read a trace, keep the writes of its first second, and write them in another format:
//!
//! ```
//! use flashscope_core::{Nanos, Op};
//! use flashscope_trace::{Compress, Pipeline, Records, Writer, samples};
//!
//! // Or TraceFile::new("trace.csv").open()?
//! let trace = samples::open("mp3-ext3")?;
//! let writes = Pipeline { ops: vec![Op::Write], to: Some(Nanos(1_000_000_000)), ..Pipeline::default() };
//! let mut trace = writes.apply(trace)?;
//! let mut writer = Writer::new(std::io::sink(), "fio-iolog", Compress::No)?;
//! let mut batch = Vec::new();
//! while trace.next_batch(&mut batch)? > 0 {
//!     writer.write(&batch, trace.devices())?;
//! }
//! for (loss, count) in writer.finish()?.iter() {
//!     println!("{}: {count}", loss.about());
//! }
//! # Ok::<(), flashscope_trace::TraceError>(())
//! ```
//!
//! A format, a transform or a generator of one's own: [`mod@format`], [`transform`], [`generate`]. [`kit`]
//! tests formats. Nothing here prints, and only [`capture`] and [`TraceFile`] speak with the system.

#![forbid(unsafe_code)]

mod ahead;
pub mod capture;
mod check;
mod columns;
mod decoder;
mod devices;
mod encoder;
mod entries;
mod error;
mod file;
mod follow;
pub mod format;
pub mod generate;
mod in_flight;
mod input;
mod interrupt;
pub mod kit;
mod lines;
mod model;
mod output;
mod pipeline;
mod reader;
pub mod reading;
mod record;
mod records;
mod rwbs;
pub mod samples;
mod seekable;
mod seen;
mod settings;
mod simulator;
mod source;
mod stage;
pub mod stats;
mod text;
pub mod transform;
mod writer;

pub use ahead::Ahead;
pub use columns::Columns;
pub use encoder::{Loss, Losses};
pub use error::{Cause, ColumnsError, LINEAR_BYTES_MIN, PipelineError, Remedy, Setting, TraceError};
pub use file::{OnRead, TraceFile, cpu_files};
pub use follow::{Follower, Leader, Reached};
pub use format::blktrace::CpuFiles;
pub use format::{FORMATS, Format, Formats, sniff};
pub use interrupt::{InterruptibleFile, Stop};
pub use output::Compress;
pub use pipeline::{LayoutCache, Pipeline, Reopen};
pub use reader::{ReadOptions, Reader, open, sniff_input};
pub use reading::{Reading, Stage, StatedUnits, UnitsError};
pub use record::{Process, Record};
pub use records::{BATCH, Counts, Note, Records, Through};
pub use seekable::{is_read_from_its_end, open_bytes, open_file};
pub use source::TraceSource;
pub use writer::Writer;
