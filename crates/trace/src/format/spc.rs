//! The Storage Performance Council's trace format, in which the UMass repository keeps its traces (Financial,
//! WebSearch):
//!
//! ```text
//! 0,20941264,8192,W,0.551706,Alpha/NT
//! ASU,LBA,size,opcode,timestamp[,more]
//! ```
//!
//! The ASU (application storage unit) is the device. Size is in bytes, the timestamp in seconds; the opcode
//! is R or W in either case; blanks may stand behind a comma; whatever follows the timestamp is the
//! tracer's own. **The unit of the LBA is not in the file.** The specification (SPC trace file format
//! 1.0.1) leaves it to the description of each trace. It is read in sectors of 512 bytes here, as of the
//! UMass traces. Only read.

use flashscope_core::Op;

use super::Format;
use crate::devices::Devices;
use crate::lines::LineFormat;
use crate::reading::{Basis, Claim, SpaceUnit, TimeUnit};
use crate::record::Record;
use crate::text::{Fields, Problem, bytes};

/// The registry's line.
pub(crate) const FORMAT: Format =
    Format::lines::<Spc>("spc", "SPC/UMass: ASU,LBA (taken as 512 B sectors),size B,R|W,timestamp s[,more]")
        .reads(CLAIM)
        .with_extensions(&["spc"]);

/// What it says of its files.
const CLAIM: Claim = Claim::new(TimeUnit::Second, SpaceUnit::Sector, SpaceUnit::Byte)
    .resting_on(Basis::Assumed, Basis::Assumed)
    .in_blocks()
    .with_fraction()
    .with_device("column")
    .with_columns("device=1,offset=2:{address},length=3:{length},op=4,time=5:{time}");

#[derive(Default)]
struct Spc;

impl LineFormat for Spc {
    #[inline]
    fn line(&mut self, line: &[u8], devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem> {
        let mut fields = Fields(line.trim_ascii_end());
        if fields.0.is_empty() {
            return Ok(());
        }
        let unit = fields.digits_to(b',').ok_or("the ASU is not a number")?;
        let first = field(&mut fields).ok_or("the LBA is not a number")?;
        let size = field(&mut fields).ok_or("the size is not a number")?;
        fields.skip_blanks();
        let op = match fields.until(b',') {
            Some(b"R" | b"r") => Op::Read,
            Some(b"W" | b"w") => Op::Write,
            _ => return Err("the opcode is neither R nor W"),
        };
        fields.skip_blanks();
        let time_ns = fields.seconds_ns().filter(|_| fields.0.is_empty() || fields.0[0] == b',');
        let time_ns = time_ns.ok_or("the timestamp is not in seconds")?;
        let offset = first.checked_mul(512).ok_or("the range does not fit 64 bits")?;
        let (offset_bytes, length_bytes) = bytes(offset, size)?;
        let device = devices.number(unit)?;
        records.push(Record { time_ns, offset_bytes, length_bytes, device, op, ..Record::default() });
        Ok(())
    }
}

/// A number behind blanks, and the comma behind it.
#[inline(always)]
fn field(fields: &mut Fields<'_>) -> Option<u64> {
    fields.skip_blanks();
    fields.number_to(b',')
}
