//! Our own CSV with named columns, read and written; it holds everything that a record holds.
//!
//! ```text
//! time_ns,device,op,offset_bytes,length_bytes,latency_ns,fua,sync,pid,process
//! 1025899728000,"7,3",write,805310464,4096,81250,0,1,31,tar
//! ```
//!
//! The first line names the columns, in any order:
//!
//! | columns | meaning |
//! |---|---|
//! | `time_ns`, `time_us`, `time_ms` or `time_s` | when it was issued, with or without a fraction; needed |
//! | `op` | `read`, `write`, `flush`, `trim`, or `R`, `W`, `F`, `T`; needed |
//! | `offset_bytes` or `sector` | where it begins, in bytes or in sectors of 512; needed |
//! | `length_bytes` or `sectors` | how long it is, alike; needed; both are 0 or blank for a flush |
//! | `device` | its name; a trace without it has one device, `0` |
//! | `latency_ns`, `latency_us`, `latency_ms` or `latency_s` | latency; blank if unknown |
//! | `fua`, `sync` | `1` or `true`, and `0`, `false` or blank |
//! | `pid`, `process` | number and name of who asked; blank if not known |
//!
//! Any other column is refused: it may be a unit spelt in another way. Fields are separated by commas, blanks
//! around them are ignored, and a field in double quotes may hold commas, blanks and doubled double quotes
//! (RFC 4180), but no line's end: a line is a request. Files joined with `cat` are read on, their equal first
//! lines are other lines.

use std::io::Write as _;

use flashscope_core::Op;
use flashscope_core::request::Flags;

use super::Format;
use crate::devices::Devices;
use crate::encoder::{Encoder, Loss, Losses};
use crate::lines::{LineFormat, unmarked};
use crate::reading::{Basis, Claim, SpaceUnit, TimeUnit, Units};
use crate::record::{Process, Record};
use crate::text::{Fields, Problem, bytes};

/// The registry's line.
pub(crate) const FORMAT: Format = Format::lines::<Csv>(
    "csv",
    "named columns: time_ns,device,op,offset_bytes,length_bytes,latency_ns,fua,sync,pid,process",
)
.reads(CLAIM)
.sniffed_by(sniff)
.written_by(|| Box::new(Encoded))
.with_extensions(&["csv"]);

/// What it says of its files.
const CLAIM: Claim = Claim::new(TimeUnit::Nanosecond, SpaceUnit::Byte, SpaceUnit::Byte)
    .resting_on(Basis::Named, Basis::Named)
    .with_device("column");

/// The heading alone tells, whatever is wrong with the lines below it.
fn sniff(head: &[u8]) -> u8 {
    let mut csv = Csv::default();
    for line in unmarked(head).split(|&c| c == b'\n') {
        if csv.heading(line.strip_suffix(b"\r").unwrap_or(line)).is_err() {
            return 0;
        }
        if !csv.columns.is_empty() {
            return 100;
        }
    }
    0
}

/// What a column holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    /// In units of so many powers of ten of a nanosecond.
    Time(u8),
    Device,
    Op,
    /// In units of so many bytes.
    Offset(u64),
    /// In units of so many bytes.
    Length(u64),
    /// As the time.
    Latency(u8),
    Flag(Flags),
    Pid,
    Process,
}

const NAMES: [(&[u8], Column); 18] = [
    (b"time_ns", Column::Time(0)),
    (b"time_us", Column::Time(3)),
    (b"time_ms", Column::Time(6)),
    (b"time_s", Column::Time(9)),
    (b"device", Column::Device),
    (b"op", Column::Op),
    (b"offset_bytes", Column::Offset(1)),
    (b"sector", Column::Offset(512)),
    (b"length_bytes", Column::Length(1)),
    (b"sectors", Column::Length(512)),
    (b"latency_ns", Column::Latency(0)),
    (b"latency_us", Column::Latency(3)),
    (b"latency_ms", Column::Latency(6)),
    (b"latency_s", Column::Latency(9)),
    (b"fua", Column::Flag(Flags::FUA)),
    (b"sync", Column::Flag(Flags::SYNC)),
    (b"pid", Column::Pid),
    (b"process", Column::Process),
];

