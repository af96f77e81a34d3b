//! Block traces: one record, one file for each format, and traces as a source of requests.
//!
//! Here live the [`Record`] that every format is read into, the registry of formats ([`FORMATS`]) with
//! [`sniff()`], the streaming [`Reader`] and [`Writer`], and [`TraceSource`], which turns records into
//! requests for the drive loop. Everything that yields records is [`Records`]: a reader, a transform of
//! another, a generator. What prints does not live here.
//!
//! Memory is constant in the length of the trace. A bad line stops a strict reader with its number and
//! text; a lenient one leaves such lines out and counts them.

#![forbid(unsafe_code)]

mod ahead;
pub mod capture;
mod devices;
mod entries;
mod error;
mod file;
mod follow;
pub mod format;
pub mod generate;
mod input;
mod interrupt;
pub mod kit;
mod lines;
mod model;
mod output;
mod pipeline;
mod reader;
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
pub use error::{Cause, Remedy, TraceError};
pub use file::{OnRead, TraceFile, cpu_files};
pub use follow::{Follower, Leader, Reached};
pub use format::blktrace::CpuFiles;
pub use format::{FORMATS, Format, Formats, sniff};
pub use interrupt::{InterruptibleFile, Stop};
pub use output::Compress;
pub use pipeline::{LINEAR_BYTES_MIN, LayoutCache, Pipeline, PipelineError, Reopen, Setting};
pub use reader::{BATCH, Counts, Reader, open, sniff_input};
pub use record::{Process, Record};
pub use records::{Records, Through};
pub use seekable::{is_read_from_its_end, open_bytes, open_file};
pub use source::TraceSource;
pub use writer::{Loss, Losses, Writer};
