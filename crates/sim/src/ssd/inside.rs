//! What the inside of a device did over virtual time: its counts at moments of a run, and a map of its wear.
//!
//! A device that is watched takes a sample where a batch of requests ends, at most [`SAMPLES_MAX`] in all:
//! when there is no room, samples that lie close together go, and those to come lie as far apart as those
//! that stay. So a run of any length has samples all along it, and costs next to nothing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Ssd;
use crate::buffer::WriteBuffer;
use crate::ftl::Ftl;
use crate::nand::Cause;

/// The most samples.
pub const SAMPLES_MAX: usize = 1024;
/// The most cells of a map of wear.
pub const CELLS_MAX: u32 = 4096;

/// Names of what a sample holds, the time first. All but the last two count from the beginning of the watch.
pub const COLUMNS: [&str; 30] = [
    "time_ns",
    "host_reads",
    "host_writes",
    "host_read_bytes",
    "host_written_bytes",
    "reads_host",
    "reads_gc",
    "reads_merge",
    "reads_padding",
    "reads_map",
    "reads_wear",
    "programs_host",
    "programs_gc",
    "programs_merge",
    "programs_padding",
    "programs_map",
    "programs_wear",
    "erases_host",
    "erases_gc",
    "erases_merge",
    "erases_padding",
    "erases_map",
    "erases_wear",
    "merges_switch",
    "merges_partial",
    "merges_full",
    "buffer_hits",
    "buffer_evictions",
    "buffer_dirty_pages",
    "free_blocks",
];
/// Columns that say how much there is, not how much there was so far.
const LEVELS: usize = 2;

type Sample = [u64; COLUMNS.len()];

/// What was seen of a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inside {
    /// Bytes of a page.
    pub page_bytes: u32,
    /// Pages of the write buffer; 0 without one.
    pub buffer_pages: u32,
    /// Columns of [`COLUMNS`], all of the same length and in the order of time; what is 0 throughout is left
    /// out. The first sample is of the beginning, the last of the end.
    pub samples: BTreeMap<String, Vec<u64>>,
    /// How worn the blocks are at the end.
    pub wear: WearMap,
}

/// Erases of all blocks over the device's whole life, in cells of neighbours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WearMap {
    /// Blocks, each of [`WearMap::stripe`] physical ones.
    pub blocks: u32,
    /// Physical blocks that are erased as one.
    pub stripe: u32,
    /// Sets of dies that have blocks of their own; the cells of one set follow those of the one before.
    pub die_sets: u32,
    /// Blocks of a cell; the last cell of a set may have fewer.
    pub blocks_per_cell: u32,
    /// Mean erases of a block of each cell.
    pub mean: Vec<f64>,
    /// Fewest erases of a block of each cell; empty if a cell is one block.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub min: Vec<u32>,
    /// Most erases of a block of each cell; empty if a cell is one block.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub max: Vec<u32>,
}

impl Inside {
    /// Whether all columns have a value for each sample, and the map of wear its cells.
    pub fn is_whole(&self) -> bool {
        let samples = self.samples.get("time_ns").map_or(0, Vec::len);
        let WearMap { die_sets, blocks_per_cell, mean, min, max, .. } = &self.wear;
        let is_wear_whole = mean.len() == min.len() && mean.len() == max.len()
            || (*blocks_per_cell == 1 && min.is_empty() && max.is_empty());
        let are_sets_whole = *die_sets > 0 && mean.len() >= *die_sets as usize;
        samples > 0
            && self.samples.values().all(|column| column.len() == samples)
            && is_wear_whole
            && are_sets_whole
    }

    /// One of [`COLUMNS`]; zeros where nothing of the kind happened.
    pub fn column(&self, name: &str) -> Vec<u64> {
        let samples = self.samples.get("time_ns").map_or(0, Vec::len);
        self.samples.get(name).cloned().unwrap_or_else(|| vec![0; samples])
    }
}

/// Samples that were taken.
pub(super) struct Watch {
    /// What was counted when it began.
    base: Sample,
    samples: Vec<Sample>,
    interval_ns: u64,
}

impl Watch {
    fn new(base: Sample) -> Watch {
        let mut watch = Watch { base, samples: Vec::new(), interval_ns: 1 };
        watch.take(base);
        watch
    }

    /// Takes a sample; returns when the next one is due.
    fn take(&mut self, mut sample: Sample) -> u64 {
        let now_ns = sample[0];
        let counts = COLUMNS.len() - LEVELS;
        sample[..counts].iter_mut().zip(&self.base).for_each(|(count, base)| *count -= base);
        match &mut self.samples[..] {
            // The first one stays as it is: all counts are 0.
            [_, .., last] if last[0] == sample[0] => *last = sample,
            _ => self.samples.push(sample),
        }
        if self.samples.len() == SAMPLES_MAX {
            self.thin();
        }
        now_ns.saturating_add(self.interval_ns)
    }

