//! What biosnoop of bcc (and of its libbpf tools) and iosnoop of perf-tools print:
//!
//! ```text
//! TIME(s)     COMM           PID    DISK    T SECTOR     BYTES  QUE(ms) LAT(ms)
//! 0.000004    supervise      1950   xvda1   W 13092560   4096      0.01    0.74
//!
//! STARTs         ENDs           COMM             PID    TYPE DEV      BLOCK        BYTES     LATms
//! 5982800.302061 5982800.302679 supervise        1809   W    202,1    17039600     4096       0.62
//! ```
//!
//! The line with the names tells which columns there are. Sectors have 512 bytes, sizes are bytes, latencies
//! milliseconds with two or three digits. biosnoop's TIME(s) and iosnoop's ENDs are when a request *ended*,
//! its record tells when it was issued: that is the latency earlier, true to the latency's last digit, and
//! counted as time 0 if it was before the trace began. Lines come in the order in which requests ended, so
//! times go back. Without `-s` or `-t`, iosnoop prints no time: all times are 0, only the order is known.
//!
//! T is `R` or `W` for bcc, and RWBS letters for the others; bcc shows what is no write as `R`. A line
//! without bytes is a flush if its letters say so or if it has no sector either, as the kernel's flushes
//! (`R -1 0`). Commands passed through, which have bytes and no sector, are other lines; so is text before
//! the names.

use flashscope_core::Op;

use super::Format;
use crate::devices::Devices;
use crate::lines::LineFormat;
use crate::reading::{Claim, SpaceUnit, Stage, StatedUnits, TimeUnit};
use crate::record::{Process, Record};
use crate::rwbs::Rwbs;
use crate::text::{Fields, Problem, bytes};

/// The registry's line.
pub(crate) const FORMAT: Format = Format::lines::<Biosnoop>(
    "biosnoop",
    "bcc biosnoop and perf-tools iosnoop: TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)",
)
.reads(CLAIM);

/// What it says of its files.
const CLAIM: Claim = Claim::new(TimeUnit::Second, SpaceUnit::Sector, SpaceUnit::Byte)
    .with_latency(TimeUnit::Millisecond)
    .at(Stage::Completed)
    .with_device("column");

#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Start,
    End,
    Comm,
    Pid,
    Disk,
    Op,
    Sector,
    Bytes,
    /// Checked to be a number.
    Queue,
    /// Random or sequential, in biosnoop -P.
    Pattern,
    Latency,
}

const NAMES: [(&[u8], Column); 17] = [
    (b"TIME(s)", Column::End),
    (b"ENDs", Column::End),
    (b"STARTs", Column::Start),
    (b"COMM", Column::Comm),
    (b"PID", Column::Pid),
    (b"DISK", Column::Disk),
    (b"DEV", Column::Disk),
    (b"T", Column::Op),
    (b"TYPE", Column::Op),
    (b"SECTOR", Column::Sector),
    (b"BLOCK", Column::Sector),
    (b"BYTES", Column::Bytes),
    (b"QUE(ms)", Column::Queue),
    (b"P", Column::Pattern),
    (b"PATTERN", Column::Pattern),
    (b"LAT(ms)", Column::Latency),
    (b"LATms", Column::Latency),
];

#[derive(Default)]
struct Biosnoop {
    columns: Vec<Column>,
    /// How many of them stand behind the name of the process, which may hold blanks.
    behind: usize,
    /// The issue is the latency before the end, so that both must be right at once.
    stated: StatedUnits,
}

impl LineFormat for Biosnoop {
    fn take_times(&mut self, stated: &StatedUnits) -> bool {
        self.stated = *stated;
        true
    }

