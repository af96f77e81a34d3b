//! What a trace is like: counts, footprint, sizes, sequentiality, times, re-use, in constant memory.
//!
//! [`describe`] reads a trace to its end; [`Stats`] takes records as they come and gives a [`Summary`] at any
//! moment. Each file below looks at one side of a trace; what is kept for each device is less than 1 KiB.

mod arrivals;
mod clock;
mod devices;
mod footprint;
mod histogram;
mod map;
mod queue;
mod regions;
mod reuse;
mod settled;
mod sizes;
mod summary;
mod timeline;

use flashscope_core::request::{Flags, Op};

use crate::error::TraceError;
use crate::record::Record;
use crate::records::Records;
use clock::{Chunk, Clock};
use devices::Device;
use regions::Regions;
use summary::Estimate;
pub use summary::{
    AddressMap, Addresses, Alignment, Bin, CommonSize, DeviceSummary, Distribution, InterArrival,
    QuantileErrors, QueueDepth, Rewrites, Sequential, Sizes, Summary, Timeline, Times, WindowLength,
    WorkingSet,
};

/// So many records at a time stay in the processor's nearest cache.
const CHUNK: usize = 256;
/// Maximum number of windows over time.
const WINDOWS_MAX: usize = 128;

/// How much is remembered of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Regions of 64 KiB for the footprint, of 16 to 32 bytes each, and 32 more where parts of blocks of 4
    /// KiB are touched. What is touched of that many is counted exactly.
    pub regions_max: usize,
    /// Blocks of 4 KiB for working set and re-writes.
    pub blocks_max: usize,
}

impl Default for Limits {
    /// 32 to 80 MiB for 96 GiB of regions, and a table of blocks that stays in the processor's cache.
    fn default() -> Limits {
        Limits { regions_max: 3 << 19, blocks_max: 3 << 13 }
    }
}

/// Reads a trace to its end and describes it.
///
/// # Errors
/// Of the trace.
pub fn describe(trace: &mut dyn Records) -> Result<Summary, TraceError> {
    let (mut stats, mut batch) = (Stats::default(), Vec::new());
    while trace.next_batch(&mut batch)? > 0 {
        stats.add(&batch);
    }
    Ok(stats.summary(trace, true))
}

/// Takes records and describes them.
pub struct Stats {
    clock: Clock,
    times_ns: Vec<u64>,
    fua_requests: u64,
    sync_requests: u64,
    devices: devices::Devices,
    sizes: sizes::Sizes,
    arrivals: arrivals::Arrivals,
    queue: queue::Queue,
    timeline: timeline::Timeline,
    map: map::Map,
    regions: Regions,
}

impl Default for Stats {
    fn default() -> Stats {
        Stats::new(Limits::default())
    }
}

impl Stats {
    /// Nothing taken yet.
    pub fn new(limits: Limits) -> Stats {
        Stats {
            clock: Clock::default(),
            times_ns: Vec::with_capacity(CHUNK),
            fua_requests: 0,
            sync_requests: 0,
            devices: devices::Devices::default(),
            sizes: sizes::Sizes::default(),
            arrivals: arrivals::Arrivals::default(),
            queue: queue::Queue::default(),
            timeline: timeline::Timeline::default(),
            map: map::Map::default(),
            regions: Regions::new(limits.regions_max.max(1), limits.blocks_max.max(1)),
        }
    }

    /// Takes the next records.
    pub fn add(&mut self, records: &[Record]) {
        records.chunks(CHUNK).for_each(|records| self.add_chunk(records));
    }

    fn add_chunk(&mut self, records: &[Record]) {
        for _ in 0..self.clock.advance(records, &mut self.times_ns) {
            self.queue.fold();
            self.timeline.fold();
            self.map.fold();
            self.regions.fold();
        }
        let chunk = Chunk { records, times_ns: &self.times_ns, shift: self.clock.shift };
        for record in records {
            self.fua_requests += u64::from(record.flags.0 & Flags::FUA.0 != 0);
            self.sync_requests += u64::from(record.flags.0 & Flags::SYNC.0 != 0);
        }
        self.devices.add(&chunk);
        self.sizes.add(&chunk);
        self.arrivals.add(&chunk);
        self.queue.add(&chunk);
        self.timeline.add(&chunk);
        self.map.add(&chunk);
        self.regions.add(&chunk);
    }

