//! Paper 000, chapter 2 and the comparison with hard disks in section 3.3.1: what basic algorithms wait for
//! on a disk, on flash and in memory. Only the waiting is simulated; the paper's times hold the computing.

use anyhow::Result;
use flashscope_core::Nanos;
use flashscope_core::pattern::{Pattern, Rw};

use super::claim::ANY;
use super::papers::AJWANI;
use super::stage::{Set, over_all};
use super::{Claim, Found, Stage, Study};
use crate::target::Bench;

const DISK: &str = "sim:hdd-7200";
/// An SSD behind IDE, of the class of the Hama of 32 GB: reads at 28 MB/s.
const SSD: &str = "sim:slc-sata-2009";
const HAMA: [Set<'static>; 3] = [("capacity", "4GiB"), ("host.mb_s", "30"), ("host.command_us", "180")];

const IO_ONLY: &str = "within a factor of 2: the paper's time holds the computing too";
const ORDER: &str = "the paper gives an order, and no figure";

/// All of them.
pub const STUDIES: &[Study] =
    &[
        Study {
            name: "ajwani-table-2-1",
            paper: &AJWANI,
            place: "table 2.1 and chapter 2",
            about: "What basic algorithms wait for, for each double, on a hard disk and on an SSD of 2008.",
            devices: &[DISK, SSD],
            claims: &[
                Claim::figure("read-disk", "a random read, hard disk", 11.3, "ms").within(
                    1.3,
                    2.0,
                    "another disk",
                ),
                Claim::figure("read-flash", "a random read, flash", 0.56, "ms").within(2.0, 4.0, IO_ONLY),
                Claim::figure("scan-flash", "scanning, flash", 0.28, "us").within(1.3, 2.0, "mostly waiting"),
                Claim::figure("scan-disk", "scanning, hard disk", 0.3, "us")
                    .within(1.3, 4.0, "mostly waiting")
                    .because("the disk gives a double in 0.09 us: the paper's 0.3 is computing"),
                Claim::figure("write-flash", "writing random doubles in order, flash", 0.37, "us")
                    .within(2.0, 3.0, IO_ONLY),
                Claim::figure("write-disk", "writing them, hard disk", 0.2, "us")
                    .within(1.3, 3.0, "mostly waiting")
                    .because("the paper's time holds the making of a random double"),
                Claim::figure("sort-flash", "merge sort with two passes, flash", 1.5, "us")
                    .within(2.0, 3.0, IO_ONLY),
                Claim::shape("sort", "merge sort is faster on the hard disk", "1.06 against 1.5 us", "x")
                    .near(1.0, ANY, ORDER),
                Claim::shape("search", "binary search is faster on flash", "25.5 against 3.36 ms: x7.6", "x")
                    .near(5.0, 11.4, "within a factor of 1.5; the probes of a search are random reads")
                    .kind(1.5, ANY)
                    .because(
                        "the paper's 25.5 ms are 2.3 random reads of its disk: most probes were cached there",
                    ),
            ],
            run: algorithms,
        },
        Study {
            name: "ajwani-list-ranking",
            paper: &AJWANI,
            place: "chapter 2",
            about: "Ranking a list of 2^30 elements that lie in random order: a dependent random read each.",
            devices: &[SSD],
            claims: &[
                Claim::shape("days", "it takes days with flash", "days", "days").near(
                    1.0,
                    30.0,
                    "\"days\": 1 to 30",
                ),
                Claim::shape("minutes", "and minutes in memory, at 0.1 us a miss", "minutes", "min").near(
                    1.0,
                    60.0,
                    "\"minutes\": 1 to 60, computed from a cache miss's time",
                ),
            ],
            run: |stage| {
                let mut bench = stage.device(SSD, &HAMA)?;
                let read = random_read_ms(stage, &mut bench, 512)?;
                let elements = (1u64 << 30) as f64;
                let mut found = Found::default();
                found.measured("days", elements * read / 86_400e3);
                found.measured("minutes", elements * MEMORY_NS / 60e9);
                Ok(found)
            },
        },
        Study {
            name: "ajwani-hard-disk",
            paper: &AJWANI,
            place: "section 3.3.1, comparison to hard disks; table 3.1, last rows",
            about: "A desktop disk beside an SSD of 2008.",
            devices: &[DISK, SSD],
            claims: &[
                Claim::shape("access", "a hard disk's random access takes 5 to 15 ms", "5 to 15 ms", "ms")
                    .near(5.0, 15.0, "the paper's range"),
                Claim::shape("ten", "flash reads random pages at least 10 times faster", "x10", "x")
                    .near(10.0, ANY, "2 KB"),
                Claim::shape("bandwidth", "hard disks read well over 100 MB/s", "100 MB/s", "MB/s").near(
                    87.0,
                    200.0,
                    "table 3.1's own disk reads 87.5",
                ),
                Claim::shape("inferior", "the SSD's sequential throughput is below the disk's", "below", "x")
                    .near(0.0, 1.0, ORDER),
                Claim::figure("disk-sr-2m", "Seagate Barracuda, sequential reads of 2 MB", 87.5, "MB/s")
                    .within(1.5, 3.0, "another disk"),
                Claim::figure("disk-rr-2m", "random reads of 2 MB", 69.6, "MB/s").within(
                    1.5,
                    3.0,
                    "another disk",
                ),
                Claim::figure("disk-rr-512", "random reads of 512 B", 0.063, "MB/s").within(
                    1.5,
                    3.0,
                    "another disk",
                ),
            ],
            run: disk,
        },
    ];

/// A dependent access to memory that misses all caches.
const MEMORY_NS: f64 = 100.0;
const BYTES_EACH: f64 = 8.0;

fn speed(stage: &Stage<'_>, bench: &mut Bench, rw: Rw, bs: u64) -> Result<f64> {
    Ok(stage.timed(bench, &over_all(bench, rw, bs), Some(Nanos::from_s(30)))?.mb_s())
}

fn random_read_ms(stage: &Stage<'_>, bench: &mut Bench, bs: u64) -> Result<f64> {
    let pattern = Pattern { number_ios: Some(4096), ..over_all(bench, Rw::RandRead, bs) };
    Ok(stage.timed(bench, &pattern, None)?.mean_ms())
}

/// Microseconds for each double at so many MB/s.
fn each_us(mb_s: f64) -> f64 {
    BYTES_EACH / mb_s
}

fn algorithms(stage: &Stage<'_>) -> Result<Found> {
    let mut found = Found::default();
    let mut sorts = Vec::new();
    let mut reads = Vec::new();
    for (device, settings, names) in [
        (DISK, &[][..], ["read-disk", "scan-disk", "write-disk", ""]),
        (SSD, &HAMA[..], ["read-flash", "scan-flash", "write-flash", "sort-flash"]),
    ] {
        let mut bench = stage.device(device, settings)?;
        let read_ms = random_read_ms(stage, &mut bench, 4096)?;
        let scan_us = each_us(speed(stage, &mut bench, Rw::Read, 1 << 20)?);
        let write_us = each_us(speed(stage, &mut bench, Rw::Write, 1 << 20)?);
        let sort_us = 2.0 * (scan_us + write_us);
        let measures = [read_ms, scan_us, write_us, sort_us];
        names.into_iter().zip(measures).filter(|(name, _)| !name.is_empty()).for_each(|(name, value)| {
            found.measured(name, value);
        });
        sorts.push(sort_us);
        reads.push(read_ms);
    }
    found.measured("sort", sorts[1] / sorts[0]);
    found.measured("search", reads[0] / reads[1]);
    Ok(found)
}

fn disk(stage: &Stage<'_>) -> Result<Found> {
    let mut bench = stage.device(DISK, &[])?;
    let access_ms = random_read_ms(stage, &mut bench, 2048)?;
    let sequential = speed(stage, &mut bench, Rw::Read, 2 << 20)?;
    let mut found = Found::default();
    found.measured("access", access_ms);
    found.measured("bandwidth", sequential);
    found.measured("disk-sr-2m", sequential);
    found.measured("disk-rr-2m", speed(stage, &mut bench, Rw::RandRead, 2 << 20)?);
    found.measured("disk-rr-512", speed(stage, &mut bench, Rw::RandRead, 512)?);
    drop(bench);
    let mut flash = stage.device(SSD, &HAMA)?;
    found.measured("ten", access_ms / random_read_ms(stage, &mut flash, 2048)?);
    found.measured("inferior", speed(stage, &mut flash, Rw::Read, 2 << 20)? / sequential);
    Ok(found)
}
