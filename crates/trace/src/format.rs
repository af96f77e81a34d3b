//! The registry of trace formats: one file and one line for each.

pub mod alibaba;
pub mod biosnoop;
pub mod blkparse;
pub mod blkreplay;
pub mod blktrace;
pub mod cloudphysics_csv;
pub mod csv;
pub mod diskmon;
pub mod disksim;
pub mod etw;
pub mod fio_iolog;
pub mod fiu;
pub mod hfplayer;
pub mod k5cloud;
pub mod mqsim;
pub mod msr;
pub mod oraclegeneral;
pub mod parquet;
pub mod spc;
pub mod systor17;
pub mod tencent;
pub mod tracefs;
pub mod vscsi;

use crate::error::TraceError;
use crate::reader::Decoder;
use crate::writer::Encoder;

/// A trace format.
pub struct Format {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in a line of help.
    pub about: &'static str,
    /// How sure it is of a trace that begins with these (uncompressed) bytes, in percent.
    pub(crate) sniff: fn(&[u8]) -> u8,
    pub(crate) decoder: fn() -> Box<dyn Decoder>,
    /// Makes what writes it; none if it is only read.
    pub(crate) encoder: Option<fn() -> Box<dyn Encoder>>,
    /// How names of such files mostly end, without the dot; empty if they tell nothing.
    pub extensions: &'static [&'static str],
}

impl Format {
    /// Whether it is also written.
    pub fn is_written(&self) -> bool {
        self.encoder.is_some()
    }
}

/// All formats. Of two that are equally sure of a trace, the first reads it.
pub const FORMATS: &[Format] = &[
    tracefs::FORMAT,
    blkreplay::FORMAT,
    blktrace::FORMAT,
    alibaba::FORMAT,
    tencent::FORMAT,
    k5cloud::FORMAT,
    systor17::FORMAT,
    cloudphysics_csv::FORMAT,
    vscsi::FORMAT,
    parquet::FORMAT,
    oraclegeneral::WITH_OPERATION,
    oraclegeneral::FORMAT,
    msr::FORMAT,
    spc::FORMAT,
    blkparse::FORMAT,
    fio_iolog::FORMAT,
    disksim::FORMAT,
    mqsim::FORMAT,
    fiu::FORMAT,
    diskmon::FORMAT,
    etw::FORMAT,
    biosnoop::FORMAT,
    hfplayer::FORMAT,
    csv::FORMAT,
];

/// The format of a trace that begins with these (uncompressed) bytes, and how sure that is, in percent from
/// 1 to 100; `None` if it looks like none.
pub fn sniff(head: &[u8]) -> Option<(&'static Format, u8)> {
    sniff_all(head).first().copied()
}

/// All formats that such a trace may have, the most likely first.
pub(crate) fn sniff_all(head: &[u8]) -> Vec<(&'static Format, u8)> {
    let mut all: Vec<_> = FORMATS.iter().map(|format| (format, (format.sniff)(head))).collect();
    all.retain(|(_, percent)| *percent > 0);
    all.sort_by_key(|(_, percent)| std::cmp::Reverse(*percent));
    all
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

/// The names of those that are written.
pub(crate) fn written_names() -> String {
    let written = FORMATS.iter().filter(|format| format.is_written());
    written.map(|format| format.name).collect::<Vec<_>>().join(", ")
}
