//! A response-time series in bounded memory.
//!
//! Up to 2^20 IOs every value is kept. Beyond, neighbouring values are averaged in pairs, again and again, so
//! that a series of any length is at most 2^20 bins of 2^k IOs. A ring keeps the last 65,536 raw values,
//! because a period is found in raw values only; histograms per stretch of the run keep the quantiles.
//! Interpretation lives elsewhere.

use crate::histogram::Histogram;

const BINS_MAX: usize = 1 << 20;
const TAIL_IOS: usize = 1 << 16;
const BINS_PER_MARK: usize = 64;
const BINS_PER_EPOCH: usize = BINS_MAX / 32;

/// Response times in the order of the IOs, with the bytes written so far.
#[derive(Debug, Clone)]
pub struct Series {
    /// Mean response time of each complete bin.
    bins: Vec<f32>,
    bin_ios: u64,
    partial_ios: u64,
    partial_ns: u64,
    total_ns: u64,
    written_bytes: u64,
    /// Bytes written before each 64th bin.
    marks: Vec<u64>,
    /// Ring of raw values, used once bins hold more than one IO.
    tail: Vec<f32>,
    /// One histogram per `BINS_PER_EPOCH` bins, used once bins hold more than one IO.
    epochs: Vec<Histogram>,
}

impl Default for Series {
    fn default() -> Self {
        Self::new()
    }
}

impl Series {
    /// An empty series. Reserves 4 MiB of address space, which the kernel backs as it is used.
    pub fn new() -> Self {
        Self {
            bins: Vec::with_capacity(BINS_MAX),
            bin_ios: 1,
            partial_ios: 0,
            partial_ns: 0,
            total_ns: 0,
            written_bytes: 0,
            marks: Vec::with_capacity(BINS_MAX / BINS_PER_MARK),
            tail: Vec::new(),
            epochs: Vec::new(),
        }
    }

    /// Appends one IO: its response time, and the bytes it wrote (0 for a read).
    #[inline]
    pub fn push(&mut self, response_ns: u64, written_bytes: u32) {
        self.written_bytes += u64::from(written_bytes);
        self.total_ns += response_ns;
        if self.bin_ios == 1 {
            self.close_bin(response_ns as i64 as f32);
        } else {
            self.push_coarse(response_ns);
        }
    }

    #[inline]
    fn push_coarse(&mut self, response_ns: u64) {
        let at = self.len() as usize & (TAIL_IOS - 1);
        self.tail[at] = response_ns as i64 as f32;
        if let Some(epoch) = self.epochs.last_mut() {
            epoch.record(response_ns);
        }
        self.partial_ns += response_ns;
        self.partial_ios += 1;
        if self.partial_ios == self.bin_ios {
            let mean_ns = self.partial_ns as f64 / self.bin_ios as f64;
            (self.partial_ios, self.partial_ns) = (0, 0);
            self.close_bin(mean_ns as f32);
        }
    }

    #[inline]
    fn close_bin(&mut self, mean_ns: f32) {
        self.bins.push(mean_ns);
        if self.bins.len().is_multiple_of(BINS_PER_MARK) {
            self.close_stretch();
        }
    }

    fn close_stretch(&mut self) {
        self.marks.push(self.written_bytes);
        if self.bins.len() == BINS_MAX {
            self.coarsen();
        } else if self.bin_ios > 1 && self.bins.len().is_multiple_of(BINS_PER_EPOCH) {
            self.epochs.push(Histogram::new());
        }
    }

    /// Halves the resolution; the first time it starts the ring and the histograms from the raw values.
    #[cold]
    fn coarsen(&mut self) {
        if self.bin_ios == 1 {
            self.tail = self.bins[BINS_MAX - TAIL_IOS..].to_vec();
            self.epochs = self.bins.chunks(BINS_PER_EPOCH).map(histogram_of).collect();
        }
        for i in 0..BINS_MAX / 2 {
            self.bins[i] = (self.bins[2 * i] + self.bins[2 * i + 1]) / 2.0;
        }
        self.bins.truncate(BINS_MAX / 2);
        for i in 0..self.marks.len() / 2 {
            self.marks[i] = self.marks[2 * i + 1];
        }
        self.marks.truncate(BINS_MAX / 2 / BINS_PER_MARK);
        self.epochs = self.epochs.chunks(2).map(Histogram::sum_of).chain([Histogram::new()]).collect();
        self.bin_ios *= 2;
    }

    /// IOs pushed so far.
    #[inline]
    pub fn len(&self) -> u64 {
        self.bins.len() as u64 * self.bin_ios + self.partial_ios
    }

    /// True before the first IO.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sum of all response times in nanoseconds.
    pub fn total_ns(&self) -> u64 {
        self.total_ns
    }

    /// Bytes written by all IOs.
    pub fn written_bytes(&self) -> u64 {
        self.written_bytes
    }

    /// Bytes written before IO number `ios`; linear inside a stretch of 64 bins.
    pub fn bytes_at(&self, ios: u64) -> u64 {
        let stretch_ios = self.bin_ios * BINS_PER_MARK as u64;
        let index = (ios / stretch_ios) as usize;
        let mark = |i: usize| if i == 0 { 0 } else { self.marks[i - 1] };
        if ios >= self.len() || index > self.marks.len() {
            return self.written_bytes;
        }
        let from_ios = index as u64 * stretch_ios;
        let (to_ios, to_bytes) = match self.marks.get(index) {
            Some(&bytes) => (from_ios + stretch_ios, bytes),
            None => (self.len(), self.written_bytes),
        };
        let share = (ios - from_ios) as f64 / (to_ios - from_ios) as f64;
        mark(index) + ((to_bytes - mark(index)) as f64 * share).round() as u64
    }