    #[inline]
    fn line(&mut self, line: &[u8], devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem> {
        if line.ends_with(b"LAT(ms)") || line.ends_with(b"LATms") {
            return self.heading(line);
        }
        let result = match self.columns.is_empty() {
            true => Err("there is no header line before it"),
            false => self.request(line, devices, records),
        };
        result.or_else(|problem| if is_other(line) { Ok(()) } else { Err(problem) })
    }
}

/// Lines that are no requests.
#[cold]
fn is_other(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.is_empty() || line == b"^C" || line.starts_with(b"Tracing ") || line.starts_with(b"Ending tracing")
}

impl Biosnoop {
    #[cold]
    fn heading(&mut self, line: &[u8]) -> Result<(), Problem> {
        let column = |name: &[u8]| NAMES.iter().find(|(known, _)| *known == name).map(|(_, column)| *column);
        let words = line.split(|&c| c == b' ').filter(|word| !word.is_empty());
        let columns: Option<Vec<_>> = words.map(column).collect();
        let columns = columns.ok_or("there is an unknown column")?;
        let count = |needed| columns.iter().filter(|&&column| column == needed).count();
        let once = [Column::Comm, Column::Pid, Column::Disk, Column::Op, Column::Sector, Column::Bytes];
        let at_most_once = [Column::Start, Column::End, Column::Latency];
        if once.iter().any(|&c| count(c) != 1) || at_most_once.iter().any(|&c| count(c) > 1) {
            return Err("COMM, PID, DISK, T, SECTOR and BYTES must be a column, once");
        }
        self.behind = columns.iter().rev().take_while(|&&column| column != Column::Comm).count();
        self.columns = columns;
        Ok(())
    }

    #[inline]
    fn request(&self, line: &[u8], devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem> {
        let row = self.row(line, None).or_else(|problem| {
            // There are more words than columns if the name of the process has blanks.
            let behind = last_words(line, self.behind).ok_or(problem)?;
            self.row(line, Some(behind))
        });
        match row {
            Ok(row) => row.push(devices, records),
            Err(_) if self.is_without_disk(line) => Ok(()),
            Err(problem) => Err(problem),
        }
    }

    /// A command passed through, of which the kernel tells neither disk nor sector: `?  0    R -1  8  0.32`.
    #[cold]
    fn is_without_disk(&self, line: &[u8]) -> bool {
        let columns = self.columns.iter().copied().filter(|column| *column != Column::Disk).collect();
        let others = Biosnoop { columns, behind: self.behind - 1, stated: self.stated };
        others.row(line, None).is_ok_and(|row| row.sector.is_none())
    }

    /// The fields, with a name of one word, or one that ends at `behind`.
    #[inline(always)]
    fn row<'a>(&self, line: &'a [u8], behind: Option<usize>) -> Result<Row<'a>, Problem> {
        let time_places = self.stated.time.map_or(9, TimeUnit::places);
        let latency_places = self.stated.latency.map_or(6, TimeUnit::places);
        let mut row = Row { time_places, latency_places, ..Row::default() };
        let mut fields = Fields(line);
        fields.skip_blanks();
        for column in &self.columns {
            match (*column, behind) {
                (Column::Comm, None) => row.comm = fields.word(),
                (Column::Comm, Some(behind)) => {
                    let start = line.len() - fields.0.len();
                    let name =
                        line.get(start..behind).ok_or("its number of fields differs from the header's")?;
                    row.comm = name.trim_ascii();
                    fields.0 = &line[behind..];
                }
                (column, _) => row.take(column, &mut fields)?,
            }
        }
        if fields.0.is_empty() { Ok(row) } else { Err("it has more fields than there are columns") }
    }
}

/// Where the last so many words begin.
#[cold]
fn last_words(line: &[u8], count: usize) -> Option<usize> {
    let is_blank = |at: usize| line[at] == b' ';
    let begins = |at: &usize| !is_blank(*at) && (*at == 0 || is_blank(at - 1));
    (0..line.len()).rev().filter(begins).nth(count.checked_sub(1)?)
}

/// The fields of a line.
#[derive(Default)]
struct Row<'a> {
    time_places: u8,
    latency_places: u8,
    start_ns: Option<u64>,
    end_ns: Option<u64>,
    latency_ns: Option<u64>,
    comm: &'a [u8],
    pid: u32,
    disk: &'a [u8],
    rwbs: Option<Rwbs>,
    /// None if the kernel gave it none.
    sector: Option<u64>,
    bytes: u64,
}

