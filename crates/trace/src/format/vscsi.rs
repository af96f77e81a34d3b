//! CloudPhysics' traces of virtual SCSI disks (Waldspurger and others, FAST 2015), versions 1 and 2: binary
//! entries of 32 or 40 bytes, little-endian.
//!
//! ```text
//! version 1: u32 number, u32 length, u32 pieces, u16 command, u16 version, u64 block, u64 time
//! version 2: u16 command, u16 version, u32 number, u32 length, u32 pieces, u64 block, u64 time, u64 response
//! ```
//!
//! The length is in bytes, the block has 512 bytes, times are in microseconds; the command is a SCSI
//! operation code, and the high byte of `version` is 1 or 2, in every entry. The whole file has one version:
//! that of which its first entries are. The response time is the latency. Number and pieces (of the scatter
//! list) are not kept. Commands without data, such as inquiries, are no requests; one that changes blocks and
//! is no plain write (unmap, write same, compare and write) is a bad entry, because the trace lacks its
//! range. There is no device; it is called `0`.

use flashscope_core::Op;

use super::Format;
use crate::decoder::{Decoder, Sink};
use crate::devices::Devices;
use crate::entries::{Entries, EntryFormat, sniff_entries, u16_at, u32_at, u64_at};
use crate::error::TraceError;
use crate::reading::{Claim, SpaceUnit, Stage, TimeUnit};
use crate::record::Record;
use crate::text::Problem;

/// The registry's line.
pub(crate) const FORMAT: Format = Format::new(
    "vscsi",
    "CloudPhysics virtual SCSI, versions 1 and 2, binary entries of 32 or 40 bytes",
    |head| sniff_entries::<Version1>(head).max(sniff_entries::<Version2>(head)),
    || Box::new(Vscsi::Unknown),
)
.reads(CLAIM)
.with_extensions(&["vscsi", "vscsi1", "vscsi2"]);

/// What it says of its files.
const CLAIM: Claim = Claim::new(TimeUnit::Microsecond, SpaceUnit::Sector, SpaceUnit::Byte)
    .in_blocks()
    .with_latency(TimeUnit::Microsecond)
    .at(Stage::Issued);

/// Entries that identify the version: 40 of version 2, or 50 of version 1.
const HEAD_BYTES: usize = 1600;

enum Vscsi {
    Unknown,
    Version1(Entries<Version1>),
    Version2(Entries<Version2>),
}

impl Decoder for Vscsi {
    fn decode(&mut self, bytes: &[u8], last: bool, sink: &mut Sink<'_>) -> Result<usize, TraceError> {
        match self {
            Vscsi::Version1(entries) => return entries.decode(bytes, last, sink),
            Vscsi::Version2(entries) => return entries.decode(bytes, last, sink),
            Vscsi::Unknown if bytes.len() < HEAD_BYTES && !last => return Ok(0),
            Vscsi::Unknown => {}
        }
        let head = &bytes[..bytes.len().min(HEAD_BYTES)];
        *self = match sniff_entries::<Version2>(head) > sniff_entries::<Version1>(head) {
            true => Vscsi::Version2(Entries::default()),
            false => Vscsi::Version1(Entries::default()),
        };
        self.decode(bytes, last, sink)
    }
}

#[derive(Default)]
struct Version1;

impl EntryFormat for Version1 {
    const BYTES: usize = 32;

    #[inline(always)]
    fn entry(
        &mut self,
        entry: &[u8],
        devices: &mut Devices,
        records: &mut Vec<Record>,
    ) -> Result<(), Problem> {
        if entry[15] != 1 {
            return Err("it is not of version 1");
        }
        let command = Command { code: u16_at(entry, 12), length: u32_at(entry, 4), block: u64_at(entry, 16) };
        command.push(u64_at(entry, 24), None, devices, records)
    }
}

#[derive(Default)]
struct Version2;

impl EntryFormat for Version2 {
    const BYTES: usize = 40;

    #[inline(always)]
    fn entry(
        &mut self,
        entry: &[u8],
        devices: &mut Devices,
        records: &mut Vec<Record>,
    ) -> Result<(), Problem> {
        if entry[3] != 2 {
            return Err("it is not of version 2");
        }
        let command = Command { code: u16_at(entry, 0), length: u32_at(entry, 8), block: u64_at(entry, 16) };
        command.push(u64_at(entry, 24), Some(u64_at(entry, 32)), devices, records)
    }
}

/// A SCSI command.
struct Command {
    code: u16,
    length: u32,
    block: u64,
}

impl Command {
    #[inline(always)]
    fn push(
        self,
        time_us: u64,
        response_us: Option<u64>,
        devices: &mut Devices,
        records: &mut Vec<Record>,
    ) -> Result<(), Problem> {
        let Some(op) = operation(self.code)? else { return Ok(()) };
        let time_ns = time_us.checked_mul(1000).ok_or("the time does not fit 64 bits of nanoseconds")?;
        let latency_ns = match response_us {
            None => None,
            Some(us) => Some(us.checked_mul(1000).ok_or("the response time does not fit 64 bits of ns")?),
        };
        let (offset_bytes, length_bytes) = match op {
            Op::Flush => (0, 0),
            _ => range(self.block, self.length)?,
        };
        let device = devices.number(b"0")?;
        records.push(Record {
            time_ns,
            offset_bytes,
            length_bytes,
            latency_ns,
            device,
            op,
            ..Record::default()
        });
        Ok(())
    }
}

#[inline(always)]
fn range(block: u64, length: u32) -> Result<(u64, u64), Problem> {
    let length_bytes = u64::from(length);
    let offset_bytes = block.checked_mul(512).filter(|offset| offset.checked_add(length_bytes).is_some());
    match offset_bytes {
        _ if length == 0 => Err("the length is zero"),
        Some(offset_bytes) => Ok((offset_bytes, length_bytes)),
        None => Err("the range does not fit 64 bits"),
    }
}

/// What a SCSI operation code (SPC-4, SBC-3) does; none if it moves no data of the disk.
#[inline(always)]
fn operation(code: u16) -> Result<Option<Op>, Problem> {
    match code {
        0x28 | 0x08 | 0xa8 | 0x88 => Ok(Some(Op::Read)),
        // The latter three also verify.
        0x2a | 0x0a | 0xaa | 0x8a | 0x2e | 0xae | 0x8e => Ok(Some(Op::Write)),
        _ => rare(code),
    }
}

#[cold]
fn rare(code: u16) -> Result<Option<Op>, Problem> {
    match code {
        0x35 | 0x91 => Ok(Some(Op::Flush)),
        // Test unit ready, request sense, inquiry, mode select and sense, reserve, release, start and stop,
        // prevent removal, read capacity, verify, log sense, persistent reservations, report units,
        // maintenance.
        0x00 | 0x03 | 0x12 | 0x15 | 0x55 | 0x1a | 0x5a | 0x16 | 0x56 | 0x17 | 0x57 | 0x1b | 0x1e | 0x25
        | 0x9e | 0x2f | 0x8f | 0xaf | 0x4d | 0x5e | 0x5f | 0xa0 | 0xa3 | 0xa4 => Ok(None),
        0x41 | 0x42 | 0x93 => Err("it is a trim or similar, and the trace does not contain its range"),
        _ => Err("the SCSI command is neither read nor write"),
    }
}
