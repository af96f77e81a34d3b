//! Trace formats: the registry of those that come with the crate (one file and one line for each), and what
//! a format of one's own is made of.
//!
//! A text format is a [`LineFormat`], a binary one whose entries have one length an [`EntryFormat`], any
//! other a [`Decoder`]. What writes it is an [`Encoder`]. A [`Format`] names them, and [`Formats`] are those
//! that a trace may be of. [`crate::kit`] tests one.
//!
//! ```
//! use flashscope_core::Op;
//! use flashscope_trace::format::{Devices, Format, Formats, LineFormat, Problem};
//! use flashscope_trace::{Record, Records};
//!
//! /// Lines such as `17 write 4096`: a time in ms, an operation, a block of 4 KiB.
//! #[derive(Default)]
//! struct Blocks;
//!
//! impl LineFormat for Blocks {
//!     fn line(
//!         &mut self,
//!         line: &[u8],
//!         devices: &mut Devices,
//!         records: &mut Vec<Record>,
//!     ) -> Result<(), Problem> {
//!         let text = std::str::from_utf8(line).map_err(|_| "it is no text")?;
//!         let words: Vec<_> = text.split(' ').collect();
//!         let [time, op, block] = words[..] else { return Err("it has not three words") };
//!         let time_ms: u32 = time.parse().map_err(|_| "the time is not a number of ms")?;
//!         let block: u32 = block.parse().map_err(|_| "the block is not a number")?;
//!         records.push(Record {
//!             time_ns: u64::from(time_ms) * 1_000_000,
//!             op: if op == "write" { Op::Write } else { Op::Read },
//!             offset_bytes: u64::from(block) * 4096,
//!             length_bytes: 4096,
//!             device: devices.number(b"disk")?,
//!             ..Record::default()
//!         });
//!         Ok(())
//!     }
//! }
//!
//! static BLOCKS: Format = Format::lines::<Blocks>("blocks", "time ms, operation, block of 4 KiB");
//! let formats = Formats::builtin().with(&BLOCKS);
//! let mut trace = formats.open(&b"17 write 2\n18 read 3\n"[..], None, false)?;
//! let mut batch = Vec::new();
//! assert_eq!((trace.next_batch(&mut batch)?, trace.format()), (2, "blocks"));
//! # Ok::<(), flashscope_trace::TraceError>(())
//! ```

mod alibaba;
mod biosnoop;
mod blkparse;
mod blkreplay;
pub(crate) mod blktrace;
mod cloudphysics_csv;
mod csv;
mod diskmon;
mod disksim;
mod etw;
mod fio_iolog;
mod fiu;
mod hfplayer;
mod k5cloud;
mod mqsim;
mod msr;
mod nvme;
mod oraclegeneral;
pub(crate) mod parquet;
mod spc;
mod systor17;
mod tencent;
mod tracefs;
mod vscsi;

pub use crate::decoder::{Decoder, Sink};
pub use crate::devices::Devices;
pub use crate::encoder::Encoder;
pub use crate::entries::EntryFormat;
pub use crate::lines::LineFormat;
pub use crate::reading::{Basis, Claim, Clock, SpaceUnit, Stage, TimeUnit};
pub use crate::text::Problem;

use std::fmt;

use crate::entries::{Entries, sniff_entries};
use crate::error::TraceError;
use crate::lines::{Lines, sniff_lines};

/// A trace format: its name, how it is recognised, what reads and what writes it.
#[derive(Clone, Copy)]
pub struct Format {
    /// Its name in the registry.
    pub name: &'static str,
    /// What it is, in a line of help.
    pub about: &'static str,
    /// The usual file name extension, without the dot; empty if there is no usual one.
    pub extensions: &'static [&'static str],
    sniff: fn(&[u8]) -> u8,
    decoder: fn() -> Box<dyn Decoder>,
    encoder: Option<fn() -> Box<dyn Encoder>>,
    claim: Option<Claim>,
}

impl Format {
    /// A format of any kind. `sniff` says how sure it is of a trace that begins with these (uncompressed)
    /// bytes, up to 64 KiB, in percent.
    pub const fn new(
        name: &'static str,
        about: &'static str,
        sniff: fn(&[u8]) -> u8,
        decoder: fn() -> Box<dyn Decoder>,
    ) -> Format {
        Format { name, about, extensions: &[], sniff, decoder, encoder: None, claim: None }
    }

