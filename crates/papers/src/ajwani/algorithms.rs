//! Paper 000, chapter 2: what basic algorithms wait for on a disk, on flash and in memory. Only the waiting
//! is simulated; the paper's times hold the computing.

use flashscope_core::pattern::{Pattern, Rw};
use flashscope_core::seed::{Random, derive};
use flashscope_core::{Bytes, Op, Request, RequestSource, Stream};
use flashscope_lab::Result;

use super::devices::HAMA;
use crate::claim::Claim;
use crate::devices::{DISK, SLC_SSD};
use crate::measure::Measure;
use crate::paper_time::PaperTime;
use crate::papers::AJWANI;
use crate::session::mean;
use crate::stage::Stage;
use crate::stage::over_all;
use crate::study::{Found, Study};
use flashscope_lab::OpenTarget;

const IO_ONLY: &str = "within a factor of 2: the paper's time holds the computing too";

/// All of them.
pub const STUDIES: &[Study] = &[
    Study {
        name: "ajwani-list-ranking",
        paper: &AJWANI,
        place: "chapter 2",
        about: "Ranking a list of 2^30 elements of 8 bytes that lie in random order: a dependent random read \
                each. The paper's machine has 2 GB of memory and 32 GB of flash for it, or 8 GB of memory; \
                here the reads are timed on an SSD of 4 GiB, on which all take as long, and added up.",
        claims: &[
            Claim::shape("days", "it takes days with flash", "days", "days")
                .near(1.0, 30.0, "\"days\": 1 to 30")
                .set(),
            Claim::shape("minutes", "and minutes in memory, at 0.1 µs a miss", "minutes", "min")
                .near(1.0, 60.0, "\"minutes\": 1 to 60; not run, but a cache miss's time 2^30 times")
                .computed(),
        ],
        run: |stage| {
            let mut bench = stage.device(SLC_SSD, &HAMA)?;
            let read_ms = random_read_ms(stage, &mut bench, 512)?;
            let elements = (1u64 << 30) as f64;
            let mut found = Found::default();
            found.measured("days", elements * read_ms / 86_400e3);
            found.measured("minutes", elements * MEMORY_NS / 60e9);
            Ok(found)
        },
    },
    Study {
        name: "ajwani-table-2-1",
        paper: &AJWANI,
        place: "table 2.1 and chapter 2",
        about: "What basic algorithms wait for on a hard disk and on an SSD of 2008, for each double; a \
                binary search whose first probes are in memory, so that the last six read 4 KiB each, as \
                many as its time on flash has random reads. Merge sort is not run: it is two scans and two \
                writes of the rows above. The SSD's link, command and reads are set from table 3.1, and with \
                them all of its rows; that a search reads six probes, from this table.",
        claims: &[
            Claim::figure("read-disk", "a random read, hard disk", 11.3, "ms")
                .within(1.3, 2.0, "within 30 %: another disk of its kind")
                .at("table 2.1"),
            Claim::figure("read-flash", "a random read, flash", 0.56, "ms")
                .within(2.0, 3.0, IO_ONLY)
                .at("table 2.1")
                .set(),
            Claim::figure("scan-flash", "scanning, flash", 0.28, "us")
                .within(1.3, 2.0, "within 30 %: mostly waiting")
                .at("table 2.1")
                .set(),
            Claim::figure("scan-disk", "scanning, hard disk", 0.3, "us")
                .within(1.3, 2.0, "within 30 %: mostly waiting")
                .because(
                    "0.3 µs for 8 bytes are 27 MB/s, and table 3.1 has the same disk reading 87.5: 0.09 µs. \
                         What else slowed it is not specified; scanning flash, with the same computing, took \
                         less, and here it takes four times as long",
                )
                .at("table 2.1"),
            Claim::figure("write-flash", "writing random doubles in order, flash", 0.37, "us")
                .within(2.0, 3.0, IO_ONLY)
                .at("table 2.1")
                .set(),
            Claim::figure("write-disk", "writing them, hard disk", 0.2, "us")
                .within(1.3, 2.0, "within 30 %: mostly waiting")
                .because(
                    "if it writes as fast as table 3.1 says, 88.1 MB/s, 0.09 µs of it are waiting; the paper \
                     does not say what else it includes: its time holds the making of a random double",
                )
                .at("table 2.1"),
            Claim::shape("write", "writing them is faster on the hard disk", "0.2 against 0.37 µs", "x")
                .near(1.23, 2.78, "x1.85 within a factor of 1.5")
                .kind(1.05, 5.55)
                .because("the paper's times hold the making of a random double, which is the same on both")
                .set(),
            Claim::figure("sort-flash", "merge sort with two passes, flash", 1.5, "us")
                .within(2.0, 3.0, IO_ONLY)
                .at("table 2.1")
                .set(),
            Claim::figure("sort-disk", "the same, hard disk", 1.06, "us")
                .within(2.0, 3.0, IO_ONLY)
                .because(
                    "the disk of table 3.1 waits 0.37 µs for two passes: the rest must be computing, if that \
                     holds",
                )
                .at("table 2.1")
                .set(),
            Claim::shape("sort", "merge sort is faster on the hard disk", "1.06 against 1.5 µs", "x")
                .near(1.2, 1.7, "x1.42 within a fifth")
                .kind(1.05, 4.26)
                .because("the paper's times hold computing, which is the same on both")
                .set(),
            Claim::figure("search-disk", "binary search, hard disk", 25.5, "ms")
                .within(1.5, 3.0, "a factor of 1.5: another disk; that six probes are read is 3.36 / 0.56 ms")
                .at("table 2.1")
                .set(),
            Claim::figure("search-flash", "binary search, flash", 3.36, "ms")
                .within(2.0, 3.0, "a factor of 2: its six probes are 3.36 / 0.56 ms, read-flash once more")
                .set()
                .at("table 2.1"),
            Claim::shape("search", "binary search is faster on flash", "x7.6", "x")
                .near(5.0, 11.4, "within a factor of 1.5")
                .kind(2.5, 22.8)
                .because("the simulated SSD reads 4 KiB in less than the Hama's 0.56 ms")
                .set(),
        ],
        run: algorithms,
    },
];

