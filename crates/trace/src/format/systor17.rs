//! The traces of SYSTOR '17, a virtual desktop infrastructure (Lee et al., SNIA IOTTA):
//!
//! ```text
//! Timestamp,Response,IOType,LUN,Offset,Size
//! 1456095145.133076000,0.000806000,R,0,899056122368,131072
//! ```
//!
//! Seconds since 1970 when the request was issued and seconds until its answer, both with nine digits and
//! true to the microsecond; bytes, bytes. A blank IOType means that no answer was seen, so that nobody knows
//! what it was: such lines are counted as other lines. Files hold an hour of a LUN each; joined ones have the
//! header in the middle.

use flashscope_core::Op;

use super::Format;
use crate::devices::Devices;
use crate::lines::LineFormat;
use crate::reading::{Basis, Claim, Clock, SpaceUnit, Stage, TimeUnit};
use crate::record::Record;
use crate::text::{Fields, Problem, bytes};

/// The registry's line.
pub(crate) const FORMAT: Format = Format::lines::<Systor17>(
    "systor17",
    "SYSTOR '17: Timestamp s,Response s,R|W,LUN,Offset bytes,Size bytes",
)
.reads(CLAIM)
.with_extensions(&["csv"]);

/// What it says of its files.
const CLAIM: Claim = Claim::new(TimeUnit::Second, SpaceUnit::Byte, SpaceUnit::Byte)
    .resting_on(Basis::Described, Basis::Described)
    .with_clock(Clock::Unix)
    .with_fraction()
    .with_latency(TimeUnit::Second)
    .at(Stage::Issued)
    .with_device("column")
    .with_columns("time=1:{time},latency=2:{latency},op=3,device=4,offset=5:{address},length=6:{length}");

const HEADING: &[u8] = b"Timestamp,Response,IOType,LUN,Offset,Size";

#[derive(Default)]
struct Systor17;

impl LineFormat for Systor17 {
    #[inline]
    fn line(&mut self, line: &[u8], devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem> {
        let mut fields = Fields(line);
        let Some(time_ns) = fields.seconds_ns().filter(|_| fields.eat(b',')) else {
            return if line == HEADING { Ok(()) } else { Err("the time is not in seconds") };
        };
        let latency_ns = match fields.eat(b',') {
            true => None,
            false => Some(
                fields.seconds_ns().filter(|_| fields.eat(b',')).ok_or("the response is not in seconds")?,
            ),
        };
        let op = match fields.until(b',') {
            Some(b"R") => Some(Op::Read),
            Some(b"W") => Some(Op::Write),
            Some(b"") => None,
            _ => return Err("the IOType is neither R nor W nor blank"),
        };
        let lun = fields.digits_to(b',').ok_or("the LUN is not a number")?;
        let offset = fields.number_to(b',').ok_or("the offset is not a number")?;
        let length = fields.last_number().ok_or("the size is not a number")?;
        let Some(op) = op else { return Ok(()) };
        let (offset_bytes, length_bytes) = bytes(offset, length)?;
        let device = devices.number(lun)?;
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
