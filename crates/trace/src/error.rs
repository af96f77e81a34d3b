//! What can be wrong with a trace.

mod columns;
mod setting;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

use crate::reading::{Stage, Uncertain, Units};

pub use self::columns::ColumnsError;
pub use self::setting::{LINEAR_BYTES_MIN, PipelineError, Setting};

/// The name of standard input.
pub(crate) const STDIN: &str = "-";

/// A trace that cannot be read, changed, written or served, with the place and the way out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TraceError {
    /// A line that is not what the format says.
    #[error("line {line}: {problem}: `{text}`; {}", Remedy::ReadLeniently)]
    Line {
        /// From 1, in the uncompressed text.
        line: u64,
        /// What is wrong.
        problem: String,
        /// The line, cut to its first 200 characters.
        text: String,
    },
    /// An entry of a binary format that is not what the format says.
    #[error("entry {entry}, at byte {offset_bytes}: {problem}: `{bytes}`; {}", Remedy::ReadLeniently)]
    Entry {
        /// From 1.
        entry: u64,
        /// Where it begins, in the uncompressed file.
        offset_bytes: u64,
        /// What is wrong.
        problem: String,
        /// Its first 40 bytes, in hexadecimal.
        bytes: String,
    },
    /// The bytes could not be read or uncompressed.
    #[error("{}: {cause}; the file may be cut short or damaged: copy it again", cut_at(*line))]
    Read {
        /// Lines that were read before.
        line: u64,
        /// What the system or the decompressor said.
        #[source]
        cause: Cause,
    },
    /// The file could not be opened.
    #[error("cannot open the trace: {cause}; check the path")]
    Open {
        /// What the system said.
        #[source]
        cause: Cause,
    },
    /// It is no file.
    #[error("it is a folder; name a file in it")]
    Folder,
    /// Its reader was stopped.
    #[error("interrupted")]
    Interrupted,
    /// Something about one of several files.
    #[error("{file}: {error}")]
    In {
        /// Its name.
        file: String,
        /// What.
        #[source]
        error: Box<TraceError>,
    },
    /// There is nothing in it.
    #[error("the trace is empty; check what was captured or copied")]
    Empty,
    /// There are lines, but no request.
    #[error(
        "no request in {lines} lines of format {format} ({bad_lines} unreadable); {}",
        Remedy::OtherFormat
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
    #[error("the trace is compressed with {method}; pipe it through `{command}`, or use gzip")]
    Compressed {
        /// Name of the method.
        method: &'static str,
        /// What uncompresses it.
        command: &'static str,
    },
    /// The format is read from its end, and what was given has none that could be gone to.
    #[error(
        "format {format} is read from its end and cannot be piped or compressed; write it to a file first"
    )]
    NotSeekable {
        /// The format.
        format: &'static str,
    },
    /// The units in which it is to be read are not certain.
    #[error("{0}; {remedy}", remedy = state_reading(.0))]
    Uncertain(Box<Uncertain>),
    /// Units are stated for a format that names its own.
    #[error("the units of format {format} cannot be stated")]
    NoUnits {
        /// The format.
        format: &'static str,
    },
    /// A request is beyond what fits 64 bits.
    #[error("a request does not fit 64 bits in the stated units ({units})")]
    BeyondUnits {
        /// The units.
        units: Units,
    },
    /// The format does not have this stage.
    #[error("format {format} does not tell {stage} requests from others; {}", Remedy::OtherStage)]
    NoStages {
        /// The format.
        format: &'static str,
        /// The stage that was asked for.
        stage: Stage,
    },
    /// No format knows how to read it.
    #[error("unknown trace format: it begins with `{text}`; known formats: {known}; {}", Remedy::NameFormat)]
    Unrecognised {
        /// The first line, cut.
        text: String,
        /// All formats.
        known: String,
    },
    /// No format has this name.
    #[error("unknown trace format '{name}'; choose one of {known}")]
    UnknownFormat {
        /// The name that was asked for.
        name: String,
        /// All formats.
        known: String,
    },
    /// The format of this name is only read.
    #[error("trace format '{name}' cannot be written; choose one of {known}")]
    UnwrittenFormat {
        /// The name that was asked for.
        name: String,
        /// All formats that are written.
        known: String,
    },
    /// A format that is compressed inside cannot be compressed around it.
    #[error("format {format} is already compressed; name the output without .gz, .zst or .xz")]
    CompressedTwice {
        /// The format.
        format: &'static str,
    },
    /// The output could not take the bytes.
    #[error("after request {record}: cannot write: {cause}; the output is incomplete")]
    Write {
        /// Requests that were given to be written before.
        record: u64,
        /// What the system said.
        #[source]
        cause: Cause,
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
        remedy: Remedy,
    },
    /// Columns that make no sense.
    #[error(transparent)]
    Columns(#[from] ColumnsError),
    /// Settings of a pipeline that make no sense.
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
    /// It cannot be laid on a device of this size.
    #[error("the trace does not fit: {problem}; {remedy}")]
    Fit {
        /// Why not.
        problem: String,
        /// What to do.
        remedy: String,
    },
    /// No generator has this name.
    #[error("unknown trace generator '{name}'; choose one of {known}")]
    UnknownGenerator {
        /// The name that was asked for.
        name: String,
        /// All generators.
        known: String,
    },
    /// No recorded trace that comes with the program has this name.
    #[error("unknown recorded trace '{name}'; choose one of {known}")]
    UnknownSample {
        /// The name that was asked for.
        name: String,
        /// All that there are.
        known: String,
    },
    /// A setting of a generator that it cannot take.
    #[error("{key}={value}: {problem}; {remedy}")]
    Setting {
        /// Its name.
        key: String,
        /// The value that was given.
        value: String,
        /// What is wrong.
        problem: String,
        /// What to do.
        remedy: Remedy,
    },
    /// Repeated, it would go on for longer than times reach.
    #[error("times exceed 2^64 ns after {passes} repeats; use fewer repeats, or cut off late requests first")]
    TooLong {
        /// Passes that fit whole.
        passes: u64,
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

impl TraceError {
    /// The way out, where how it is taken depends on what reads the trace. The error's text ends with it.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            TraceError::Line { .. } | TraceError::Entry { .. } => Some(Remedy::ReadLeniently),
            TraceError::NoRequests { .. } => Some(Remedy::OtherFormat),
            TraceError::Unrecognised { .. } => Some(Remedy::NameFormat),
            TraceError::Uncertain(uncertain) => Some(state_reading(uncertain)),
            TraceError::NoStages { .. } => Some(Remedy::OtherStage),
            TraceError::Request { remedy, .. } | TraceError::Setting { remedy, .. } => Some(remedy.clone()),
            TraceError::In { error, .. } => error.remedy(),
            _ => None,
        }
    }

    /// The error itself, whichever file it is about.
    pub fn inner(&self) -> &TraceError {
        match self {
            TraceError::In { error, .. } => error.inner(),
            error => error,
        }
    }

    /// The same of the file of this name; `-` is standard input. An error that names a file already keeps
    /// that.
    pub fn in_file(self, path: &Path) -> TraceError {
        let name = if path == Path::new(STDIN) { PathBuf::from("standard input") } else { path.into() };
        match self {
            TraceError::In { .. } | TraceError::Interrupted => self,
            error => TraceError::In { file: name.display().to_string(), error: Box::new(error) },
        }
    }

    /// Whether it is no fault of the trace, but of what was asked for: a name, a setting, a path.
    pub fn is_usage(&self) -> bool {
        matches!(
            self.inner(),
            TraceError::Open { .. }
                | TraceError::Folder
                | TraceError::Empty
                | TraceError::UnknownFormat { .. }
                | TraceError::UnwrittenFormat { .. }
                | TraceError::UnknownGenerator { .. }
                | TraceError::UnknownSample { .. }
                | TraceError::Setting { .. }
                | TraceError::Uncertain(_)
                | TraceError::NoStages { .. }
                | TraceError::NoUnits { .. }
                | TraceError::BeyondUnits { .. }
                | TraceError::Columns(_)
                | TraceError::Pipeline(_)
        )
    }

    /// Its text with the way out in other words; without any, only what is wrong.
    pub fn with_remedy(&self, words: Option<&str>) -> String {
        let text = self.to_string();
        let Some(remedy) = self.remedy() else { return text };
        let problem = text.strip_suffix(&format!("; {remedy}")).unwrap_or(&text);
        words.map_or(problem.to_string(), |words| format!("{problem}; {words}"))
    }

    /// Whether its reader was stopped, and the trace is not at fault.
    pub fn is_interruption(&self) -> bool {
        *self.inner() == TraceError::Interrupted
    }
}

