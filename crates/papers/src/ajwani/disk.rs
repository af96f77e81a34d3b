//! Paper 000, section 3.3.1, comparison to hard disks: the rows of table 3.1 that it rests on, and its
//! sentences.

use flashscope_core::pattern::Rw;
use flashscope_lab::Result;

use super::algorithms::{random_read_ms, random_reads_ms, speed};
use super::devices::{CARD, HAMA, TOSHIBA};
use super::table_3_1::{COLUMNS, four, row};
use crate::claim::ANY;
use crate::claim::Claim;
use crate::devices::{DISK, MLC_LOG_BLOCKS, SLC_SSD};
use crate::papers::AJWANI;
use crate::session::greatest;
use crate::stage::Stage;
use crate::stage::{Set, Timed};
use crate::study::{Found, Study};

/// A command takes 80 µs on the machines of the paper: 6.2 MB/s in pieces of 512 B.
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

const ANOTHER: &str = "another disk of the kind: within a factor of 1.5";
const CLASS: &str = "an SSD whose link and command are set from this row: within a factor of 1.5";
const FITTED: &str = "the link and a command are chosen from this row: within a factor of 1.1";
const IBM: &str = "table 3.1, IBM Deskstar";
const SEAGATE: &str = "table 3.1, Seagate Barracuda";
const SENTENCES: &str = "section 3.3.1";

const fn seagate(name: &'static str, words: &'static str, figure: f64) -> Claim {
    Claim::figure(name, words, figure, "MB/s").within(1.5, 3.0, ANOTHER).at(SEAGATE)
}

