//! The traces of Microsoft Research Cambridge, 36 volumes of 13 servers:
//!
//! ```text
//! 128166477394345573,hm,1,Read,383496192,32768,113736
//! timestamp,host,disk,type,offset,size,response time
//! ```
//!
//! Timestamp and response time count 100 ns, the timestamp from the year 1601 (a Windows file time); it is
//! kept so, in nanoseconds. Offset and size are bytes. Disk numbers begin anew on every host, so a device is
//! both: `hm_1`, as the files are named. The response time is the latency. The traces have no heading; one
//! that copies of them carry, `Timestamp,Hostname,..`, is left out. Only read. Definition: D. Narayanan,
//! A. Donnelly, A. Rowstron, "Write off-loading", FAST 2008, and the README of the traces at SNIA.

use flashscope_core::Op;

use super::Format;
use crate::devices::Devices;
use crate::lines::LineFormat;
use crate::reading::{Basis, Claim, Clock, SpaceUnit, Stage, TimeUnit};
use crate::record::Record;
use crate::text::{Fields, Problem, bytes};

/// The registry's line.
pub(crate) const FORMAT: Format =
    Format::lines::<Msr>("msr", "MSR Cambridge csv: filetime,host,disk,Read|Write,offset,size,response time")
        .reads(CLAIM);

/// What it says of its files.
const CLAIM: Claim = Claim::new(TimeUnit::Tick, SpaceUnit::Byte, SpaceUnit::Byte)
    .resting_on(Basis::Described, Basis::Described)
    .with_clock(Clock::Windows)
    .with_latency(TimeUnit::Tick)
    .at(Stage::Issued)
    .with_device("host and disk")
    .with_columns("time=1:{time},device=3,op=4,offset=5:{address},length=6:{length},latency=7:{latency}");

/// Nanoseconds of a tick.
const TICK_NS: u64 = 100;

#[derive(Default)]
struct Msr;

impl LineFormat for Msr {
    #[inline]
    fn line(&mut self, line: &[u8], devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem> {
        if line.is_empty() || line.starts_with(b"Timestamp,") {
            return Ok(());
        }
        let mut fields = Fields(line);
        let time_ns = ticks_ns(fields.number_to(b','), "the timestamp is not a number of 100 ns")?;
        let host = fields.until(b',').filter(|host| !host.is_empty()).ok_or("no host")?;
        let disk = fields.digits_to(b',').ok_or("the disk is not a number")?;
        let op = match fields.until(b',') {
            Some(b"Read") => Op::Read,
            Some(b"Write") => Op::Write,
            _ => return Err("the type is neither Read nor Write"),
        };
        let offset = fields.number_to(b',').ok_or("the offset is not a number")?;
        let size = fields.number_to(b',').ok_or("the size is not a number")?;
        let response = fields.last_number();
        let latency_ns = ticks_ns(response, "the response time is not a number of 100 ns")?;
        let (offset_bytes, length_bytes) = bytes(offset, size)?;
        let device = devices.joined(host, b'_', disk)?;
        let latency_ns = Some(latency_ns);
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
fn ticks_ns(ticks: Option<u64>, problem: Problem) -> Result<u64, Problem> {
    ticks.and_then(|ticks| ticks.checked_mul(TICK_NS)).ok_or(problem)
}