/// What an error comes from. Two causes of the same text are equal.
#[derive(Clone)]
pub struct Cause(Arc<dyn std::error::Error + Send + Sync>);

impl<E: Into<Box<dyn std::error::Error + Send + Sync>>> From<E> for Cause {
    fn from(error: E) -> Cause {
        Cause(error.into().into())
    }
}

impl fmt::Debug for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl PartialEq for Cause {
    fn eq(&self, other: &Cause) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for Cause {}

impl std::ops::Deref for Cause {
    type Target = dyn std::error::Error + Send + Sync;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

/// What a person may do about a trace; a program words it with its own options.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Remedy {
    /// Leave out what is bad.
    #[error("fix it, or read leniently to skip it")]
    ReadLeniently,
    /// Mend the format's reader.
    #[error("this is a defect of the format's reader")]
    Reader,
    /// Take one device of several, or make one of them.
    #[error("choose one of the trace's devices, or concatenate them")]
    OneDevice,
    /// A larger target, or a smaller trace.
    #[error("use a larger target, or fit the trace to it first")]
    Fit,
    /// Smaller blocks, or larger requests.
    #[error("use a target with smaller blocks, or align the trace first")]
    Align,
    /// The format is another than the one that was read.
    #[error("name another format")]
    OtherFormat,
    /// The format is not recognised.
    #[error("if it is a trace, name its format")]
    NameFormat,
    /// Say how the trace is read.
    #[error("name its format, or state its units")]
    StateReading {
        /// The format that it looks like.
        format: &'static str,
        /// The columns that state one reading and the other; empty where it is no table.
        columns: Box<[String; 2]>,
    },
    /// Leave the choice of a stage out.
    #[error("leave out the stage")]
    OtherStage,
    /// A value of a generator's setting.
    #[error("see the generator's settings")]
    GeneratorSettings,
    /// Anything that needs no other words.
    #[error("{0}")]
    Other(String),
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

/// Bytes from a file as a message shows them: the first 40.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    const BYTES: usize = 40;
    let text: Vec<String> = bytes.iter().take(BYTES).map(|byte| format!("{byte:02x}")).collect();
    text.join(" ") + if bytes.len() > BYTES { " ..." } else { "" }
}

fn state_reading(uncertain: &Uncertain) -> Remedy {
    Remedy::StateReading { format: uncertain.format, columns: Box::new(uncertain.columns.clone()) }
}

/// Where a trace could not be read on.
fn cut_at(line: u64) -> String {
    match line {
        0 => "cannot read it".into(),
        line => format!("after line {line}: cannot read on"),
    }
}
