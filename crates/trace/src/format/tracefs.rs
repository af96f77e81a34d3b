//! The kernel's tracepoint `block:block_rq_issue` as tracefs, perf script and trace-cmd report print it:
//!
//! ```text
//! tar-31 [001] ..... 1025.899728: block_rq_issue: 7,3 RM 4096 () 1572872 + 8 be,0,4 [tar]
//! comm-pid [cpu] flags seconds: event: major,minor RWBS bytes (command) sector + sectors priority [comm]
//!     tar    31 [001]  1025.899728: block:block_rq_issue: 7,3 RM 4096 () 1572872 + 8 be,0,4 [tar]
//! ```
//!
//! Sectors have 512 bytes; older kernels print no priority, and no bytes. A leading or lone `F` is a flush;
//! `N` on a range writes zeroes, and is a write.
//! Comments (`#`), other events, perf's call stacks and commands passed through are not requests; where the
//! kernel says that it lost events, a strict reader stops.
//!
//! Where `block_rq_complete` was recorded too, it gives the latency of its request, and `block_rq_requeue`
//! says that the next issue is no new request; see `in_flight`:
//!
//! ```text
//! ksoftirqd/1-22 [001] ..s.. 1025.899779: block_rq_complete: 7,3 RM () 1572872 + 8 be,0,4 [0]
//! ```
//!
//! Where another stage is asked for, or no issue was recorded, `block_bio_queue` (queued) or the completions
//! are the requests; see `stage`:
//!
//! ```text
//! tar-31 [001] ..... 1025.899720: block_bio_queue: 7,3 RM 1572872 + 8 [tar]
//! ```

use flashscope_core::request::{Flags, Op};
use memchr::memmem::{self, Finder};
use memchr::memrchr;

use super::Format;
use crate::devices::Devices;
use crate::in_flight::{Fate, InFlight, Mark, Marked};
use crate::lines::{LineFormat, sniff_lines};
use crate::reading::{Claim, SpaceUnit, Stage, TimeUnit};
use crate::record::{Process, Record};
use crate::rwbs::Rwbs;
use crate::stage::{Choice, Event};
use crate::text::{Fields, Problem, check_device, sectors};

/// The registry's line.
pub(crate) const FORMAT: Format = Format::new(
    "tracefs",
    "kernel tracepoint block_rq_issue as text, from tracefs or perf script",
    sniff_lines::<Tracefs>,
    InFlight::<Tracefs>::decoder,
)
.reads(CLAIM)
.with_extensions(&["tracefs"]);

/// What it says of its files.
const CLAIM: Claim = Claim::new(TimeUnit::Second, SpaceUnit::Sector, SpaceUnit::Sector)
    .deriving_latency()
    .at(Stage::Issued)
    .with_device("major,minor");

const EVENT: &str = "block_rq_issue: ";
const QUEUED_EVENT: &str = "block_bio_queue: ";
/// Prefixes of the events that report the outcome of a request.
const LATER_EVENT: &str = "block_rq_";

struct Tracefs {
    choice: Choice,
    event: Finder<'static>,
    queued_event: Finder<'static>,
    later_event: Finder<'static>,
    /// What was said of requests issued before, since somebody took it.
    marks: Vec<Mark>,
}

impl Default for Tracefs {
    fn default() -> Self {
        Tracefs {
            choice: Choice::default(),
            event: Finder::new(EVENT),
            queued_event: Finder::new(QUEUED_EVENT),
            later_event: Finder::new(LATER_EVENT),
            marks: Vec::new(),
        }
    }
}

