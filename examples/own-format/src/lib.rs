//! A trace format of one's own, read and written. Its lines are `TIME_US R|W FIRST_BYTE BYTES DEVICE`:
//!
//! ```text
//! # a comment
//! 1200 W 4096 8192 nvme0n1
//! ```

use std::io::Write as _;

use flashscope_core::Op;
use flashscope_trace::format::{Claim, Devices, Encoder, Format, LineFormat, Problem, SpaceUnit, TimeUnit};
use flashscope_trace::{Loss, Losses, Record};

/// What [`flashscope_trace::Formats::with`] takes.
pub static FORMAT: Format = Format::lines::<Lines>("own", "time us, R|W, first byte, bytes, device")
    .reads(CLAIM)
    .written_by(|| Box::new(Writer))
    .with_extensions(&["own"]);

/// What it says of its files; the reader holds it against the data.
const CLAIM: Claim =
    Claim::new(TimeUnit::Microsecond, SpaceUnit::Byte, SpaceUnit::Byte).with_device("column");

#[derive(Default)]
struct Lines;

impl LineFormat for Lines {
    fn line(&mut self, line: &[u8], devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem> {
        if line.is_empty() || line.starts_with(b"#") {
            return Ok(());
        }
        let fields: Vec<_> = line.split(|&c| c == b' ').collect();
        let [time, op, first, bytes, device] = fields[..] else { return Err("it has not five fields") };
        let op = match op {
            b"R" => Op::Read,
            b"W" => Op::Write,
            _ => return Err("the operation is neither R nor W"),
        };
        let time_ns =
            number(time).and_then(|time_us| time_us.checked_mul(1000)).ok_or("the time is not in us")?;
        let offset_bytes = number(first).ok_or("the first byte is not a number")?;
        let length_bytes =
            number(bytes).filter(|&bytes| bytes > 0).ok_or("the length is not a number above 0")?;
        offset_bytes.checked_add(length_bytes).ok_or("the range does not fit 64 bits")?;
        let device = devices.number(device)?;
        records.push(Record { time_ns, op, offset_bytes, length_bytes, device, ..Record::default() });
        Ok(())
    }
}

fn number(text: &[u8]) -> Option<u64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

struct Writer;

impl Encoder for Writer {
    fn batch(&mut self, records: &[Record], devices: &[String], out: &mut Vec<u8>, losses: &mut Losses) {
        for record in records {
            write(record, &devices[record.device as usize], out, losses);
        }
    }
}

fn write(record: &Record, device: &str, out: &mut Vec<u8>, losses: &mut Losses) {
    let op = match record.op {
        Op::Read => "R",
        Op::Write => "W",
        Op::Flush => return losses.count(Loss::Flush),
        Op::Trim => return losses.count(Loss::Trim),
    };
    let name = device.replace([' ', '\n'], "_");
    if name != device {
        losses.count(Loss::Device);
    }
    if record.time_ns % 1000 > 0 {
        losses.count(Loss::TimeDigits);
    }
    losses.count_extras(record, &[Loss::Latency, Loss::Process, Loss::Fua, Loss::Sync]);
    let Record { time_ns, offset_bytes, length_bytes, .. } = record;
    // Writing to memory does not fail.
    let _ = writeln!(out, "{} {op} {offset_bytes} {length_bytes} {name}", time_ns / 1000);
}
