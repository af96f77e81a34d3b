//! What blkparse prints of a block trace, in its default form:
//!
//! ```text
//! 259,2    0        1     0.000000000  4020  Q   R 282624 + 8 [java]
//! major,minor cpu sequence seconds pid action RWBS sector + sectors [comm]
//! ```
//!
//! Sectors of 512 bytes; RWBS letters as of the kernel; a leading `F` without a range is a flush alone.
//! With `-t`, microseconds in parentheses stand before the name. **A request passes through several
//! actions, and counts once: as D (issued), what the device got, unless another stage is asked for.**
//! Q (queued) is before merging and splitting, and may be a hundred times as many; a trace without D is read
//! as I (inserted), else Q, else C (completed), and says so.
//! All other actions are not requests (G M F S P U T UT B R A X m), nor are commands passed
//! through, which show bytes but no sectors. The summary at the end (from `CPU0 (sda):` on) is left out.
//! The latency is not known: completions come later in the trace, and joining them would need all of
//! it. Definition: blkparse(1) and the kernel's `blktrace_api.h`.
//!
//! Written, every request is a D on CPU 0 at its own time; a device that is not `major,minor` becomes `0,N`.

use std::io::Write as _;

use flashscope_core::Op;

use super::Format;
use crate::devices::Devices;
use crate::encoder::{Encoder, Loss, Losses};
use crate::lines::LineFormat;
use crate::reading::{Claim, SpaceUnit, Stage, TimeUnit};
use crate::record::{Process, Record};
use crate::rwbs::{Rwbs, letters};
use crate::stage::{Choice, Event};
use crate::text::{Fields, Problem, check_device, whole_sectors};

/// The registry's line.
pub(crate) const FORMAT: Format = Format::lines::<BlkParse>(
    "blkparse",
    "blkparse text: major,minor cpu sequence s pid action RWBS sector + sectors [comm]",
)
.reads(CLAIM)
.written_by(|| Box::<Encoded>::default())
.with_extensions(&["blkparse"]);

/// What it says of its files.
const CLAIM: Claim = Claim::new(TimeUnit::Second, SpaceUnit::Sector, SpaceUnit::Sector)
    .at(Stage::Issued)
    .with_device("major,minor");

#[derive(Default)]
struct BlkParse {
    choice: Choice,
    /// In the summary, or behind it.
    has_ended: bool,
}

impl LineFormat for BlkParse {
    #[inline]
    fn line(&mut self, line: &[u8], devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem> {
        let mut fields = Fields(line);
        fields.skip_blanks();
        if !fields.0.first().is_some_and(u8::is_ascii_digit) {
            return self.other(fields.0);
        }
        let device = fields.word();
        check_device(device)?;
        fields.word_of(Fields::number).ok_or("the cpu is not a number")?;
        fields.word_of(Fields::number).ok_or("the sequence is not a number")?;
        let time_ns = fields.word_of(Fields::seconds_ns).ok_or("the time is not in seconds")?;
        let pid = fields.word_of(Fields::number).and_then(|pid| u32::try_from(pid).ok());
        let pid = pid.ok_or("the pid is not a number")?;
        let event = match fields.word() {
            b"Q" => Event::Queued,
            b"I" => Event::Inserted,
            b"D" => Event::Issued,
            b"C" => Event::Completed,
            b"G" | b"M" | b"F" | b"S" | b"P" | b"U" | b"T" | b"UT" | b"B" | b"R" | b"A" | b"X" | b"m" => {
                return Ok(());
            }
            _ => return Err("unknown action"),
        };
        if self.choice.skips(event) {
            return Ok(());
        }
        let rwbs = Rwbs::parse(fields.word())?;
        let (rwbs, first, count, name) = match rest(&mut fields, rwbs)? {
            // Behind a completion stands its error, and no name; behind that of a flush also a sector.
            Some((rwbs, first, count, _)) if event == Event::Completed => (rwbs, first, count, &b""[..]),
            None if event == Event::Completed && rwbs == Rwbs::Flush => (rwbs, 0, 0, &b""[..]),
            Some(found) => found,
            None => return Ok(()),
        };
        let (offset_bytes, length_bytes) = rwbs.range(first, count)?;
        let (device, process) = (self.choice.device(event, device, devices)?, Process::new(pid, name));
        let record = Record { time_ns, offset_bytes, length_bytes, device, process, ..Record::default() };
        let from = records.len();
        rwbs.push(record, records);
        self.choice.take(event, from, records, devices)
    }

    fn choice(&mut self) -> Option<&mut Choice> {
        Some(&mut self.choice)
    }
}

impl BlkParse {
    /// Lines that do not begin with a device.
    #[cold]
    fn other(&mut self, line: &[u8]) -> Result<(), Problem> {
        let is_summary = line.strip_prefix(b"CPU").is_some_and(|rest| {
            let digits = rest.iter().take_while(|c| c.is_ascii_digit()).count();
            digits > 0 && rest[digits..].starts_with(b" (")
        });
        self.has_ended |= is_summary || line.starts_with(b"Total (");
        if self.has_ended || line.is_empty() || line.starts_with(b"Input file ") {
            return Ok(());
        }
        Err("it does not begin with major,minor")
    }
}

/// Operation, first sector, number of sectors and the name at the end; `None` for a command passed through.
type Rest<'a> = Option<(Rwbs, u64, u64, &'a [u8])>;

