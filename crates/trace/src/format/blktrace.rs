//! The kernel's binary block trace, as blktrace writes it: `struct blk_io_trace` of `blktrace_api.h`, 48
//! bytes, and its data behind it.
//!
//! ```text
//! u32 magic 0x65617407, u32 sequence, u64 time ns, u64 sector, u32 bytes, u32 action, u32 pid, u32 device,
//! u32 cpu, u16 error, u16 data length, data
//! ```
//!
//! Sectors have 512 bytes. The low half of the action says what happened, the high half holds the categories
//! (read, write, flush, discard, sync, FUA, notification, ..). The magic tells the byte order of each entry.
//! The device is major and minor (12 and 20 bits), its name `major,minor`.
//!
//! **As in blkparse's text, a request counts once: as D (issued), what the device got, unless another
//! stage is asked for;** a trace without D is read as I (inserted), else Q (queued), else C (completed).
//! Commands passed through are no requests.
//! A flush is a request with the category flush and no bytes; with bytes, the flush goes first. Writing
//! zeroes has the category write and no mark of its own, so it is a write. Notifications name the processes.
//! Events dropped by the kernel for lack of buffers are not recorded in the file.
//!
//! blktrace writes one file for each CPU (`sda.blktrace.0`, `sda.blktrace.1`, ..); [`CpuFiles`] makes one of
//! them, in the order of time, as `blkparse -d` does.

mod cpus;

use std::collections::HashMap;

use flashscope_core::request::{Flags, Op};
use memchr::memmem;

pub use cpus::CpuFiles;

use super::Format;
use crate::decoder::{Decoder, Sink};
use crate::devices::Devices;
use crate::error::{TraceError, hexadecimal};
use crate::reading::{Claim, SpaceUnit, Stage, TimeUnit};
use crate::record::{Process, Record};
use crate::records::BATCH;
use crate::rwbs::Rwbs;
use crate::stage::{Choice, Event};
use crate::text::Problem;

/// The registry's line.
pub(crate) const FORMAT: Format = Format::new(
    "blktrace",
    "blktrace binary, 48 bytes and data; X.blktrace.0 includes the files of the other CPUs",
    sniff,
    || Box::new(Blktrace::default()),
)
.reads(CLAIM)
.with_extensions(&["blktrace"]);

/// What it says of its files.
const CLAIM: Claim = Claim::new(TimeUnit::Nanosecond, SpaceUnit::Sector, SpaceUnit::Byte)
    .at(Stage::Issued)
    .with_device("major,minor");

/// Length of an entry without its data.
const HEAD_BYTES: usize = 48;
/// The magic and version 7, as the bytes of either order.
const LITTLE: [u8; 4] = [0x07, 0x74, 0x61, 0x65];
const BIG: [u8; 4] = [0x65, 0x61, 0x74, 0x07];

fn sniff(head: &[u8]) -> u8 {
    match Entry::of(head) {
        // The next entry, if it is there, begins where this one ends.
        Some((entry, _)) => match head.get(entry.length()..) {
            Some(rest) if rest.len() >= 4 && !begins_entry(rest) => 50,
            _ => 100,
        },
        None => 0,
    }
}

fn begins_entry(bytes: &[u8]) -> bool {
    bytes.starts_with(&LITTLE) || bytes.starts_with(&BIG)
}

/// Where the next entry may begin: at least a byte further.
fn next_magic(bytes: &[u8]) -> Option<usize> {
    let find = |magic: &[u8]| memmem::find(bytes.get(1..)?, magic).map(|at| at + 1);
    [find(&LITTLE), find(&BIG)].into_iter().flatten().min()
}

/// The numbers of an entry.
struct Entry {
    time_ns: u64,
    sector: u64,
    bytes: u32,
    action: u32,
    pid: u32,
    device: u32,
    data_length: u16,
}

impl Entry {
    /// The entry at the front, as far as it is there, and its data; none without the magic.
    #[inline(always)]
    fn of(bytes: &[u8]) -> Option<(Entry, &[u8])> {
        let (head, rest) = bytes.split_first_chunk::<HEAD_BYTES>()?;
        let entry = match head[..4] == LITTLE {
            true => Entry::decode::<false>(head),
            false if head[..4] == BIG => Entry::decode::<true>(head),
            false => return None,
        };
        let data = &rest[..rest.len().min(usize::from(entry.data_length))];
        Some((entry, data))
    }

