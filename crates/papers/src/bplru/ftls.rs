//! Paper 002, sections 1, 2 and 4.2: what it says of flash translation layers, each shown on its board
//! without RAM; and what their maps take, which is arithmetic.

use flashscope_core::Bytes;
use flashscope_core::pattern::{Location, Pattern, Rw};
use flashscope_lab::Result;

use super::table::{buffered, in_order};
use crate::claim::ANY;
use crate::claim::Claim;
use crate::devices::BOARD;
use crate::papers::BPLRU;
use crate::session::{greatest, least};
use crate::stage::Stage;
use crate::stage::{Set, Simulated};
use crate::study::{Found, Study};
use crate::work::Work;

/// The board: pages, pages of a block, log blocks; and what reading or writing a page takes.
const PAGES: u64 = 524_288;
const PAGES_PER_BLOCK: u64 = 128;
const LOGS: u64 = 7;
const READ_MS: f64 = 0.060;
const PROGRAM_MS: f64 = 0.861;

const BITS: &str = "bits of the maps, with no more for an entry than it needs";

/// All of them.
pub const STUDIES: &[Study] = &[
    Study {
        name: "bplru-ftls",
        paper: &BPLRU,
        place: "sections 1, 2, 3.2 and 4.2",
        about: "Writes of 4 KiB to the board without RAM, and of its pages: at random over all of it or \
                over 1 MiB, in 64 streams, in order; with its FTL and with others.",
        claims: &[
            Claim::shape(
                "ftl",
                "random writes are highly dependent on the effectiveness of the FTL algorithm",
                "highly",
                "x",
            )
            .near(
                3.0,
                ANY,
                "the best over the worst of page, fast, log-block and block, 3 % spare: three \
                             times",
            )
            .at("section 1"),
            Claim::shape(
                "locality",
                "with locality a small write buffer in the flash is effective, without it FTLs are poor",
                "effective",
                "x",
            )
            .near(
                5.0,
                ANY,
                "at random within 1 MiB over within 1 GiB: five a ratio; the paper gives no value",
            )
            .at("section 1"),
            Claim::shape(
                "reserved",
                "log blocks use the reserved blocks more effectively than replacement blocks do",
                "more",
                "x",
            )
            .near(1.2, ANY, "at random within 1 MiB, 2 % spare: by a fifth (without locality they are alike)")
            .at("section 2"),
            Claim::shape(
                "switch",
                "a switch merge provides the ideal performance, a full merge is relatively expensive",
                "expensive",
                "x",
            )
            .near(5.0, ANY, "in order, over writes that each end in a full merge: five times")
            .at("sections 2 and 3.2"),
            Claim::shape(
                "order",
                "sequential writes in a block boundary are optimised: blocks page by page in order, over the \
                 same in another order",
                "optimised",
                "x",
            )
            .near(1.5, ANY, "by half: the paper gives no value")
            .at("section 2"),
            Claim::shape(
                "streams",
                "many processes at once are essentially a random pattern: 64 that write in order",
                "as random",
                "x",
            )
            .near(0.9, 1.1, "throughput over that of random writes, within a tenth")
            .at("section 2"),
            Claim::shape("cflru", "CFLRU is irrelevant when only writes are involved", "no gain", "%")
                .near(0.0, 0.0, "erases saved against LRU, W1 with 8 MiB: exactly none")
                .at("section 2"),
            Claim::figure("logs", "the FTL was configured to use seven log blocks", 7.0, "log blocks")
                .near(7.0, 7.0, "blocks of which a page can be written before one is merged: exactly")
                .set()
                .at("section 4.2"),
            Claim::shape("map", "the cost of updating the map is trivial", "trivial", "%")
                .near(0.0, 2.0, "of the time, if each merge wrote a page: W1, BPLRU with 16 MiB")
                .at("section 4.2"),
        ],
        run: ftls,
    },
    Study {
        name: "bplru-maps",
        paper: &BPLRU,
        place: "section 2",
        about: "What the maps of 1 GiB in pages of 2 KB and blocks of 128 take, and what it takes to find \
                them again.",
        claims: &[
            Claim::shape("page", "page mapping requires a great deal of memory", "a great deal", "x")
                .near(10.0, ANY, "bits of its map over those of block mapping: ten times")
                .computed(),
            Claim::shape("hybrid", "hybrid mapping needs much less than page mapping", "much less", "x")
                .near(2.0, ANY, BITS)
                .computed(),
            Claim::shape("logs", "log blocks need more tables than replacement blocks", "more", "x")
                .near(1.01, 2.0, BITS)
                .computed(),
            Claim::shape("mount", "scanning the whole flash at start-up takes long", "long", "s")
                .near(5.0, ANY, "a read of each page's spare area, one after the other: several seconds")
                .computed(),
        ],
        run: |_| Ok(maps()),
    },
];

