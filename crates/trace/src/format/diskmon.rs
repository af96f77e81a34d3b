//! Logs that Diskmon (Sysinternals) saves on Windows:
//!
//! ```text
//! 0 1.098306 0.00009918 0 Read 5498511 8
//! number, time s, duration s, disk, Read | Write, first sector, sectors
//! ```
//!
//! Tabs or blanks between; sectors have 512 bytes; seconds from the beginning of the log. The duration is
//! the latency. The log is as its window was sorted, so times may go back. Diskmon can show times of day
//! instead of seconds: such a log has no date, and is not read.

use flashscope_core::Op;

use super::Format;
use crate::devices::Devices;
use crate::lines::LineFormat;
use crate::reading::{Claim, SpaceUnit, Stage, TimeUnit};
use crate::record::Record;
use crate::text::{Fields, Problem, some_sectors};

/// The registry's line.
pub(crate) const FORMAT: Format = Format::lines::<Diskmon>(
    "diskmon",
    "Diskmon's saved log: number time-s duration-s disk Read|Write sector sectors",
)
.reads(CLAIM)
.with_extensions(&["log"]);

/// What it says of its files.
const CLAIM: Claim = Claim::new(TimeUnit::Second, SpaceUnit::Sector, SpaceUnit::Sector)
    .with_latency(TimeUnit::Second)
    .at(Stage::Completed)
    .with_device("column");

#[derive(Default)]
struct Diskmon;

impl LineFormat for Diskmon {
    #[inline]
    fn line(&mut self, line: &[u8], devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem> {
        let mut fields = Fields(line);
        fields.skip_blanks();
        if fields.0.is_empty() {
            return Ok(());
        }
        fields.number().filter(|_| fields.ends_word()).ok_or("it does not begin with a number")?;
        let time_ns =
            fields.seconds_ns().filter(|_| fields.ends_word()).ok_or("the time is not in seconds")?;
        let latency_ns =
            fields.seconds_ns().filter(|_| fields.ends_word()).ok_or("the duration is not in seconds")?;
        let disk = fields.word();
        Fields(disk).last_number().ok_or("the disk is not a number")?;
        const REQUEST: Problem = "the request is neither Read nor Write";
        let (op, rest) = match fields.0 {
            [b'R', b'e', b'a', b'd', rest @ ..] => (Op::Read, rest),
            [b'W', b'r', b'i', b't', b'e', rest @ ..] => (Op::Write, rest),
            _ => return Err(REQUEST),
        };
        fields.0 = rest;
        if !fields.ends_word() {
            return Err(REQUEST);
        }
        let first = fields.number().filter(|_| fields.ends_word()).ok_or("the sector is not a number")?;
        let count = fields.number().filter(|_| fields.ends_word()).ok_or("the length is not a number")?;
        if !fields.0.is_empty() {
            return Err("there are extra fields after the length");
        }
        let (offset_bytes, length_bytes) = some_sectors(first, count)?;
        records.push(Record {
            time_ns,
            offset_bytes,
            length_bytes,
            latency_ns: Some(latency_ns),
            device: devices.number(disk)?,
            op,
            ..Record::default()
        });
        Ok(())
    }
}