const UNKNOWN_COLUMN: Problem = "it is not a header: a column is none of time_ns|us|ms|s, \
     device, op, offset_bytes, sector, length_bytes, sectors, latency_ns|us|ms|s, fua, sync, pid, process";

#[derive(Default)]
struct Csv {
    /// The first line; empty before it.
    heading: Vec<u8>,
    columns: Vec<Column>,
    /// A field without its double quotes.
    unquoted: Vec<u8>,
}

impl LineFormat for Csv {
    #[inline]
    fn line(&mut self, line: &[u8], devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem> {
        if self.columns.is_empty() {
            return self.heading(line);
        }
        match row(&self.columns, line) {
            Ok(row) => row.push(&mut self.unquoted, devices, records),
            Err(_) if line.trim_ascii().is_empty() || line == self.heading => Ok(()),
            Err(problem) => Err(problem),
        }
    }

    fn units(&self) -> Option<Units> {
        let space = |bytes: u64| SpaceUnit::ALL.into_iter().find(|unit| unit.bytes() == bytes);
        let find = |unit: fn(&Column) -> Option<u64>| self.columns.iter().find_map(unit);
        let time =
            find(|column| if let Column::Time(places) = column { Some(u64::from(*places)) } else { None })?;
        let address = find(|column| if let Column::Offset(bytes) = column { Some(*bytes) } else { None })?;
        let length = find(|column| if let Column::Length(bytes) = column { Some(*bytes) } else { None })?;
        let latency =
            find(|column| if let Column::Latency(places) = column { Some(u64::from(*places)) } else { None });
        let unit = |places: u64| TimeUnit::ALL.into_iter().find(|unit| u64::from(unit.places()) == places);
        let latency = latency.and_then(unit);
        Some(Units { time: unit(time)?, address: space(address)?, length: space(length)?, latency })
    }
}

impl Csv {
    #[cold]
    fn heading(&mut self, line: &[u8]) -> Result<(), Problem> {
        if line.trim_ascii().is_empty() || line.starts_with(b"#") {
            return Ok(());
        }
        let column = |name: &[u8]| {
            let name = name.trim_ascii();
            let name = name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\"")).unwrap_or(name);
            NAMES.iter().find(|(known, _)| *known == name).map(|(_, column)| *column)
        };
        let columns: Option<Vec<_>> = line.split(|&c| c == b',').map(column).collect();
        let columns = columns.ok_or(UNKNOWN_COLUMN)?;
        let kind = |column: &Column| match column {
            Column::Flag(flag) => (std::mem::discriminant(column), flag.0),
            column => (std::mem::discriminant(column), 0),
        };
        let count = |of: &Column| columns.iter().filter(|column| kind(column) == kind(of)).count();
        if columns.iter().any(|column| count(column) > 1) {
            return Err("it names a column twice (perhaps in two units)");
        }
        let needed = [Column::Time(0), Column::Op, Column::Offset(1), Column::Length(1)];
        if needed.iter().any(|column| count(column) == 0) {
            return Err("it does not name all of time, op, offset_bytes or sector, length_bytes or sectors");
        }
        (self.heading, self.columns) = (line.to_vec(), columns);
        Ok(())
    }
}

/// A field of text as it stands in the line.
#[derive(Clone, Copy, Default)]
struct Text<'a> {
    bytes: &'a [u8],
    /// Double quotes in it are doubled.
    has_quotes: bool,
}

impl<'a> Text<'a> {
    #[inline]
    fn plain(&self, unquoted: &'a mut Vec<u8>) -> &'a [u8] {
        if !self.has_quotes {
            return self.bytes;
        }
        unquoted.clear();
        let mut quotes = 0;
        unquoted.extend(self.bytes.iter().copied().filter(|&c| {
            quotes += usize::from(c == b'"');
            c != b'"' || quotes % 2 == 1
        }));
        unquoted
    }
}

/// The fields of a line.
struct Row<'a> {
    time_ns: u64,
    op: Op,
    offset_bytes: u64,
    length_bytes: u64,
    latency_ns: Option<u64>,
    device: Text<'a>,
    pid: u64,
    process: Text<'a>,
    flags: u8,
}