/// What stands behind the letters.
#[inline(always)]
fn rest<'a>(fields: &mut Fields<'a>, rwbs: Rwbs) -> Result<Rest<'a>, Problem> {
    let has_number = fields.0.first().is_some_and(u8::is_ascii_digit);
    if !has_number {
        let name = name(fields)?;
        return match rwbs {
            Rwbs::Flush | Rwbs::Io { flush_first: true, .. } => Ok(Some((Rwbs::Flush, 0, 0, name))),
            Rwbs::Other => Ok(None),
            Rwbs::Io { .. } => Err("no sector"),
        };
    }
    let first = fields.word_of(Fields::number).ok_or("the sector is not a number")?;
    if !(fields.eat(b'+') && fields.eat(b' ')) {
        name(fields).map_err(|_| "no + after the sector")?;
        return Ok(None);
    }
    let count = fields.word_of(Fields::number).ok_or("the number of sectors is not a number")?;
    Ok(Some((rwbs, first, count, name(fields)?)))
}

/// `[name]`, behind parentheses or not.
#[inline(always)]
fn name<'a>(fields: &mut Fields<'a>) -> Result<&'a [u8], Problem> {
    if fields.eat(b'(') {
        fields.until(b')').ok_or("cut short")?;
        fields.skip_blanks();
    }
    let name = fields.0.strip_prefix(b"[").and_then(|rest| rest.strip_suffix(b"]"));
    name.ok_or("no [name] at the end")
}

/// The format as it is written.
#[derive(Default)]
struct Encoded {
    sequence: u64,
}

impl Encoder for Encoded {
    fn batch(&mut self, records: &[Record], devices: &[String], out: &mut Vec<u8>, losses: &mut Losses) {
        for record in records {
            self.encode(record, devices, out, losses);
        }
    }
}

impl Encoded {
    fn encode(&mut self, record: &Record, devices: &[String], out: &mut Vec<u8>, losses: &mut Losses) {
        let Some((first, count)) = whole_sectors(record) else { return losses.count(Loss::Range) };
        losses.count_extras(record, &[Loss::Latency]);
        self.sequence += 1;
        let name = &devices[record.device as usize];
        let own = name.split_once(',').filter(|_| check_device(name.as_bytes()).is_ok());
        let number = if own.is_none() { record.device.to_string() } else { String::new() };
        if own.is_none() {
            losses.count(Loss::Device);
        }
        let (major, minor) = own.unwrap_or(("0", &number));
        let (whole_s, part_ns) = (record.time_ns / 1_000_000_000, record.time_ns % 1_000_000_000);
        let (sequence, pid) = (self.sequence, record.process.pid);
        // Writing to memory does not fail.
        let _ = write!(out, "{major:>3},{minor:<3}  0 {sequence:>8} {whole_s:>5}.{part_ns:09} {pid:>5}  D ");
        let _ = match record.op {
            Op::Flush => write!(out, " FN ["),
            _ => write!(out, "{:>3} {first} + {count} [", letters(record)),
        };
        if record.op == Op::Flush {
            losses.count_extras(record, &[Loss::Fua, Loss::Sync]);
        }
        out.extend_from_slice(name_written(&record.process, losses));
        out.extend_from_slice(b"]\n");
    }
}

/// The name, none if it would end the line.
fn name_written<'a>(process: &'a Process, losses: &mut Losses) -> &'a [u8] {
    if process.name().iter().any(|c| c.is_ascii_control()) {
        losses.count(Loss::Process);
        return b"";
    }
    process.name()
}
