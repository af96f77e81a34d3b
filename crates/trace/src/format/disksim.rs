//! DiskSim's ASCII traces, which FlashSim, DFTL and many others read too:
//!
//! ```text
//! 5265.313 0 6357144 8 0
//! arrival device block blocks flags
//! ```
//!
//! Blank separated. Milliseconds, device number, blocks of 512 bytes, and hexadecimal flags: bit 0 set is a
//! read, clear a write. The other bits tell how urgent a request is, and are not kept. Definition: DiskSim's
//! parser of format `ascii`, which reads `%lf %d %d %d %x`, so block numbers below 2^31.
//!
//! The columns say little about themselves: MQSim's are the same with times in whole nanoseconds, and other
//! tools put bytes where blocks are here. So [`crate::sniff()`] is not sure of it where no time has a
//! fraction, nor where all blocks are multiples of 512.
//!
//! Written, time starts with the first request and has six digits behind the point, so it is exact. DiskSim
//! stops at a time that goes back; such requests are left out and counted.

use std::io::Write as _;

use flashscope_core::Op;

use super::Format;
use crate::devices::Devices;
use crate::encoder::{Encoder, Losses};
use crate::lines::{LineFormat, sniff_lines, unmarked};
use crate::reading::{Basis, Claim, SpaceUnit, TimeUnit};
use crate::record::Record;
use crate::simulator::Arrivals;
use crate::text::{Fields, Problem, some_sectors};

/// The registry's line.
pub(crate) const FORMAT: Format = Format::lines::<DiskSim>(
    "disksim",
    "DiskSim ASCII: arrival ms, device, block, blocks (512 B), hexadecimal flags (1 = read)",
)
.reads(CLAIM)
.sniffed_by(sniff)
.written_by(|| Box::<Encoded>::default())
.with_extensions(&["disksim"]);

/// What it says of its files.
const CLAIM: Claim = Claim::new(TimeUnit::Millisecond, SpaceUnit::Sector, SpaceUnit::Sector)
    .resting_on(Basis::Assumed, Basis::Assumed)
    .in_blocks()
    .with_device("column")
    .with_columns("time=1:{time},device=2,offset=3:{address},length=4:{length},op=5:1");

#[derive(Default)]
struct DiskSim;

impl LineFormat for DiskSim {
    #[inline]
    fn line(&mut self, line: &[u8], devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem> {
        let mut fields = Fields(line);
        fields.skip_blanks();
        if fields.0.is_empty() {
            return Ok(());
        }
        let time = fields.word_of(|fields| fields.decimal_ns(6));
        let time_ns = time.ok_or("the arrival is not in milliseconds")?;
        let name = fields.word();
        if name.is_empty() || !name.iter().all(u8::is_ascii_digit) {
            return Err("the device is not a number");
        }
        let first = fields.word_of(Fields::number).ok_or("the block is not a number")?;
        let count = fields.word_of(Fields::number).ok_or("the number of blocks is not a number")?;
        let flags = hexadecimal(fields.word()).filter(|_| fields.0.is_empty());
        let flags = flags.ok_or("the flags are not a hexadecimal number at the end")?;
        let (offset_bytes, length_bytes) = some_sectors(first, count)?;
        let op = if flags & 1 == 1 { Op::Read } else { Op::Write };
        let device = devices.number(name)?;
        records.push(Record { time_ns, offset_bytes, length_bytes, device, op, ..Record::default() });
        Ok(())
    }
}

/// As `%x` of C reads it.
#[inline(always)]
fn hexadecimal(word: &[u8]) -> Option<u32> {
    let digits = word.strip_prefix(b"0x").or(word.strip_prefix(b"0X")).unwrap_or(word);
    if digits.is_empty() || digits.len() > 8 {
        return None;
    }
    digits.iter().try_fold(0, |value, &c| Some(value << 4 | char::from(c).to_digit(16)?))
}

/// How sure it is: less where MQSim's lines, or lines in bytes, would look the same.
fn sniff(head: &[u8]) -> u8 {
    let percent = sniff_lines::<DiskSim>(head);
    if percent == 0 {
        return 0;
    }
    let (mut devices, mut records) = (Devices::default(), Vec::new());
    let mut has_fraction = false;
    for line in unmarked(head).split(|&c| c == b'\n').take(100) {
        has_fraction |= Fields(line.trim_ascii_start()).word().contains(&b'.');
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let _ = DiskSim.line(line, &mut devices, &mut records);
    }
    // Sectors whose numbers are all whole multiples of 512.
    let is_in_bytes = |record: &Record| (record.offset_bytes | record.length_bytes).is_multiple_of(512 * 512);
    let sure = match records.iter().all(is_in_bytes) {
        true => 40,
        false if has_fraction => 100,
        false => 40,
    };
    (u32::from(percent) * sure / 100) as u8
}

/// The format as it is written.
#[derive(Default)]
struct Encoded(Arrivals);

impl Encoder for Encoded {
    fn batch(&mut self, records: &[Record], devices: &[String], out: &mut Vec<u8>, losses: &mut Losses) {
        for record in records {
            let Some(arrival) = self.0.next(record, devices, losses) else { continue };
            let (whole_ms, fraction_ns) = (arrival.time_ns / 1_000_000, arrival.time_ns % 1_000_000);
            let (device, first, count) = (arrival.device, arrival.first, arrival.count);
            let flags = u8::from(arrival.is_read);
            // Writing to memory does not fail.
            let _ = writeln!(out, "{whole_ms}.{fraction_ns:06} {device} {first} {count} {flags}");
        }
    }
}
