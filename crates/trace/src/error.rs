//! What can be wrong with a trace.

use thiserror::Error;

/// A trace that cannot be read, or not served, with the place and the way out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TraceError {
    /// A line that is not what the format says.
    #[error("line {line}: {problem}: `{text}`; mend it, or read leniently (--lenient) to leave it out")]
    Line {
        /// From 1, in the uncompressed text.
        line: u64,
        /// What is wrong.
        problem: String,
        /// The line, cut to its first 200 characters.
        text: String,
    },
    /// The bytes could not be read or uncompressed.
    #[error(
        "after line {line}: cannot read on: {cause}; the file may be cut short or damaged: copy it again"
    )]
    Read {
        /// Lines that were read before.
        line: u64,
        /// What the system or the decompressor said.
        cause: String,
    },
    /// There is nothing in it.
    #[error("the trace is empty; check what was captured or copied")]
    Empty,
    /// There are lines, but no request.
    #[error(
        "no request in {lines} lines of format {format} ({bad_lines} of them bad); name another --format"
    )]
    NoRequests {
        /// The format that was read.
        format: &'static str,
        /// Lines in all.
        lines: u64,
        /// Lines left out.
        bad_lines: u64,
    },
    /// It is compressed in a way that is not read.
    #[error("the trace is compressed with {method}; uncompress it into a pipe (`{command}`) or use gzip")]
    Compressed {
        /// Name of the method.
        method: &'static str,
        /// What uncompresses it.
        command: &'static str,
    },
    /// No format knows how to read it.
    #[error("the trace is of no known format; it begins with `{text}`; name its --format: {known}")]
    Unrecognised {
        /// The first line, cut.
        text: String,
        /// All formats.
        known: String,
    },
    /// No format has this name.
    #[error("there is no trace format '{name}'; choose one of {known}")]
    UnknownFormat {
        /// The name that was asked for.
        name: String,
        /// All formats.
        known: String,
    },
    /// A request that the target cannot take.
    #[error("request {record} of the trace: {request}: {problem}; {remedy}")]
    Request {
        /// Its number in the trace, from 1.
        record: u64,
        /// Operation, length and offset.
        request: String,
        /// Why not.
        problem: String,
        /// What to do.
        remedy: String,
    },
    /// The device that was chosen is not in the trace.
    #[error("the trace has no request of device '{device}'; choose one of {known}")]
    NoSuchDevice {
        /// The device that was asked for.
        device: String,
        /// The devices that are in it.
        known: String,
    },
}

/// Text from a file as a message shows it: printable, and cut to 200 characters.
pub(crate) fn shown(text: &[u8]) -> String {
    const CHARACTERS: usize = 200;
    let head = &text[..text.len().min(4 * CHARACTERS)];
    let text: String = String::from_utf8_lossy(head).chars().flat_map(char::escape_debug).collect();
    match text.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}
