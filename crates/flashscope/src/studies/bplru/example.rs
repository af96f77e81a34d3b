//! Paper 002, sections 1 to 3: what merges cost, the worked example of table 1 and figures 3 to 5, each on a
//! board whose blocks hold as few sectors as the paper's drawings.

use anyhow::Result;
use flashscope_core::Bytes;
use flashscope_core::pattern::{Pattern, Rw};

use crate::studies::claim::ANY;
use crate::studies::devices::{BOARD, DISK, SLC_SSD};
use crate::studies::papers::BPLRU;
use crate::studies::stage::{Set, Simulated, over_all};
use crate::studies::work::Work;
use crate::studies::{Claim, Found, Stage, Study};
use crate::target::Bench;

/// The example's board: five blocks of four sectors and two log blocks; eight sectors of RAM.
const EXAMPLE: [Set<'static>; 5] = [
    ("capacity", "40KiB"),
    ("over_provisioning", "0.6"),
    ("nand.pages_per_block", "4"),
    ("log_block.log_blocks", "2"),
    ("ram.size", "16KiB"),
];
const EXAMPLE_LOGS: u64 = 2;
const SECTOR_BYTES: u32 = 2048;
const PAGES_PER_BLOCK: u64 = 128;

const FIGURE_3: &str = "section 3.1 and figure 3";
const FIGURE_4: &str = "section 3.2 and figure 4";

