//! A text table of any kind, of which a person states the columns:
//!
//! ```text
//! time=2:us,offset=5:sector,length=6:byte,op=3
//! ```
//!
//! | key | column holds | units, or else |
//! |---|---|---|
//! | `time` | when the request came, with or without a fraction | `ns`, `100ns`, `us`, `ms`, `s`; needed |
//! | `offset` | where it begins, decimal or `0x..` | `byte`, `sector`, `4KiB`; needed |
//! | `length` | how long it is, alike | the same; needed |
//! | `op` | `R`, `W`, `F`, `T`, `D`, their words, or RWBS letters | the number of a read: `op=5:1` |
//! | `device` | its name | |
//! | `latency` | how long the request took | as `time` |
//!
//! Columns count from 1. Commas separate fields if the first line has one, else semicolons, else tabs, else
//! blanks; blanks and double quotes around a field are left out. Lines that begin with `#`, blank ones, and
//! headings (lines before the first request whose time does not begin with a digit) are other lines.

use std::fmt;
use std::str::FromStr;

use flashscope_core::Op;
use flashscope_core::request::Flags;

use crate::decoder::{Decoder, Sink};
use crate::devices::Devices;
use crate::error::{ColumnsError, TraceError};
use crate::format::Format;
use crate::lines::{LineFormat, Lines};
use crate::reading::{Claim, SpaceUnit, TimeUnit, Units};
use crate::record::Record;
use crate::rwbs::Rwbs;
use crate::text::{Fields, Problem, bytes};

/// What such a trace calls its format; in no registry, because nothing is recognised by it.
pub(crate) static COLUMNS: Format =
    Format::new("columns", "text table with stated columns", |_| 0, || Box::new(NoColumns));

/// The columns of a text table, with their units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// From 0, as all others.
    time: usize,
    offset: usize,
    length: usize,
    op: usize,
    device: Option<usize>,
    latency: Option<(usize, TimeUnit)>,
    units: Units,
    /// The number that stands for a read.
    read: Option<u64>,
}

const KEYS: [&str; 6] = ["time", "offset", "length", "op", "device", "latency"];

impl FromStr for Columns {
    type Err = ColumnsError;

    fn from_str(text: &str) -> Result<Columns, ColumnsError> {
        let mut given: [Option<(usize, Option<&str>)>; KEYS.len()] = [None; KEYS.len()];
        for part in text.split(',') {
            let form = || ColumnsError::Form(part.trim().into());
            let (key, rest) = part.split_once('=').ok_or_else(form)?;
            let (column, unit) =
                rest.split_once(':').map_or((rest, None), |(column, unit)| (column, Some(unit)));
            let key = key.trim();
            let at =
                KEYS.iter().position(|known| *known == key).ok_or_else(|| ColumnsError::Key(key.into()))?;
            let column: usize = column.trim().parse().map_err(|_| form())?;
            let column = column.checked_sub(1).ok_or_else(form)?;
            if given[at].replace((column, unit.map(str::trim))).is_some() {
                return Err(ColumnsError::Twice(KEYS[at]));
            }
        }
        let needed = |at: usize| given[at].ok_or(ColumnsError::Missing(KEYS[at]));
        let (time, offset, length, op) = (needed(0)?, needed(1)?, needed(2)?, needed(3)?);
        let read =
            |text: &str| text.parse::<u64>().map_err(|_| "the mark of a read is not a number".to_string());
        let latency = given[5].map(|(column, text)| Ok((column, unit::<TimeUnit>(5, text)?))).transpose()?;
        Ok(Columns {
            time: time.0,
            offset: offset.0,
            length: length.0,
            op: op.0,
            device: plain(4, given[4])?,
            latency,
            units: Units {
                time: unit(0, time.1)?,
                address: unit(1, offset.1)?,
                length: unit(2, length.1)?,
                latency: latency.map(|(_, unit)| unit),
            },
            read: op
                .1
                .map(read)
                .transpose()
                .map_err(|problem| ColumnsError::Unit { key: KEYS[3], problem })?,
        })
    }
}

fn unit<U: FromStr<Err: fmt::Display>>(key: usize, text: Option<&str>) -> Result<U, ColumnsError> {
    let error = |problem: String| ColumnsError::Unit { key: KEYS[key], problem };
    let text = text.ok_or_else(|| {
        error(match key {
            0 | 5 => "no unit; choose one of ns, 100ns, us, ms, s".into(),
            _ => "no unit; choose one of byte, sector, 4KiB".into(),
        })
    })?;
    text.parse().map_err(|problem: U::Err| error(problem.to_string()))
}

fn plain(key: usize, given: Option<(usize, Option<&str>)>) -> Result<Option<usize>, ColumnsError> {
    match given {
        Some((_, Some(_))) => Err(ColumnsError::Unit { key: KEYS[key], problem: "it has no unit".into() }),
        given => Ok(given.map(|(column, _)| column)),
    }
}

impl Columns {
    pub(crate) fn claim(&self) -> Claim {
        let Units { time, address, length, latency } = self.units;
        let claim = Claim::new(time, address, length);
        let claim = latency.map_or(claim, |unit| claim.with_latency(unit));
        if self.device.is_some() { claim.with_device("column") } else { claim }
    }

    pub(crate) fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(Lines::of(Table { columns: Some(self.clone()), ..Table::default() }))
    }
}

