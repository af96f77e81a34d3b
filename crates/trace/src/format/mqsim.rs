//! MQSim's traces, which are those of SSDsim too:
//!
//! ```text
//! 938513000 4 264719034 16 0
//! arrival device lba sectors type
//! ```
//!
//! Blank separated, whole numbers: nanoseconds (MQSim's default; its `Time_Unit` may say otherwise, the file
//! does not), device number, sectors of 512 bytes, and the type: 0 is a write, 1 a read. Definition: MQSim's
//! README, "Trace-based workload", and `ASCII_Trace_Definition.h`.
//!
//! DiskSim has the same columns, in milliseconds; if none has a fraction, nobody can tell for sure. Such a
//! file is taken for MQSim's, which has only whole numbers.
//!
//! Written, time starts with the first request. MQSim stops at a time that goes back; such requests are left
//! out and counted.

use std::io::Write as _;

use flashscope_core::Op;

use super::Format;
use crate::devices::Devices;
use crate::encoder::{Encoder, Losses};
use crate::lines::{LineFormat, sniff_lines};
use crate::reading::{Basis, Claim, SpaceUnit, TimeUnit};
use crate::record::Record;
use crate::simulator::Arrivals;
use crate::text::{Fields, Problem, some_sectors};

/// The registry's line.
pub(crate) const FORMAT: Format = Format::lines::<MqSim>(
    "mqsim",
    "MQSim/SSDsim: arrival ns, device, lba, sectors (512 B), 0 = write 1 = read",
)
.reads(CLAIM)
.sniffed_by(|head| (u32::from(sniff_lines::<MqSim>(head)) * 80 / 100) as u8)
.written_by(|| Box::<Encoded>::default())
.with_extensions(&["mqsim"]);

/// What it says of its files.
const CLAIM: Claim = Claim::new(TimeUnit::Nanosecond, SpaceUnit::Sector, SpaceUnit::Sector)
    .resting_on(Basis::Assumed, Basis::Assumed)
    .with_device("column")
    .with_columns("time=1:{time},device=2,offset=3:{address},length=4:{length},op=5:1");

#[derive(Default)]
struct MqSim;

impl LineFormat for MqSim {
    #[inline]
    fn line(&mut self, line: &[u8], devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem> {
        let mut fields = Fields(line);
        fields.skip_blanks();
        if fields.0.is_empty() {
            return Ok(());
        }
        let time_ns = fields.word_of(Fields::number).ok_or("the arrival is not a whole number")?;
        let name = fields.word();
        if name.is_empty() || !name.iter().all(u8::is_ascii_digit) {
            return Err("the device is not a number");
        }
        let first = fields.word_of(Fields::number).ok_or("the lba is not a number")?;
        let count = fields.word_of(Fields::number).ok_or("the number of sectors is not a number")?;
        let op = match fields.word() {
            b"0" if fields.0.is_empty() => Op::Write,
            b"1" if fields.0.is_empty() => Op::Read,
            _ => return Err("the type is not 0 or 1 at the end"),
        };
        let (offset_bytes, length_bytes) = some_sectors(first, count)?;
        let device = devices.number(name)?;
        records.push(Record { time_ns, offset_bytes, length_bytes, device, op, ..Record::default() });
        Ok(())
    }
}

/// The format as it is written.
#[derive(Default)]
struct Encoded(Arrivals);

impl Encoder for Encoded {
    fn batch(&mut self, records: &[Record], devices: &[String], out: &mut Vec<u8>, losses: &mut Losses) {
        for record in records {
            let Some(arrival) = self.0.next(record, devices, losses) else { continue };
            let (device, first, count) = (arrival.device, arrival.first, arrival.count);
            let kind = u8::from(arrival.is_read);
            // Writing to memory does not fail.
            let _ = writeln!(out, "{} {device} {first} {count} {kind}", arrival.time_ns);
        }
    }
}
