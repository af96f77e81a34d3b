//! The traces of Fujitsu's K5 cloud (SNIA IOTTA):
//!
//! ```text
//! 1157,3.828359000,W,7155568640,4096
//! ID,timestamp s,R | W,offset,length
//! ```
//!
//! Offset and length in bytes, seconds from the trace's own beginning. The ID is the volume. The line with
//! the header may be there or not.

use super::Format;
use super::alibaba::read_or_write;
use crate::devices::Devices;
use crate::lines::LineFormat;
use crate::reading::{Basis, Claim, SpaceUnit, Stage, TimeUnit};
use crate::record::Record;
use crate::text::{Fields, Problem, bytes};

/// The registry's line.
pub(crate) const FORMAT: Format =
    Format::lines::<K5cloud>("k5cloud", "K5cloud: volume,time s,R|W,offset bytes,length bytes")
        .reads(CLAIM)
        .with_extensions(&["csv"]);

/// What it says of its files.
const CLAIM: Claim = Claim::new(TimeUnit::Second, SpaceUnit::Byte, SpaceUnit::Byte)
    .resting_on(Basis::Described, Basis::Described)
    .with_fraction()
    .at(Stage::Issued)
    .with_device("column")
    .with_columns("device=1,time=2:{time},op=3,offset=4:{address},length=5:{length}");

const HEADING: &[u8] = b"ID,Timestamp,Type,Offset,Length";

#[derive(Default)]
struct K5cloud;

impl LineFormat for K5cloud {
    #[inline]
    fn line(&mut self, line: &[u8], devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem> {
        let mut fields = Fields(line);
        let Some(volume) = fields.digits_to(b',') else {
            return if line == HEADING { Ok(()) } else { Err("the ID is not a number") };
        };
        let time_ns = fields.seconds_ns().filter(|_| fields.eat(b',')).ok_or("the time is not in seconds")?;
        let op = read_or_write(&mut fields)?;
        let offset = fields.number_to(b',').ok_or("the offset is not a number")?;
        let length = fields.last_number().ok_or("the length is not a number")?;
        let (offset_bytes, length_bytes) = bytes(offset, length)?;
        let device = devices.number(volume)?;
        records.push(Record { time_ns, offset_bytes, length_bytes, device, op, ..Record::default() });
        Ok(())
    }
}