    /// A text format, recognised by the share of good lines.
    pub const fn lines<F: LineFormat + 'static>(name: &'static str, about: &'static str) -> Format {
        Format::new(name, about, sniff_lines::<F>, Lines::<F>::decoder)
    }

    /// A binary format whose entries have one length, recognised by the share of good entries.
    pub const fn entries<F: EntryFormat + 'static>(name: &'static str, about: &'static str) -> Format {
        Format::new(name, about, sniff_entries::<F>, Entries::<F>::decoder)
    }

    /// The same, recognised in another way.
    pub const fn sniffed_by(self, sniff: fn(&[u8]) -> u8) -> Format {
        Format { sniff, ..self }
    }

    /// The same, which is also written.
    pub const fn written_by(self, encoder: fn() -> Box<dyn Encoder>) -> Format {
        Format { encoder: Some(encoder), ..self }
    }

    /// The same with the ends of its files' names.
    pub const fn with_extensions(self, extensions: &'static [&'static str]) -> Format {
        Format { extensions, ..self }
    }

    /// The same with what it says of its files: units, stage, clock. The reader holds that against the data.
    pub const fn reads(self, claim: Claim) -> Format {
        Format { claim: Some(claim), ..self }
    }

    /// What it says of its files; none if it keeps silent.
    pub fn claim(&self) -> Option<Claim> {
        self.claim
    }

    /// Whether files whose names end so are of this format alone.
    pub(crate) fn is_suggested_by(&self, extension: &str) -> bool {
        const COMMON: [&str; 3] = ["csv", "log", "txt"];
        self.extensions.contains(&extension) && !COMMON.contains(&extension)
    }

    /// Whether it is also written.
    pub fn is_written(&self) -> bool {
        self.encoder.is_some()
    }

    /// How sure it is of a trace that begins with these (uncompressed) bytes, in percent.
    pub fn sniff(&self, head: &[u8]) -> u8 {
        (self.sniff)(head)
    }

    pub(crate) fn decoder(&self) -> Box<dyn Decoder> {
        (self.decoder)()
    }

    pub(crate) fn encoder(&self) -> Option<Box<dyn Encoder>> {
        self.encoder.map(|encoder| encoder())
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// All formats that come with the crate. Of two that are equally sure of a trace, the first reads it.
pub const FORMATS: &[Format] = &[
    tracefs::FORMAT,
    nvme::FORMAT,
    nvme::BLOCKS,
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

/// The formats that a trace may be of: those that come with the crate, and others.
#[derive(Clone, Debug)]
pub struct Formats {
    /// Of two that are equally sure of a trace, the first reads it.
    list: Vec<&'static Format>,
}

impl Default for Formats {
    fn default() -> Formats {
        Formats::builtin()
    }
}

impl Formats {
    /// Those that come with the crate.
    pub fn builtin() -> Formats {
        Formats { list: FORMATS.iter().collect() }
    }

    /// The same and this one. It takes the place of one of the same name, and of another that is equally sure
    /// of a trace.
    pub fn with(mut self, format: &'static Format) -> Formats {
        self.list.retain(|known| known.name != format.name);
        self.list.insert(0, format);
        self
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &'static Format> + '_ {
        self.list.iter().copied()
    }

    /// The format of this name.
    ///
    /// # Errors
    /// An unknown name; the error lists the known ones.
    pub fn find(&self, name: &str) -> Result<&'static Format, TraceError> {
        let unknown = || TraceError::UnknownFormat { name: name.into(), known: self.names() };
        self.iter().find(|format| format.name == name).ok_or_else(unknown)
    }

    /// The formats of a trace that begins with these (uncompressed) bytes, and how sure each is, in percent
    /// from 1 to 100, the most likely first; none if it looks like none.
    pub fn sniff(&self, head: &[u8]) -> Vec<(&'static Format, u8)> {
        let mut all: Vec<_> = self.iter().map(|format| (format, format.sniff(head))).collect();
        all.retain(|(_, percent)| *percent > 0);
        all.sort_by_key(|(_, percent)| std::cmp::Reverse(*percent));
        all
    }

    /// All names, as a message lists them.
    pub(crate) fn names(&self) -> String {
        self.iter().map(|format| format.name).collect::<Vec<_>>().join(", ")
    }

    /// The names of those that are written.
    pub(crate) fn written_names(&self) -> String {
        let written = self.iter().filter(|format| format.is_written());
        written.map(|format| format.name).collect::<Vec<_>>().join(", ")
    }
}

/// The format that comes with the crate of a trace that begins with these (uncompressed) bytes, and how sure
/// that is, in percent from 1 to 100; `None` if it looks like none.
pub fn sniff(head: &[u8]) -> Option<(&'static Format, u8)> {
    Formats::builtin().sniff(head).first().copied()
}
