//! fio's IO logs, versions 2 and 3:
//!
//! ```text
//! fio version 2 iolog              fio version 3 iolog
//! /dev/nvme0n1 add                 0 /dev/nvme0n1 add
//! /dev/nvme0n1 open                0 /dev/nvme0n1 open
//! /dev/nvme0n1 read 944000 512     878 /dev/nvme0n1 read 944000 512
//! /dev/nvme0n1 wait 5 0            1020 /dev/nvme0n1 close
//! file action [offset length]      time file action [offset length]
//! ```
//!
//! Offset and length are in bytes; the file is the device. A sync, with or without a range, and a datasync
//! are flushes. Times of version 3 are in microseconds since the job's start. In version 2 only `wait`
//! tells of time: fio's documentation calls it microseconds since the last wait, but fio waits until so
//! many *milliseconds* since its start are over (all versions seen, 3.33 measured), and so it is read here;
//! it never goes back. Without a wait, all times are zero. Definition: fio's HOWTO, "Trace file format v2,
//! v3".
//!
//! Written, it is version 3. **Times begin at 1 us** with the first request, because fio takes 0 for "no
//! time yet" and would leave out the pause behind it. fio reads lengths below 2^32 and names without
//! blanks, and times that never go back; longer requests, and those earlier than one before them, are left
//! out and counted.

use std::io::Write as _;

use flashscope_core::Op;

use super::Format;
use crate::devices::Devices;
use crate::encoder::{Encoder, Loss, Losses};
use crate::lines::LineFormat;
use crate::reading::{Claim, SpaceUnit, Stage, TimeUnit, Units};
use crate::record::Record;
use crate::text::{Fields, Problem, bytes};

/// The registry's line.
pub(crate) const FORMAT: Format = Format::lines::<IoLog>(
    "fio-iolog",
    "fio iolog, versions 2 and 3 (3 is written): time us, file, action, offset, length",
)
.reads(CLAIM)
.written_by(|| Box::<Encoded>::default())
.with_extensions(&["iolog"]);

/// What it says of its files.
const CLAIM: Claim =
    Claim::new(TimeUnit::Microsecond, SpaceUnit::Byte, SpaceUnit::Byte).at(Stage::Queued).with_device("file");

const HEADINGS: [(&[u8], Version); 2] =
    [(b"fio version 2 iolog", Version::Two), (b"fio version 3 iolog", Version::Three)];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    Two,
    Three,
}

#[derive(Default)]
struct IoLog {
    /// As the first line says.
    version: Option<Version>,
    /// Until when version 2 has waited.
    waited_ns: u64,
}

impl LineFormat for IoLog {
    #[inline]
    fn line(&mut self, line: &[u8], devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem> {
        let mut fields = Fields(line);
        fields.skip_blanks();
        if fields.0.is_empty() {
            return Ok(());
        }
        let Some(version) = self.version else { return self.heading(line) };
        let time_ns = match version {
            Version::Two => self.waited_ns,
            Version::Three => {
                let time_us = fields.word_of(Fields::number);
                let time_ns = time_us.and_then(|time_us| time_us.checked_mul(1000));
                time_ns.ok_or("the time is not a number of microseconds")?
            }
        };
        let (file, action) = (fields.word(), fields.word());
        let record = Record { time_ns, ..Record::default() };
        let (op, numbers) = match action {
            b"read" => (Op::Read, two(&mut fields)?),
            b"write" => (Op::Write, two(&mut fields)?),
            b"trim" => (Op::Trim, two(&mut fields)?),
            b"sync" | b"datasync" if fields.0.is_empty() => (Op::Flush, (0, 0)),
            b"sync" | b"datasync" => (Op::Flush, two(&mut fields)?),
            b"wait" if version == Version::Two => return self.wait(two(&mut fields)?.0),
            b"add" | b"open" | b"close" if fields.0.is_empty() => return Ok(()),
            _ => return Err("unknown action for this version of the log"),
        };
        let (offset_bytes, length_bytes) = match op {
            Op::Flush => (0, 0),
            _ => bytes(numbers.0, numbers.1)?,
        };
        records.push(Record { offset_bytes, length_bytes, op, device: devices.number(file)?, ..record });
        Ok(())
    }

    fn units(&self) -> Option<Units> {
        let time = match self.version? {
            Version::Two => TimeUnit::Millisecond,
            Version::Three => TimeUnit::Microsecond,
        };
        Some(Units { time, address: SpaceUnit::Byte, length: SpaceUnit::Byte, latency: None })
    }
}

impl IoLog {
    #[cold]
    fn heading(&mut self, line: &[u8]) -> Result<(), Problem> {
        let heading = HEADINGS.iter().find(|(heading, _)| *heading == line.trim_ascii());
        let (_, version) = heading.ok_or("the log does not begin with `fio version 2 iolog` or 3")?;
        self.version = Some(*version);
        Ok(())
    }

