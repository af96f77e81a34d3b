//! What fio's JSON says of a job: sums, extremes, percentiles, bins and rates over windows.

use flashscope_analysis::Histogram;
use serde_json::{Map, Value, json};

use super::logs::direction;
use crate::ios::Io;

/// fio's default percentiles.
const PERCENTILES: [f64; 17] =
    [1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99];
/// Ends of fio's bins, in each of its three units.
const BINS: [u64; 10] = [2, 4, 10, 20, 50, 100, 250, 500, 750, 1000];
/// Bins of all: ten of each unit, and of milliseconds two more, up to 2 s and beyond.
const BINS_ALL: usize = 32;
const DIRECTIONS: [&str; 3] = ["read", "write", "trim"];
/// fio's window of rates, ms; a short run gets shorter ones, 20 of them.
const WINDOW_MS_MAX: u64 = 500;
const WINDOWS_MIN: u64 = 20;
/// Windows of the longest run; a longer one, or a damaged file that tells of one, gets longer windows.
const WINDOWS_MAX: u64 = 1 << 20;

/// A job's IOs as sums.
pub(super) struct Summary {
    elapsed_ns: u64,
    window_ms: u64,
    sides: [Side; 3],
    flushes: Times,
    bins: [u64; BINS_ALL],
}

/// The IOs of one direction.
#[derive(Default)]
struct Side {
    bytes: u64,
    times: Times,
    /// IOs and bytes of each window.
    windows: Vec<(u64, u64)>,
}

#[derive(Default)]
struct Times {
    ios: u64,
    min_ns: u64,
    max_ns: u64,
    sum_ns: u128,
    square_sum_ns: u128,
    histogram: Histogram,
}

/// What was done in a window.
pub(super) struct Rate {
    pub(super) iops: f64,
    pub(super) bytes_s: f64,
    /// Of an IO, on average.
    pub(super) block_bytes: u64,
}

impl Summary {
    pub(super) fn new(elapsed_ns: u64) -> Summary {
        let elapsed_ms = elapsed_ns / 1_000_000;
        let window_ms = (elapsed_ms / WINDOWS_MIN).clamp(1, WINDOW_MS_MAX);
        let window_ms = window_ms.max(elapsed_ms.div_ceil(WINDOWS_MAX));
        Summary {
            elapsed_ns,
            window_ms,
            sides: Default::default(),
            flushes: Times::default(),
            bins: [0; BINS_ALL],
        }
    }

    /// Milliseconds over which rates are taken.
    pub(super) fn window_ms(&self) -> u64 {
        self.window_ms
    }

    pub(super) fn add(&mut self, io: &Io) {
        let Some(direction) = direction(io.op) else { return self.flushes.add(io.response_ns) };
        let side = &mut self.sides[direction];
        side.bytes += u64::from(io.length_bytes);
        side.times.add(io.response_ns);
        // A completion after the end is that of a damaged file.
        let window = (io.completed_ns().min(self.elapsed_ns) / 1_000_000 / self.window_ms) as usize;
        if side.windows.len() <= window {
            side.windows.resize(window + 1, (0, 0));
        }
        side.windows[window].0 += 1;
        side.windows[window].1 += u64::from(io.length_bytes);
        self.bins[bin(io.response_ns)] += 1;
    }