const fn ibm(name: &'static str, words: &'static str, figure: f64) -> Claim {
    Claim::figure(name, words, figure, "MB/s").within(1.5, 3.0, ANOTHER).at(IBM)
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
        about: "The row of an SSD behind IDE: four patterns of 512 B and 2 MB, on 4 GiB of eight channels. \
                Its link of 30 MB/s, its command of 0.13 ms, its reads of 60 µs and units of 4 MiB are set \
                from the row, so that all of it is.",
        claims: &[
            hama("sr-512", "sequential reads of 512 B", 2.9).within(1.1, 3.0, FITTED).set(),
            hama("rr-512", "random reads of 512 B", 2.18).set(),
            hama("sw-512", "sequential writes of 512 B", 4.89).because(
                "here a command takes as long for a write as for a read; the Hama writes small pieces faster \
                 than it reads them: it answers once they are in its RAM",
            ).set(),
            hama("rw-512", "random writes of 512 B", 0.012).set(),
            hama("sr-2m", "sequential reads of 2 MB", 28.03).within(1.1, 3.0, FITTED).set(),
            hama("rr-2m", "random reads of 2 MB", 28.02).set(),
            hama("sw-2m", "sequential writes of 2 MB", 24.5).set(),
            hama("rw-2m", "random writes of 2 MB", 12.6).set(),
        ],
        run: |stage| {
            let mut found = Found::default();
            eight(stage, SLC_SSD, &HAMA, "", &mut found)?;
            Ok(found)
        },
    },
    Study {
        name: "ajwani-hard-disk",
        paper: &AJWANI,
        place: "section 3.3.1, comparison to hard disks; table 3.1, Seagate Barracuda and IBM Deskstar; \
                appendix A",
        about: "Desktop disks of 2008 and 2002 and a laptop's, beside the SSD of ajwani-hama, and the stick \
                and the card of figure 3.1. A command takes 80 µs on the machines of the paper, the tracks \
                of the IBM's disk hold 240 KiB and a laptop's 640: set from table 3.1 and the text.",
        claims: &[
            Claim::shape("access", "a hard disk's random access takes 5 to 15 ms", "5 to 15 ms", "ms")
                .near(5.0, 15.0, "the paper's range")
                .at(SENTENCES),
            Claim::shape("ten", "flash reads random pages at least 10 times faster", "x10 or more", "x")
                .near(10.0, ANY, "2 KB")
                .at(SENTENCES),
            Claim::shape("all", "all flash devices read at random faster than hard disks", "faster", "x")
                .near(1.05, ANY, "2 KB: the disk's time over the slowest of the stick, the card and the SSD")
                .at(SENTENCES),
            Claim::shape("half-ms", "sometimes in less than 0.5 ms", "0.5 ms", "ms")
                .near(0.0, 0.5, "2 KB")
                .at(SENTENCES),
            Claim::shape(
                "slower",
                "many devices write at random more than 10 times slower than disks",
                "more than x10",
                "x",
            )
            .near(10.0, ANY, "512 B on the stick, over the disk's random access")
            .at(SENTENCES),
            Claim::shape("only", "only random reads of small buffers are faster on flash", "they alone", "x")
                .near(1.1, ANY, "512 B on the SSD over the disk; 0 if any other pattern is 10 % faster too")
                .at(SENTENCES),
            Claim::shape("bandwidth", "hard disks read well over 100 MB/s", "100 MB/s", "MB/s")
                .near(100.0, 200.0, "over 100, and not what no disk of the time did; table 3.1's reads 87.5")
                .at(SENTENCES)
                .set(),
            Claim::shape("bandwidth-writes", "and write as much", "100 MB/s", "MB/s")
                .near(100.0, 200.0, "over 100, and not what no disk of the time did; table 3.1's writes 88.1")
                .at(SENTENCES)
                .set(),
            Claim::shape("laptop", "even a laptop's disk approaches 60 MB/s", "60 MB/s", "MB/s")
                .near(45.0, 65.0, "approaches: from three quarters; 5,400 turns and 640 KiB a track")
                .at(SENTENCES)
                .set(),
            Claim::shape("inferior", "sequential flash, reads and writes, is below the disk's", "below", "x")
                .near(0.0, 0.95, "the SSD's over the disk's, the larger ratio of the two: visible, 5 %")
                .at(SENTENCES),
            Claim::shape("thirty", "one flash device reads almost 30 MB/s", "30 MB/s", "MB/s")
                .near(24.0, 30.0, "from four fifths of it; the link is set to 30")
                .at(SENTENCES)
                .set(),
            Claim::shape("twenty-five", "and writes almost 25 MB/s", "25 MB/s", "MB/s")
                .near(20.0, 25.0, "from four fifths of it")
                .at(SENTENCES).set(),
            Claim::shape("most", "no flash device exceeds 30 MB/s", "30 MB/s", "MB/s")
                .kind(20.0, 30.0)
                .tolerated("the fastest of any pattern on the stick, the card and the SSD")
                .because(
                    "table 3.1 itself has a stick with 33.14, against the sentence, and so has \
                     ajwani-table-3-1-others",
                )
                .at("appendix A")
                .set(),
            Claim::shape("parallel", "several chips written in parallel give high throughput", "high", "x")
                .near(4.0, 8.1, "one channel and eight of the same chips: at least half of eight times")
                .at(SENTENCES).one_sided(),
            seagate("seagate-sr-512", "sequential reads of 512 B", 6.2).set(),
            seagate("seagate-rr-512", "random reads of 512 B", 0.063).because(
                "8.1 ms each in the paper, where table 2.1 has 11.3 ms for the same disk; here 13.2: half a \
                 turn and a third of the longest way, without a queue",
            ),
            seagate("seagate-sw-512", "sequential writes of 512 B", 5.1).set(),
            seagate("seagate-rw-512", "random writes of 512 B", 0.12).because(
                "the simulated disk's cache holds 16,384 writes and sorts them all by place; the paper's \
                 gains a factor of 1.9 over its reads, this one 8.2",
            ),
            seagate("seagate-sr-2m", "sequential reads of 2 MB", 87.5).set(),
            seagate("seagate-rr-2m", "random reads of 2 MB", 69.6),
            seagate("seagate-sw-2m", "sequential writes of 2 MB", 88.1).set(),
            seagate("seagate-rw-2m", "random writes of 2 MB", 71.7),
            ibm("ibm-sr-512", "sequential reads of 512 B", 5.9).set(),
            ibm("ibm-rr-512", "random reads of 512 B", 0.03).set(),
            ibm("ibm-sw-512", "sequential writes of 512 B", 4.1)
                .because("a simulated disk takes as long over a command that writes as over one that reads")
                .set(),
            ibm("ibm-rw-512", "random writes of 512 B", 0.03).set(),
            ibm("ibm-sr-2m", "sequential reads of 2 MB", 29.2).set(),
            ibm("ibm-rr-2m", "random reads of 2 MB", 22.0).set(),
            ibm("ibm-sw-2m", "sequential writes of 2 MB", 24.2).set(),
            ibm("ibm-rw-2m", "random writes of 2 MB", 16.2).set(),
        ],
        run: disks,
    },
];