    /// Keeps about half of the samples, as evenly as time allows.
    fn thin(&mut self) {
        let span_ns = self.samples.last().map_or(0, |last| last[0]);
        self.interval_ns = (2 * self.interval_ns).max(span_ns.div_ceil(SAMPLES_MAX as u64 / 2));
        let mut next_ns = 0;
        self.samples.retain(|sample| {
            let stays = sample[0] >= next_ns;
            if stays {
                next_ns = sample[0].saturating_add(self.interval_ns);
            }
            stays
        });
    }

    fn columns(&self) -> BTreeMap<String, Vec<u64>> {
        let column = |(i, name): (usize, &&str)| {
            let values: Vec<u64> = self.samples.iter().map(|sample| sample[i]).collect();
            let says_something = i == 0 || values.iter().any(|value| *value > 0);
            says_something.then(|| ((*name).to_string(), values))
        };
        COLUMNS.iter().enumerate().filter_map(column).collect()
    }
}

impl<F: Ftl, B: WriteBuffer> Ssd<F, B> {
    /// Watches what happens inside from now on. What was seen before is forgotten.
    pub fn watch(&mut self) {
        self.watch = Some(Box::new(Watch::new(self.sample())));
        self.sample_due_ns = 0;
    }

    /// What happened inside since [`Ssd::watch`]; none if nobody watched. It is watched no longer.
    pub fn seen(&mut self) -> Option<Inside> {
        let mut watch = self.watch.take()?;
        self.sample_due_ns = u64::MAX;
        watch.take(self.sample());
        let has_buffer = self.settings.buffer != "none";
        Some(Inside {
            page_bytes: self.geometry().page_bytes,
            buffer_pages: if has_buffer { self.settings.buffer_pages().unwrap_or(0) } else { 0 },
            samples: watch.columns(),
            wear: self.wear_map(),
        })
    }

    /// Counts begin anew, and so does the watch.
    pub(super) fn watch_again(&mut self) {
        if self.watch.is_some() {
            self.watch();
        }
    }

    /// A sample is due.
    #[cold]
    #[inline(never)]
    pub(super) fn take_sample(&mut self) {
        let sample = self.sample();
        if let Some(watch) = &mut self.watch {
            self.sample_due_ns = watch.take(sample);
        }
    }

    fn sample(&self) -> Sample {
        let (host, counts) = (&self.path.counts, self.nand().counts());
        let (merges, free) = (self.ftl.merges(), self.ftl.free_blocks());
        let mut sample = [0; COLUMNS.len()];
        let first = [self.clock, host.reads, host.writes, host.read_bytes, host.written_bytes];
        let by_cause = Cause::ALL
            .map(|cause| counts.reads_for(cause))
            .into_iter()
            .chain(Cause::ALL.map(|cause| counts.programs_for(cause)))
            .chain(Cause::ALL.map(|cause| counts.erases_for(cause)));
        let last = [
            merges.switch_merges,
            merges.partial_merges,
            merges.full_merges,
            host.buffer_hits,
            self.path.evictions.victims,
            u64::from(self.path.buffer.dirty_pages()),
            u64::from(free),
        ];
        let all = first.into_iter().chain(by_cause).chain(last);
        sample.iter_mut().zip(all).for_each(|(slot, value)| *slot = value);
        sample
    }

    /// How worn all blocks are.
    pub fn wear_map(&self) -> WearMap {
        let nand = self.nand();
        let (blocks, sets) = (nand.blocks(), nand.timing().die_sets());
        // More sets than cells are not told apart.
        let sets = if sets > CELLS_MAX { 1 } else { sets };
        let per_cell = blocks.div_ceil(sets).div_ceil((CELLS_MAX / sets).max(1)).max(1);
        let mut map = WearMap {
            blocks,
            stripe: nand.geometry().stripe,
            die_sets: sets,
            blocks_per_cell: per_cell,
            mean: Vec::new(),
            min: Vec::new(),
            max: Vec::new(),
        };
        for set in 0..sets {
            let erases: Vec<u32> =
                (set..blocks).step_by(sets as usize).map(|block| nand.erases(block)).collect();
            erases.chunks(per_cell as usize).for_each(|cell| map.add(cell));
        }
        map
    }
}

impl WearMap {
    fn add(&mut self, cell: &[u32]) {
        let sum: u64 = cell.iter().map(|erases| u64::from(*erases)).sum();
        let mean = sum as f64 / cell.len() as f64;
        self.mean.push((mean * 100.0).round() / 100.0);
        if self.blocks_per_cell > 1 {
            self.min.extend(cell.iter().min());
            self.max.extend(cell.iter().max());
        }
    }
}
