//! The registry of trace formats: one file and one line for each.

pub mod blkreplay;
pub mod tracefs;

use crate::error::TraceError;
use crate::reader::Decoder;

/// A trace format.
pub struct Format {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in a line of help.
    pub about: &'static str,
    /// How sure it is of a trace that begins with these (uncompressed) bytes, in percent.
    pub(crate) sniff: fn(&[u8]) -> u8,
    pub(crate) decoder: fn() -> Box<dyn Decoder>,
}

/// All formats. Of two that are equally sure of a trace, the first reads it.
pub const FORMATS: &[Format] = &[tracefs::FORMAT, blkreplay::FORMAT];

/// The format of a trace that begins with these (uncompressed) bytes, and how sure that is, in percent from
/// 1 to 100; `None` if it looks like none.
pub fn sniff(head: &[u8]) -> Option<(&'static Format, u8)> {
    let mut best: Option<(&'static Format, u8)> = None;
    for format in FORMATS {
        let percent = (format.sniff)(head);
        if percent > best.map_or(0, |(_, percent)| percent) {
            best = Some((format, percent));
        }
    }
    best
}

/// The format of this name.
pub(crate) fn find(name: &str) -> Result<&'static Format, TraceError> {
    let unknown = || TraceError::UnknownFormat { name: name.into(), known: names() };
    FORMATS.iter().find(|format| format.name == name).ok_or_else(unknown)
}

/// All names, as a message lists them.
pub(crate) fn names() -> String {
    FORMATS.iter().map(|format| format.name).collect::<Vec<_>>().join(", ")
}
