//! libCacheSim's `oracleGeneral`: binary entries of 24 bytes, little-endian, without gaps.
//!
//! ```text
//! u32 time, u64 object, u32 length, i64 next
//! ```
//!
//! The time is in whole seconds, the length in bytes. **The object is the sector**: a request's first byte
//! divided by 512, as libCacheSim itself makes objects of the CloudPhysics traces. A trace whose objects are
//! hashes of keys is no block trace; most of its entries end beyond 64 bits and are bad. `next` is the number
//! (from 1) of the next request for the same object, -1 or the greatest number if there is none; it is
//! checked to lie ahead, and not kept. There is no operation and no device: all requests are reads, of device
//! `0`.
//!
//! Written, times count from the first request, and a request that does not begin on a whole sector is left
//! out and counted. That writes are writes is lost, and counted. `next` is in the future, so that the entries
//! wait in a nameless temporary file (24 bytes a request, in the system's folder for such files) until the
//! trace ends; memory holds a number for each distinct object, about 20 bytes.
//!
//! `oracleGeneralOpNS` has 27 bytes and is only read:
//!
//! ```text
//! u32 time, u64 object, u32 length, u8 operation, u16 namespace, i64 next
//! ```
//!
//! The operation is libCacheSim's: none (0), get, gets and read are reads; set, add, cas, replace, append,
//! prepend, increment, decrement, write and update are writes; delete is a trim. The namespace is the device.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Error, ErrorKind, Result as IoResult};
use std::os::unix::fs::FileExt;

use flashscope_core::Op;

use super::Format;
use crate::devices::Devices;
use crate::encoder::{Encoder, Loss, Losses};
use crate::entries::{EntryFormat, sniff_entries, u16_at, u32_at, u64_at};
use crate::reading::{Basis, Claim, SpaceUnit, TimeUnit};
use crate::record::Record;
use crate::text::Problem;

/// The registry's line.
pub(crate) const FORMAT: Format = Format::entries::<Plain>(
    "oraclegeneral",
    "libCacheSim's oracleGeneral, binary entries of 24 bytes, without operations",
)
.reads(CLAIM)
.sniffed_by(sniff_plausible::<Plain>)
.written_by(|| Box::new(Encoded::default()))
.with_extensions(&["oracleGeneral", "oraclegeneral"]);

/// The registry's line of the longer form.
pub(crate) const WITH_OPERATION: Format = Format::entries::<WithOperation>(
    "oraclegeneral-opns",
    "libCacheSim's oracleGeneralOpNS, binary entries of 27 bytes",
)
.reads(CLAIM)
.sniffed_by(sniff_plausible::<WithOperation>)
.with_extensions(&["oracleGeneralOpNS"]);

/// What it says of its files.
const CLAIM: Claim = Claim::new(TimeUnit::Second, SpaceUnit::Sector, SpaceUnit::Byte)
    .resting_on(Basis::Written, Basis::Assumed);

/// The entries have no mark of their own, so that the first ones must all be good, sorted by time, and of
/// numbers that a real trace has.
fn sniff_plausible<F: EntryFormat>(head: &[u8]) -> u8 {
    const NEXT_MAX: i64 = 1 << 40;
    let entries = || head.chunks_exact(F::BYTES).take(100);
    let time = |entry: &[u8]| u32_at(entry, 0);
    let is_sorted = entries().zip(entries().skip(1)).all(|(one, next)| time(one) <= time(next));
    let next = |entry: &[u8]| u64_at(entry, F::BYTES - 8) as i64;
    let is_plausible = entries().map(next).all(|next| next <= NEXT_MAX || next == i64::MAX);
    if !is_sorted || !is_plausible || sniff_entries::<F>(head) < 100 {
        return 0;
    }
    // A cache of keys with small numbers looks alike, but its values have any length.
    let has_sectors = entries().all(|entry| u32_at(entry, 12).is_multiple_of(512));
    if has_sectors { 95 } else { 40 }
}

/// What both forms share.
#[derive(Default)]
struct Common {
    entries: u64,
}

