//! Block traces: one record, one file for each format, and traces as a source of requests.
//!
//! Here live the [`Record`] that every format is read into, the registry of formats ([`FORMATS`]) with
//! [`sniff()`], the streaming [`Reader`], and [`TraceSource`], which turns records into requests for the
//! drive loop. What reads a trace from a file or prints what is in it does not: a reader takes any
//! [`std::io::Read`].
//!
//! Memory is constant in the length of the trace. A bad line stops a strict reader with its number and
//! text; a lenient one leaves such lines out and counts them.

mod devices;
mod error;
pub mod format;
mod lines;
mod reader;
mod record;
mod rwbs;
mod source;
mod text;

pub use error::TraceError;
pub use format::{FORMATS, Format, sniff};
pub use reader::{BATCH, Counts, Reader, open};
pub use record::{Process, Record};
pub use source::TraceSource;
