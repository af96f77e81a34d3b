//! What a trace is like, in numbers. Times are nanoseconds, shares lie between 0 and 1.

use serde::{Deserialize, Serialize};

use crate::reading::Reading;

/// All that is known of a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The format that was read.
    pub format: String,
    /// How it was read; none of what comes from no file.
    #[serde(default)]
    pub reading: Option<Reading>,
    /// False if the trace was not read to its end.
    pub complete: bool,
    /// Requests of all kinds.
    pub requests: u64,
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Flushes.
    pub flushes: u64,
    /// Trims.
    pub trims: u64,
    /// Bytes read, each as often as it was.
    pub read_bytes: u64,
    /// Bytes written, each as often as it was.
    pub written_bytes: u64,
    /// Bytes trimmed, each as often as it was.
    pub trimmed_bytes: u64,
    /// Requests with forced unit access.
    pub fua_requests: u64,
    /// Requests that somebody waits for.
    pub sync_requests: u64,
    /// Different sectors of 512 bytes that were read or written, in bytes.
    pub footprint_bytes: u64,
    /// Standard error of that; 0 as long as it is counted and not estimated.
    pub footprint_error_bytes: u64,
    /// Different sectors that were written, in bytes.
    pub write_footprint_bytes: u64,
    /// Standard error of that; 0 as long as it is counted and not estimated.
    pub write_footprint_error_bytes: u64,
    /// The footprints come from one region of 64 KiB in so many; 1: from all.
    pub footprint_sampled_one_in: u64,
    /// Reads and writes of more than 1 GiB; footprints, working set and re-writes know their first GiB.
    pub cut_requests: u64,
    /// When and for how long.
    #[serde(flatten)]
    pub times: Times,
    /// Reads and writes of any device; none without one.
    pub addresses: Option<Addresses>,
    /// By device, in the order of their first request.
    pub devices: Vec<DeviceSummary>,
    /// Lines left out because they are bad.
    pub bad_lines: u64,
    /// Lines that are in order and no request.
    pub other_lines: u64,
    /// Requests that are earlier than the one before them.
    pub unsorted_requests: u64,
    /// The last line had no end: the file may have been cut there.
    pub is_last_line_open: bool,
    /// How much goes on where something ended.
    #[serde(flatten)]
    pub sequential: Sequential,
    /// Requests of a run: each but the first begins where the one before it ended.
    pub run_requests: Option<Distribution>,
    /// Bytes of a run.
    pub run_bytes: Option<Distribution>,
    /// Lengths of requests.
    pub sizes: Sizes,
    /// Multiples of what the offsets and lengths of reads and writes are.
    pub alignment: Vec<Alignment>,
    /// Times between requests; none of a single one.
    pub inter_arrival: Option<InterArrival>,
    /// Latencies of reads, if the trace has them.
    pub read_latency_ns: Option<Distribution>,
    /// Latencies of writes, if the trace has them.
    pub write_latency_ns: Option<Distribution>,
    /// Requests in flight, if the trace has latencies.
    pub queue_depth: Option<QueueDepth>,
    /// Blocks in use over time.
    pub working_set: WorkingSet,
    /// What lies between two writes of a block; none without a write.
    pub rewrites: Option<Rewrites>,
    /// Requests and bytes over time.
    pub timeline: Timeline,
    /// Requests by time and address.
    #[serde(skip)]
    pub map: Option<AddressMap>,
}

/// When the first and the last request came, by the trace's own clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times {
    /// The earliest time.
    pub first_time_ns: u64,
    /// The latest time.
    pub last_time_ns: u64,
    /// From one to the other.
    pub duration_ns: u64,
}

/// The addresses of reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Addresses {
    /// The first byte.
    pub first_bytes: u64,
    /// Behind the last byte.
    pub end_bytes: u64,
}

/// A number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Estimate {
    pub(super) bytes: u64,
    /// Standard error; 0 if it was counted.
    pub(super) error_bytes: u64,
}

/// One device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceSummary {
    /// Its name in the trace.
    pub name: String,
    /// Requests of all kinds.
    pub requests: u64,
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Flushes.
    pub flushes: u64,
    /// Trims.
    pub trims: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// As of the whole trace.
    pub footprint_bytes: u64,
    /// As of the whole trace.
    pub footprint_error_bytes: u64,
    /// As of the whole trace.
    pub write_footprint_bytes: u64,
    /// As of the whole trace.
    pub write_footprint_error_bytes: u64,
    /// Its reads and writes; none without one.
    pub addresses: Option<Addresses>,
    /// Its own requests.
    #[serde(flatten)]
    pub sequential: Sequential,
}

/// Reads and writes that begin where one before them, of the same device and kind, ended.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sequential {
    /// Where the one just before ended.
    pub sequential_share: f64,
    /// The same of reads alone.
    pub read_sequential_share: f64,
    /// The same of writes alone.
    pub write_sequential_share: f64,
    /// Where one of the last 16 ended.
    pub streams_share: f64,
}

/// How numbers are distributed. Mean, least and most are exact; a quantile is at most 1/32 too low.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Distribution {
    /// How many.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// The least.
    pub min: u64,
    /// 10 % are at most this.
    pub p10: u64,
    /// Half are at most this.
    pub p50: u64,
    /// 90 % are at most this.
    pub p90: u64,
    /// 99 % are at most this.
    pub p99: u64,
    /// 99.9 % are at most this.
    pub p999: u64,
    /// The most.
    pub max: u64,
    /// A bin for each power of two, from the least to the most.
    pub bins: Vec<Bin>,
}

