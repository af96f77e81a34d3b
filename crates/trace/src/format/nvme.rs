//! The kernel's tracepoints `nvme:nvme_setup_cmd` and `nvme:nvme_complete_rq`, as tracefs, perf script and
//! trace-cmd report print them:
//!
//! ```text
//! fio-37936 [003] ..... 9942.784628: nvme_setup_cmd: nvme0: disk=nvme0n1, qid=4, cmdid=29265, nsid=1,
//!     flags=0x0, meta=0x0, cmd=(nvme_cmd_write slba=498192384, len=7, ctrl=0x4000, dsmgmt=0, reftag=0)
//! <idle>-0 [003] d.h.. 9942.784700: nvme_complete_rq: nvme0: disk=nvme0n1, qid=4, cmdid=29265, res=0x0,
//!     retries=0, flags=0x0, status=0x0
//! ```
//!
//! (Each event is one line.) `len` is one less than the number of logical blocks; bit 14 of `ctrl` is FUA. A
//! completion belongs to the last command of its queue and number, and gives its latency. Commands of the
//! admin queue, which have no disk, are no requests; a trim (`nvme_cmd_dsm`) is a bad line, because the event
//! does not hold its ranges. **Logical blocks have 512 bytes or 4 KiB, and the file does not say which:**
//! the first is read as `nvme`, the other as `nvme-4k`.
//! Definition: the kernel's `drivers/nvme/host/trace.h` and `trace.c`.

use std::collections::HashMap;

use flashscope_core::request::{Flags, Op};
use memchr::memmem::{self, Finder};

use super::Format;
use super::tracefs::{LOST, head, other};
use crate::devices::Devices;
use crate::in_flight::{Fate, InFlight, Mark, Marked};
use crate::lines::{LineFormat, sniff_lines, unmarked};
use crate::reading::{Basis, Claim, SpaceUnit, Stage, TimeUnit};
use crate::record::{Process, Record};
use crate::stage::{Choice, Event};
use crate::text::{Fields, Problem, bytes};

/// The registry's line.
pub(crate) const FORMAT: Format = Format::new(
    "nvme",
    "kernel tracepoints nvme_setup_cmd and nvme_complete_rq as text, logical blocks of 512 bytes",
    |head| sniff(head, true),
    InFlight::<Nvme<512>>::decoder,
)
.reads(claim(SpaceUnit::Sector));

/// The registry's line of the other block size.
pub(crate) const BLOCKS: Format = Format::new(
    "nvme-4k",
    "the same, logical blocks of 4 KiB",
    |head| sniff(head, false),
    InFlight::<Nvme<4096>>::decoder,
)
.reads(claim(SpaceUnit::Block));

/// What it says of its files.
const fn claim(unit: SpaceUnit) -> Claim {
    Claim::new(TimeUnit::Second, unit, unit)
        .resting_on(Basis::Written, Basis::Described)
        .deriving_latency()
        .at(Stage::Issued)
        .with_device("disk")
        .in_blocks()
}

/// How sure it is: less of the block size that the ranges speak against. Page caches work in 4 KiB.
fn sniff(head: &[u8], in_sectors: bool) -> u8 {
    let (mut nvme, mut devices, mut records) = (Nvme::<512>::default(), Devices::default(), Vec::new());
    for line in unmarked(head).split(|&c| c == b'\n').take(1000) {
        let _ = nvme.line(line, &mut devices, &mut records);
    }
    let is_whole = |record: &Record| (record.offset_bytes | record.length_bytes).is_multiple_of(4096);
    let percent = sniff_lines::<Nvme<512>>(head);
    if records.iter().all(is_whole) == in_sectors { percent } else { percent.saturating_sub(10) }
}

const SETUP: &str = "nvme_setup_cmd: ";
const COMPLETE: &str = "nvme_complete_rq: ";
/// Commands that may be in flight: more than a drive has.
const COMMANDS_MAX: usize = 1 << 16;

struct Nvme<const BLOCK_BYTES: u64> {
    choice: Choice,
    setup: Finder<'static>,
    complete: Finder<'static>,
    marks: Vec<Mark>,
    /// By queue and number, since they were issued.
    commands: HashMap<Box<[u8]>, Record>,
}

impl<const BLOCK_BYTES: u64> Default for Nvme<BLOCK_BYTES> {
    fn default() -> Self {
        Nvme {
            choice: Choice::default(),
            setup: Finder::new(SETUP),
            complete: Finder::new(COMPLETE),
            marks: Vec::new(),
            commands: HashMap::new(),
        }
    }
}

impl<const BLOCK_BYTES: u64> Marked for Nvme<BLOCK_BYTES> {
    fn marks(&mut self) -> &mut Vec<Mark> {
        &mut self.marks
    }
}