    /// The rates of each whole window and each direction used, to the last with an IO. A run shorter than a
    /// window has one.
    pub(super) fn rates(&self) -> impl Iterator<Item = (u64, usize, Rate)> + '_ {
        // What the result says of its length may be damaged: its IOs are what is there.
        let last = self.sides.iter().map(|side| side.windows.len() as u64).max().unwrap_or(0);
        let whole = (self.elapsed_ns / 1_000_000 / self.window_ms).min(last).max(1);
        let used = (0..DIRECTIONS.len()).filter(|direction| self.sides[*direction].times.ios > 0);
        let used: Vec<usize> = used.collect();
        (0..whole).flat_map(move |window| {
            let rate = move |direction: usize| (window, direction, self.rate(window, direction));
            used.clone().into_iter().map(rate)
        })
    }

    fn rate(&self, window: u64, direction: usize) -> Rate {
        let (ios, bytes) = self.sides[direction].windows.get(window as usize).copied().unwrap_or_default();
        let seconds = (self.window_ms as f64 / 1e3).min((self.elapsed_ns as f64 / 1e9).max(1e-9));
        let block_bytes = bytes.checked_div(ios).unwrap_or(0);
        Rate { iops: ios as f64 / seconds, bytes_s: bytes as f64 / seconds, block_bytes }
    }

    /// The job's entry without its name and options.
    pub(super) fn job(&self) -> Value {
        let runtime_ms = self.elapsed_ns / 1_000_000;
        let mut job = json!({
            "groupid": 0, "error": 0, "eta": 0,
            "elapsed": runtime_ms.div_ceil(1000),
            "sync": { "total_ios": self.flushes.ios, "lat_ns": self.flushes.json() },
            "job_runtime": runtime_ms,
            // Not measured; fio-plot asks for them.
            "usr_cpu": 0.0, "sys_cpu": 0.0,
            "latency_ns": self.bins_json(0, ""),
            "latency_us": self.bins_json(1, ""),
            "latency_ms": self.bins_json(2, ">=2000"),
        });
        for (direction, name) in DIRECTIONS.iter().enumerate() {
            job[*name] = self.side(direction);
        }
        job
    }

    fn side(&self, direction: usize) -> Value {
        let Side { bytes, times, .. } = &self.sides[direction];
        let seconds = self.elapsed_ns as f64 / 1e9;
        let per_s = |count: u64| if seconds > 0.0 { count as f64 / seconds } else { 0.0 };
        let rates: Vec<Rate> =
            self.rates().filter(|(_, of, _)| *of == direction).map(|(_, _, rate)| rate).collect();
        let [iops, bw] = [
            spread(rates.iter().map(|rate| rate.iops)),
            spread(rates.iter().map(|rate| rate.bytes_s / 1024.0)),
        ];
        let mut clat = times.json();
        if times.ios > 0 {
            clat["percentile"] = times.percentiles();
        }
        json!({
            "io_bytes": bytes, "io_kbytes": bytes / 1024,
            "bw_bytes": per_s(*bytes) as u64, "bw": (per_s(*bytes) / 1024.0) as u64, "iops": per_s(times.ios),
            "runtime": if times.ios > 0 { self.elapsed_ns / 1_000_000 } else { 0 },
            "total_ios": times.ios, "short_ios": 0, "drop_ios": 0,
            "slat_ns": Times::default().json(), "clat_ns": clat, "lat_ns": times.json(),
            "bw_min": bw.min.round() as u64, "bw_max": bw.max.round() as u64,
            "bw_agg": if times.ios > 0 { 100.0 } else { 0.0 },
            "bw_mean": bw.mean, "bw_dev": bw.stddev, "bw_samples": rates.len(),
            "iops_min": iops.min.round() as u64, "iops_max": iops.max.round() as u64,
            "iops_mean": iops.mean, "iops_stddev": iops.stddev, "iops_samples": rates.len(),
        })
    }

    /// Shares of IOs in percent; `beyond` names the last bin of milliseconds, where there are two more.
    fn bins_json(&self, unit: usize, beyond: &str) -> Value {
        let all: u64 = self.bins.iter().sum();
        let share = |at: usize| if all > 0 { self.bins[at] as f64 / all as f64 * 100.0 } else { 0.0 };
        let mut bins = Map::new();
        for (place, end) in BINS.iter().enumerate() {
            bins.insert(end.to_string(), json!(share(unit * BINS.len() + place)));
        }
        if !beyond.is_empty() {
            bins.insert("2000".into(), json!(share(BINS_ALL - 2)));
            bins.insert(beyond.into(), json!(share(BINS_ALL - 1)));
        }
        Value::Object(bins)
    }
}

/// Which of fio's bins a time is in: below 1 us in whole nanoseconds, below 1 ms in whole microseconds.
fn bin(time_ns: u64) -> usize {
    let (unit, value) = match time_ns {
        0..1_000 => (0, time_ns),
        1_000..1_000_000 => (1, time_ns / 1_000),
        _ => (2, time_ns / 1_000_000),
    };
    match BINS.iter().position(|end| value < *end) {
        Some(place) => unit * BINS.len() + place,
        None if value < 2000 => BINS_ALL - 2,
        None => BINS_ALL - 1,
    }
}