    /// Mean response time of the first `ios` IOs in nanoseconds: what a tool reports that ignores nothing.
    pub fn mean_of_first(&self, ios: u64) -> Option<f64> {
        let ios = ios.min(self.len());
        let whole = ((ios / self.bin_ios) as usize).min(self.bins.len());
        let rest = ios - whole as u64 * self.bin_ios;
        let sum: f64 = self.bins[..whole].iter().map(|&v| f64::from(v)).sum();
        let next_ns = self.bins.get(whole).map_or_else(|| self.partial_mean_ns(), |&v| f64::from(v));
        (ios > 0).then(|| (sum * self.bin_ios as f64 + next_ns * rest as f64) / ios as f64)
    }

    /// IOs that complete within the first `elapsed_ns` of summed response time.
    pub fn ios_within(&self, elapsed_ns: u64) -> u64 {
        let mut sum_ns = 0.0;
        for (index, &mean_ns) in self.bins.iter().enumerate() {
            sum_ns += f64::from(mean_ns) * self.bin_ios as f64;
            if sum_ns > elapsed_ns as f64 {
                return index as u64 * self.bin_ios;
            }
        }
        self.len()
    }

    fn partial_mean_ns(&self) -> f64 {
        self.partial_ns as f64 / self.partial_ios.max(1) as f64
    }

    /// IOs per bin, a power of two; 1 while every value is kept.
    pub(crate) fn bin_ios(&self) -> u64 {
        self.bin_ios
    }

    /// Means of the complete bins.
    pub(crate) fn bins(&self) -> &[f32] {
        &self.bins
    }

    /// The last `ios_max` raw values from IO `from_ios` on, oldest first.
    pub(crate) fn raw_tail(&self, from_ios: u64, ios_max: usize) -> Vec<f64> {
        let kept = if self.bin_ios == 1 { self.len() } else { TAIL_IOS as u64 };
        let ios = (self.len() - from_ios.min(self.len())).min(kept).min(ios_max as u64);
        let value = |i: u64| match self.bin_ios {
            1 => self.bins[i as usize],
            _ => self.tail[i as usize & (TAIL_IOS - 1)],
        };
        (self.len() - ios..self.len()).map(|i| f64::from(value(i))).collect()
    }

    /// One histogram over all IOs from the first histogram border at or after IO `from_ios`; none while all
    /// values are raw, or when no histogram began since.
    pub(crate) fn histogram_from(&self, from_ios: u64) -> Option<Histogram> {
        self.histograms_from(from_ios).map(Histogram::sum_of)
    }

    /// The histograms that [`Series::histogram_from`] sums up, one for each stretch of the run.
    pub(crate) fn histograms_from(&self, from_ios: u64) -> Option<&[Histogram]> {
        let epoch_ios = BINS_PER_EPOCH as u64 * self.bin_ios;
        let first = from_ios.div_ceil(epoch_ios) as usize;
        (first < self.epochs.len()).then(|| &self.epochs[first..])
    }
}

fn histogram_of(values: &[f32]) -> Histogram {
    let mut histogram = Histogram::new();
    values.iter().for_each(|&v| histogram.record(v as u64));
    histogram
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp(ios: u64) -> Series {
        let mut series = Series::new();
        (0..ios).for_each(|i| series.push(1000 + i % 4096, 4096));
        series
    }

    #[test]
    fn a_short_series_keeps_every_value() {
        let series = ramp(10_000);
        assert_eq!((series.len(), series.bin_ios(), series.bins().len()), (10_000, 1, 10_000));
        assert_eq!(series.raw_tail(9_998, 100), vec![1000.0 + 1806.0, 1000.0 + 1807.0]);
        assert_eq!(series.bytes_at(130), 130 * 4096);
        assert_eq!(series.bytes_at(9_999), 9_999 * 4096);
    }

    #[test]
    fn a_long_series_stays_bounded_and_keeps_its_mean_bytes_and_tail() {
        let ios = 5_000_003;
        let series = ramp(ios);
        assert!(series.bins().len() < BINS_MAX && series.bins.capacity() == BINS_MAX);
        assert_eq!(series.bin_ios(), 8);
        let exact = (0..ios).map(|i| 1000 + i % 4096).sum::<u64>();
        assert_eq!(series.total_ns(), exact);
        let mean = series.mean_of_first(ios).unwrap();
        assert!((mean - exact as f64 / ios as f64).abs() < 0.01, "{mean}");
        for at in [0, 1, 511, 1_000_000, 4_999_999, ios] {
            assert_eq!(series.bytes_at(at), at * 4096);
        }
        let tail = series.raw_tail(0, 3);
        let expected: Vec<f64> = (ios - 3..ios).map(|i| (1000 + i % 4096) as f64).collect();
        assert_eq!(tail, expected);
        assert_eq!(series.histogram_from(0).unwrap().ios(), ios);
    }

    #[test]
    fn the_mean_of_the_first_second_counts_whole_ios() {
        let mut series = Series::new();
        (0..100).for_each(|_| series.push(30_000_000, 0));
        assert_eq!(series.ios_within(1_000_000_000), 33);
        assert_eq!(series.mean_of_first(33), Some(30_000_000.0));
        assert_eq!(Series::new().mean_of_first(5), None);
    }
}