/// Numbers from `from`, and below `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bin {
    /// The least.
    pub from: u64,
    /// More than the most.
    pub to: u64,
    /// How many.
    pub count: u64,
}

/// Lengths of reads and writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sizes {
    /// Of reads.
    pub read_bytes: Option<Distribution>,
    /// Of writes.
    pub write_bytes: Option<Distribution>,
    /// The most common lengths of both, of whole sectors and up to 1 MiB.
    pub common: Vec<CommonSize>,
}

/// A length that is common.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommonSize {
    /// The length.
    pub size_bytes: u64,
    /// Reads and writes of it.
    pub requests: u64,
    /// Their share of all.
    pub share: f64,
}

/// How many reads and writes lie on the borders of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alignment {
    /// The block.
    pub block_bytes: u64,
    /// Share of those whose offset and length are multiples of it.
    pub share: f64,
    /// Share of those whose offset is.
    pub offset_share: f64,
}

/// Times between requests, of any device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InterArrival {
    /// How they are distributed.
    pub gaps_ns: Distribution,
    /// Standard deviation over mean: 0 for a clock's ticks, 1 for a Poisson process, more for bursts; none if
    /// all requests came at once.
    pub variation: Option<f64>,
    /// Share of those that are zero.
    pub tied_share: f64,
    /// A gap of this length and more is a pause.
    pub pause_ns_min: u64,
    /// Pauses.
    pub pauses: u64,
    /// Their share of the time.
    pub paused_share: Option<f64>,
}

/// Requests in flight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueueDepth {
    /// Requests whose latency is known.
    pub requests: u64,
    /// Mean over time: the sum of latencies over the duration.
    pub mean: Option<f64>,
    /// Mean over requests, each counting itself and those in flight as it was issued.
    pub mean_at_arrival: f64,
    /// The most.
    pub max: u64,
    /// Whether there may have been more: 65,536 are kept apart.
    pub is_max_capped: bool,
    /// Mean at arrival in each window of the timeline.
    pub mean_at_arrival_over_time: Vec<f64>,
    /// Most in each window of the timeline.
    pub max_over_time: Vec<u64>,
}

/// Blocks read or written at least once in a window of time, as bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkingSet {
    /// A block.
    pub block_bytes: u64,
    /// One block in so many was looked at in the end; 1: all.
    pub sampled_one_in: u64,
    /// Length of a window; the windows of the timeline.
    pub window_ns: u64,
    /// In each window.
    pub bytes: Vec<u64>,
    /// Standard errors of these; 0 where all blocks were looked at.
    pub error_bytes: Vec<u64>,
    /// For shorter and longer windows.
    pub by_window: Vec<WindowLength>,
}

/// The working set for a length of window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowLength {
    /// Length of a window.
    pub window_ns: u64,
    /// Mean over the windows, without the last one, which is mostly cut.
    pub mean_bytes: u64,
    /// The most of them.
    pub max_bytes: u64,
}

/// What lies between two writes of the same block, from a sample of blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rewrites {
    /// A block.
    pub block_bytes: u64,
    /// One block in so many was looked at in the end; 1: all.
    pub sampled_one_in: u64,
    /// Share of the writes of a block that were not its first.
    pub share: f64,
    /// Standard error of that; 0 as long as all blocks are looked at, none if it is not known.
    #[serde(default)]
    pub share_error: Option<f64>,
    /// Bytes written in between, the first of both writes included.
    pub interval_bytes: Option<Distribution>,
    /// Standard errors of its quantiles, likewise.
    #[serde(default)]
    pub interval_bytes_error: Option<QuantileErrors>,
    /// Reads and writes from one to the next.
    pub interval_requests: Option<Distribution>,
    /// Time from one to the next.
    pub interval_ns: Option<Distribution>,
}

/// Standard errors of the quantiles of a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QuantileErrors {
    /// Of the one below which 10 % lie.
    pub p10: f64,
    /// Of the median.
    pub p50: f64,
    /// Of the one below which 90 % lie.
    pub p90: f64,
}

/// Requests and bytes in windows of equal length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// Length of a window.
    pub window_ns: u64,
    /// Requests of all kinds.
    pub requests: Vec<u64>,
    /// Bytes read.
    pub read_bytes: Vec<u64>,
    /// Bytes written.
    pub written_bytes: Vec<u64>,
    /// The footprint at the end of the window.
    pub footprint_bytes: Vec<u64>,
    /// The write footprint at the end of the window.
    pub write_footprint_bytes: Vec<u64>,
    /// Length of the shortest windows that were looked at for the next two.
    pub peak_window_ns: u64,
    /// Most requests of any of them.
    pub peak_requests: u64,
    /// Variance over mean of their requests: 1 for a Poisson process.
    pub dispersion: f64,
}

/// Requests by time and first address, all devices over one another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressMap {
    /// Where the first row begins.
    pub first_bytes: u64,
    /// Height of a row.
    pub row_bytes: u64,
    /// Reads, by column (time) and row.
    pub reads: Vec<Vec<u32>>,
    /// Writes, by column and row.
    pub writes: Vec<Vec<u32>>,
}