/// A dependent access to memory that misses all caches.
const MEMORY_NS: f64 = 100.0;
const BYTES_EACH: f64 = 8.0;
const PROBE_BYTES: u64 = 4 << 10;
/// Probes of a search that are not in memory: what the search took on flash, over a random read's time.
const PROBES: u32 = 6;
const SEARCHES: usize = 512;

/// MB/s of a pattern.
pub(super) fn speed(stage: &Stage<'_>, bench: &mut OpenTarget, rw: Rw, bs: u64) -> Result<f64> {
    Ok(stage.timed(bench, &over_all(bench, rw, bs), Some(PaperTime::RUN))?.mb_s())
}

/// The mean of a random read.
pub(super) fn random_read_ms(stage: &Stage<'_>, bench: &mut OpenTarget, bs: u64) -> Result<f64> {
    Ok(random_reads_ms(stage, bench, bs)?.value)
}

/// The same with its interval.
pub(super) fn random_reads_ms(stage: &Stage<'_>, bench: &mut OpenTarget, bs: u64) -> Result<Measure> {
    let pattern = Pattern { number_ios: Some(4096), ..over_all(bench, Rw::RandRead, bs) };
    let mut times = Vec::new();
    stage.each_io(bench, &pattern, stage.cap(), &mut |io| times.push(io.response.as_ms()))?;
    Ok(mean_of(&times, 1.0))
}

