//! CloudPhysics traces as Cydonia (github.com/pbhandar2/pyCydonia) keeps them:
//!
//! ```text
//! 0,6218919,w,4096
//! time us,first sector,r | w,length in bytes
//! ```
//!
//! Sectors have 512 bytes; times count from the first request. A file is one virtual disk; it is called `0`.

use flashscope_core::Op;

use super::Format;
use crate::devices::Devices;
use crate::lines::LineFormat;
use crate::reading::{Basis, Claim, SpaceUnit, Stage, TimeUnit};
use crate::record::Record;
use crate::text::{Fields, Problem, bytes};

/// The registry's line.
pub(crate) const FORMAT: Format = Format::lines::<CloudphysicsCsv>(
    "cloudphysics-csv",
    "CloudPhysics as Cydonia's csv: time us,sector,r|w,length bytes",
)
.reads(CLAIM)
.with_extensions(&["csv"]);

/// What it says of its files.
const CLAIM: Claim = Claim::new(TimeUnit::Microsecond, SpaceUnit::Sector, SpaceUnit::Byte)
    .resting_on(Basis::Assumed, Basis::Assumed)
    .at(Stage::Issued)
    .with_columns("time=1:{time},offset=2:{address},op=3,length=4:{length}");

#[derive(Default)]
struct CloudphysicsCsv;

impl LineFormat for CloudphysicsCsv {
    #[inline]
    fn line(&mut self, line: &[u8], devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem> {
        let mut fields = Fields(line);
        let time_us = fields.number_to(b',').ok_or("the time is not in whole microseconds")?;
        let first = fields.number_to(b',').ok_or("the sector is not a number")?;
        let (op, rest) = match fields.0 {
            [b'r', b',', rest @ ..] => (Op::Read, rest),
            [b'w', b',', rest @ ..] => (Op::Write, rest),
            _ => return Err("the operation is neither r nor w"),
        };
        let length = Fields(rest).last_number().ok_or("the length is not a number")?;
        let offset = first.checked_mul(512).ok_or("the range does not fit 64 bits")?;
        let (offset_bytes, length_bytes) = bytes(offset, length)?;
        records.push(Record {
            time_ns: time_us.checked_mul(1000).ok_or("the time does not fit 64 bits of nanoseconds")?,
            offset_bytes,
            length_bytes,
            device: devices.number(b"0")?,
            op,
            ..Record::default()
        });
        Ok(())
    }
}