    #[inline(always)]
    fn decode<const IS_BIG: bool>(head: &[u8; HEAD_BYTES]) -> Entry {
        let u32_at = |at: usize| {
            let bytes = head[at..at + 4].try_into().expect("four bytes");
            if IS_BIG { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
        };
        let u64_at = |at: usize| {
            let bytes = head[at..at + 8].try_into().expect("eight bytes");
            if IS_BIG { u64::from_be_bytes(bytes) } else { u64::from_le_bytes(bytes) }
        };
        let length = [head[46], head[47]];
        Entry {
            time_ns: u64_at(8),
            sector: u64_at(16),
            bytes: u32_at(24),
            action: u32_at(28),
            pid: u32_at(32),
            device: u32_at(36),
            data_length: if IS_BIG { u16::from_be_bytes(length) } else { u16::from_le_bytes(length) },
        }
    }

    /// With its data.
    #[inline(always)]
    fn length(&self) -> usize {
        HEAD_BYTES + usize::from(self.data_length)
    }

    #[inline(always)]
    fn has(&self, category: u32) -> bool {
        self.action & (category << 16) != 0
    }

    /// The kind of action, without the mark of a cgroup.
    #[inline(always)]
    fn kind(&self) -> u32 {
        self.action & 0xffff & !CGROUP
    }

    /// What a request does.
    #[inline(always)]
    fn operation(&self) -> Rwbs {
        let flush_first = self.has(category::FLUSH);
        let op = match () {
            () if self.bytes == 0 && flush_first => return Rwbs::Flush,
            () if self.has(category::DISCARD) => Op::Trim,
            () if self.has(category::WRITE) => Op::Write,
            () if self.bytes > 0 => Op::Read,
            () => return Rwbs::Other,
        };
        let fua = if self.has(category::FUA) { Flags::FUA.0 } else { 0 };
        let sync = if self.has(category::SYNC) { Flags::SYNC.0 } else { 0 };
        Rwbs::Io { op, flags: Flags(fua | sync), flush_first }
    }
}

/// Categories, the high half of an action.
mod category {
    pub const WRITE: u32 = 1 << 1;
    pub const FLUSH: u32 = 1 << 2;
    pub const SYNC: u32 = 1 << 3;
    pub const PASSED_THROUGH: u32 = 1 << 9;
    pub const NOTIFICATION: u32 = 1 << 10;
    pub const DISCARD: u32 = 1 << 13;
    pub const FUA: u32 = 1 << 15;
}

/// The mark of a cgroup in the low half: its number, 8 bytes, stands first in the data.
const CGROUP: u32 = 1 << 8;
/// The last kind of action that there is.
const KIND_MAX: u32 = 17;

#[derive(Default)]
struct Blktrace {
    /// Bytes done with.
    offset_bytes: u64,
    /// Between entries, where no magic is.
    is_lost: bool,
    choice: Choice,
    /// Names of processes by their numbers.
    names: HashMap<u32, Process>,
    last_process: Process,
    /// Event and device of the last request, and its number.
    last_device: Option<((Event, u32), u32)>,
}

impl Decoder for Blktrace {
    fn decode(&mut self, bytes: &[u8], last: bool, sink: &mut Sink<'_>) -> Result<usize, TraceError> {
        let decoded = self.entries(bytes, last, sink);
        if last && decoded == Ok(bytes.len()) {
            // There are no more devices than were counted as they waited.
            let _ = self.choice.end(sink.records, sink.devices);
        }
        sink.counts.other_lines -= self.choice.late();
        decoded
    }

    fn take_stage(&mut self, stage: Stage) -> bool {
        self.choice.want(stage)
    }

    fn stage(&mut self) -> Option<Stage> {
        self.choice.stage()
    }
}

impl Blktrace {
    fn entries(&mut self, bytes: &[u8], last: bool, sink: &mut Sink<'_>) -> Result<usize, TraceError> {
        let mut done = 0;
        while sink.records.len() < BATCH && done < bytes.len() {
            let rest = &bytes[done..];
            let length = match Entry::of(rest) {
                Some((entry, data)) if data.len() == usize::from(entry.data_length) => {
                    self.is_lost = false;
                    sink.counts.lines += 1;
                    let (before, length) = (sink.records.len(), entry.length());
                    match self.entry(&entry, data, sink.devices, sink.records) {
                        Ok(()) => sink.counts.other_lines += u64::from(sink.records.len() == before),
                        Err(problem) => {
                            sink.records.truncate(before);
                            self.bad(problem, &rest[..length], sink)?;
                        }
                    }
                    length
                }
                _ => match self.no_entry(rest, last, sink)? {
                    0 => break,
                    length => length,
                },
            };
            done += length;
            self.offset_bytes += length as u64;
        }
        Ok(done)
    }

