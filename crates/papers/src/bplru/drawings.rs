//! Paper 002, section 3: the worked example of table 1 and figures 3 to 5, each on a board whose blocks hold
//! as few sectors as the paper's drawings.

use flashscope_core::Bytes;
use flashscope_core::pattern::{Pattern, Rw};
use flashscope_lab::Result;

use crate::claim::Claim;
use crate::claim::{ANY, EXACTLY};
use crate::devices::BOARD;
use crate::papers::BPLRU;
use crate::stage::Stage;
use crate::stage::{Set, Simulated};
use crate::study::{Found, Study};
use crate::work::Work;

/// The example's board: five blocks of four sectors and two log blocks; eight sectors of RAM.
const EXAMPLE: [Set<'static>; 5] = [
    ("capacity", "40KiB"),
    ("over_provisioning", "0.6"),
    ("nand.pages_per_block", "4"),
    ("log_block.log_blocks", "2"),
    ("ram.size", "16KiB"),
];
const EXAMPLE_LOGS: u64 = 2;
pub(super) const SECTOR_BYTES: u32 = 2048;

const FIGURE_3: &str = "section 3.1 and figure 3";
const FIGURE_4: &str = "section 3.2 and figure 4";

/// All of them.
pub const STUDIES: &[Study] = &[
    Study {
        name: "bplru-table-1",
        paper: &BPLRU,
        place: "section 3.1 and table 1",
        about: "14 scattered sectors through eight sectors of RAM into two log blocks. That room is made \
                before a sector enters, and the RAM is flushed at the end, the paper does not say: set, for \
                only so do both counts of merges come out.",
        claims: &[
            Claim::figure("lru", "with LRU these writes evoke 12 merges", 12.0, "")
                .near(12.0, 12.0, EXACTLY)
                .set(),
            Claim::figure("block-lru", "block-level LRU reduces them to seven", 7.0, "")
                .near(7.0, 7.0, EXACTLY)
                .set(),
            Claim::shape("no-hits", "no sector comes twice: the cache is not hit at all", "0", "hits")
                .near(0.0, 0.0, EXACTLY)
                .set(),
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
            .at("section 3.1")
            .set(),
            Claim::shape(
                "unhit",
                "BPLRU improves writes even if the cache is not hit at all",
                "improves",
                "x",
            )
            .near(1.2, ANY, "its throughput over that of LRU, the same 14 sectors: by a fifth")
            .at("section 3.1"),
            Claim::shape("fifo", "for random writes LRU acts just like a FIFO queue", "alike", "%")
                .near(
                    -0.5,
                    0.5,
                    "erases of LRU against FIFO, 8 MiB, uniform random writes; 1 % of the pages come again",
                )
                .set(),
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
        about: "The drawings' sectors, four to a block, written to a board of eight sectors of RAM; \
            evictions are inferred from flash operations.",
        claims: &[
            Claim::figure(
                "figure-3",
                "when sector 15 comes again, block 1 leaves with sectors 5 and 6",
                2.0,
                "sectors",
            )
            .near(2.0, 2.0, "sectors that leave when room is needed, exactly")
            .at(FIGURE_3)
            .set(),
            Claim::shape("figure-3-victim", "it is block 1: those of blocks 0 and 4 stay", "stay", "of 4")
                .near(
                    4.0,
                    4.0,
                    "writes of 0, 1, 17 and 19 afterwards that find theirs, less one if 5 does too",
                )
                .at(FIGURE_3)
                .set(),
            Claim::shape(
                "figure-3-head",
                "and sector 12, of 15's block, has moved to the front with it",
                "stays",
                "of 2",
            )
            .near(2.0, 2.0, "writes of 12 and 15 afterwards that find their sectors still in the RAM")
            .at(FIGURE_3)
            .set(),
            Claim::figure("figure-4-reads", "of block 3, 12 and 15 are there: 13 and 14 are read", 2.0, "")
                .near(2.0, 2.0, EXACTLY)
                .at(FIGURE_4)
                .set(),
            Claim::figure("figure-4-writes", "then four sectors are written in order", 4.0, "")
                .near(4.0, 4.0, EXACTLY)
                .at(FIGURE_4)
                .set(),
            Claim::figure("figure-4-switch", "and a switch merge occurs", 1.0, "")
                .near(1.0, 1.0, EXACTLY)
                .at(FIGURE_4)
                .set(),
            Claim::figure(
                "figure-5",
                "block 2, written fully sequentially, is the next victim",
                4.0,
                "sectors",
            )
            .near(4.0, 4.0, "sectors that leave when room is needed: the four of block 2, with the RAM full")
            .at("section 3.3 and figure 5")
            .set(),
            Claim::not_here(
                "figure-6",
                "two index references find any sector in the RAM",
                "2",
                "a simulated device does not model the time of look-ups",
            )
            .at("section 3.4 and figure 6"),
        ],
        run: techniques,
    },
];

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