impl<'a> Row<'a> {
    #[inline(always)]
    fn take(&mut self, column: Column, fields: &mut Fields<'a>) -> Result<(), Problem> {
        let (time, latency) = (usize::from(self.time_places), usize::from(self.latency_places));
        match column {
            Column::Start => self.start_ns = Some(whole(fields.decimal_ns(time), fields, column)?),
            Column::End => self.end_ns = Some(whole(fields.decimal_ns(time), fields, column)?),
            Column::Latency => self.latency_ns = Some(whole(fields.decimal_ns(latency), fields, column)?),
            Column::Queue => {
                fields.eat(b'-');
                whole(fields.decimal_ns(6), fields, column)?;
            }
            Column::Pid => {
                let pid = fields.number().and_then(|pid| u32::try_from(pid).ok());
                self.pid = whole(pid, fields, column)?;
            }
            Column::Disk => {
                self.disk = Some(fields.word()).filter(|d| !d.is_empty()).ok_or_else(|| problem(column))?
            }
            Column::Op => self.rwbs = Some(Rwbs::parse(fields.word())?),
            Column::Sector => {
                // What the kernel has where there is none, with or without a sign.
                let sector = if fields.0.starts_with(b"-1 ") { skip(fields, 2) } else { fields.number() };
                self.sector = Some(whole(sector, fields, column)?).filter(|&sector| sector != u64::MAX);
            }
            Column::Bytes => self.bytes = whole(fields.number(), fields, column)?,
            Column::Pattern => {
                let pattern = if let [b'R' | b'S', ..] = fields.0 { skip(fields, 1) } else { None };
                whole(pattern, fields, column).map(|_| ())?;
            }
            Column::Comm => {}
        }
        Ok(())
    }

    /// When it was issued: the latency before it ended.
    #[inline]
    fn time_ns(&self) -> u64 {
        let end_ns = self.end_ns.unwrap_or(0);
        self.start_ns.unwrap_or_else(|| end_ns.saturating_sub(self.latency_ns.unwrap_or(0)))
    }

    #[inline(always)]
    fn push(self, devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem> {
        let mut rwbs = self.rwbs.ok_or("the operation is missing")?;
        let is_flush = matches!(rwbs, Rwbs::Io { flush_first: true, .. }) || self.sector.is_none();
        if self.bytes == 0 && is_flush {
            rwbs = Rwbs::Flush;
        }
        let (offset_bytes, length_bytes) = match rwbs {
            Rwbs::Flush if self.bytes > 0 => return Err("a flush has a length"),
            Rwbs::Flush => (0, 0),
            // A command passed through.
            Rwbs::Io { op: Op::Read, .. } if self.sector.is_none() && self.bytes > 0 => return Ok(()),
            Rwbs::Other if self.bytes > 0 => return Err("operation N is neither read nor write"),
            _ if self.bytes == 0 => return Ok(()),
            _ => {
                let offset = self.sector.and_then(|sector| sector.checked_mul(512));
                bytes(offset.ok_or("the range does not fit 64 bits")?, self.bytes)?
            }
        };
        let record = Record {
            time_ns: self.time_ns(),
            offset_bytes,
            length_bytes,
            latency_ns: self.latency_ns,
            device: devices.number(self.disk)?,
            process: Process::new(self.pid, self.comm),
            ..Record::default()
        };
        rwbs.push(record, records);
        Ok(())
    }
}

/// The value, if a word ends behind it.
#[inline(always)]
fn whole<T>(value: Option<T>, fields: &mut Fields<'_>, column: Column) -> Result<T, Problem> {
    value.filter(|_| fields.ends_word()).ok_or_else(|| problem(column))
}

/// Leaves out so many bytes.
#[inline]
fn skip(fields: &mut Fields<'_>, count: usize) -> Option<u64> {
    fields.0 = &fields.0[count..];
    Some(u64::MAX)
}

#[cold]
fn problem(column: Column) -> Problem {
    match column {
        Column::Start | Column::End => "the time is not in seconds",
        Column::Latency => "the latency is not in milliseconds",
        Column::Queue => "the time in the queue is not in milliseconds",
        Column::Pid => "the PID is not a number",
        Column::Disk => "no disk",
        Column::Op => "no operation",
        Column::Sector => "the sector is not a number",
        Column::Bytes => "the bytes are not a number",
        Column::Pattern => "the pattern is neither R nor S",
        Column::Comm => "no name",
    }
}