impl Times {
    fn add(&mut self, time_ns: u64) {
        self.min_ns = if self.ios == 0 { time_ns } else { self.min_ns.min(time_ns) };
        self.max_ns = self.max_ns.max(time_ns);
        self.ios += 1;
        self.sum_ns += u128::from(time_ns);
        self.square_sum_ns += u128::from(time_ns) * u128::from(time_ns);
        self.histogram.record(time_ns);
    }

    fn json(&self) -> Value {
        let ios = self.ios as f64;
        let mean = if self.ios > 0 { self.sum_ns as f64 / ios } else { 0.0 };
        // In whole numbers up to the division: a difference of large floats would lose its digits.
        let squares = u128::from(self.ios).saturating_mul(self.square_sum_ns);
        let spread = squares.saturating_sub(self.sum_ns.saturating_mul(self.sum_ns));
        let stddev = if self.ios > 1 { (spread as f64 / ios / (ios - 1.0)).sqrt() } else { 0.0 };
        json!({ "min": self.min_ns, "max": self.max_ns, "mean": mean, "stddev": stddev, "N": self.ios })
    }

    fn percentiles(&self) -> Value {
        let at = |percent: f64| {
            let time_ns = self.histogram.quantile_ns(percent / 100.0).round() as u64;
            time_ns.clamp(self.min_ns, self.max_ns)
        };
        let pairs = PERCENTILES.iter().map(|percent| (format!("{percent:.6}"), json!(at(*percent))));
        Value::Object(pairs.collect())
    }
}

/// Mean and spread of rates.
struct Spread {
    min: f64,
    max: f64,
    mean: f64,
    stddev: f64,
}

fn spread(values: impl Iterator<Item = f64> + Clone) -> Spread {
    let count = values.clone().count() as f64;
    if count == 0.0 {
        return Spread { min: 0.0, max: 0.0, mean: 0.0, stddev: 0.0 };
    }
    let mean = values.clone().sum::<f64>() / count;
    let squares: f64 = values.clone().map(|value| (value - mean).powi(2)).sum();
    Spread {
        min: values.clone().fold(f64::INFINITY, f64::min),
        max: values.fold(0.0, f64::max),
        mean,
        stddev: if count > 1.0 { (squares / (count - 1.0)).sqrt() } else { 0.0 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_those_of_fio() {
        let place = |ns: u64| (bin(ns) / 10, bin(ns) % 10);
        assert_eq!([place(0), place(1), place(2), place(999)], [(0, 0), (0, 0), (0, 1), (0, 9)]);
        assert_eq!([place(1_000), place(2_000), place(999_999)], [(1, 0), (1, 1), (1, 9)]);
        assert_eq!([place(1_000_000), place(749_999_999)], [(2, 0), (2, 8)]);
        assert_eq!([bin(999_999_999), bin(1_000_000_000), bin(2_000_000_000)], [29, 30, 31]);
    }

    #[test]
    fn rates_end_with_the_last_io_and_are_a_bounded_number_whatever_a_file_tells() {
        let windows = |elapsed_ns, completed_ns: &[u64]| {
            let mut summary = Summary::new(elapsed_ns);
            completed_ns.iter().for_each(|ns| summary.add(&read_done_at(*ns)));
            let rates: Vec<_> = summary.rates().map(|(window, _, rate)| (window, rate.iops)).collect();
            (summary.window_ms(), rates)
        };
        let second = 1_000_000_000;
        let short = windows(second / 1000, &[second / 2000]);
        assert_eq!(short, (1, vec![(0, 1000.0)]), "a run shorter than a window");
        let whole = windows(10 * second, &[0, 700_000_000, 10 * second - 1]);
        assert_eq!((whole.0, whole.1.len()), (500, 20));
        assert_eq!(whole.1.iter().map(|(_, iops)| iops / 2.0).sum::<f64>(), 3.0, "all IOs are in a window");
        let told_longer = windows(100_000 * second, &[0, 700_000_000]);
        assert_eq!(told_longer, (500, vec![(0, 2.0), (1, 2.0)]));
        let (window_ms, rates) = windows(u64::MAX, &[0, u64::MAX]);
        assert!(window_ms > 500 && rates.len() as u64 <= WINDOWS_MAX + 1, "{} windows", rates.len());
    }

    fn read_done_at(completed_ns: u64) -> Io {
        Io { submit_ns: completed_ns, length_bytes: 4096, ..Io::default() }
    }
}