const COUNT: &str = "a count: exactly";

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
                .near(2.0, ANY, "erases for the same bytes, at random over in order; no figure is given")
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
                .near(1.0, 1.0, COUNT),
            Claim::figure("switch-writes", "and N page writes, N the pages of a block", 128.0, "")
                .near(128.0, 128.0, COUNT),
            Claim::figure("full-erases", "a full merge takes two erases", 2.0, "").near(2.0, 2.0, COUNT),
            Claim::figure("full-reads", "N page reads", 128.0, "").near(128.0, 128.0, COUNT),
            Claim::figure("full-writes", "and N page writes", 128.0, "").near(128.0, 128.0, COUNT),
            Claim::shape(
                "block-mapping",
                "with block mapping a sector's update may rewrite its whole block",
                "a block",
                "pages",
            )
            .near(
                128.0,
                128.0,
                "pages programmed for one that is written, in the worst case: a block",
            ),
            Claim::not_here(
                "cflru",
                "CFLRU reduces the cost of replacement by 26 % against LRU",
                "26 %",
                "another paper's result, on the page cache of a host and traces of its own",
            ),
            Claim::not_here(
                "endurance",
                "a page has from a word (NOR) to 4 KB, usually 2 KB (NAND); an SLC block is good for 100,000 \
                 erases, an MLC block for 10,000",
                "2 KB; 10^5, 10^4",
                "data sheets of chips say it, and a simulator is told it: nothing can be run to find it out",
            ),
        ],
        run: merges,
    },
    Study {
        name: "bplru-table-1",
        paper: &BPLRU,
        place: "section 3.1 and table 1",
        about: "14 scattered sectors through eight sectors of RAM into two log blocks. That room is made \
                before a sector enters, and the RAM is flushed at the end, the paper does not say: only so \
                do both counts of merges come out.",
        claims: &[
            Claim::figure("lru", "with LRU these writes evoke 12 merges", 12.0, "").near(12.0, 12.0, COUNT),
            Claim::figure("block-lru", "block-level LRU reduces them to seven", 7.0, "")
                .near(7.0, 7.0, COUNT),
            Claim::shape("no-hits", "no sector comes twice: the cache is not hit at all", "0", "hits")
                .near(0.0, 0.0, COUNT),
            Claim::shape(
                "block-hits",
                "the hit rate of blocks may be greater than zero though that of sectors is zero",
                "above 0",
                "of 14",
            )
            .near(
                5.0,
                5.0,
                "writes less the blocks that leave, which are the merges and the two logs: \
                             exactly",
            )
            .at("section 3.1"),
            Claim::shape(
                "unhit",
                "BPLRU improves writes even if the cache is not hit at all",
                "improves",
                "x",
            )
            .near(1.2, ANY, "its throughput over that of LRU, the same 14 sectors: by a fifth")
            .at("section 3.1"),
            Claim::shape("fifo", "for random writes LRU acts just like a FIFO queue", "alike", "%").near(
                -0.5,
                0.5,
                "erases of LRU against FIFO, 8 MiB, uniform random writes; 1 % of the pages come again",
            ),
            Claim::shape("no-influence", "and does not influence the performance", "x1", "x").near(
                0.95,
                1.05,
                "throughput against no buffer, within 5 %",
            ),
        ],
        run: table_1,
    },
    Study {
        name: "bplru-techniques",
        paper: &BPLRU,
        place: "sections 3.1, 3.2, 3.3 and 3.4; figures 3, 4, 5 and 6",
        about: "The drawings' sectors, four to a block, written to a board of eight sectors of RAM; what \
                leaves the RAM is told by what the flash is made to do.",
        claims: &[
            Claim::figure(
                "figure-3",
                "when sector 15 comes again, block 1 leaves with sectors 5 and 6",
                2.0,
                "sectors",
            )
            .near(2.0, 2.0, "sectors that leave when room is needed, exactly")
            .at(FIGURE_3),
            Claim::shape("figure-3-victim", "it is block 1: those of blocks 0 and 4 stay", "stay", "of 4")
                .near(
                    4.0,
                    4.0,
                    "writes of 0, 1, 17 and 19 afterwards that find theirs, less one if 5 does too",
                )
                .at(FIGURE_3),
            Claim::shape(
                "figure-3-head",
                "and sector 12, of 15's block, has moved to the front with it",
                "stays",
                "of 2",
            )
            .near(2.0, 2.0, "writes of 12 and 15 afterwards that find their sectors still in the RAM")
            .at(FIGURE_3),
            Claim::figure("figure-4-reads", "of block 3, 12 and 15 are there: 13 and 14 are read", 2.0, "")
                .near(2.0, 2.0, COUNT)
                .at(FIGURE_4),
            Claim::figure("figure-4-writes", "then four sectors are written in order", 4.0, "")
                .near(4.0, 4.0, COUNT)
                .at(FIGURE_4),
            Claim::figure("figure-4-switch", "and a switch merge occurs", 1.0, "")
                .near(1.0, 1.0, COUNT)
                .at(FIGURE_4),
            Claim::figure(
                "figure-5",
                "block 2, written fully sequentially, is the next victim",
                4.0,
                "sectors",
            )
            .near(4.0, 4.0, "sectors that leave when room is needed: the four of block 2, with the RAM full")
            .at("section 3.3 and figure 5"),
            Claim::not_here(
                "figure-6",
                "two index references find any sector in the RAM",
                "2",
                "how a program looks things up costs a simulated device no time",
            )
            .at("section 3.4 and figure 6"),
        ],
        run: techniques,
    },
];

