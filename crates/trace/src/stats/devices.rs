//! Counts for each device: requests and bytes by operation, addresses, and what goes on where it ended.

use flashscope_core::request::Op;

use super::clock::Chunk;
use super::histogram::Histogram;
use super::summary::Addresses;
use crate::record::Record;

/// A request that begins where one of so many before it ended belongs to one of many streams.
pub(super) const STREAMS: usize = 16;

/// Requests and bytes of one operation.
#[derive(Clone, Copy, Default)]
pub(super) struct Volume {
    pub(super) requests: u64,
    pub(super) bytes: u64,
}

/// Where the last requests of one device and kind ended, and the run that is going on.
#[derive(Clone)]
struct Ends {
    /// A ring; no request can begin at the end of an unused place.
    ends: [u64; STREAMS],
    newest: usize,
    run: Volume,
    /// Requests that begin where the one before them ended.
    sequential: u64,
    /// Requests that begin where one of the last [`STREAMS`] ended.
    streamed: u64,
}

impl Default for Ends {
    fn default() -> Ends {
        Ends { ends: [u64::MAX; STREAMS], newest: 0, run: Volume::default(), sequential: 0, streamed: 0 }
    }
}

/// Lengths of runs: requests of which each begins where the one before it ended.
#[derive(Clone, Default)]
pub(super) struct Runs {
    pub(super) requests: Histogram,
    pub(super) bytes: Histogram,
}

impl Runs {
    fn add(&mut self, run: Volume) {
        self.requests.add(run.requests);
        self.bytes.add(run.bytes);
    }
}

impl Ends {
    #[inline]
    fn add(&mut self, record: &Record, runs: &mut Runs) {
        let Record { offset_bytes, length_bytes, .. } = *record;
        let continues = self.ends[self.newest] == offset_bytes;
        let streamed = self.ends.iter().fold(false, |found, end| found | (*end == offset_bytes));
        self.sequential += u64::from(continues);
        self.streamed += u64::from(streamed);
        if !continues {
            if self.run.requests > 0 {
                runs.add(self.run);
            }
            self.run = Volume::default();
        }
        self.run.requests += 1;
        self.run.bytes = self.run.bytes.saturating_add(length_bytes);
        self.newest = (self.newest + 1) % STREAMS;
        self.ends[self.newest] = offset_bytes.saturating_add(length_bytes);
    }
}

/// One device.
#[derive(Clone, Default)]
pub(super) struct Device {
    /// By operation.
    pub(super) volumes: [Volume; 4],
    /// Of reads and writes.
    pub(super) addresses: Option<Addresses>,
    ends: [Ends; 2],
}

impl Device {
    pub(super) fn requests(&self) -> u64 {
        self.volumes.iter().map(|volume| volume.requests).sum()
    }

    pub(super) fn volume(&self, op: Op) -> Volume {
        self.volumes[op as usize]
    }

    /// Requests that begin where the one before them, of the same kind, ended.
    pub(super) fn sequential(&self) -> u64 {
        self.ends.iter().map(|ends| ends.sequential).sum()
    }

    /// Requests that begin where one of the last [`STREAMS`] of their kind ended.
    pub(super) fn streamed(&self) -> u64 {
        self.ends.iter().map(|ends| ends.streamed).sum()
    }

    /// Those of one kind that begin where the one before them ended.
    pub(super) fn sequential_of(&self, op: Op) -> u64 {
        self.ends.get(op as usize).map_or(0, |ends| ends.sequential)
    }

    #[inline]
    fn add(&mut self, record: &Record, runs: &mut Runs) {
        let volume = &mut self.volumes[record.op as usize];
        volume.requests += 1;
        volume.bytes = volume.bytes.saturating_add(record.length_bytes);
        let Some(ends) = self.ends.get_mut(record.op as usize) else { return };
        ends.add(record, runs);
        let end_bytes = record.offset_bytes.saturating_add(record.length_bytes);
        let all = self.addresses.get_or_insert(Addresses { first_bytes: u64::MAX, end_bytes: 0 });
        all.first_bytes = all.first_bytes.min(record.offset_bytes);
        all.end_bytes = all.end_bytes.max(end_bytes);
    }
}

/// All devices, by their number.
#[derive(Default)]
pub(super) struct Devices {
    pub(super) all: Vec<Device>,
    runs: Runs,
}

impl Devices {
    pub(super) fn add(&mut self, chunk: &Chunk<'_>) {
        for record in chunk.records {
            let number = record.device as usize;
            if number >= self.all.len() {
                self.all.resize(number + 1, Device::default());
            }
            self.all[number].add(record, &mut self.runs);
        }
    }

    /// All runs, those included that are still going on.
    pub(super) fn runs(&self) -> Runs {
        let mut runs = self.runs.clone();
        let open = self.all.iter().flat_map(|device| &device.ends).map(|ends| ends.run);
        open.filter(|run| run.requests > 0).for_each(|run| runs.add(run));
        runs
    }

    pub(super) fn volume(&self, op: Op) -> Volume {
        let mut sum = Volume::default();
        for volume in self.all.iter().map(|device| device.volume(op)) {
            sum.requests += volume.requests;
            sum.bytes = sum.bytes.saturating_add(volume.bytes);
        }
        sum
    }
}