impl Common {
    /// `entry` with `next` at this place: a read of device 0.
    #[inline(always)]
    fn record(&mut self, entry: &[u8], next_at: usize) -> Result<Record, Problem> {
        self.entries += 1;
        let next = u64_at(entry, next_at) as i64;
        // From 0 or from 1: the next one is ahead.
        if next != -1 && (next < 0 || (next as u64) < self.entries) {
            return Err("the next request for the object is not ahead");
        }
        let (object, length_bytes) = (u64_at(entry, 4), u64::from(u32_at(entry, 12)));
        if length_bytes == 0 {
            return Err("the length is zero");
        }
        let offset_bytes =
            object.checked_mul(512).filter(|offset| offset.checked_add(length_bytes).is_some());
        let offset_bytes =
            offset_bytes.ok_or("the object is not a sector: the range does not fit 64 bits")?;
        let time_ns = u64::from(u32_at(entry, 0)) * 1_000_000_000;
        Ok(Record { time_ns, offset_bytes, length_bytes, ..Record::default() })
    }
}

#[derive(Default)]
struct Plain(Common);

impl EntryFormat for Plain {
    const BYTES: usize = 24;

    #[inline(always)]
    fn entry(
        &mut self,
        entry: &[u8],
        devices: &mut Devices,
        records: &mut Vec<Record>,
    ) -> Result<(), Problem> {
        let record = self.0.record(entry, 16)?;
        records.push(Record { device: devices.number(b"0")?, ..record });
        Ok(())
    }
}

struct WithOperation {
    common: Common,
    /// Namespaces by their low byte, and their devices' numbers.
    devices: [Option<(u16, u32)>; 256],
}

impl Default for WithOperation {
    fn default() -> Self {
        WithOperation { common: Common::default(), devices: [None; 256] }
    }
}

impl WithOperation {
    #[inline(always)]
    fn device(&mut self, namespace: u16, devices: &mut Devices) -> Result<u32, Problem> {
        match self.devices[usize::from(namespace as u8)] {
            Some((known, number)) if known == namespace => Ok(number),
            _ => self.other_device(namespace, devices),
        }
    }

    #[cold]
    fn other_device(&mut self, namespace: u16, devices: &mut Devices) -> Result<u32, Problem> {
        let number = devices.number(namespace.to_string().as_bytes())?;
        self.devices[usize::from(namespace as u8)] = Some((namespace, number));
        Ok(number)
    }
}

impl EntryFormat for WithOperation {
    const BYTES: usize = 27;

    #[inline(always)]
    fn entry(
        &mut self,
        entry: &[u8],
        devices: &mut Devices,
        records: &mut Vec<Record>,
    ) -> Result<(), Problem> {
        let record = self.common.record(entry, 19)?;
        let op = match entry[16] {
            0 | 1 | 2 | 12 => Op::Read,
            3..=8 | 10 | 11 | 13 | 14 => Op::Write,
            9 => Op::Trim,
            _ => return Err("the operation is unknown"),
        };
        let device = self.device(u16_at(entry, 17), devices)?;
        records.push(Record { op, device, ..record });
        Ok(())
    }
}

const ENTRY_BYTES: usize = Plain::BYTES;
/// What is read of the temporary file at once.
const PIECE_ENTRIES: u64 = 16_384;

/// The format as it is written: entries without `next` go to a file, which is read backwards to set it, then
/// forwards into the output.
#[derive(Default)]
struct Encoded {
    file: Option<File>,
    first_ns: Option<u64>,
    entries: u64,
    /// Entries that have come out.
    done: u64,
    /// Not yet in the file.
    ahead: Vec<u8>,
    failed: Option<Error>,
}

impl Encoder for Encoded {
    fn batch(&mut self, records: &[Record], devices: &[String], _: &mut Vec<u8>, losses: &mut Losses) {
        if self.failed.is_some() {
            return;
        }
        for record in records {
            self.encode(record, devices, losses);
        }
        if self.ahead.len() >= ENTRY_BYTES * PIECE_ENTRIES as usize {
            self.failed = self.spool().err();
        }
    }