impl LineFormat for Tracefs {
    #[inline]
    fn line(&mut self, line: &[u8], devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem> {
        let Some(at) = self.event.find(line) else { return self.other(line, devices, records) };
        let (time_ns, pid) = head(&line[..at])?;
        if self.choice.skips(Event::Issued) {
            return Ok(());
        }
        let issue = issue(&line[at + EVENT.len()..])?;
        if issue.is_passed_through() {
            return Ok(());
        }
        let (offset_bytes, length_bytes) = issue.range()?;
        let record = Record {
            time_ns,
            offset_bytes,
            length_bytes,
            device: devices.number(issue.device)?,
            process: Process::new(pid, issue.name),
            ..Record::default()
        };
        if let Rwbs::Io { flush_first: true, .. } = issue.rwbs {
            let after = records.len();
            self.marks.push(Mark { after, fate: Fate::Attached, ..Mark::default() });
        }
        let from = records.len();
        issue.operation().push(record, records);
        self.choice.take(Event::Issued, from, records, devices)
    }

    fn choice(&mut self) -> Option<&mut Choice> {
        Some(&mut self.choice)
    }
}

impl Marked for Tracefs {
    fn marks(&mut self) -> &mut Vec<Mark> {
        &mut self.marks
    }
}

impl Tracefs {
    /// A line without an issue.
    #[inline]
    fn other(
        &mut self,
        line: &[u8],
        devices: &mut Devices,
        records: &mut Vec<Record>,
    ) -> Result<(), Problem> {
        if let Some(at) = self.later_event.find(line) {
            let event = &line[at + LATER_EVENT.len()..];
            if let Some(event) = event.strip_prefix(b"complete: ") {
                return self.mark(&line[..at], event, Fate::Completed, devices, records);
            }
            if let Some(event) = event.strip_prefix(b"requeue: ") {
                return self.mark(&line[..at], event, Fate::Requeued, devices, records);
            }
        }
        if !self.choice.skips(Event::Queued)
            && let Some(at) = self.queued_event.find(line)
        {
            return self.queued(&line[..at], &line[at + QUEUED_EVENT.len()..], devices, records);
        }
        let result = other(line);
        if result == Err(LOST) {
            self.marks.push(Mark { after: records.len(), fate: Fate::Unknown, ..Mark::default() });
        }
        result
    }

    /// `major,minor RWBS sector + sectors [comm]`
    #[inline]
    fn queued(
        &mut self,
        before: &[u8],
        event: &[u8],
        devices: &mut Devices,
        records: &mut Vec<Record>,
    ) -> Result<(), Problem> {
        let (time_ns, pid) = head(before)?;
        let mut fields = Fields(event);
        fields.skip_blanks();
        let device = fields.until(b' ').ok_or(CUT)?;
        check_device(device)?;
        let rwbs = Rwbs::parse(fields.until(b' ').ok_or(CUT)?)?;
        let (first, count, name) = range_and_rest(fields)?;
        let rwbs = match rwbs.on(count) {
            // A flush and nothing else may have any letter for its operation.
            Rwbs::Io { flush_first: true, .. } if count == 0 => Rwbs::Flush,
            Rwbs::Other => return Ok(()),
            rwbs => rwbs,
        };
        let (offset_bytes, length_bytes) = rwbs.range(first, count)?;
        let device = self.choice.device(Event::Queued, device, devices)?;
        let process = Process::new(pid, name);
        let from = records.len();
        rwbs.push(
            Record { time_ns, offset_bytes, length_bytes, device, process, ..Record::default() },
            records,
        );
        self.choice.take(Event::Queued, from, records, devices)
    }

