//! Disk requests of Windows as `xperf -a dumper` prints them from ETW, and as SNIA IOTTA keeps Microsoft's
//! enterprise traces:
//!
//! ```text
//! BeginHeader
//!               DiskRead,  TimeStamp,     Process Name ( PID),   ThreadID,         IrpPtr,   ByteOffset, ..
//! EndHeader
//!               DiskRead,     723291,          p0 (11008),      12260, 0xfffffade691b3010, 0x4e5ec22e00, ..
//! ```
//!
//! The header names the columns of each event, in any number and order; newer versions have some more. Used
//! are TimeStamp (microseconds), Process Name ( PID), ByteOffset and IOSize (hexadecimal bytes), ElapsedTime
//! (microseconds, the latency) and DiskNum (the device) of DiskRead, DiskWrite and DiskFlush. These events
//! are written when a request *ends*; its record tells when it was issued, that is ElapsedTime earlier, or 0
//! if it was before the trace began. So times go back. All other events that the header names are other
//! lines, DiskReadInit and its like among them.

use std::collections::HashSet;

use flashscope_core::Op;

use super::Format;
use crate::devices::Devices;
use crate::lines::LineFormat;
use crate::reading::{Claim, SpaceUnit, Stage, StatedUnits, TimeUnit};
use crate::record::{Process, Record};
use crate::text::{Fields, Problem, bytes};

/// The registry's line.
pub(crate) const FORMAT: Format = Format::lines::<Etw>(
    "etw",
    "Windows ETW as xperf's dumper prints it (SNIA enterprise traces): DiskRead, DiskWrite, DiskFlush",
)
.reads(CLAIM)
.with_extensions(&["csv"]);

/// What it says of its files.
const CLAIM: Claim = Claim::new(TimeUnit::Microsecond, SpaceUnit::Byte, SpaceUnit::Byte)
    .with_latency(TimeUnit::Microsecond)
    .at(Stage::Completed)
    .with_device("column");

#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Time,
    Process,
    Offset,
    Length,
    Elapsed,
    Disk,
    /// Not looked at.
    Other,
    /// The last one, which may hold anything.
    FileName,
}

const NAMES: [(&[u8], Column); 7] = [
    (b"TimeStamp", Column::Time),
    (b"Process Name ( PID)", Column::Process),
    (b"ByteOffset", Column::Offset),
    (b"IOSize", Column::Length),
    (b"ElapsedTime", Column::Elapsed),
    (b"DiskNum", Column::Disk),
    (b"FileName", Column::FileName),
];

const EVENTS: [(&[u8], Op); 3] =
    [(b"DiskRead", Op::Read), (b"DiskWrite", Op::Write), (b"DiskFlush", Op::Flush)];

#[derive(Default)]
struct Etw {
    is_in_header: bool,
    /// Of DiskRead, DiskWrite and DiskFlush, behind the event's name.
    columns: [Vec<Column>; 3],
    /// Events that the header names.
    others: HashSet<Box<[u8]>>,
    /// The issue is the latency before the end, so that both must be right at once.
    stated: StatedUnits,
}

impl LineFormat for Etw {
    fn take_times(&mut self, stated: &StatedUnits) -> bool {
        self.stated = *stated;
        true
    }

