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
//! times go back. Without `-s` or `-t`, iosnoop tells no time: all times are 0, only the order is known.
//!
//! T is `R` or `W` for bcc, and RWBS letters for the others; bcc shows what is no write as `R`. Such lines
//! with no bytes (a flush, a command) are counted as other lines; so is text before the names.

use super::Format;
use crate::devices::Devices;
use crate::lines::{LineFormat, Lines, sniff_lines};
use crate::record::{Process, Record};
use crate::rwbs::Rwbs;
use crate::text::{Fields, Problem, bytes};

/// The registry's line.
pub const FORMAT: Format = Format {
    name: "biosnoop",
    about: "bcc biosnoop and perf-tools iosnoop: TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)",
    sniff: sniff_lines::<Biosnoop>,
    decoder: Lines::<Biosnoop>::decoder,
    encoder: None,
    extensions: &[],
};

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
    /// Before the name of the process, which may hold blanks.
    before: Vec<Column>,
    /// Behind it, the last first.
    behind: Vec<Column>,
}

impl LineFormat for Biosnoop {
    #[inline]
    fn line(&mut self, line: &[u8], devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem> {
        if line.ends_with(b"LAT(ms)") || line.ends_with(b"LATms") {
            return self.heading(line);
        }
        let result = match self.behind.is_empty() {
            true => Err("there is no line with the names of the columns before it"),
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
        let comm = columns.iter().position(|&column| column == Column::Comm).unwrap_or_default();
        self.before = columns[..comm].to_vec();
        self.behind = columns[comm + 1..].iter().rev().copied().collect();
        Ok(())
    }

    #[inline]
    fn request(&self, line: &[u8], devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem> {
        let mut row = Row::default();
        let mut fields = Fields(line);
        for column in &self.before {
            row.take(*column, fields.word())?;
        }
        let mut rest = fields.0;
        for column in &self.behind {
            row.take(*column, last_word(&mut rest))?;
        }
        row.push(rest.trim_ascii(), devices, records)
    }
}

/// The last word, which is taken away; empty if there is none.
#[inline]
fn last_word<'a>(rest: &mut &'a [u8]) -> &'a [u8] {
    let text = rest.trim_ascii_end();
    let start = text.iter().rposition(|&c| c == b' ').map_or(0, |blank| blank + 1);
    let (before, word) = text.split_at(start);
    *rest = before;
    word
}

/// The fields of a line.
#[derive(Default)]
struct Row<'a> {
    start_ns: Option<u64>,
    end_ns: Option<u64>,
    latency_ns: Option<u64>,
    pid: u32,
    disk: &'a [u8],
    rwbs: Option<Rwbs>,
    /// None if the kernel gave it none.
    sector: Option<u64>,
    bytes: u64,
}

impl<'a> Row<'a> {
    #[inline(always)]
    fn take(&mut self, column: Column, word: &'a [u8]) -> Result<(), Problem> {
        let mut fields = Fields(word);
        match column {
            Column::Start | Column::End => {
                let time_ns = fields.seconds_ns().filter(|_| fields.0.is_empty());
                let time_ns = Some(time_ns.ok_or("the time is not in seconds")?);
                *(if column == Column::Start { &mut self.start_ns } else { &mut self.end_ns }) = time_ns;
            }
            Column::Latency => {
                let latency_ns = fields.decimal_ns(6).filter(|_| fields.0.is_empty());
                self.latency_ns = Some(latency_ns.ok_or("the latency is not in milliseconds")?);
            }
            Column::Queue => {
                fields.eat(b'-');
                let queued_ns = fields.decimal_ns(6).filter(|_| fields.0.is_empty());
                queued_ns.ok_or("the time in the queue is not in milliseconds")?;
            }
            Column::Pid => {
                let pid = fields.last_number().and_then(|pid| u32::try_from(pid).ok());
                self.pid = pid.ok_or("the PID is not a number")?;
            }
            Column::Disk if word.is_empty() => return Err("there is no disk"),
            Column::Disk => self.disk = word,
            Column::Op => self.rwbs = Some(Rwbs::parse(word)?),
            Column::Sector if word == b"-1" => self.sector = None,
            Column::Sector => {
                let sector = fields.last_number().ok_or("the sector is not a number")?;
                self.sector = Some(sector).filter(|&sector| sector != u64::MAX);
            }
            Column::Bytes => self.bytes = fields.last_number().ok_or("the bytes are not a number")?,
            Column::Pattern if matches!(word, b"R" | b"S" | b"?") => {}
            Column::Pattern => return Err("the pattern is neither R nor S"),
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

    #[inline]
    fn push(self, comm: &[u8], devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem> {
        let rwbs = self.rwbs.ok_or("the operation is missing")?;
        let (offset_bytes, length_bytes) = match rwbs {
            Rwbs::Flush if self.bytes > 0 => return Err("a flush has a length"),
            Rwbs::Flush => (0, 0),
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
            process: Process::new(self.pid, comm),
            ..Record::default()
        };
        rwbs.push(record, records);
        Ok(())
    }
}
