//! blkreplay's `.load` files:
//!
//! ```text
//! start ; sector; length ; op ;  replay_delay=0 ; replay_duration=0
//!       0.449518165 ;     37766917 ;   14 ; W ; 0.0 ; 0.0
//! ```
//!
//! Seconds, sectors of 512 bytes, RWBS letters, seconds, seconds. Any text may stand before the first
//! request, before and behind the heading; among them, only lines that
//! begin with `#`. A duration that is not zero is the latency of an
//! earlier replay; the delay of that replay is checked and not kept. There is no device; it is called `0`.
//! Written, a trace begins at its first request's own time, and flushes and trims, which blkreplay does not
//! replay, are left out and counted.

use std::io::Write as _;

use flashscope_core::Op;

use super::Format;
use crate::devices::Devices;
use crate::encoder::{Encoder, Loss, Losses};
use crate::lines::LineFormat;
use crate::reading::{Basis, Claim, SpaceUnit, TimeUnit};
use crate::record::Record;
use crate::rwbs::{Rwbs, letters};
use crate::text::{Fields, Problem, Seconds, whole_sectors};

/// The registry's line.
pub(crate) const FORMAT: Format = Format::lines::<Blkreplay>(
    "blkreplay",
    "blkreplay .load: start s ; sector ; sectors ; op ; delay s ; duration s",
)
.reads(CLAIM)
.written_by(|| Box::new(Encoded))
.with_extensions(&["load"]);

/// What it says of its files.
const CLAIM: Claim = Claim::new(TimeUnit::Second, SpaceUnit::Sector, SpaceUnit::Sector)
    .resting_on(Basis::Named, Basis::Named)
    .with_latency(TimeUnit::Second)
    .with_fraction();

#[derive(Default)]
struct Blkreplay {
    /// Past the text before the requests.
    has_begun: bool,
}

impl LineFormat for Blkreplay {
    #[inline]
    fn line(&mut self, line: &[u8], devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem> {
        let line = line.trim_ascii();
        if line.is_empty() || line[0] == b'#' {
            return Ok(());
        }
        if !self.has_begun {
            self.has_begun = looks_like_request(line);
            if !self.has_begun {
                return Ok(());
            }
        }
        request(line, devices, records)
    }
}

#[cold]
fn looks_like_request(line: &[u8]) -> bool {
    let begins = line[0].is_ascii_digit() || matches!(line[0], b'-' | b'.' | b'+');
    begins && line.iter().filter(|&&c| c == b';').count() == 5
}

#[inline]
fn request(line: &[u8], devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem> {
    let mut fields = Fields(line);
    let time_ns = field(&mut fields, Fields::seconds_ns, "the start is not in seconds")?;
    let first = field(&mut fields, Fields::number, "the sector is not a number")?;
    let count = field(&mut fields, Fields::number, "the length is not a number")?;
    let letters = fields.until(b';').ok_or("cut short")?.trim_ascii();
    field(&mut fields, Fields::seconds_ns, "the delay is not in seconds")?;
    fields.skip_blanks();
    let duration_ns = fields.seconds_ns().filter(|_| fields.0.is_empty());
    let duration_ns = duration_ns.ok_or("the duration is not in seconds")?;
    let rwbs = Rwbs::parse(letters)?;
    let (offset_bytes, length_bytes) = rwbs.range(first, count)?;
    let record = Record {
        time_ns,
        offset_bytes,
        length_bytes,
        latency_ns: (duration_ns > 0).then_some(duration_ns),
        device: devices.number(b"0")?,
        ..Record::default()
    };
    rwbs.push(record, records);
    Ok(())
}

/// A field and the `;` after it.
#[inline(always)]
fn field<'a>(
    fields: &mut Fields<'a>,
    take: impl Fn(&mut Fields<'a>) -> Option<u64>,
    problem: Problem,
) -> Result<u64, Problem> {
    fields.skip_blanks();
    let value = take(fields).ok_or(problem)?;
    fields.skip_blanks();
    if fields.eat(b';') { Ok(value) } else { Err(problem) }
}

/// The format as it is written.
struct Encoded;

impl Encoder for Encoded {
    fn begin(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"start ; sector; length ; op ;  replay_delay=0 ; replay_duration=0\n");
    }

    fn batch(&mut self, records: &[Record], devices: &[String], out: &mut Vec<u8>, losses: &mut Losses) {
        for record in records {
            encode(record, devices, out, losses);
        }
    }
}

fn encode(record: &Record, devices: &[String], out: &mut Vec<u8>, losses: &mut Losses) {
    match record.op {
        Op::Read | Op::Write => {}
        Op::Flush => return losses.count(Loss::Flush),
        Op::Trim => return losses.count(Loss::Trim),
    }
    let Some((first, count)) = whole_sectors(record) else { return losses.count(Loss::Range) };
    if devices[record.device as usize] != "0" {
        losses.count(Loss::Device);
    }
    losses.count_extras(record, &[Loss::Process]);
    // In the file, a duration of zero is none.
    if record.latency_ns == Some(0) {
        losses.count(Loss::Latency);
    }
    let (start, latency) = (Seconds(record.time_ns), Seconds(record.latency_ns.unwrap_or(0)));
    // Writing to memory does not fail.
    let _ = writeln!(out, "{start} ; {first} ; {count} ; {} ; 0.0 ; {latency}", letters(record));
}
