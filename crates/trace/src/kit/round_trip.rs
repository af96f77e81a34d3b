//! What is written reads back, and what a format cannot hold is counted.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use flashscope_core::request::{Flags, Op};
use flashscope_core::seed::Random;

use super::{Failure, Kit};
use crate::encoder::{Loss, Losses};
use crate::error::TraceError;
use crate::output::Compress;
use crate::record::{Process, Record};
use crate::records::Records;

/// Names as the kernel numbers devices, and a plain number.
const DEVICES: [&str; 3] = ["7,3", "259,0", "0"];

/// A request with the name of its device.
type Named = (Record, String);

/// An output that can be looked into.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Kit<'_> {
    /// Random requests, written and read again, are the same but for what the writer counted as lost; once
    /// more, nothing is lost. Nothing is asked of a format that is only read.
    ///
    /// # Errors
    /// They are not.
    pub fn check_round_trip(&self) -> Result<(), Failure> {
        if !self.format.is_written() {
            return Ok(());
        }
        self.round_trip(&random_records(self.seed, self.records))
    }

    /// The same with the requests of this trace, put in the order of their times.
    ///
    /// # Errors
    /// As [`Kit::check_round_trip`], and what is wrong with the trace.
    pub fn check_round_trip_of(&self, trace: &mut dyn Records) -> Result<(), Failure> {
        let (mut all, mut batch) = (Vec::new(), Vec::new());
        while trace.next_batch(&mut batch).map_err(|error| self.failure(error.to_string()))? > 0 {
            all.extend(batch.iter().map(|record| named(record, trace.devices())));
        }
        all.sort_by_key(|(record, _)| record.time_ns);
        self.round_trip(&all)
    }

    fn round_trip(&self, all: &[Named]) -> Result<(), Failure> {
        let of_all = self.write(all)?.1;
        let mut held = Vec::new();
        for record in all {
            let (_, losses) = self.write(std::slice::from_ref(record))?;
            held.extend((losses.left_out() == 0).then(|| record.clone()));
        }
        let left_out = (all.len() - held.len()) as u64;
        self.holds(of_all.left_out() == left_out, || {
            format!("{left_out} requests cannot be written, and {} are counted", of_all.left_out())
        })?;
        if held.is_empty() {
            return Err(self.failure("it holds none of many requests of all kinds".into()));
        }
        let (bytes, losses) = self.write(&held)?;
        let back = self.read_named(&bytes)?;
        self.check_counted(&held, &back, &losses)?;
        let (bytes, losses) = self.write(&back)?;
        let lost: Vec<_> = losses.iter().collect();
        self.holds(lost.is_empty(), || format!("what it gave itself it cannot write: {lost:?}"))?;
        let again = self.read_named(&bytes)?;
        self.holds(again == back, || "what it gave itself comes back changed".into())
    }

    /// Differences are those that are counted as losses.
    fn check_counted(&self, given: &[Named], back: &[Named], losses: &Losses) -> Result<(), Failure> {
        let (many, seed) = (given.len(), self.seed);
        self.holds(back.len() == many, || {
            format!("of {many} requests {} come back, seed {seed}", back.len())
        })?;
        let pairs = || given.iter().zip(back);
        for (number, ((given, _), (back, _))) in pairs().enumerate() {
            let range = |record: &Record| (record.offset_bytes, record.length_bytes);
            self.holds(range(given) == range(back), || {
                format!("request {number} comes back elsewhere, seed {seed}: {given:?}, {back:?}")
            })?;
        }
        let differ = |differs: &dyn Fn(&Named, &Named) -> bool| {
            pairs().filter(|(given, back)| differs(given, back)).count() as u64
        };
        let flag = |record: &Record, flag: Flags| record.flags.0 & flag.0;
        for (loss, found) in [
            (Loss::Op, differ(&|given, back| given.0.op != back.0.op)),
            (Loss::Device, differ(&|given, back| given.1 != back.1)),
            (Loss::Latency, differ(&|given, back| given.0.latency_ns != back.0.latency_ns)),
            (Loss::Process, differ(&|given, back| given.0.process != back.0.process)),
            (Loss::Fua, differ(&|given, back| flag(&given.0, Flags::FUA) != flag(&back.0, Flags::FUA))),
            (Loss::Sync, differ(&|given, back| flag(&given.0, Flags::SYNC) != flag(&back.0, Flags::SYNC))),
        ] {
            let counted = losses.of(loss);
            self.holds(found == counted, || {
                format!("{found} {}, and {counted} are counted, seed {seed}", loss.about())
            })?;
        }
        // Some formats keep times as they are, others from the first request on.
        let since_ns = |all: &[Named], record: &Record| record.time_ns.wrapping_sub(all[0].0.time_ns);
        let moved = differ(&|one, other| one.0.time_ns != other.0.time_ns);
        let changed = differ(&|one, other| since_ns(given, &one.0) != since_ns(back, &other.0));
        let counted = losses.of(Loss::TimeDigits);
        self.holds([moved, changed].contains(&counted), || {
            format!("{changed} requests have another time, and {counted} are counted, seed {seed}")
        })
    }

    fn write(&self, records: &[Named]) -> Result<(Vec<u8>, Losses), Failure> {
        let failed = |error: TraceError| self.failure(format!("cannot be written: {error}"));
        let mut names: Vec<String> = Vec::new();
        let numbered: Vec<_> = records
            .iter()
            .map(|(record, name)| {
                let known = names.iter().position(|known| known == name);
                let device = known.unwrap_or_else(|| {
                    names.push(name.clone());
                    names.len() - 1
                });
                Record { device: device as u32, ..*record }
            })
            .collect();
        let output = Shared::default();
        let mut writer =
            self.formats.writer(output.clone(), self.format.name, Compress::No).map_err(failed)?;
        for batch in numbered.chunks(100) {
            writer.write(batch, &names).map_err(failed)?;
        }
        let losses = writer.finish().map_err(failed)?;
        let bytes = std::mem::take(&mut *output.0.lock().unwrap_or_else(PoisonError::into_inner));
        Ok((bytes, losses))
    }

    fn read_named(&self, bytes: &[u8]) -> Result<Vec<Named>, Failure> {
        let read = self.read(bytes, false);
        let (records, trace) = read.map_err(|error| self.failure(format!("what it wrote: {error}")))?;
        Ok(records.iter().map(|record| named(record, trace.devices())).collect())
    }
}

fn named(record: &Record, devices: &[String]) -> Named {
    (Record { device: 0, ..*record }, devices[record.device as usize].clone())
}

/// Everything that a request can be, sorted by time, ties among them.
fn random_records(seed: u64, count: u64) -> Vec<Named> {
    let mut random = Random::new(seed);
    let mut time_ns = 5_000_000_000;
    (0..count)
        .map(|_| {
            time_ns += [0, 1, 999, 1_000_000_007][random.below(4) as usize];
            let op = Op::ALL[random.below(4) as usize];
            let range = |value| if op == Op::Flush { 0 } else { value };
            let record = Record {
                time_ns,
                offset_bytes: range(random.below(1 << 30) * 512 + random.below(2) * 100),
                length_bytes: range(512 * (1 + random.below(64))),
                latency_ns: (random.below(2) == 0).then(|| random.below(4).min(1) * random.below(1 << 30)),
                device: 0,
                process: match random.below(2) {
                    0 => Process::default(),
                    _ => Process::new(1 + random.below(9999) as u32, b"postgres"),
                },
                op,
                flags: Flags(if op == Op::Write { random.below(4) as u8 } else { 0 }),
            };
            (record, DEVICES[random.below(3) as usize].to_string())
        })
        .collect()
}