    /// Version 2 waits until so many milliseconds are over since the start.
    fn wait(&mut self, until_ms: u64) -> Result<(), Problem> {
        let until_ns = until_ms.checked_mul(1_000_000).ok_or("the wait does not fit 64 bits")?;
        self.waited_ns = self.waited_ns.max(until_ns);
        Ok(())
    }
}

/// Offset and length, and nothing behind them.
#[inline(always)]
fn two(fields: &mut Fields<'_>) -> Result<(u64, u64), Problem> {
    let offset = fields.word_of(Fields::number).ok_or("the offset is not a number")?;
    let length = fields.word_of(Fields::number).filter(|_| fields.0.is_empty());
    Ok((offset, length.ok_or("the length is not a number at the end")?))
}

/// Version 3 as it is written.
#[derive(Default)]
struct Encoded {
    first_ns: Option<u64>,
    last_us: u64,
    /// The file of each device that was opened.
    files: Vec<Option<String>>,
}

impl Encoder for Encoded {
    fn begin(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"fio version 3 iolog\n");
    }

    fn batch(&mut self, records: &[Record], devices: &[String], out: &mut Vec<u8>, losses: &mut Losses) {
        for record in records {
            if let Err(loss) = self.encode(record, devices, out, losses) {
                losses.count(loss);
            }
        }
    }

    fn end(&mut self, out: &mut Vec<u8>, _: &mut Losses) {
        for file in self.files.iter().flatten() {
            // Writing to memory does not fail.
            let _ = writeln!(out, "{} {file} close", self.last_us);
        }
    }
}

/// fio reads as many bytes of a name.
const NAME_BYTES_MAX: usize = 255;
/// When the first request is.
const START_US: u64 = 1;

impl Encoded {
    /// Fails with the loss of the whole request.
    fn encode(
        &mut self,
        record: &Record,
        devices: &[String],
        out: &mut Vec<u8>,
        losses: &mut Losses,
    ) -> Result<(), Loss> {
        let from_ns = *self.first_ns.get_or_insert(record.time_ns);
        let action = match record.op {
            Op::Read => "read",
            Op::Write => "write",
            Op::Flush => "sync",
            Op::Trim => "trim",
        };
        let (offset, length) = (record.offset_bytes, record.length_bytes);
        u32::try_from(length).map_err(|_| Loss::Range)?;
        let since_ns = record.time_ns.checked_sub(from_ns).ok_or(Loss::Time)?;
        let time_us = START_US + since_ns / 1000;
        if time_us < self.last_us {
            return Err(Loss::Time);
        }
        if since_ns % 1000 > 0 {
            losses.count(Loss::TimeDigits);
        }
        losses.count_extras(record, &[Loss::Latency, Loss::Process, Loss::Fua, Loss::Sync]);
        self.last_us = time_us;
        let name = &devices[record.device as usize];
        let file = self.file(record.device as usize, name, time_us, out);
        if file != name {
            losses.count(Loss::Device);
        }
        let _ = writeln!(out, "{time_us} {file} {action} {offset} {length}");
        Ok(())
    }

    /// The device's file, opened if it is not yet.
    fn file(&mut self, device: usize, name: &str, time_us: u64, out: &mut Vec<u8>) -> &str {
        if self.files.len() <= device {
            self.files.resize(device + 1, None);
        }
        self.files[device].get_or_insert_with(|| {
            let file = file_name(name);
            let _ = writeln!(out, "{time_us} {file} add\n{time_us} {file} open");
            file
        })
    }
}

/// The name as fio can read it.
fn file_name(name: &str) -> String {
    let is_plain = |c: &char| !c.is_whitespace() && !c.is_control();
    let mut file: String = name.chars().map(|c| if is_plain(&c) { c } else { '_' }).collect();
    while file.len() > NAME_BYTES_MAX {
        file.pop();
    }
    if file.is_empty() { "_".into() } else { file }
}