#[inline(always)]
fn row<'a>(columns: &[Column], line: &'a [u8]) -> Result<Row<'a>, Problem> {
    let mut row = Row {
        time_ns: 0,
        op: Op::Read,
        offset_bytes: 0,
        length_bytes: 0,
        latency_ns: None,
        device: Text { bytes: b"0", has_quotes: false },
        pid: 0,
        process: Text::default(),
        flags: 0,
    };
    let mut fields = Fields(line);
    for (index, column) in columns.iter().enumerate() {
        fields.skip_blanks();
        row.take(*column, &mut fields).ok_or_else(|| problem(*column))?;
        fields.skip_blanks();
        if !fields.ends_field(index + 1 == columns.len()) {
            return Err(if fields.0.is_empty() { "it has too few fields" } else { problem(*column) });
        }
    }
    Ok(row)
}

impl<'a> Row<'a> {
    #[inline(always)]
    fn take(&mut self, column: Column, fields: &mut Fields<'a>) -> Option<()> {
        match column {
            Column::Time(places) => self.time_ns = fields.decimal_ns(usize::from(places))?,
            Column::Device => self.device = text(fields)?,
            Column::Op => self.op = op(text(fields)?.bytes)?,
            Column::Offset(unit) => self.offset_bytes = or_blank(fields)?.unwrap_or(0).checked_mul(unit)?,
            Column::Length(unit) => self.length_bytes = or_blank(fields)?.unwrap_or(0).checked_mul(unit)?,
            Column::Latency(_) if is_blank(fields) => {}
            Column::Latency(places) => self.latency_ns = Some(fields.decimal_ns(usize::from(places))?),
            Column::Flag(flag) => self.flags |= if truth(text(fields)?.bytes)? { flag.0 } else { 0 },
            Column::Pid => self.pid = or_blank(fields)?.unwrap_or(0),
            Column::Process => self.process = text(fields)?,
        }
        Some(())
    }

    #[inline(always)]
    fn push(
        self,
        unquoted: &mut Vec<u8>,
        devices: &mut Devices,
        records: &mut Vec<Record>,
    ) -> Result<(), Problem> {
        let (offset_bytes, length_bytes) = match (self.op, self.offset_bytes, self.length_bytes) {
            (Op::Flush, 0, 0) => (0, 0),
            (Op::Flush, ..) => return Err("a flush has a range"),
            (_, offset, length) => bytes(offset, length)?,
        };
        let pid = u32::try_from(self.pid).map_err(|_| problem(Column::Pid))?;
        records.push(Record {
            time_ns: self.time_ns,
            offset_bytes,
            length_bytes,
            latency_ns: self.latency_ns,
            device: devices.number(self.device.plain(unquoted))?,
            process: Process::new(pid, self.process.plain(unquoted)),
            op: self.op,
            flags: Flags(self.flags),
        });
        Ok(())
    }
}

#[cold]
fn problem(column: Column) -> Problem {
    match column {
        Column::Time(_) => "the time is not a number that fits 64 bits of nanoseconds",
        Column::Device => "the device is not a field of text",
        Column::Op => "the op is not one of read, write, flush, trim, R, W, F, T",
        Column::Offset(_) => "the offset is not a whole number that fits 64 bits of bytes",
        Column::Length(_) => "the length is not a whole number that fits 64 bits of bytes",
        Column::Latency(_) => "the latency is not a number that fits 64 bits of nanoseconds",
        Column::Flag(_) => "fua and sync are not 0, 1, false, true or blank",
        Column::Pid => "the pid is not a number of 32 bits",
        Column::Process => "the process is not a field of text",
    }
}