/// Random reads of 512 B among the columns.
const SMALL_RANDOM_READS: usize = 1;
/// A row of table 3.1; noted for the claims that begin with `prefix`, unless there are none.
fn eight(
    stage: &Stage<'_>,
    device: &str,
    settings: &[Set<'_>],
    prefix: &str,
    found: &mut Found,
) -> Result<[f64; 8]> {
    let row = row(stage, &mut *stage.device(device, settings)?)?;
    for (column, mb_s) in COLUMNS.into_iter().zip(row) {
        let of_column = |claim: &&Claim| claim.name == format!("{prefix}{column}");
        if let Some(claim) = STUDIES.iter().flat_map(|study| study.claims).find(of_column) {
            found.measured(claim.name, mb_s);
        }
    }
    Ok(row)
}

/// What is said of all flash devices: of the SSD, a stick and a card.
fn of_all(
    stage: &Stage<'_>,
    disk_ms: f64,
    ssd_ms: f64,
    ssd_mb_s: &[f64; 8],
    found: &mut Found,
) -> Result<()> {
    let (mut slowest_ms, mut fastest_mb_s) = (ssd_ms, greatest(ssd_mb_s.iter().copied()));
    for settings in [&TOSHIBA[..], &CARD] {
        let mut bench = stage.device(MLC_LOG_BLOCKS, settings)?;
        slowest_ms = slowest_ms.max(random_read_ms(stage, &mut bench, 2048)?);
        fastest_mb_s = four(stage, &mut bench, 2 << 20)?.iter().map(Timed::mb_s).fold(fastest_mb_s, f64::max);
    }
    found.measured("all", disk_ms / slowest_ms);
    found.measured("most", fastest_mb_s);
    let mut stick = stage.device(MLC_LOG_BLOCKS, &TOSHIBA)?;
    let write_ms = four(stage, &mut stick, 512)?[3].mean_ms();
    found.measured("slower", write_ms / disk_ms);
    Ok(())
}

fn disks(stage: &Stage<'_>) -> Result<Found> {
    stage.needs_several_devices()?;
    let mut found = Found::default();
    let access = random_reads_ms(stage, &mut *stage.device(DISK, &NEW)?, 2048)?;
    let access_ms = access.value;
    let disk = eight(stage, DISK, &NEW, "seagate-", &mut found)?;
    eight(stage, DISK, &OLD, "ibm-", &mut found)?;
    found.measured("laptop", speed(stage, &mut *stage.device(DISK, &LAPTOP)?, Rw::Read, 2 << 20)?);
    let read_ms = random_read_ms(stage, &mut *stage.device(SLC_SSD, &HAMA)?, 2048)?;
    let flash = row(stage, &mut *stage.device(SLC_SSD, &HAMA)?)?;
    found.measured("access", access);
    found.measured("ten", access_ms / read_ms);
    found.measured("half-ms", read_ms);
    let ratios: Vec<f64> = flash.iter().zip(disk).map(|(flash, disk)| flash / disk).collect();
    let is_alone = (0..8).all(|column| column == SMALL_RANDOM_READS || ratios[column] < 1.1);
    found.measured("only", if is_alone { ratios[SMALL_RANDOM_READS] } else { 0.0 });
    found.measured("bandwidth", disk[4]);
    found.measured("bandwidth-writes", disk[6]);
    found.measured("inferior", ratios[4].max(ratios[6]));
    found.measured("thirty", flash[4]);
    found.measured("twenty-five", flash[6]);
    of_all(stage, access_ms, read_ms, &flash, &mut found)?;
    let written = |channels: &str, stripe: &str| {
        let settings = [("capacity", "1GiB"), ("nand.channels", channels), ("nand.stripe", stripe)];
        speed(stage, &mut *stage.device(SLC_SSD, &settings)?, Rw::Write, 2 << 20)
    };
    found.measured("parallel", written("8", "16")? / written("1", "2")?);
    Ok(found)
}