/// What reads such a trace is made of its columns.
struct NoColumns;

impl Decoder for NoColumns {
    fn decode(&mut self, _: &[u8], _: bool, sink: &mut Sink<'_>) -> Result<usize, TraceError> {
        sink.bad_line(|counts| TraceError::NoRequests {
            format: COLUMNS.name,
            lines: counts.lines,
            bad_lines: 0,
        })?;
        Ok(0)
    }
}

#[derive(Default)]
struct Table {
    columns: Option<Columns>,
    /// What separates fields, once a line has told.
    separator: Option<u8>,
    has_begun: bool,
}

/// More fields are no table of requests.
const FIELDS_MAX: usize = 64;

impl LineFormat for Table {
    #[inline]
    fn line(&mut self, line: &[u8], devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem> {
        let line = line.trim_ascii();
        let Some(columns) = &self.columns else { return Err("no columns are stated") };
        if line.is_empty() || line[0] == b'#' {
            return Ok(());
        }
        let separator = *self.separator.get_or_insert_with(|| separator(line));
        let mut fields = [&b""[..]; FIELDS_MAX];
        let count = split(line, separator, &mut fields);
        let time = fields[..count].get(columns.time).copied();
        if !self.has_begun && !time.is_some_and(|time| time.first().is_some_and(u8::is_ascii_digit)) {
            // A heading may be separated in another way.
            self.separator = None;
            return Ok(());
        }
        self.has_begun = true;
        columns.push(&fields[..count], devices, records)
    }
}

fn separator(line: &[u8]) -> u8 {
    [b',', b';', b'\t'].into_iter().find(|separator| line.contains(separator)).unwrap_or(b' ')
}

/// Cuts a line into fields; returns how many there are.
#[inline]
fn split<'a>(line: &'a [u8], separator: u8, fields: &mut [&'a [u8]; FIELDS_MAX]) -> usize {
    let bare = |field: &'a [u8]| {
        let field = field.trim_ascii();
        field.strip_prefix(b"\"").and_then(|field| field.strip_suffix(b"\"")).unwrap_or(field)
    };
    let parts = line.split(|&c| c == separator || separator == b' ' && c == b'\t');
    let parts = parts.filter(|part| separator != b' ' || !part.is_empty());
    fields.iter_mut().zip(parts).map(|(field, part)| *field = bare(part)).count()
}

impl Columns {
    #[inline]
    fn push(
        &self,
        fields: &[&[u8]],
        devices: &mut Devices,
        records: &mut Vec<Record>,
    ) -> Result<(), Problem> {
        let field = |column: usize| fields.get(column).copied().ok_or("it has too few fields");
        let time_ns = time_ns(field(self.time)?, self.units.time).ok_or("the time is not a number")?;
        let latency_ns = match self.latency {
            None => None,
            Some((column, unit)) => match field(column)? {
                b"" => None,
                text => Some(self::time_ns(text, unit).ok_or("the latency is not a number")?),
            },
        };
        let operation = self.operation(field(self.op)?)?;
        let range = match operation {
            Rwbs::Flush => (0, 0),
            Rwbs::Other => return Err("the operation is neither read, write, flush nor trim"),
            Rwbs::Io { .. } => {
                let offset = place(field(self.offset)?, self.units.address);
                let length = place(field(self.length)?, self.units.length);
                bytes(
                    offset.ok_or("the offset is not a whole number that fits 64 bits of bytes")?,
                    length.ok_or("the length is not a whole number that fits 64 bits of bytes")?,
                )?
            }
        };
        let device = devices.number(self.device.map_or(Ok(&b"0"[..]), field)?)?;
        let (offset_bytes, length_bytes) = range;
        operation.push(
            Record { time_ns, offset_bytes, length_bytes, latency_ns, device, ..Record::default() },
            records,
        );
        Ok(())
    }

    #[inline]
    fn operation(&self, word: &[u8]) -> Result<Rwbs, Problem> {
        let io = |op| Ok(Rwbs::Io { op, flags: Flags::NONE, flush_first: false });
        if let Some(read) = self.read {
            let number = Fields(word).last_number().ok_or("the operation is not a number")?;
            return io(if number == read { Op::Read } else { Op::Write });
        }
        match word.to_ascii_lowercase().as_slice() {
            b"read" | b"r" | b"rs" => io(Op::Read),
            b"write" | b"w" => io(Op::Write),
            b"trim" | b"t" | b"discard" | b"d" | b"unmap" => io(Op::Trim),
            b"flush" | b"f" => Ok(Rwbs::Flush),
            [b'0'..=b'9', ..] => {
                Err("the operation is a number, and its column does not say which is a read")
            }
            _ => Rwbs::parse(word),
        }
    }
}

#[inline]
fn time_ns(text: &[u8], unit: TimeUnit) -> Option<u64> {
    let mut fields = Fields(text);
    let ns = fields.decimal_ns(usize::from(unit.places()))?;
    fields.0.is_empty().then_some(ns)
}

#[inline]
fn place(text: &[u8], unit: SpaceUnit) -> Option<u64> {
    let number = match text.strip_prefix(b"0x") {
        Some(digits) => u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?,
        None => Fields(text).last_number()?,
    };
    number.checked_mul(unit.bytes())
}
