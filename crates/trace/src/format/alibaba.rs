//! Alibaba's block traces of 2020 (`io_traces.csv`, github.com/alibaba/block-traces, CC BY 4.0):
//!
//! ```text
//! 419,W,8792731648,16384,1577808144360767
//! device_id,opcode,offset,length,timestamp
//! ```
//!
//! Bytes, bytes, microseconds since 1970. Opcodes are `R` and `W`; a thousand devices are mixed in one file,
//! and neither latency nor process is known. The line with the header may be there or not.

use flashscope_core::Op;

use super::Format;
use crate::devices::Devices;
use crate::lines::LineFormat;
use crate::reading::{Basis, Claim, Clock, SpaceUnit, Stage, TimeUnit};
use crate::record::Record;
use crate::text::{Fields, Problem, bytes};

/// The registry's line.
pub(crate) const FORMAT: Format = Format::lines::<Alibaba>(
    "alibaba",
    "Alibaba block traces 2020: device,R|W,offset bytes,length bytes,time us",
)
.reads(CLAIM)
.with_extensions(&["csv"]);

/// What it says of its files.
const CLAIM: Claim = Claim::new(TimeUnit::Microsecond, SpaceUnit::Byte, SpaceUnit::Byte)
    .resting_on(Basis::Described, Basis::Described)
    .with_clock(Clock::Unix)
    .at(Stage::Issued)
    .with_device("column")
    .with_columns("time=5:{time},device=1,op=2,offset=3:{address},length=4:{length}");

const HEADING: &[u8] = b"device_id,opcode,offset,length,timestamp";

#[derive(Default)]
struct Alibaba;

impl LineFormat for Alibaba {
    #[inline]
    fn line(&mut self, line: &[u8], devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem> {
        let mut fields = Fields(line);
        let Some(device) = fields.digits_to(b',') else {
            return if line == HEADING { Ok(()) } else { Err("the device is not a number") };
        };
        let op = read_or_write(&mut fields)?;
        let offset = fields.number_to(b',').ok_or("the offset is not a number")?;
        let length = fields.number_to(b',').ok_or("the length is not a number")?;
        let time_us = fields.last_number().ok_or("the time is not in whole microseconds")?;
        let (offset_bytes, length_bytes) = bytes(offset, length)?;
        records.push(Record {
            time_ns: time_us.checked_mul(1000).ok_or("the time does not fit 64 bits of nanoseconds")?,
            offset_bytes,
            length_bytes,
            device: devices.number(device)?,
            op,
            ..Record::default()
        });
        Ok(())
    }
}

/// `R` or `W`, and a comma.
#[inline]
pub(crate) fn read_or_write(fields: &mut Fields<'_>) -> Result<Op, Problem> {
    let (op, rest) = match fields.0 {
        [b'R', b',', rest @ ..] => (Op::Read, rest),
        [b'W', b',', rest @ ..] => (Op::Write, rest),
        _ => return Err("the operation is neither R nor W"),
    };
    fields.0 = rest;
    Ok(op)
}