    #[inline(always)]
    fn entry(
        &mut self,
        entry: &Entry,
        data: &[u8],
        devices: &mut Devices,
        records: &mut Vec<Record>,
    ) -> Result<(), Problem> {
        if entry.has(category::NOTIFICATION) {
            return self.notified(entry, data);
        }
        let event = match entry.kind() {
            1 => Event::Queued,
            12 => Event::Inserted,
            7 => Event::Issued,
            8 => Event::Completed,
            2..=KIND_MAX => return Ok(()),
            _ => return Err("the action is unknown"),
        };
        if self.choice.skips(event) || entry.has(category::PASSED_THROUGH) {
            return Ok(());
        }
        let operation = entry.operation();
        let (offset_bytes, length_bytes) = match operation {
            Rwbs::Flush => (0, 0),
            Rwbs::Other => return Ok(()),
            Rwbs::Io { .. } => range(entry)?,
        };
        let device = self.device(event, entry.device, devices)?;
        let process = self.process(entry.pid);
        let time_ns = entry.time_ns;
        let record = Record { time_ns, offset_bytes, length_bytes, device, process, ..Record::default() };
        let from = records.len();
        operation.push(record, records);
        self.choice.take(event, from, records, devices)
    }

    /// The kinds are process (0), time stamp (1) and message (2).
    #[cold]
    fn notified(&mut self, entry: &Entry, data: &[u8]) -> Result<(), Problem> {
        /// The kernel's limit (`PID_MAX_LIMIT`).
        const PID_MAX: u32 = 1 << 22;
        match entry.kind() {
            0 if entry.pid > PID_MAX => Err("the process number is larger than any of Linux"),
            0 => {
                let name = if entry.action & CGROUP != 0 { data.get(8..).unwrap_or_default() } else { data };
                let name = name.split(|&c| c == 0).next().unwrap_or_default();
                let process = Process::new(entry.pid, name);
                self.names.insert(entry.pid, process);
                self.last_process = process;
                Ok(())
            }
            1 | 2 => Ok(()),
            _ => Err("the notification is unknown"),
        }
    }

    #[inline(always)]
    fn process(&mut self, pid: u32) -> Process {
        if self.last_process.pid != pid {
            self.last_process = self.names.get(&pid).copied().unwrap_or(Process::new(pid, b""));
        }
        self.last_process
    }

    #[inline(always)]
    fn device(&mut self, event: Event, device: u32, devices: &mut Devices) -> Result<u32, Problem> {
        match self.last_device {
            Some((last, number)) if last == (event, device) => Ok(number),
            _ => self.other_device(event, device, devices),
        }
    }

    #[cold]
    fn other_device(&mut self, event: Event, device: u32, devices: &mut Devices) -> Result<u32, Problem> {
        let name = format!("{},{}", device >> 20, device & 0xf_ffff);
        let number = self.choice.device(event, name.as_bytes(), devices)?;
        // Before it is decided which event counts, its number may be none of the trace.
        self.last_device = self.choice.is_decided().then_some(((event, device), number));
        Ok(number)
    }

    /// No whole entry at the front of `rest`: how many bytes to leave out, 0 to wait for more.
    #[cold]
    fn no_entry(&mut self, rest: &[u8], last: bool, sink: &mut Sink<'_>) -> Result<usize, TraceError> {
        let (problem, length) = match next_magic(rest) {
            // What is shown of it does not depend on how much is read at once.
            _ if !last && (begins_entry(rest) || rest.len() < HEAD_BYTES) => return Ok(0),
            _ if begins_entry(rest) => {
                sink.counts.is_last_line_open = true;
                self.is_lost = false;
                ("the file ends within it", rest.len())
            }
            Some(at) => ("it does not begin with the magic number of blktrace", at),
            None if last => ("it does not begin with the magic number of blktrace", rest.len()),
            // The magic may be cut.
            None => ("it does not begin with the magic number of blktrace", rest.len() - 3),
        };
        if !std::mem::replace(&mut self.is_lost, true) {
            sink.counts.lines += 1;
            self.bad(problem, &rest[..length], sink)?;
        }
        Ok(length)
    }

    #[cold]
    fn bad(&self, problem: Problem, entry: &[u8], sink: &mut Sink<'_>) -> Result<(), TraceError> {
        sink.bad_line(|counts| TraceError::Entry {
            entry: counts.lines,
            offset_bytes: self.offset_bytes,
            problem: problem.into(),
            bytes: hexadecimal(entry),
        })
    }
}

#[inline(always)]
fn range(entry: &Entry) -> Result<(u64, u64), Problem> {
    let length_bytes = u64::from(entry.bytes);
    let fits = |offset: &u64| offset.checked_add(length_bytes).is_some();
    match entry.sector.checked_mul(512).filter(fits) {
        _ if length_bytes == 0 => Err("the length is zero"),
        Some(offset_bytes) => Ok((offset_bytes, length_bytes)),
        None => Err("the range does not fit 64 bits"),
    }
}