    /// `major,minor RWBS (command) sector + sectors priority [error]`; older kernels print no priority.
    #[inline]
    fn mark(
        &mut self,
        before: &[u8],
        event: &[u8],
        fate: Fate,
        devices: &mut Devices,
        records: &mut Vec<Record>,
    ) -> Result<(), Problem> {
        let (time_ns, _) = head(before)?;
        let mut fields = Fields(event);
        fields.skip_blanks();
        let name = fields.until(b' ').ok_or(CUT)?;
        check_device(name)?;
        let rwbs = Rwbs::parse(fields.until(b' ').ok_or(CUT)?)?;
        if !fields.eat(b'(') {
            return Err("no (command) after the operation");
        }
        fields.until(b')').ok_or(CUT)?;
        let (first, count, _) = range_and_rest(fields)?;
        let (op, offset_bytes, length_bytes) = match rwbs.on(count) {
            Rwbs::Flush => (Op::Flush, 0, 0),
            Rwbs::Io { op, .. } if count > 0 => {
                let (offset_bytes, length_bytes) = sectors(first, count)?;
                (op, offset_bytes, length_bytes)
            }
            // A command passed through, or the end of the flushes around a write.
            Rwbs::Io { .. } | Rwbs::Other => return Ok(()),
        };
        if let Some(device) = devices.known(name).filter(|_| !self.choice.skips(Event::Issued)) {
            let (after, end_bytes) = (records.len(), offset_bytes + length_bytes);
            self.marks.push(Mark { after, fate, time_ns, device, op, end_bytes });
        }
        if fate == Fate::Requeued || self.choice.skips(Event::Completed) {
            return Ok(());
        }
        let device = self.choice.device(Event::Completed, name, devices)?;
        let from = records.len();
        let flags = if let Rwbs::Io { flags, .. } = rwbs { flags } else { Flags::NONE };
        records.push(Record { time_ns, offset_bytes, length_bytes, device, op, flags, ..Record::default() });
        self.choice.take(Event::Completed, from, records, devices)
    }
}

/// `comm-pid [cpu] flags seconds: `, from its end, because a comm may hold anything: time and pid.
#[inline]
pub(crate) fn head(head: &[u8]) -> Result<(u64, u32), Problem> {
    const TIME: Problem = "the time is not in seconds";
    const PROCESS: Problem = "no process number before the [cpu]";
    let head = head.strip_suffix(b"block:").unwrap_or(head).trim_ascii_end();
    let (rest, time) = head.strip_suffix(b":").map(split_last_word).ok_or(TIME)?;
    let time_ns = seconds_ns(time).ok_or(TIME)?;
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

/// The time, in one of the clocks that count seconds. The others count ticks, and have no point.
#[inline]
fn seconds_ns(text: &[u8]) -> Option<u64> {
    let mut fields = Fields(text);
    let time_ns = fields.seconds_ns()?;
    (fields.0.is_empty() && text.contains(&b'.')).then_some(time_ns)
}

/// What the event itself says.
struct Issue<'a> {
    device: &'a [u8],
    rwbs: Rwbs,
    bytes: u64,
    /// Hexadecimal bytes of a command passed through, or empty.
    command: &'a [u8],
    /// In sectors.
    first: u64,
    /// In sectors.
    count: u64,
    name: &'a [u8],
}

impl Issue<'_> {
    /// A command from a program to the device: the kernel gives it no range.
    #[inline]
    fn is_passed_through(&self) -> bool {
        self.count == 0 && (!self.command.is_empty() || self.rwbs == Rwbs::Other)
    }

    /// What it does.
    #[inline]
    fn operation(&self) -> Rwbs {
        self.rwbs.on(self.count)
    }

    /// Offset and length in bytes. The length stands there twice, except on old kernels (no bytes); of a
    /// trim, and where zeroes are written, the bytes are the driver's.
    #[inline]
    fn range(&self) -> Result<(u64, u64), Problem> {
        let range = self.operation().range(self.first, self.count)?;
        let is_without_data = matches!(self.rwbs, Rwbs::Io { op: Op::Trim, .. } | Rwbs::Other);
        if self.bytes == 0 || is_without_data || self.bytes == range.1 {
            Ok(range)
        } else {
            Err("bytes and sectors do not agree")
        }
    }
}