    #[inline]
    fn line(&mut self, line: &[u8], devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem> {
        let mut fields = Fields(line);
        fields.skip_blanks();
        let event = fields.skip_to(b',').trim_ascii_end();
        if self.is_in_header || !fields.eat(b',') {
            return self.mark(event, fields);
        }
        match EVENTS.iter().position(|(name, _)| *name == event) {
            Some(at) if !self.columns[at].is_empty() => {
                request(EVENTS[at].1, &self.columns[at], &self.stated, fields, devices, records)
            }
            _ if self.others.contains(event) => Ok(()),
            _ if event.starts_with(b"FirstReliable") => Ok(()),
            _ if event.starts_with(b"OS Version:") => check_for_losses(line),
            _ => Err("the header names no such event"),
        }
    }
}

/// `OS Version: .., Events Lost: 0, Buffers Lost: 0, ..`
#[cold]
fn check_for_losses(line: &[u8]) -> Result<(), Problem> {
    let lost = |name: &[u8]| {
        let at = memchr::memmem::find(line, name)?;
        Fields(&line[at + name.len()..]).number()
    };
    match (lost(b"Events Lost: "), lost(b"Buffers Lost: ")) {
        (None | Some(0), None | Some(0)) => Ok(()),
        _ => Err("events were lost while capturing: too few buffers"),
    }
}

impl Etw {
    /// A line of the header, or one that is no event.
    #[cold]
    fn mark(&mut self, event: &[u8], mut columns: Fields<'_>) -> Result<(), Problem> {
        match event {
            b"" if columns.0.is_empty() => return Ok(()),
            b"BeginHeader" => self.is_in_header = true,
            b"EndHeader" if self.is_in_header => self.is_in_header = false,
            _ if !self.is_in_header => return Err("not an event"),
            _ => {
                columns.eat(b',');
                match EVENTS.iter().position(|(name, _)| *name == event) {
                    Some(at) => self.columns[at] = header(EVENTS[at].1, columns.0)?,
                    None => drop(self.others.insert(event.into())),
                }
            }
        }
        Ok(())
    }
}

#[cold]
fn header(op: Op, names: &[u8]) -> Result<Vec<Column>, Problem> {
    let column = |name: &[u8]| {
        let known = NAMES.iter().find(|(known, _)| *known == name.trim_ascii());
        known.map_or(Column::Other, |(_, column)| *column)
    };
    let columns: Vec<_> = names.split(|&c| c == b',').map(column).collect();
    if columns.iter().rev().skip(1).any(|&column| column == Column::FileName) {
        return Err("FileName must be the last column");
    }
    let range: &[_] = if op == Op::Flush { &[] } else { &[Column::Offset, Column::Length] };
    let needed = [Column::Time, Column::Disk];
    let count = |needed| columns.iter().filter(|&&column| column == needed).count();
    if needed.iter().chain(range).any(|&needed| count(needed) != 1) {
        return Err("TimeStamp, ByteOffset, IOSize and DiskNum must be a column, once");
    }
    Ok(columns)
}

#[inline]
fn request(
    op: Op,
    columns: &[Column],
    stated: &StatedUnits,
    mut fields: Fields<'_>,
    devices: &mut Devices,
    records: &mut Vec<Record>,
) -> Result<(), Problem> {
    let (mut end, mut offset, mut length, mut elapsed) = (0, 0, 0, None);
    let (mut process, mut disk) = (Process::default(), &b""[..]);
    for (index, column) in columns.iter().enumerate() {
        let is_last = index + 1 == columns.len();
        if *column == Column::FileName {
            break;
        }
        let field = fields.skip_to(b',');
        if !fields.ends_field(is_last) {
            return Err("its number of fields differs from the header's");
        }
        match column {
            Column::Time => end = number(field).ok_or("the TimeStamp is not a number")?,
            Column::Process => process = named(field).ok_or("the process is not a name and (PID)")?,
            Column::Offset => offset = hexadecimal(field).ok_or("the ByteOffset is not hexadecimal")?,
            Column::Length => length = hexadecimal(field).ok_or("the IOSize is not hexadecimal")?,
            Column::Elapsed => elapsed = Some(number(field).ok_or("the ElapsedTime is not a number")?),
            Column::Disk => disk = field.trim_ascii(),
            Column::Other | Column::FileName => {}
        }
    }
    number(disk).ok_or("the DiskNum is not a number")?;
    let nanoseconds = |number: u64, unit: Option<TimeUnit>| {
        let ns = unit.unwrap_or(TimeUnit::Microsecond).ns();
        number.checked_mul(ns).ok_or("a time does not fit 64 bits of nanoseconds")
    };
    let latency_ns = elapsed.map(|elapsed| nanoseconds(elapsed, stated.latency)).transpose()?;
    let (offset_bytes, length_bytes) = if op == Op::Flush { (0, 0) } else { bytes(offset, length)? };
    records.push(Record {
        time_ns: nanoseconds(end, stated.time)?.saturating_sub(latency_ns.unwrap_or(0)),
        offset_bytes,
        length_bytes,
        latency_ns,
        device: devices.number(disk)?,
        process,
        op,
        ..Record::default()
    });
    Ok(())
}

/// A decimal number among blanks.
#[inline]
fn number(field: &[u8]) -> Option<u64> {
    Fields(field.trim_ascii()).last_number()
}

/// `0x00002000` among blanks.
#[inline]
fn hexadecimal(field: &[u8]) -> Option<u64> {
    let digits = field.trim_ascii().strip_prefix(b"0x")?;
    let mut value = 0_u64;
    for &c in digits {
        let digit = (c as char).to_digit(16)?;
        value = if value >> 60 == 0 { value << 4 | u64::from(digit) } else { return None };
    }
    (!digits.is_empty()).then_some(value)
}

/// `name (PID)`; a PID of -1 is one that Windows does not know.
#[inline]
fn named(field: &[u8]) -> Option<Process> {
    let field = field.trim_ascii().strip_suffix(b")")?;
    let open = field.iter().rposition(|&c| c == b'(')?;
    let (name, pid) = (field[..open].trim_ascii(), field[open + 1..].trim_ascii());
    match pid {
        b"-1" => Some(Process::new(0, name)),
        pid => Some(Process::new(u32::try_from(Fields(pid).last_number()?).ok()?, name)),
    }
}
