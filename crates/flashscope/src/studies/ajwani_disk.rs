//! Paper 000, section 3.3.1, comparison to hard disks: the rows of table 3.1 that it rests on, and its
//! sentences.

use anyhow::Result;
use flashscope_core::pattern::Rw;

use super::ajwani_algorithms::{HAMA, random_read_ms, speed};
use super::claim::ANY;
use super::papers::AJWANI;
use super::stage::Set;
use super::{Claim, Found, Stage, Study};

const DISK: &str = "sim:hdd-7200";
const SSD: &str = "sim:slc-sata-2009";
/// A command takes 80 us on the machines of the paper: 6.2 MB/s in pieces of 512 B.
const NEW: [Set<'static>; 1] = [("disk.command_us", "80")];
/// A disk of 2002: smaller tracks, a slower arm, a cache of few segments.
const OLD: [Set<'static>; 6] = [
    ("disk.command_us", "80"),
    ("disk.capacity", "60GB"),
    ("disk.outer_track", "240KiB"),
    ("disk.inner_track", "120KiB"),
    ("disk.full_seek_us", "20000"),
    ("disk.write_cache", "64KiB"),
];
/// A laptop's disk of 2008.
const LAPTOP: [Set<'static>; 4] = [
    ("disk.capacity", "160GB"),
    ("disk.rotations_per_minute", "5400"),
    ("disk.outer_track", "640KiB"),
    ("disk.inner_track", "320KiB"),
];

const ORDER: &str = "the paper gives an order, and no figure";
const ANOTHER: &str = "another disk";
const CLASS: &str = "an SSD of the class: within a factor of 1.5";

const fn row(name: &'static str, words: &'static str, figure: f64) -> Claim {
    Claim::figure(name, words, figure, "MB/s").within(1.5, 3.0, ANOTHER)
}

const fn hama(name: &'static str, words: &'static str, figure: f64) -> Claim {
    Claim::figure(name, words, figure, "MB/s").within(1.5, 3.0, CLASS)
}

/// All of them.
pub const STUDIES: &[Study] = &[
    Study {
        name: "ajwani-hama",
        paper: &AJWANI,
        place: "table 3.1, Hama solid state disk of 32 GB",
        about: "The row of an SSD behind IDE: four patterns of 512 B and 2 MB.",
        claims: &[
            hama("sr-512", "sequential reads of 512 B", 2.9),
            hama("rr-512", "random reads of 512 B", 2.18),
            hama("sw-512", "sequential writes of 512 B", 4.89),
            hama("rw-512", "random writes of 512 B", 0.012),
            hama("sr-2m", "sequential reads of 2 MB", 28.03),
            hama("rr-2m", "random reads of 2 MB", 28.02),
            hama("sw-2m", "sequential writes of 2 MB", 24.5),
            hama("rw-2m", "random writes of 2 MB", 12.6),
        ],
        run: |stage| {
            let mut found = Found::default();
            eight(stage, SSD, &HAMA, "", &mut found)?;
            Ok(found)
        },
    },
    Study {
        name: "ajwani-hard-disk",
        paper: &AJWANI,
        place: "section 3.3.1, comparison to hard disks; table 3.1, Seagate Barracuda and IBM Deskstar",
        about: "Desktop disks of 2008 and 2002 and a laptop's, beside an SSD of 2008.",
        claims: &[
            Claim::shape("access", "a hard disk's random access takes 5 to 15 ms", "5 to 15 ms", "ms").near(
                5.0,
                15.0,
                "the paper's range",
            ),
            Claim::shape("ten", "flash reads random pages at least 10 times faster", "x10", "x")
                .near(10.0, ANY, "2 KB"),
            Claim::shape("half-ms", "sometimes in less than 0.5 ms", "0.5 ms", "ms").near(0.0, 0.5, "2 KB"),
            Claim::shape("only", "only random reads of small buffers are faster on flash", "1 of 8", "of 8")
                .near(1.0, 1.0, "of four patterns of 512 B and 2 MB: those more than 10 % faster on the SSD"),
            Claim::shape("bandwidth", "hard disks read well over 100 MB/s", "100 MB/s", "MB/s").near(
                87.0,
                200.0,
                "table 3.1's own disk reads 87.5",
            ),
            Claim::shape("bandwidth-writes", "and write as much", "100 MB/s", "MB/s").near(
                87.0,
                200.0,
                "table 3.1's own disk writes 88.1",
            ),
            Claim::shape("laptop", "even a laptop's disk approaches 60 MB/s", "60 MB/s", "MB/s").near(
                45.0,
                65.0,
                "approaches: from three quarters; a disk of 5,400 turns and 640 KiB a track",
            ),
            Claim::shape("inferior", "the SSD's sequential throughput is below the disk's", "below", "x")
                .near(0.0, 1.0, ORDER),
            Claim::shape("thirty", "the fastest flash device reads almost 30 MB/s", "30 MB/s", "MB/s").near(
                24.0,
                30.0,
                "from four fifths of it",
            ),
            Claim::shape("twenty-five", "and writes almost 25 MB/s", "25 MB/s", "MB/s")
                .near(20.0, 25.0, "from four fifths of it")
                .kind(15.0, 30.0)
                .because("the simulated link is as fast for writes as for reads"),
            Claim::shape("parallel", "several chips written in parallel give high throughput", "high", "x")
                .near(4.0, 8.1, "one channel and eight of the same chips: at least half of eight times"),
            row("seagate-sr-512", "Seagate Barracuda, sequential reads of 512 B", 6.2),
            row("seagate-rr-512", "random reads of 512 B", 0.063),
            row("seagate-sw-512", "sequential writes of 512 B", 5.1),
            row("seagate-rw-512", "random writes of 512 B", 0.12),
            row("seagate-sr-2m", "sequential reads of 2 MB", 87.5),
            row("seagate-rr-2m", "random reads of 2 MB", 69.6),
            row("seagate-sw-2m", "sequential writes of 2 MB", 88.1),
            row("seagate-rw-2m", "random writes of 2 MB", 71.7),
            row("ibm-sr-512", "IBM Deskstar, sequential reads of 512 B", 5.9),
            row("ibm-rr-512", "random reads of 512 B", 0.03),
            row("ibm-sw-512", "sequential writes of 512 B", 4.1),
            row("ibm-rw-512", "random writes of 512 B", 0.03),
            row("ibm-sr-2m", "sequential reads of 2 MB", 29.2),
            row("ibm-rr-2m", "random reads of 2 MB", 22.0),
            row("ibm-sw-2m", "sequential writes of 2 MB", 24.2),
            row("ibm-rw-2m", "random writes of 2 MB", 16.2),
        ],
        run: disks,
    },
];

/// The columns of table 3.1, in its order.
const COLUMNS: [[&str; 4]; 2] =
    [["sr-512", "rr-512", "sw-512", "rw-512"], ["sr-2m", "rr-2m", "sw-2m", "rw-2m"]];

/// A row of table 3.1; noted for the claims that begin with `prefix`, unless there are none.
fn eight(
    stage: &Stage<'_>,
    device: &str,
    settings: &[Set<'_>],
    prefix: &str,
    found: &mut Found,
) -> Result<[f64; 8]> {
    let mut row = [0.0; 8];
    for (i, (bs, names)) in [512, 2 << 20].into_iter().zip(COLUMNS).enumerate() {
        let mut bench = stage.device(device, settings)?;
        for (k, (rw, name)) in Rw::ALL.into_iter().zip(names).enumerate() {
            row[4 * i + k] = speed(stage, &mut bench, rw, bs)?;
            let of_row = |claim: &&Claim| claim.name == format!("{prefix}{name}");
            let claims = STUDIES.iter().flat_map(|study| study.claims);
            if let Some(claim) = claims.into_iter().find(of_row) {
                found.measured(claim.name, row[4 * i + k]);
            }
        }
    }
    Ok(row)
}

fn disks(stage: &Stage<'_>) -> Result<Found> {
    stage.compares()?;
    let mut found = Found::default();
    let access_ms = random_read_ms(stage, &mut *stage.device(DISK, &NEW)?, 2048)?;
    let disk = eight(stage, DISK, &NEW, "seagate-", &mut found)?;
    eight(stage, DISK, &OLD, "ibm-", &mut found)?;
    found.measured("laptop", speed(stage, &mut *stage.device(DISK, &LAPTOP)?, Rw::Read, 2 << 20)?);
    let read_ms = random_read_ms(stage, &mut *stage.device(SSD, &HAMA)?, 2048)?;
    let flash = eight(stage, SSD, &HAMA, "hama-", &mut found)?;
    found.measured("access", access_ms);
    found.measured("ten", access_ms / read_ms);
    found.measured("half-ms", read_ms);
    let faster = flash.iter().zip(disk).filter(|(flash, disk)| **flash > 1.1 * disk);
    found.measured("only", faster.count() as f64);
    found.measured("bandwidth", disk[4]);
    found.measured("bandwidth-writes", disk[6]);
    found.measured("inferior", flash[4] / disk[4]);
    found.measured("thirty", flash[4]);
    found.measured("twenty-five", flash[6]);
    let written = |channels: &str, stripe: &str| {
        let settings = [("capacity", "1GiB"), ("nand.channels", channels), ("nand.stripe", stripe)];
        speed(stage, &mut *stage.device(SSD, &settings)?, Rw::Write, 2 << 20)
    };
    found.measured("parallel", written("8", "16")? / written("1", "2")?);
    Ok(found)
}
