//! Paper 002, sections 1 and 2: an SSD beside a hard disk, and what merges cost.

use flashscope_core::Bytes;
use flashscope_core::pattern::{Pattern, Rw};
use flashscope_lab::Result;

use super::drawings::SECTOR_BYTES;
use crate::claim::Claim;
use crate::claim::{ANY, EXACTLY};
use crate::devices::{BOARD, DISK, SLC_SSD};
use crate::papers::BPLRU;
use crate::stage::Stage;
use crate::stage::{Set, over_all};
use crate::study::{Found, Study};
use crate::work::Work;
use flashscope_lab::OpenTarget;

const PAGES_PER_BLOCK: u64 = 128;

/// All of them.
pub const STUDIES: &[Study] = &[
    Study {
        name: "bplru-ssd-and-disk",
        paper: &BPLRU,
        place: "sections 1 and 2",
        about: "4 KiB and 1 MiB on a hard disk, on an SSD of eight channels with log blocks, and on the \
                paper's board. In order at the disk's outer, middle and inner tracks: beside the outermost \
                alone the SSD's writes reach 0.6 of the disk's speed.",
        claims: &[
            Claim::shape(
                "random-reads",
                "an SSD's random reads are much better than a disk's",
                "better",
                "x",
            )
            .near(5.0, ANY, "much: five times"),
            Claim::shape("seek", "a disk's seek takes up to several ms", "several ms", "ms")
                .near(3.0, 10.0, "a random read less the half turn of the platter")
                .at("section 1"),
            Claim::shape("sequential", "sequential reads are similar or better", "similar or better", "x")
                .near(0.8, ANY, "similar: a fifth less at most")
                .kind(0.5, ANY)
                .at("section 1"),
            Claim::shape("sequential-writes", "and so are sequential writes", "similar or better", "x")
                .near(0.8, ANY, "similar: a fifth less at most")
                .kind(0.5, ANY)
                .because("chips of two planes a channel, and no buffer: each write waits for its programs")
                .at("section 1"),
            Claim::shape(
                "random-writes",
                "random writes are now much worse than on a hard disk: the board",
                "worse",
                "x",
            )
            .near(2.0, ANY, "much: twice the time; 4 KiB on the board without a buffer"),
            Claim::shape(
                "random-writes-ssd",
                "the same of the SSD with which disks are compared",
                "worse",
                "x",
            )
            .near(2.0, ANY, "much: twice the time")
            .kind(1.2, ANY)
            .because("its six logs merge eight dies at a time, the board's seven one"),
            Claim::shape("life", "and random writes shorten the life of the SSD", "shorter", "x")
                .near(
                    2.0,
                    ANY,
                    "erases for the same bytes, at random over in order; the paper gives no value",
                )
                .at("section 2"),
        ],
        run: ssd_and_disk,
    },
    Study {
        name: "bplru-merges",
        paper: &BPLRU,
        place: "section 2",
        about: "A block of the board written in order, and eight blocks written at one page each.",
        claims: &[
            Claim::figure("switch-erases", "a switch merge takes a single erase", 1.0, "")
                .near(1.0, 1.0, EXACTLY)
                .set(),
            Claim::figure("switch-writes", "and N page writes, N the pages of a block", 128.0, "")
                .near(128.0, 128.0, EXACTLY)
                .set(),
            Claim::figure("full-erases", "a full merge takes two erases", 2.0, "")
                .near(2.0, 2.0, EXACTLY)
                .set(),
            Claim::figure("full-reads", "N page reads", 128.0, "").near(128.0, 128.0, EXACTLY).set(),
            Claim::figure("full-writes", "and N page writes", 128.0, "").near(128.0, 128.0, EXACTLY).set(),
            Claim::shape(
                "block-mapping",
                "with block mapping a sector's update may rewrite its whole block",
                "a block",
                "pages",
            )
            .near(128.0, 128.0, "pages programmed for one that is written, in the worst case: a block")
            .set(),
            Claim::not_here(
                "cflru",
                "CFLRU reduces the cost of replacement by 26 % against LRU",
                "26 %",
                "a result of another paper, on a host's page cache and other traces",
            ),
            Claim::not_here(
                "endurance",
                "a page has from a word (NOR) to 4 KB, usually 2 KB (NAND); an SLC block is good for 100,000 \
                 erases, an MLC block for 10,000",
                "2 KB; 10^5, 10^4",
                "data sheets of chips give it, and in a simulator it is a setting: no run can find it out",
            ),
        ],
        run: merges,
    },
];

