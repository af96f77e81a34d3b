//! A sample of the addresses: SHARDS (Waldspurger, Park, Garthwaite, Ahmad, "Efficient MRC construction with
//! SHARDS", FAST 2015).

use flashscope_core::seed::derive;
use flashscope_core::{Op, number::exact_size};

use super::split::cut;
use super::{Note, Refusal, Step, Transform};
use crate::record::Record;

/// More units in one request are refused: they would take seconds to look at.
const UNITS_MAX: u64 = 1 << 28;
/// The same sample for every trace and for ever.
const SEED: u64 = 2015;

/// Keeps the units of address space whose hash is below the rate, whatever is done to them and whenever, so
/// that what is re-used, re-written or skewed in the trace is so in the sample. A request keeps its units
/// that are kept; neighbours among them stay one request. Flushes stay, as they concern every unit. Of a
/// device, its name is hashed, so that the sample stays whatever other devices there are.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Hashes below are kept; 2^64 keeps all.
    threshold: u128,
    unit_bytes: u64,
    is_cutting: bool,
    /// By device: what its units' hashes begin with.
    seeds: Vec<u64>,
    left_out: u64,
    shortened: u64,
    kept_bytes: u64,
    bytes: u64,
}

impl Sample {
    /// The share `rate` (0 to 1) of units of `unit_bytes` (at least 1).
    pub fn new(rate: f64, unit_bytes: u64) -> Sample {
        assert!((0.0..=1.0).contains(&rate) && unit_bytes > 0, "a rate of {rate} of {unit_bytes} bytes");
        let threshold = (rate * (1u128 << 64) as f64) as u128;
        Sample {
            threshold,
            unit_bytes,
            is_cutting: false,
            seeds: Vec::new(),
            left_out: 0,
            shortened: 0,
            kept_bytes: 0,
            bytes: 0,
        }
    }

    fn is_kept(&self, device: u32, unit: u64) -> bool {
        u128::from(derive(self.seeds[device as usize], unit)) < self.threshold
    }

    /// Names are only ever added.
    #[inline]
    fn name(&mut self, devices: &[String]) {
        for name in &devices[self.seeds.len()..] {
            self.seeds.push(name.bytes().fold(SEED, |seed, byte| derive(seed, u64::from(byte))));
        }
    }

    /// The first run of units of the record that are all kept or all not, and which.
    fn run(&self, record: &Record) -> (u64, bool) {
        let (start, end) = (record.offset_bytes, record.offset_bytes + record.length_bytes);
        let unit = start / self.unit_bytes;
        let is_kept = self.is_kept(record.device, unit);
        let last = (end - 1) / self.unit_bytes;
        let stop = (unit + 1..=last).find(|&unit| self.is_kept(record.device, unit) != is_kept);
        let run_end = stop.map_or(end, |stop| stop * self.unit_bytes);
        (run_end - start, is_kept)
    }
}

impl Transform for Sample {
    fn step(&mut self, record: &mut Record, devices: &[String]) -> Result<Step, Refusal> {
        self.name(devices);
        if record.op == Op::Flush {
            return Ok(Step::Keep);
        }
        if record.length_bytes / self.unit_bytes > UNITS_MAX {
            let problem = format!("it has more than 2^28 units of {} bytes", self.unit_bytes);
            return Err(Refusal::new(problem, "sample in larger units, or cut the address range first"));
        }
        if record.length_bytes == 0 {
            let is_kept = self.is_kept(record.device, record.offset_bytes / self.unit_bytes);
            self.left_out += u64::from(!is_kept);
            return Ok(if is_kept { Step::Keep } else { Step::Drop });
        }
        let (is_first, mut is_short) = (!std::mem::take(&mut self.is_cutting), false);
        self.bytes = self.bytes.saturating_add(if is_first { record.length_bytes } else { 0 });
        let (mut bytes, mut is_kept) = self.run(record);
        if !is_kept {
            if bytes == record.length_bytes {
                self.left_out += u64::from(is_first);
                return Ok(Step::Drop);
            }
            is_short = true;
            record.offset_bytes += bytes;
            record.length_bytes -= bytes;
            (bytes, is_kept) = self.run(record);
        }
        debug_assert!(is_kept, "behind units that are left out comes one that is kept");
        self.kept_bytes = self.kept_bytes.saturating_add(bytes);
        self.is_cutting = bytes < record.length_bytes;
        self.shortened += u64::from(is_first && (is_short || self.is_cutting));
        Ok(if self.is_cutting { cut(record, bytes) } else { Step::Keep })
    }

    fn notes(&self) -> Vec<Note> {
        let left_out = Note::some(self.left_out, "requests dropped: not in the address sample");
        let shortened = Note::some(self.shortened, "requests clipped to the sample");
        // Two counts, which add up over several passes.
        let bytes = Note::some(self.bytes, "sampled by address").map(Note::bytes);
        let about = format!("in the sample, in units of {}", exact_size(self.unit_bytes));
        let kept = bytes.as_ref().map(|_| Note::new(self.kept_bytes, about).bytes());
        [left_out, shortened, bytes, kept].into_iter().flatten().collect()
    }
}
