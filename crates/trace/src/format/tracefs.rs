//! The kernel's tracepoint `block:block_rq_issue` as tracefs prints it, and as perf script does:
//!
//! ```text
//! tar-31 [001] ..... 1025.899728: block_rq_issue: 7,3 RM 4096 () 1572872 + 8 be,0,4 [tar]
//! comm-pid [cpu] flags seconds: event: major,minor RWBS bytes (command) sector + sectors priority [comm]
//! ```
//!
//! Sectors have 512 bytes; older kernels print no priority, and no bytes. A leading or lone `F` is a flush.
//! Comments (`#`), other events and commands passed through tell of no request; where the kernel says that
//! it lost events, a strict reader stops.

use flashscope_core::request::Op;
use memchr::memmem::Finder;
use memchr::memrchr;

use super::Format;
use crate::devices::Devices;
use crate::lines::{LineFormat, Lines, sniff_lines};
use crate::record::{Process, Record};
use crate::rwbs::Rwbs;
use crate::text::{Fields, Problem, sectors};

/// The registry's line.
pub const FORMAT: Format = Format {
    name: "tracefs",
    about: "kernel tracepoint block_rq_issue as text, from tracefs or perf script",
    sniff: sniff_lines::<Tracefs>,
    decoder: Lines::<Tracefs>::decoder,
};

const EVENT: &str = "block_rq_issue: ";

struct Tracefs {
    event: Finder<'static>,
}

impl Default for Tracefs {
    fn default() -> Self {
        Tracefs { event: Finder::new(EVENT) }
    }
}

impl LineFormat for Tracefs {
    #[inline]
    fn line(&mut self, line: &[u8], devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem> {
        let Some(at) = self.event.find(line) else { return other(line) };
        let (time_ns, pid) = head(&line[..at])?;
        let Issue { device, rwbs, first, count, name } = issue(&line[at + EVENT.len()..])?;
        let flush = Record {
            time_ns,
            device: devices.number(device)?,
            process: Process::new(pid, name),
            op: Op::Flush,
            ..Record::default()
        };
        match rwbs {
            Rwbs::Flush if count == 0 => records.push(flush),
            Rwbs::Io { op, flags, flush_first } if count > 0 => {
                if flush_first {
                    records.push(flush);
                }
                let (offset_bytes, length_bytes) = sectors(first, count)?;
                records.push(Record { offset_bytes, length_bytes, op, flags, ..flush });
            }
            // A command passed through: the kernel gives it no range.
            Rwbs::Other | Rwbs::Io { .. } if count == 0 => {}
            Rwbs::Flush => return Err("a flush has a length"),
            _ => return Err("operation N on a range (write zeroes?) is neither read nor write"),
        }
        Ok(())
    }
}

/// `comm-pid [cpu] flags seconds: `, from its end, because a comm may hold anything: time and pid.
#[inline]
fn head(head: &[u8]) -> Result<(u64, u32), Problem> {
    const TIME: Problem = "the time is not in seconds";
    const PROCESS: Problem = "there is no process number before the [cpu]";
    let head = head.strip_suffix(b"block:").unwrap_or(head).trim_ascii_end();
    let (rest, time) = head.strip_suffix(b":").map(split_last_word).ok_or(TIME)?;
    let mut time = Fields(time);
    let time_ns = time.seconds_ns().filter(|_| time.0.is_empty()).ok_or(TIME)?;
    let mut process = rest[..memrchr(b'[', rest).ok_or(PROCESS)?].trim_ascii_end();
    if process.ends_with(b")") {
        // The thread group, with the option record-tgid.
        process = process[..memrchr(b'(', process).ok_or(PROCESS)?].trim_ascii_end();
    }
    let digits = process.iter().rev().take_while(|c| c.is_ascii_digit()).count();
    let pid = Fields(&process[process.len() - digits..]).number().and_then(|pid| u32::try_from(pid).ok());
    Ok((time_ns, pid.ok_or(PROCESS)?))
}

#[inline]
fn split_last_word(text: &[u8]) -> (&[u8], &[u8]) {
    text.split_at(memrchr(b' ', text).map_or(0, |blank| blank + 1))
}

/// What the event itself says.
struct Issue<'a> {
    device: &'a [u8],
    rwbs: Rwbs,
    /// In sectors.
    first: u64,
    /// In sectors.
    count: u64,
    name: &'a [u8],
}

/// `major,minor RWBS bytes (command) sector + sectors priority [comm]`
#[inline]
fn issue(event: &[u8]) -> Result<Issue<'_>, Problem> {
    const CUT: Problem = "it is cut short";
    let mut fields = Fields(event);
    let device = fields.until(b' ').ok_or(CUT)?;
    check_device(device)?;
    let rwbs = Rwbs::parse(fields.until(b' ').ok_or(CUT)?)?;
    let bytes = fields.number().ok_or("the bytes are not a number")?;
    if !(fields.eat(b' ') && fields.eat(b'(')) {
        return Err("there is no (command) after the bytes");
    }
    let command = fields.until(b')').ok_or(CUT)?;
    fields.skip_blanks();
    let first = fields.number().ok_or("the sector is not a number")?;
    if !(fields.eat(b' ') && fields.eat(b'+') && fields.eat(b' ')) {
        return Err("there is no + after the sector");
    }
    let count = fields.number().ok_or("the number of sectors is not a number")?;
    if !fields.eat(b' ') {
        return Err(CUT);
    }
    let name = fields.0.strip_suffix(b"]").ok_or(CUT)?;
    let name = &name[name.iter().position(|&c| c == b'[').ok_or(CUT)? + 1..];
    check_length(rwbs, bytes, count, command)?;
    Ok(Issue { device, rwbs, first, count, name })
}

#[inline]
fn check_device(device: &[u8]) -> Result<(), Problem> {
    let mut fields = Fields(device);
    let whole = fields.number().is_some() && fields.eat(b',') && fields.number().is_some();
    if whole && fields.0.is_empty() { Ok(()) } else { Err("the device is not major,minor") }
}

/// The length stands there twice, except on old kernels (no bytes) and for trims (bytes of the driver).
#[inline]
fn check_length(rwbs: Rwbs, bytes: u64, count: u64, command: &[u8]) -> Result<(), Problem> {
    let Rwbs::Io { op, .. } = rwbs else { return Ok(()) };
    if count == 0 && command.is_empty() {
        return Err("the length is zero");
    }
    let agree = bytes == 0 || count == 0 || count.checked_mul(512) == Some(bytes) || op == Op::Trim;
    if agree { Ok(()) } else { Err("bytes and sectors do not agree") }
}

/// Lines without the event.
fn other(line: &[u8]) -> Result<(), Problem> {
    let line = line.trim_ascii();
    if line.is_empty() || line.starts_with(b"#") {
        return Ok(());
    }
    if line.starts_with(b"CPU:") && line.ends_with(b" EVENTS]") {
        return Err("the kernel lost events here, its buffer being too small when the trace was captured");
    }
    let mut has_cpu = false;
    for word in line.split(|&c| c == b' ') {
        has_cpu |= word.starts_with(b"[") && word.ends_with(b"]");
        let is_time = || {
            let mut time = Fields(word);
            time.seconds_ns().is_some() && time.0 == b":"
        };
        if has_cpu && is_time() {
            return Ok(());
        }
    }
    Err("it is no line of a trace")
}