/// The mean of independent times, `each` of which make what is measured, with its interval at 95 %.
fn mean_of(times: &[f64], each: f64) -> Measure {
    let (count, middle) = (times.len() as f64, mean(times));
    let variance = times.iter().map(|time| (time - middle).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
    let half = 1.96 * (variance / count).sqrt();
    // What a device takes always has none but that of rounding.
    let interval = (half > 1e-9 * middle).then_some([each * (middle - half), each * (middle + half)]);
    Measure { value: each * middle, interval }
}

/// Microseconds for each double at so many MB/s.
fn each_us(mb_s: f64) -> f64 {
    BYTES_EACH / mb_s
}

fn algorithms(stage: &Stage<'_>) -> Result<Found> {
    stage.needs_several_devices()?;
    let mut found = Found::default();
    let (mut writes, mut sorts, mut searches) = (Vec::new(), Vec::new(), Vec::new());
    for (device, settings, names) in [
        (DISK, &[][..], ["read-disk", "scan-disk", "write-disk", "sort-disk", "search-disk"]),
        (SLC_SSD, &HAMA[..], ["read-flash", "scan-flash", "write-flash", "sort-flash", "search-flash"]),
    ] {
        let mut bench = stage.device(device, settings)?;
        let read_ms = random_reads_ms(stage, &mut bench, PROBE_BYTES)?;
        let search_ms = search_ms(stage, &mut bench)?;
        let scan_us = each_us(speed(stage, &mut bench, Rw::Read, 1 << 20)?);
        let write_us = each_us(speed(stage, &mut bench, Rw::Write, 1 << 20)?);
        let sort_us = 2.0 * (scan_us + write_us);
        searches.push(search_ms.value);
        let [scan, write, sort] = [scan_us, write_us, sort_us].map(Measure::from);
        let measures = [read_ms, scan, write, sort, search_ms];
        names.into_iter().zip(measures).for_each(|(name, measure)| found.measured(name, measure));
        writes.push(write_us);
        sorts.push(sort_us);
    }
    found.measured("write", writes[1] / writes[0]);
    found.measured("sort", sorts[1] / sorts[0]);
    found.measured("search", searches[0] / searches[1]);
    Ok(found)
}

/// The last probes of searches for random places: each halves what is left, down to a page.
struct Searches {
    pages: u64,
    random: Random,
    /// The page that is sought, the first of those that are left, and how many; none between two searches.
    left: Option<(u64, u64, u64)>,
    searches: usize,
}

impl Searches {
    fn probe(&mut self) -> Option<u64> {
        if self.left.is_none() {
            self.searches = self.searches.checked_sub(1)?;
            let sought = self.random.below(self.pages);
            let width = 1 << PROBES;
            self.left = Some((sought, (sought / width * width).min(self.pages - width), width));
        }
        let (sought, first, width) = self.left?;
        let middle = first + width / 2;
        let first = if sought < middle { first } else { middle };
        self.left = Some((sought, first, width / 2)).filter(|_| width > 2);
        Some(middle)
    }
}

impl RequestSource for Searches {
    fn fill(&mut self, batch: &mut [Request]) -> usize {
        let length_bytes = PROBE_BYTES as u32;
        let mut filled = 0;
        while let Some(slot) = batch.get_mut(filled)
            && let Some(page) = self.probe()
        {
            let offset_bytes = page * PROBE_BYTES;
            *slot = Request { offset_bytes, length_bytes, op: Op::Read, ..Request::default() };
            filled += 1;
        }
        filled
    }
}

/// What a search waits for on average.
fn search_ms(stage: &Stage<'_>, bench: &mut OpenTarget) -> Result<Measure> {
    let pattern = over_all(bench, Rw::RandRead, PROBE_BYTES);
    let pages = Bytes(bench.info().size_bytes).0 / PROBE_BYTES;
    let random = Random::new(derive(stage.seed, 21));
    let source = Searches { pages, random, left: None, searches: SEARCHES };
    let mut streams = [Stream { source, pacing: pattern.pacing() }];
    let mut times = Vec::new();
    stage.serve(bench, &mut streams, false, stage.cap(), &mut |io| times.push(io.response.as_ms()))?;
    // The probes of a search are near each other, and so are their times: an interval of whole searches.
    let searches: Vec<f64> = times.chunks(PROBES as usize).map(mean).collect();
    Ok(mean_of(&searches, f64::from(PROBES)))
}