    fn kept_back(&mut self, out: &mut Vec<u8>) -> IoResult<bool> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        if self.done == 0 {
            self.spool()?;
            self.set_next()?;
        }
        let count = PIECE_ENTRIES.min(self.entries - self.done);
        if let Some(file) = &self.file {
            out.resize(count as usize * ENTRY_BYTES, 0);
            file.read_exact_at(out, self.done * ENTRY_BYTES as u64)?;
        }
        self.done += count;
        Ok(count > 0)
    }
}

impl Encoded {
    fn encode(&mut self, record: &Record, devices: &[String], losses: &mut Losses) {
        let first_ns = *self.first_ns.get_or_insert(record.time_ns);
        match record.op {
            Op::Read | Op::Write => {}
            Op::Flush => return losses.count(Loss::Flush),
            Op::Trim => return losses.count(Loss::Trim),
        }
        let length = u32::try_from(record.length_bytes);
        let (true, Ok(length)) = (record.offset_bytes.is_multiple_of(512), length) else {
            return losses.count(Loss::Range);
        };
        let after_ns = record.time_ns.checked_sub(first_ns);
        let Some(time) = after_ns.and_then(|ns| u32::try_from(ns / 1_000_000_000).ok()) else {
            return losses.count(Loss::Time);
        };
        if !after_ns.unwrap_or(0).is_multiple_of(1_000_000_000) {
            losses.count(Loss::TimeDigits);
        }
        if record.op == Op::Write {
            losses.count(Loss::Op);
        }
        if devices[record.device as usize] != "0" {
            losses.count(Loss::Device);
        }
        losses.count_extras(record, &[Loss::Latency, Loss::Process, Loss::Fua, Loss::Sync]);
        self.entries += 1;
        self.ahead.extend_from_slice(&time.to_le_bytes());
        self.ahead.extend_from_slice(&(record.offset_bytes / 512).to_le_bytes());
        self.ahead.extend_from_slice(&length.to_le_bytes());
        self.ahead.extend_from_slice(&(-1i64).to_le_bytes());
    }

    /// Moves what is in memory to the end of the file.
    fn spool(&mut self) -> IoResult<()> {
        if self.file.is_none() {
            self.file = Some(nameless_file()?);
        }
        let bytes = self.entries * ENTRY_BYTES as u64;
        let file = self.file.as_ref().expect("made just now");
        file.write_all_at(&self.ahead, bytes - self.ahead.len() as u64)?;
        self.ahead.clear();
        Ok(())
    }

    /// Sets `next` in all entries of the file, from its end to its begin.
    fn set_next(&mut self) -> IoResult<()> {
        let file = self.file.as_ref().expect("everything is in it");
        let mut next_of: HashMap<u64, u64> = HashMap::new();
        let mut piece = Vec::new();
        for first in (0..self.entries.div_ceil(PIECE_ENTRIES)).rev().map(|piece| piece * PIECE_ENTRIES) {
            let count = PIECE_ENTRIES.min(self.entries - first);
            piece.resize(count as usize * ENTRY_BYTES, 0);
            file.read_exact_at(&mut piece, first * ENTRY_BYTES as u64)?;
            let mut number = first + count;
            for entry in piece.chunks_exact_mut(ENTRY_BYTES).rev() {
                if let Some(next) = next_of.insert(u64_at(entry, 4), number) {
                    entry[16..].copy_from_slice(&next.to_le_bytes());
                }
                number -= 1;
            }
            file.write_all_at(&piece, first * ENTRY_BYTES as u64)?;
        }
        Ok(())
    }
}

/// A temporary file that is gone when it is closed.
fn nameless_file() -> IoResult<File> {
    let folder = std::env::temp_dir();
    for attempt in 0..10_000 {
        let path = folder.join(format!("flashscope-{}-{attempt}.spool", std::process::id()));
        match File::options().read(true).write(true).create_new(true).open(&path) {
            Ok(file) => return std::fs::remove_file(&path).map(|()| file),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}