/// `major,minor RWBS bytes (command) sector + sectors priority [comm]`
#[inline]
fn issue(event: &[u8]) -> Result<Issue<'_>, Problem> {
    let mut fields = Fields(event);
    // trace-cmd pads the event's name.
    fields.skip_blanks();
    let device = fields.until(b' ').ok_or(CUT)?;
    check_device(device)?;
    let rwbs = Rwbs::parse(fields.until(b' ').ok_or(CUT)?)?;
    let bytes = fields.number().ok_or("the bytes are not a number")?;
    if !(fields.eat(b' ') && fields.eat(b'(')) {
        return Err("no (command) after the bytes");
    }
    let command = fields.until(b')').ok_or(CUT)?;
    let (first, count, name) = range_and_rest(fields)?;
    Ok(Issue { device, rwbs, bytes, command, first, count, name })
}

const CUT: Problem = "cut short";

/// ` sector + sectors priority [rest]`: sector, sectors, rest.
#[inline(always)]
fn range_and_rest(mut fields: Fields<'_>) -> Result<(u64, u64, &[u8]), Problem> {
    fields.skip_blanks();
    let first = fields.number().ok_or("the sector is not a number")?;
    if !(fields.eat(b' ') && fields.eat(b'+') && fields.eat(b' ')) {
        return Err("no + after the sector");
    }
    let count = fields.number().ok_or("the number of sectors is not a number")?;
    if !fields.eat(b' ') {
        return Err(CUT);
    }
    let rest = fields.0.strip_suffix(b"]").ok_or(CUT)?;
    let rest = &rest[rest.iter().position(|&c| c == b'[').ok_or(CUT)? + 1..];
    Ok((first, count, rest))
}

pub(crate) const LOST: Problem = "the kernel lost events here: the capture buffer was too small";

/// `  ffffffff81345678 blk_mq_start_request+0xcf ([kernel.kallsyms])`, as perf script prints below an event.
fn is_stack_frame(line: &[u8]) -> bool {
    let address = Fields(line).word();
    let is_address = (1..=16).contains(&address.len()) && address.iter().all(u8::is_ascii_hexdigit);
    is_address && line.trim_ascii_end().ends_with(b")") && matches!(line[0], b' ' | b'\t')
}

/// Lines without the event.
pub(crate) fn other(whole: &[u8]) -> Result<(), Problem> {
    let line = whole.trim_ascii();
    // How trace-cmd report begins.
    let begins = |text: &&[u8]| line.starts_with(text);
    let is_trace_cmd = [&b"cpus="[..], b"version = ", b"trace-cmd: "].iter().any(begins)
        || line.starts_with(b"CPU ") && line.ends_with(b" is empty");
    if line.is_empty() || line.starts_with(b"#") || is_trace_cmd {
        return Ok(());
    }
    if line.starts_with(b"CPU:") && (line.ends_with(b" EVENTS]") || line.ends_with(b" DROPPED]")) {
        return Err(LOST);
    }
    if memmem::find(line, b"PERF_RECORD_LOST").is_some() {
        return Err(LOST);
    }
    if is_stack_frame(whole) {
        return Ok(());
    }
    let mut has_cpu = false;
    let mut words = line.split(|&c| c == b' ').filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        has_cpu |= word.starts_with(b"[") && word.ends_with(b"]");
        if has_cpu && word.strip_suffix(b":").and_then(seconds_ns).is_some() {
            return other_event(words.next(), words.next().is_none());
        }
    }
    Err("not a line of this format")
}

/// The event's name, if it is another one: the rest of a torn line must not pass for one.
fn other_event(name: Option<&[u8]>, is_last: bool) -> Result<(), Problem> {
    let name = name.ok_or("cut short: no event after the time")?;
    let own = EVENT.trim_ascii_end().as_bytes();
    let bare = name.strip_prefix(b"block:").unwrap_or(name);
    if bare.starts_with(b"block_rq_issu") {
        return Err("the event is not a whole block_rq_issue");
    }
    if is_last && (own.starts_with(bare) || b"block:".starts_with(name)) {
        return Err("it is cut short within its event");
    }
    Ok(())
}