fn ssd_and_disk(stage: &Stage<'_>) -> Result<Found> {
    stage.needs_several_devices()?;
    let mut found = Found::default();
    let of = |device: &str, settings: &[Set<'_>]| -> Result<[f64; 4]> {
        let mut bench = stage.device(device, settings)?;
        let read = short_ms(stage, &mut bench, Rw::RandRead)?;
        let sequential = [Rw::Read, Rw::Write].map(|rw| in_order_mb_s(stage, &mut bench, rw));
        let [reads, writes] = sequential;
        Ok([read, reads?, writes?, short_ms(stage, &mut bench, Rw::RandWrite)?])
    };
    let disk = of(DISK, &[])?;
    let ssd = of(SLC_SSD, &[("capacity", "1GiB")])?;
    found.measured("random-reads", disk[0] / ssd[0]);
    // 7,200 turns a minute.
    found.measured("seek", disk[0] - 60_000.0 / 7200.0 / 2.0);
    found.measured("sequential", ssd[1] / disk[1]);
    found.measured("sequential-writes", ssd[2] / disk[2]);
    found.measured("random-writes-ssd", ssd[3] / disk[3]);
    let board = short_ms(stage, &mut *stage.device(BOARD, &[])?, Rw::RandWrite)?;
    found.measured("random-writes", board / disk[3]);
    let erases = |rw| -> Result<f64> {
        let all = Pattern { bs: Bytes(4 << 10), ..Pattern::baseline(rw, Bytes(0), Bytes(1 << 30)) };
        let work = Work::Pattern(Pattern { number_ios: Some(8192), ..all });
        Ok(stage.simulate(BOARD, &[], &work)?.erases())
    };
    found.measured("life", erases(Rw::RandWrite)? / erases(Rw::Write)?);
    Ok(found)
}

/// MB/s of 1 MiB in order: 128 MiB at the begin, in the middle and at the end of the device.
fn in_order_mb_s(stage: &Stage<'_>, bench: &mut OpenTarget, rw: Rw) -> Result<f64> {
    const PART: Bytes = Bytes(128 << 20);
    let last = (bench.info().size_bytes - PART.0) >> 21 << 21;
    let mut ms_of_all = 0.0;
    for start in [0, (last / 2) >> 21 << 21, last] {
        let part = Pattern { bs: Bytes(1 << 20), ..Pattern::baseline(rw, Bytes(start), PART) };
        let pattern = Pattern { number_ios: Some(PART.0 >> 20), ..part };
        ms_of_all += stage.timed(bench, &pattern, None)?.mean_ms();
    }
    Ok(3.0 * f64::from(1 << 20) / 1e3 / ms_of_all)
}

fn short_ms(stage: &Stage<'_>, bench: &mut OpenTarget, rw: Rw) -> Result<f64> {
    let pattern = over_all(bench, rw, 4 << 10);
    // The first writes end in a disk's cache.
    let warm = Pattern { number_ios: Some(4096), ..pattern.clone() };
    stage.timed(bench, &warm, None)?;
    Ok(stage.timed(bench, &Pattern { number_ios: Some(1024), ..pattern }, None)?.mean_ms())
}

fn merges(stage: &Stage<'_>) -> Result<Found> {
    let run = |settings: &[Set<'_>], sectors: Vec<u64>| {
        stage.simulate(BOARD, settings, &Work::Writes(SECTOR_BYTES, sectors)).map(|done| done.device)
    };
    let mut found = Found::default();
    let switch = run(&[], (0..PAGES_PER_BLOCK).collect())?;
    found.measured("switch-erases", per_merge(switch.block_erases, switch.merges.switch_merges));
    found.measured("switch-writes", switch.page_programs as f64);
    // Seven log blocks: the eighth makes the first one merge.
    let full = run(&[], (0..8).map(|block| block * PAGES_PER_BLOCK + 1).collect())?;
    found.measured("full-erases", per_merge(full.block_erases, full.merges.full_merges));
    found.measured("full-reads", full.reads_by_cause.merge as f64);
    found.measured("full-writes", full.programs_by_cause.merge as f64);
    let mapped = run(&[("ftl", "block"), ("block.open_blocks", "0")], vec![PAGES_PER_BLOCK + 1])?;
    found.measured("block-mapping", mapped.page_programs as f64);
    Ok(found)
}

/// A count for each merge.
fn per_merge(count: u64, merges: u64) -> f64 {
    count as f64 / merges as f64
}