impl<const BLOCK_BYTES: u64> LineFormat for Nvme<BLOCK_BYTES> {
    fn line(&mut self, line: &[u8], devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem> {
        if let Some(at) = self.setup.find(line) {
            return self.issued(&line[..at], &line[at + SETUP.len()..], devices, records);
        }
        if let Some(at) = self.complete.find(line) {
            return self.completed(&line[..at], &line[at + COMPLETE.len()..], devices, records);
        }
        let result = other(line);
        if result == Err(LOST) {
            self.marks.push(Mark { after: records.len(), fate: Fate::Unknown, ..Mark::default() });
        }
        result
    }

    fn choice(&mut self) -> Option<&mut Choice> {
        Some(&mut self.choice)
    }
}

impl<const BLOCK_BYTES: u64> Nvme<BLOCK_BYTES> {
    fn issued(
        &mut self,
        before: &[u8],
        event: &[u8],
        devices: &mut Devices,
        records: &mut Vec<Record>,
    ) -> Result<(), Problem> {
        let (time_ns, pid) = head(before.strip_suffix(b"nvme:").unwrap_or(before))?;
        let event = event.trim_ascii();
        let command = event.strip_suffix(b")").ok_or("cut short")?;
        let Some(disk) = field(event, b"disk=") else { return Ok(()) };
        let command = &command[memmem::find(command, b"cmd=(").ok_or("no command")? + 5..];
        let name = Fields(command).word();
        let op = match name {
            b"nvme_cmd_read" => Op::Read,
            b"nvme_cmd_write" | b"nvme_cmd_write_zeroes" | b"nvme_cmd_zone_append" => Op::Write,
            b"nvme_cmd_flush" => Op::Flush,
            b"nvme_cmd_dsm" => return Err("it is a trim, and the trace does not contain its ranges"),
            _ => return Ok(()),
        };
        let (offset_bytes, length_bytes) = match op {
            Op::Flush => (0, 0),
            _ => range::<BLOCK_BYTES>(command)?,
        };
        let fua = field(command, b"ctrl=0x").and_then(hexadecimal).unwrap_or(0) & 0x4000 != 0;
        let flags = if fua { Flags::FUA } else { Flags::NONE };
        let process = Process::new(pid, process_name(before));
        let record = Record { time_ns, offset_bytes, length_bytes, process, op, flags, ..Record::default() };
        if self.commands.len() >= COMMANDS_MAX {
            self.commands.clear();
        }
        let replaced = self.commands.insert(key(event)?, record);
        if self.choice.skips(Event::Issued) {
            return Ok(());
        }
        let device = devices.number(disk)?;
        let from = records.len();
        if let Some(Record { op, offset_bytes, length_bytes, .. }) = replaced {
            let end_bytes = offset_bytes + length_bytes;
            self.marks.push(Mark { after: from, fate: Fate::Forgotten, time_ns, device, op, end_bytes });
        }
        records.push(Record { device, ..record });
        self.choice.take(Event::Issued, from, records, devices)
    }

    fn completed(
        &mut self,
        before: &[u8],
        event: &[u8],
        devices: &mut Devices,
        records: &mut Vec<Record>,
    ) -> Result<(), Problem> {
        let (time_ns, _) = head(before.strip_suffix(b"nvme:").unwrap_or(before))?;
        let event = event.trim_ascii();
        let Some(disk) = field(event, b"disk=") else { return Ok(()) };
        // One that was under way when the trace began is not known.
        let Some(record) = self.commands.remove(&key(event)?) else { return Ok(()) };
        let end_bytes = record.offset_bytes + record.length_bytes;
        if let Some(device) = devices.known(disk).filter(|_| !self.choice.skips(Event::Issued)) {
            let (after, op) = (records.len(), record.op);
            self.marks.push(Mark { after, fate: Fate::Completed, time_ns, device, op, end_bytes });
        }
        if self.choice.skips(Event::Completed) {
            return Ok(());
        }
        let device = self.choice.device(Event::Completed, disk, devices)?;
        let latency_ns = time_ns.checked_sub(record.time_ns);
        let from = records.len();
        records.push(Record { time_ns, device, latency_ns, ..record });
        self.choice.take(Event::Completed, from, records, devices)
    }
}

/// What is behind a name, up to the comma, bracket or end.
fn field<'a>(event: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let at = memmem::find_iter(event, name).find(|at| *at == 0 || matches!(event[at - 1], b' ' | b'('))?;
    let rest = &event[at + name.len()..];
    Some(&rest[..rest.iter().position(|c| matches!(c, b',' | b')' | b' ')).unwrap_or(rest.len())])
}

fn number(event: &[u8], name: &[u8]) -> Option<u64> {
    Fields(field(event, name)?).last_number()
}

fn hexadecimal(digits: &[u8]) -> Option<u64> {
    u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Offset and length in bytes.
fn range<const BLOCK_BYTES: u64>(command: &[u8]) -> Result<(u64, u64), Problem> {
    const LARGE: Problem = "the range does not fit 64 bits";
    let first = number(command, b"slba=").ok_or("slba is not a number")?;
    let count = number(command, b"len=").and_then(|len| len.checked_add(1)).ok_or("len is not a number")?;
    let in_bytes = |blocks: u64| blocks.checked_mul(BLOCK_BYTES).ok_or(LARGE);
    bytes(in_bytes(first)?, in_bytes(count)?)
}

/// `nvme0`, queue and number of a command.
fn key(event: &[u8]) -> Result<Box<[u8]>, Problem> {
    let controller = Fields(event).until(b':').ok_or("no controller before the :")?;
    let (queue, command) = (field(event, b"qid="), field(event, b"cmdid="));
    let (queue, command) = queue.zip(command).ok_or("qid and cmdid are not there")?;
    Ok([controller, b" ", queue, b" ", command].concat().into())
}

/// `comm` of `comm-pid [cpu] ..`.
fn process_name(before: &[u8]) -> &[u8] {
    let before = &before[..memchr::memrchr(b'[', before).unwrap_or(0)];
    let before = before.trim_ascii();
    let digits = before.iter().rev().take_while(|c| c.is_ascii_digit()).count();
    let name = &before[..before.len() - digits];
    name.strip_suffix(b"-").or(name.strip_suffix(b" ")).unwrap_or(name).trim_ascii()
}