fn ftls(stage: &Stage<'_>) -> Result<Found> {
    let random = |ftl, spare, size, ios| {
        let settings: [Set<'_>; 2] = [("ftl", ftl), ("over_provisioning", spare)];
        Ok::<_, flashscope_lab::Error>(
            stage.simulate(BOARD, &settings, &writes(Location::Random, size, ios))?.mb_s,
        )
    };
    let mut found = Found::default();
    let of_ftls = ["page", "fast", "log-block", "block"].map(|ftl| random(ftl, "0.03", 1 << 30, 30_000));
    let of_ftls = of_ftls.into_iter().collect::<Result<Vec<f64>>>()?;
    found.measured("ftl", greatest(of_ftls.iter().copied()) / least(of_ftls));
    let local = random("log-block", "0.02", 1 << 20, 8192)?;
    let anywhere = random("log-block", "0.02", 1 << 30, 8192)?;
    found.measured("locality", local / anywhere);
    found.measured("reserved", local / random("replacement-block", "0.02", 1 << 20, 8192)?);
    let in_order = stage.simulate(BOARD, &[], &in_order(4 << 10, 8192))?;
    found.measured("switch", in_order.mb_s / anywhere);
    found.measured("order", paged(stage, 1)?.mb_s / paged(stage, 37)?.mb_s);
    let streams = writes(Location::Partitioned { partitions: 64 }, 1 << 30, 8192);
    found.measured("streams", stage.simulate(BOARD, &[], &streams)?.mb_s / anywhere);
    let install = Work::Sample("install-ext3");
    let of = |buffer| buffered(stage, buffer, 8, &[], &install);
    found.measured("cflru", 100.0 * (1.0 - of("cflru")?.erases() / of("lru")?.erases()));
    found.measured("logs", unmerged(stage)? as f64);
    found.measured("map", map_percent(&buffered(stage, "bplru", 16, &[], &install)?));
    Ok(found)
}

/// Writes of 4 KiB.
fn writes(location: Location, size: u64, ios: u64) -> Work {
    let rw = if location == Location::Random { Rw::RandWrite } else { Rw::Write };
    let pattern = Pattern { location, ..Pattern::baseline(rw, Bytes(0), Bytes(size)) };
    Work::Pattern(Pattern { bs: Bytes(4 << 10), number_ios: Some(ios), ..pattern })
}

/// 32 blocks, each page of them once, `stride` pages on each time.
fn paged(stage: &Stage<'_>, stride: u64) -> Result<Simulated> {
    let place = |i: u64| i / PAGES_PER_BLOCK * PAGES_PER_BLOCK + i * stride % PAGES_PER_BLOCK;
    let work = Work::Writes(2048, (0..32 * PAGES_PER_BLOCK).map(place).collect());
    stage.simulate(BOARD, &[], &work)
}

/// Of how many blocks a page can be written before one is merged.
fn unmerged(stage: &Stage<'_>) -> Result<u64> {
    for blocks in 1..=64 {
        let pages = (0..blocks).map(|block| block * PAGES_PER_BLOCK + 1).collect();
        let merges = stage.simulate(BOARD, &[], &Work::Writes(2048, pages))?.device.merges;
        if merges.total() > 0 {
            return Ok(blocks - 1);
        }
    }
    Ok(64)
}

/// The part of the time that a page for each merge would take.
fn map_percent(run: &Simulated) -> f64 {
    let merges = run.device.merges.total();
    let ms = run.device.host_written_bytes as f64 / 1e3 / run.mb_s;
    100.0 * merges as f64 * PROGRAM_MS / ms
}

fn maps() -> Found {
    let bits = |entries: u64| f64::from(entries.ilog2());
    let blocks = PAGES / PAGES_PER_BLOCK;
    let page = PAGES as f64 * bits(PAGES);
    let block = blocks as f64 * bits(blocks);
    // A block's pages in any order; and the same of the log blocks alone.
    let hybrid = block + PAGES as f64 * bits(PAGES_PER_BLOCK);
    let replacements = block + LOGS as f64 * bits(blocks);
    let logs = replacements + (LOGS * PAGES_PER_BLOCK) as f64 * bits(PAGES_PER_BLOCK);
    let mut found = Found::default();
    found.measured("page", page / block);
    found.measured("hybrid", page / hybrid);
    found.measured("logs", logs / replacements);
    found.measured("mount", PAGES as f64 * READ_MS / 1e3);
    found
}
