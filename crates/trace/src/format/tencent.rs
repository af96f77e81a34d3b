//! Tencent's CBS traces (OSCA, USENIX ATC '20):
//!
//! ```text
//! 1538323200,12910952,128,0,1063
//! timestamp s,offset in sectors,size in sectors,0 read | 1 write,volume
//! ```
//!
//! Sectors have 512 bytes. Times are whole seconds since 1970, so that requests come in bursts of ties; some
//! thousand volumes are mixed in one file. A copy that libCacheSim offers has offsets in bytes: nothing in
//! the file tells. Five numbers are little to recognise a format by, so it is never quite sure.

use flashscope_core::Op;

use super::Format;
use crate::devices::Devices;
use crate::lines::{LineFormat, sniff_lines};
use crate::reading::{Basis, Claim, Clock, SpaceUnit, Stage, TimeUnit};
use crate::record::Record;
use crate::text::{Fields, Problem, some_sectors};

/// The registry's line.
pub(crate) const FORMAT: Format =
    Format::lines::<Tencent>("tencent", "Tencent CBS: time s,offset,sectors,0 read|1 write,volume")
        .reads(CLAIM)
        .sniffed_by(|head| sniff_lines::<Tencent>(head).min(SURE_MAX))
        .with_extensions(&["csv"]);

/// What it says of its files.
const CLAIM: Claim = Claim::new(TimeUnit::Second, SpaceUnit::Sector, SpaceUnit::Sector)
    .resting_on(Basis::Described, Basis::Assumed)
    .with_clock(Clock::Unix)
    .at(Stage::Issued)
    .with_device("column")
    .with_columns("time=1:{time},offset=2:{address},length=3:{length},op=4:0,device=5");

/// Percent.
const SURE_MAX: u8 = 90;

#[derive(Default)]
struct Tencent;

impl LineFormat for Tencent {
    #[inline]
    fn line(&mut self, line: &[u8], devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem> {
        let mut fields = Fields(line);
        let time_s = fields.number_to(b',').ok_or("the time is not in whole seconds")?;
        let first = fields.number_to(b',').ok_or("the offset is not a number")?;
        let count = fields.number_to(b',').ok_or("the size is not a number")?;
        let op = match fields.number_to(b',') {
            Some(0) => Op::Read,
            Some(1) => Op::Write,
            _ => return Err("the operation is neither 0 (read) nor 1 (write)"),
        };
        let volume = fields.0;
        fields.last_number().ok_or("the volume is not a number")?;
        let (offset_bytes, length_bytes) = some_sectors(first, count)?;
        let time_ns = time_s.checked_mul(1_000_000_000);
        records.push(Record {
            time_ns: time_ns.ok_or("the time does not fit 64 bits of nanoseconds")?,
            offset_bytes,
            length_bytes,
            device: devices.number(volume)?,
            op,
            ..Record::default()
        });
        Ok(())
    }
}