fn ssd_and_disk(stage: &Stage<'_>) -> Result<Found> {
    stage.compares()?;
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
fn in_order_mb_s(stage: &Stage<'_>, bench: &mut Bench, rw: Rw) -> Result<f64> {
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

fn short_ms(stage: &Stage<'_>, bench: &mut Bench, rw: Rw) -> Result<f64> {
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

/// The sectors of table 1.
const TABLE_1: [u64; 14] = [0, 4, 8, 12, 16, 1, 5, 9, 13, 17, 2, 6, 10, 14];

/// Sectors written to the example's board, with a buffer and settings of it.
fn example(stage: &Stage<'_>, settings: &[Set<'_>], sectors: &[u64]) -> Result<Simulated> {
    let all: Vec<Set<'_>> = EXAMPLE.iter().chain(settings).copied().collect();
    stage.simulate(BOARD, &all, &Work::Writes(SECTOR_BYTES, sectors.to_vec()))
}

/// The same with what is in the RAM at the end left there.
fn unflushed(stage: &Stage<'_>, settings: &[Set<'_>], sectors: &[u64]) -> Result<Simulated> {
    let all: Vec<Set<'_>> = EXAMPLE.iter().chain(settings).copied().collect();
    stage.simulate_until(BOARD, &all, &Work::Writes(SECTOR_BYTES, sectors.to_vec()), false)
}

fn table_1(stage: &Stage<'_>) -> Result<Found> {
    let mut found = Found::default();
    let mut hits = 0;
    for policy in ["lru", "block-lru"] {
        let device = example(stage, &[("buffer", policy)], &TABLE_1)?.device;
        let merges = device.merges.total();
        hits += device.buffer_hits;
        found.measured(policy, merges as f64);
        if policy == "block-lru" {
            found.measured("block-hits", TABLE_1.len() as f64 - (merges + EXAMPLE_LOGS) as f64);
        }
    }
    found.measured("no-hits", hits as f64);
    let [bplru, lru] = ["bplru", "lru"].map(|buffer| example(stage, &[("buffer", buffer)], &TABLE_1));
    found.measured("unhit", bplru?.mb_s / lru?.mb_s);
    let random = |buffer| {
        let all = Pattern::baseline(Rw::RandWrite, Bytes(0), Bytes(1 << 30));
        let work = Work::Pattern(Pattern { bs: Bytes(4 << 10), number_ios: Some(15_000), ..all });
        stage.simulate(BOARD, &[("buffer", buffer)], &work)
    };
    let (lru, fifo, none) = (random("lru")?, random("fifo")?, random("none")?);
    found.measured("fifo", 100.0 * (lru.erases() / fifo.erases() - 1.0));
    found.measured("no-influence", lru.mb_s / none.mb_s);
    Ok(found)
}

fn techniques(stage: &Stage<'_>) -> Result<Found> {
    let mut found = Found::default();
    // What is there at the end is not written back: the difference between two runs is what left.
    let left = |policy: &[Set<'_>], sectors: &[u64], room_for: &[u64]| -> Result<f64> {
        let all: Vec<u64> = sectors.iter().chain(room_for).copied().collect();
        let (before, after) = (unflushed(stage, policy, sectors)?, unflushed(stage, policy, &all)?);
        Ok((after.device.page_programs - before.device.page_programs) as f64)
    };
    let block_lru = [("buffer", "block-lru")];
    let shown = [12, 15, 5, 6, 0, 1, 19, 17];
    found.measured("figure-3", left(&block_lru, &shown, &[15, 9])?);
    // Of those that come later, how many are still there: 15 was once before.
    let hits = |later: &[u64]| -> Result<f64> {
        let all: Vec<u64> = shown.iter().chain(&[15, 9]).chain(later).copied().collect();
        Ok(unflushed(stage, &block_lru, &all)?.device.buffer_hits as f64 - 1.0)
    };
    found.measured("figure-3-head", hits(&[12, 15])?);
    found.measured("figure-3-victim", hits(&[0, 1, 17, 19])? - hits(&[5])?);
    let plain = [("buffer", "bplru"), ("bplru.compensation", "false")];
    let padded = example(stage, &plain, &[12, 15])?.device;
    found.measured("figure-4-reads", padded.padding_reads as f64);
    found.measured("figure-4-writes", padded.page_programs as f64);
    found.measured("figure-4-switch", padded.merges.switch_merges as f64);
    let compensated = [("buffer", "bplru"), ("bplru.padding", "false")];
    found.measured("figure-5", left(&compensated, &[0, 1, 12, 13, 8, 9, 10, 11], &[16])?);
    Ok(found)
}
