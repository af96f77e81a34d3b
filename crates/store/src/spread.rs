//! How the times of a file of IOs are spread: by operation, and how late a replay was and when.

use flashscope_analysis::Histogram;

use crate::error::StoreError;
use crate::ios::{Io, IoFile, Parts};
use crate::result_file::ResultFile;

/// The most windows of time.
const WINDOWS_MAX: usize = 256;

/// The times of all IOs of a file.
#[derive(Debug, Clone, Default)]
pub struct Spread {
    /// From submission to completion, by operation in the order of [`flashscope_core::Op::ALL`].
    pub response_ns: [Histogram; 4],
    /// How late IOs were submitted; none if none had a time of its own.
    pub late: Option<Lateness>,
}

/// How late IOs were submitted.
#[derive(Debug, Clone, Default)]
pub struct Lateness {
    /// All of them.
    pub late_ns: Histogram,
    /// Length of a window of time.
    pub window_ns: u64,
    /// Of each window, from time 0 on: IOs submitted in it, the sum of their lateness, and the most.
    pub windows: Vec<LateWindow>,
}

/// A window of time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LateWindow {
    /// IOs submitted in it.
    pub ios: u64,
    /// Sum of their lateness.
    pub sum_ns: u64,
    /// The latest of them.
    pub max_ns: u64,
}

impl Spread {
    /// From a file of IOs.
    ///
    /// # Errors
    /// It cannot be read, or is no such file.
    pub fn read(file: &ResultFile) -> Result<Spread, StoreError> {
        Spread::of(file, Parts::Times)
    }

    fn of(file: &ResultFile, parts: Parts) -> Result<Spread, StoreError> {
        let file = IoFile::open(file)?;
        let mut spread = Spread::default();
        let mut batches = file.batches(parts);
        while let Some(ios) = batches.next_batch()? {
            ios.iter().for_each(|io| spread.add(io));
        }
        Ok(spread)
    }

    fn add(&mut self, io: &Io) {
        self.response_ns[io.op as usize].record(io.response_ns);
        if let Some(due_ns) = io.due_ns {
            let late_ns = io.submit_ns.saturating_sub(due_ns);
            self.late.get_or_insert_default().add(io.submit_ns, late_ns);
        }
    }
}

impl Lateness {
    fn add(&mut self, submit_ns: u64, late_ns: u64) {
        self.late_ns.record(late_ns);
        self.window_ns = self.window_ns.max(1024);
        while submit_ns / self.window_ns >= WINDOWS_MAX as u64 {
            self.coarsen();
        }
        let place = (submit_ns / self.window_ns) as usize;
        if place >= self.windows.len() {
            self.windows.resize(place + 1, LateWindow::default());
        }
        self.windows[place].add(LateWindow { ios: 1, sum_ns: late_ns, max_ns: late_ns });
    }

    /// Two windows become one.
    fn coarsen(&mut self) {
        self.window_ns *= 2;
        let pairs = self.windows.chunks(2).map(|pair| {
            let mut one = LateWindow::default();
            pair.iter().for_each(|window| one.add(*window));
            one
        });
        self.windows = pairs.collect();
    }
}

impl LateWindow {
    fn add(&mut self, other: LateWindow) {
        self.ios += other.ios;
        self.sum_ns = self.sum_ns.saturating_add(other.sum_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
    }
}

#[cfg(test)]
mod tests {
    use flashscope_core::seed::Random;
    use flashscope_core::{Bytes, Nanos, Pattern, PatternSource, Record, Rw, Time};

    use super::*;
    use crate::{Origin, Recorder};

    #[test]
    fn what_is_read_of_the_times_alone_is_what_all_columns_say() {
        let name = format!("flashscope-spread-{}.parquet", std::process::id());
        let path = std::env::temp_dir().join(name);
        let pattern = Pattern::baseline(Rw::RandRead, Bytes(0), Bytes(1 << 30));
        let source = Box::new(PatternSource::new(&pattern, 0, 3));
        let origin = Origin { has_due: true, ..Origin::default() };
        let mut recorder = Recorder::create(&path, vec![source], &origin).expect("a file");
        let mut random = Random::new(3);
        for index in 0..100_000 {
            recorder.push(Record::new(Time(index * 1000), Nanos(random.below(1 << 24)), 0, index));
        }
        recorder.finish().expect("it is written");
        let [times, all] =
            [Parts::Times, Parts::All].map(|parts| Spread::of(&ResultFile::named(&path), parts));
        std::fs::remove_file(&path).expect("it is there");
        let [times, all] = [times, all].map(|read| read.expect("its IOs"));
        assert_eq!(times.response_ns.each_ref().map(Histogram::ios), [100_000, 0, 0, 0], "seed 3");
        for share in [0.01, 0.5, 0.99, 1.0] {
            let [own, other] = [&times, &all].map(|spread| spread.response_ns[0].quantile_ns(share));
            assert_eq!(own, other, "{share}, seed 3");
        }
        let [own, other] = [times, all].map(|spread| spread.late.expect("a time for each"));
        assert_eq!((own.window_ns, own.windows), (other.window_ns, other.windows));
    }

    #[test]
    fn windows_hold_every_io_once_however_long_it_takes() {
        let mut random = Random::new(5);
        for span_ns in [10_000, 1 << 30, 1 << 50] {
            let mut late = Lateness::default();
            let ios: Vec<(u64, u64)> =
                (0..5000).map(|_| (random.below(span_ns), random.below(1000))).collect();
            ios.iter().for_each(|(at, by)| late.add(*at, *by));
            assert!(late.windows.len() <= WINDOWS_MAX);
            for (number, window) in late.windows.iter().enumerate() {
                let own = || ios.iter().filter(|(at, _)| at / late.window_ns == number as u64).map(|io| io.1);
                let expected = LateWindow {
                    ios: own().count() as u64,
                    sum_ns: own().sum(),
                    max_ns: own().max().unwrap_or(0),
                };
                assert_eq!(*window, expected, "window {number} of {span_ns} ns, seed 5");
            }
        }
    }
}