#[inline]
fn op(name: &[u8]) -> Option<Op> {
    // The shape of a name that is written comes first: comparing it costs no call.
    Some(match name {
        [b'r', b'e', b'a', b'd'] | b"R" | b"r" | b"Read" | b"READ" => Op::Read,
        [b'w', b'r', b'i', b't', b'e'] | b"W" | b"w" | b"Write" | b"WRITE" => Op::Write,
        b"flush" | b"F" | b"f" | b"Flush" | b"FLUSH" => Op::Flush,
        b"trim" | b"T" | b"t" | b"Trim" | b"TRIM" => Op::Trim,
        _ => return None,
    })
}

#[inline]
fn truth(name: &[u8]) -> Option<bool> {
    match name {
        [b'1'] | b"true" | b"True" => Some(true),
        [] | [b'0'] | b"false" | b"False" => Some(false),
        _ => None,
    }
}

/// Whether the field is at its end.
#[inline(always)]
fn is_blank(fields: &Fields<'_>) -> bool {
    matches!(fields.0, [] | [b',', ..])
}

/// A number or nothing; none if it is neither.
#[inline(always)]
fn or_blank(fields: &mut Fields<'_>) -> Option<Option<u64>> {
    if is_blank(fields) { Some(None) } else { fields.number().map(Some) }
}

/// A field of text, up to the comma or the line's end behind it.
#[inline]
fn text<'a>(fields: &mut Fields<'a>) -> Option<Text<'a>> {
    if !fields.eat(b'"') {
        return Some(Text { bytes: fields.skip_to(b',').trim_ascii_end(), has_quotes: false });
    }
    let whole = fields.0;
    let mut has_quotes = false;
    loop {
        fields.until(b'"')?;
        if !fields.eat(b'"') {
            break;
        }
        has_quotes = true;
    }
    Some(Text { bytes: &whole[..whole.len() - fields.0.len() - 1], has_quotes })
}

/// The format as it is written.
struct Encoded;

impl Encoder for Encoded {
    fn begin(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(
            b"time_ns,device,op,offset_bytes,length_bytes,latency_ns,fua,sync,pid,process\n",
        );
    }

    fn batch(&mut self, records: &[Record], devices: &[String], out: &mut Vec<u8>, losses: &mut Losses) {
        for record in records {
            encode(record, devices, out, losses);
        }
    }
}

fn encode(record: &Record, devices: &[String], out: &mut Vec<u8>, losses: &mut Losses) {
    let Record { time_ns, offset_bytes, length_bytes, latency_ns, device, process, op, flags } = record;
    // Writing to memory does not fail.
    let _ = write!(out, "{time_ns},");
    if !push_text(devices[*device as usize].as_bytes(), out) {
        losses.count(Loss::Device);
    }
    let _ = write!(out, ",{op},{offset_bytes},{length_bytes},");
    if let Some(latency_ns) = latency_ns {
        let _ = write!(out, "{latency_ns}");
    }
    let flag = |flag: Flags| u8::from(flags.0 & flag.0 != 0);
    let _ = write!(out, ",{},{},", flag(Flags::FUA), flag(Flags::SYNC));
    if process.pid > 0 {
        let _ = write!(out, "{}", process.pid);
    }
    out.push(b',');
    if !push_text(process.name(), out) {
        losses.count(Loss::Process);
    }
    out.push(b'\n');
}

/// Appends a field of text, in double quotes if it needs them; false if it holds a line's end, for which a
/// blank is written.
fn push_text(text: &[u8], out: &mut Vec<u8>) -> bool {
    let is_line_end = |c: u8| c == b'\n' || c == b'\r';
    let is_plain = text.trim_ascii().len() == text.len() && !text.iter().any(|c| b",\"\n\r".contains(c));
    if is_plain {
        out.extend_from_slice(text);
        return true;
    }
    out.push(b'"');
    for &c in text {
        match c {
            b'"' => out.extend_from_slice(b"\"\""),
            c if is_line_end(c) => out.push(b' '),
            c => out.push(c),
        }
    }
    out.push(b'"');
    !text.iter().any(|&c| is_line_end(c))
}