    /// What is known so far of the `trace` that the records came from. It is `complete` if they are all.
    pub fn summary(&self, trace: &dyn Records, complete: bool) -> Summary {
        let counts = trace.counts();
        let (devices, regions) = (&self.devices.all, &self.regions);
        let [reads, writes, flushes, trims] = Op::ALL.map(|op| self.devices.volume(op));
        let (footprints, of_devices) = regions.footprint.estimates(devices.len());
        let [footprint, written] = footprints;
        let (times, used) = (self.clock.times(), self.clock.used());
        let scale = self.clock.window_scale(WINDOWS_MAX);
        let runs = self.devices.runs();
        Summary {
            format: trace.format().into(),
            reading: trace.reading(),
            complete,
            requests: [reads, writes, flushes, trims].iter().map(|volume| volume.requests).sum(),
            reads: reads.requests,
            writes: writes.requests,
            flushes: flushes.requests,
            trims: trims.requests,
            read_bytes: reads.bytes,
            written_bytes: writes.bytes,
            trimmed_bytes: trims.bytes,
            fua_requests: self.fua_requests,
            sync_requests: self.sync_requests,
            footprint_bytes: footprint.bytes,
            footprint_error_bytes: footprint.error_bytes,
            write_footprint_bytes: written.bytes,
            write_footprint_error_bytes: written.error_bytes,
            footprint_sampled_one_in: regions.footprint.one_in(),
            cut_requests: regions.cut_requests,
            times,
            addresses: all_addresses(devices),
            devices: device_summaries(devices, &of_devices, trace.devices()),
            bad_lines: counts.bad_lines,
            other_lines: counts.other_lines,
            unsorted_requests: counts.unsorted,
            is_last_line_open: counts.is_last_line_open,
            sequential: sequential(devices),
            run_requests: runs.requests.distribution(),
            run_bytes: runs.bytes.distribution(),
            sizes: self.sizes.summary(),
            alignment: self.sizes.alignment(),
            inter_arrival: self.arrivals.summary(times),
            read_latency_ns: self.queue.latencies_ns(Op::Read).distribution(),
            write_latency_ns: self.queue.latencies_ns(Op::Write).distribution(),
            queue_depth: self.queue.summary(times, used, 1 << scale),
            working_set: regions.reuse.working_set(&self.clock, scale),
            rewrites: regions.reuse.rewrites(),
            timeline: self.over_time(scale, footprints),
            map: self.map.summary(used),
        }
    }

    fn over_time(&self, scale: u32, footprints: [Estimate; 2]) -> Timeline {
        let used = self.clock.used();
        let moments = self.timeline.windows(used, 1 << scale);
        let finest: Vec<u64> = self.timeline.windows(used, 1).iter().map(|moment| moment.requests).collect();
        let news = self.regions.footprint.news(used, 1 << scale);
        let growth = |kind: usize| growth(news.iter().map(|news| news[kind]), footprints[kind].bytes);
        Timeline {
            window_ns: self.clock.window_ns(scale),
            requests: moments.iter().map(|moment| moment.requests).collect(),
            read_bytes: moments.iter().map(|moment| moment.bytes[0]).collect(),
            written_bytes: moments.iter().map(|moment| moment.bytes[1]).collect(),
            footprint_bytes: growth(0),
            write_footprint_bytes: growth(1),
            peak_window_ns: self.clock.window_ns(0),
            peak_requests: finest.iter().copied().max().unwrap_or(0),
            dispersion: dispersion(&finest),
        }
    }
}

/// Running sums that end at `end`: what was estimated early is scaled to what is known at last.
fn growth(news: impl Iterator<Item = f64> + Clone, end: u64) -> Vec<u64> {
    let all: f64 = news.clone().sum();
    let factor = if all > 0.0 { end as f64 / all } else { 0.0 };
    let mut sum = 0.0;
    let grown = |news: f64| {
        sum += news;
        (sum * factor).round() as u64
    };
    news.map(grown).collect()
}

fn dispersion(counts: &[u64]) -> f64 {
    let buckets = counts.len().max(1) as f64;
    let mean = counts.iter().map(|count| *count as f64).sum::<f64>() / buckets;
    let variance = counts.iter().map(|count| (*count as f64 - mean).powi(2)).sum::<f64>() / buckets;
    if mean > 0.0 { variance / mean } else { 0.0 }
}

fn sequential(devices: &[Device]) -> Sequential {
    let share = |of: fn(&Device) -> u64, all: fn(&Device) -> u64| {
        let (of, all): (u64, u64) = (devices.iter().map(of).sum(), devices.iter().map(all).sum());
        if all > 0 { of as f64 / all as f64 } else { 0.0 }
    };
    let reads: fn(&Device) -> u64 = |device| device.volume(Op::Read).requests;
    let writes: fn(&Device) -> u64 = |device| device.volume(Op::Write).requests;
    let both = |device: &Device| device.volume(Op::Read).requests + device.volume(Op::Write).requests;
    Sequential {
        sequential_share: share(Device::sequential, both),
        read_sequential_share: share(|device| device.sequential_of(Op::Read), reads),
        write_sequential_share: share(|device| device.sequential_of(Op::Write), writes),
        streams_share: share(Device::streamed, both),
    }
}

fn all_addresses(devices: &[Device]) -> Option<Addresses> {
    let all = devices.iter().filter_map(|device| device.addresses);
    all.reduce(|a, b| Addresses {
        first_bytes: a.first_bytes.min(b.first_bytes),
        end_bytes: a.end_bytes.max(b.end_bytes),
    })
}

/// Those with a request.
fn device_summaries(devices: &[Device], found: &[[Estimate; 2]], names: &[String]) -> Vec<DeviceSummary> {
    let summary = |(number, device): (usize, &Device)| {
        let [footprint, written] = found[number];
        DeviceSummary {
            name: names.get(number).cloned().unwrap_or_else(|| number.to_string()),
            requests: device.requests(),
            reads: device.volume(Op::Read).requests,
            writes: device.volume(Op::Write).requests,
            flushes: device.volume(Op::Flush).requests,
            trims: device.volume(Op::Trim).requests,
            read_bytes: device.volume(Op::Read).bytes,
            written_bytes: device.volume(Op::Write).bytes,
            footprint_bytes: footprint.bytes,
            footprint_error_bytes: footprint.error_bytes,
            write_footprint_bytes: written.bytes,
            write_footprint_error_bytes: written.error_bytes,
            addresses: device.addresses,
            sequential: sequential(std::slice::from_ref(device)),
        }
    };
    devices.iter().enumerate().filter(|(_, device)| device.requests() > 0).map(summary).collect()
}
