//! Paper 000, appendix B and figure 3.1b: the two ways to map, what they cost, and devices that are unlike
//! most.

use flashscope_core::Bytes;
use flashscope_core::pattern::{Pattern, Rw};
use flashscope_lab::Result;
use flashscope_show::html::document::Axis;

use super::devices::{CARD, HAMA};
use super::table_3_1::{COLUMNS, FILL_BYTES};
use crate::claim::ANY;
use crate::claim::Claim;
use crate::devices::{MLC_LOG_BLOCKS, SLC_SSD};
use crate::paper_time::PaperTime;
use crate::papers::AJWANI;
use crate::picture::lines;
use crate::stage::Stage;
use crate::stage::{Set, Timed, over_all};
use crate::study::{Found, Study};
use crate::work::Work;
use flashscope_lab::OpenTarget;

/// Log blocks over enough chips for more than 15 MB/s.
const BLOCKS: [Set<'static>; 4] =
    [("capacity", "1GiB"), ("nand.channels", "6"), ("over_provisioning", "0.05"), ("host.mb_s", "40")];
/// Random writes of 2 KB after which a device is no longer in order: all logs are in use; twice over the
/// card.
const AGED_IOS: [u64; 2] = [2000, 262_144];

const FITTED: &str = "set from this row: within a factor of 1.5";
const ROW: &str = "follows from the chips that are set from this row: within a factor of 1.5";
const AT_ROW: &str = "table 3.1, figure 3.1b";
const COUNT: &str = "counted in the flash: within 1 %";

/// All of them.
pub const STUDIES: &[Study] = &[
    Study {
        name: "ajwani-figure-3-1b",
        paper: &AJWANI,
        place: "figure 3.1b; table 3.1, Kingston CF card of 1 GB; section 3.3.1 and appendix B",
        about: "The four patterns on a page-mapped card that reads more slowly than it writes: the times of \
                its chips and of a command are set from its row, so that all of it is. Random writes once it \
                has been written at random.",
        claims: &[
            Claim::figure("sr-512", "sequential reads of 512 B", 0.60, "MB/s")
                .within(1.5, 3.0, FITTED)
                .at(AT_ROW)
                .set(),
            Claim::figure("rr-512", "random reads of 512 B", 0.60, "MB/s")
                .within(1.5, 3.0, FITTED)
                .at(AT_ROW)
                .set(),
            Claim::figure("sw-512", "sequential writes of 512 B", 0.25, "MB/s")
                .within(1.5, 3.0, ROW)
                .at(AT_ROW)
                .set(),
            Claim::figure("rw-512", "random writes of 512 B", 0.066, "MB/s")
                .within(1.5, 3.0, ROW)
                .at(AT_ROW)
                .set(),
            Claim::figure("sr-2m", "sequential reads of 2 MB", 3.55, "MB/s")
                .within(1.5, 3.0, FITTED)
                .at(AT_ROW)
                .set(),
            Claim::figure("rr-2m", "random reads of 2 MB", 3.55, "MB/s")
                .within(1.5, 3.0, FITTED)
                .at(AT_ROW)
                .set(),
            Claim::figure("sw-2m", "sequential writes of 2 MB", 4.42, "MB/s")
                .within(1.5, 3.0, FITTED)
                .at(AT_ROW)
                .set(),
            Claim::figure("rw-2m", "random writes of 2 MB", 3.67, "MB/s")
                .within(1.5, 3.0, ROW)
                .at(AT_ROW)
                .set(),
            Claim::shape(
                "writes-faster",
                "large sequential writes are faster than such reads",
                "faster",
                "x",
            )
            .near(1.05, ANY, "visible: 5 %; what a program takes is set below what a read takes")
            .at("figure 3.1b, appendix B")
            .set(),
            Claim::shape("evident", "random writes are still slower at 128 KB", "slower", "x")
                .near(1.05, ANY, "visible: 5 %")
                .at("figure 3.1b, section 3.3.1")
                .set(),
            Claim::shape(
                "as-disks",
                "a few devices write at random about as fast as hard disks, in 6.2 and 9.1 ms",
                "6.2, 9.1 ms",
                "ms",
            )
            .near(4.1, 13.7, "the two, each within a factor of 1.5; table 3.1's card takes 7.8")
            .at("section 3.3.1")
            .set(),
        ],
        run: card,
    },
    Study {
        name: "ajwani-mapping",
        paper: &AJWANI,
        place: "appendix B, figure B.1",
        about: "Flash mapped by blocks, over six channels, and by pages, on the card of figure 3.1b: that \
                the first is so much faster in order is set by its channels, since mapping pages costs a \
                simulated controller no time. And what the flash itself counts on devices mapped by blocks \
                and by pages.",
        claims: &[
            Claim::shape("fast", "devices that write more than 15 MB/s in order", "15 MB/s", "MB/s")
                .near(15.0, 25.0, "2 MB, six channels for it; the fastest that the paper measured has 24.5")
                .at("appendix B")
                .set(),
            Claim::shape("blocks", "need over 100 ms for a small random write", "100 ms", "ms")
                .near(100.0, 400.0, "the faster of it and the Hama; section 3.3.1: some need more than 300")
                .kind(33.0, 400.0)
                .because("the Hama: in the paper's table 3.1, too, it writes 24.5 MB/s, and 512 B in 43 ms")
                .at("appendix B"),
            Claim::shape("pages", "the two with less than 10 ms for it", "below 10 ms", "ms")
                .near(4.1, 10.0, "6.2 and 9.1 ms in section 3.3.1: from the less within a factor of 1.5")
                .at("appendix B")
                .set(),
            Claim::shape("slow", "write only 6.9 and 4.4 MB/s in order", "6.9, 4.4 MB/s", "MB/s")
                .near(2.9, 10.4, "the two, each within a factor of 1.5; 2 MB, set from table 3.1's 4.42")
                .at("appendix B")
                .set(),
            Claim::shape(
                "random-span",
                "this trades a factor of 10 or more in random writes",
                "x10 or more",
                "x",
            )
            .near(10.0, ANY, "the one's time in the other's")
            .at("appendix B"),
            Claim::shape("ordered-span", "for a factor of about 4 or 5 in sequential ones", "x4 to 5", "x")
                .near(2.7, 7.5, "within a factor of 1.5; the channels are set for it")
                .at("appendix B")
                .set(),
            Claim::shape(
                "optimal",
                "with blocks mapped, aligned writes in order are optimal",
                "optimal",
                "x",
            )
            .near(1.0, 1.01, "pages programmed for each that is written, 2 KB after 2 KB")
            .at("appendix B"),
            Claim::shape(
                "rewritten",
                "and a small random write rewrites an entire erase block",
                "a block",
                "of a block",
            )
            .near(0.99, 1.02, COUNT)
            .at("appendix B")
            .set(),
            Claim::shape("half", "with twice the flash an erase frees half a block and more", "50 %", "%")
                .near(
                    60.0,
                    100.0,
                    "pages freed for each erased on average, uniform random writes; a victim taken at random \
                     frees half",
                )
                .at("appendix B"),
            Claim::shape("single", "with few surplus pages it may free only a single page", "1", "pages")
                .near(1.0, 2.0, "on average, with two spare blocks of 258, uniform random writes")
                .kind(1.0, 8.0)
                .because(
                    "uniform writes leave a few more obsolete pages in the emptiest block of 128; the paper \
                     says what can happen",
                )
                .at("appendix B"),
            Claim::shape("contiguous", "unless state and writes are mostly in order", "little copying", "x")
                .near(1.0, 1.1, "pages programmed for each that is written in order, the same device")
                .at("appendix B"),
            Claim::shape(
                "read-ahead",
                "on a few devices sequential reads are faster than random ones",
                "faster",
                "x",
            )
            .near(1.1, ANY, "4 KB, a device that is set to read 64 KiB ahead: visible")
            .set(),
            Claim::not_here(
                "falls",
                "figure B.1: one stick writes fastest with 64 KB and loses more than 20 % beyond",
                "20 %",
                "a peculiarity of one device, of which no mechanism is known",
            ),
        ],
        run: mapping,
    },
];

/// SR, RR and SW of a size on the card.
fn three(stage: &Stage<'_>, bench: &mut OpenTarget, bs: u64) -> Result<[Timed; 3]> {
    stage.fill(bench, FILL_BYTES)?;
    let mut timed = [Timed::default(); 3];
    for (timed, rw) in timed.iter_mut().zip([Rw::Read, Rw::RandRead, Rw::Write]) {
        *timed = stage.timed(bench, &over_all(bench, rw, bs), Some(PaperTime::RUN))?;
    }
    Ok(timed)
}

fn card(stage: &Stage<'_>) -> Result<Found> {
    let sizes = (9..=21).step_by(2).chain([17]).map(|exponent| 1u64 << exponent);
    let mut rows: Vec<(u64, [f64; 4])> = Vec::new();
    let mut small_ms = 0.0;
    for bs in sizes {
        let mut bench = stage.device(MLC_LOG_BLOCKS, &CARD)?;
        let [sr, rr, sw] = three(stage, &mut bench, bs)?.map(|timed| timed.mb_s());
        let writes = over_all(&bench, Rw::RandWrite, bs);
        // As much as all of it in random places: what was in order is no longer.
        let warm = over_all(&bench, Rw::RandWrite, bs.max(2 << 10));
        let all = Some(warm.size.0 / warm.bs.0);
        stage.timed(&mut bench, &Pattern { number_ios: all, ..warm }, stage.cap())?;
        let random = stage.timed(&mut bench, &writes, Some(PaperTime::RUN))?;
        if bs == 512 {
            small_ms = random.mean_ms();
        }
        rows.push((bs, [sr, rr, sw, random.mb_s()]));
    }
    let at = |bs| rows.iter().find(|row| row.0 == bs).expect("a size of the series").1;
    let mut found = Found::default();
    let row = at(512).into_iter().chain(at(2 << 20));
    COLUMNS.into_iter().zip(row).for_each(|(name, mb_s)| found.measured(name, mb_s));
    found.measured("writes-faster", at(2 << 20)[2] / at(2 << 20)[0]);
    found.measured("evident", at(128 << 10)[2] / at(128 << 10)[3]);
    found.measured("as-disks", small_ms);
    rows.sort_by_key(|row| row.0);
    let line = |(i, rw): (usize, &Rw)| {
        (rw.short_name().to_string(), rows.iter().map(|(bs, four)| (*bs as f64, four[i])).collect())
    };
    let axes = [Axis::log("block size", "bytes"), Axis::log("throughput", "MB/s")];
    let title = "A card that reads more slowly than it writes";
    found.blocks.push(lines("card", title, axes, Rw::ALL.iter().enumerate().map(line).collect()));
    Ok(found)
}

fn mapping(stage: &Stage<'_>) -> Result<Found> {
    stage.needs_settings()?;
    let mut found = Found::default();
    let of = |device: &str, settings: &[Set<'_>], aged: u64| -> Result<(f64, f64)> {
        let mut bench = stage.device(device, settings)?;
        stage.fill(&mut bench, FILL_BYTES)?;
        let ordered = over_all(&bench, Rw::Write, 2 << 20);
        let mb_s = stage.timed(&mut bench, &ordered, Some(PaperTime::RUN))?.mb_s();
        let writes = over_all(&bench, Rw::RandWrite, 2 << 10);
        stage.timed(&mut bench, &Pattern { number_ios: Some(aged), ..writes.clone() }, stage.cap())?;
        Ok((mb_s, stage.timed(&mut bench, &writes, Some(PaperTime::RUN))?.mean_ms()))
    };
    let (blocks, pages) =
        (of(MLC_LOG_BLOCKS, &BLOCKS, AGED_IOS[0])?, of(MLC_LOG_BLOCKS, &CARD, AGED_IOS[1])?);
    found.measured("fast", blocks.0);
    found.measured("blocks", blocks.1.min(of(SLC_SSD, &HAMA, AGED_IOS[0])?.1));
    found.measured("pages", pages.1);
    found.measured("slow", pages.0);
    found.measured("random-span", blocks.1 / pages.1);
    found.measured("ordered-span", blocks.0 / pages.0);
    let read_ahead = [("capacity", "256MiB"), ("ram.read_ahead", "64KiB")];
    let mut bench = stage.device(MLC_LOG_BLOCKS, &read_ahead)?;
    let mut speed = |rw| -> Result<f64> {
        let pattern = over_all(&bench, rw, 4 << 10);
        Ok(stage.timed(&mut bench, &pattern, Some(PaperTime::RUN))?.mb_s())
    };
    found.measured("read-ahead", speed(Rw::Read)? / speed(Rw::RandRead)?);
    drop(bench);
    counted(stage, &mut found)?;
    Ok(found)
}

/// What only the flash's own counts say.
fn counted(stage: &Stage<'_>, found: &mut Found) -> Result<()> {
    const SIZE: Bytes = Bytes(128 << 20);
    let amplified = |settings: &[Set<'_>], rw, passes: u64| -> Result<(f64, f64)> {
        let writes = Pattern { bs: Bytes(2 << 10), ..Pattern::baseline(rw, Bytes(0), SIZE) };
        let writes = Pattern { number_ios: Some(passes * SIZE.0 / writes.bs.0 / 16), ..writes };
        let settings: Vec<Set<'_>> = [("capacity", "128MiB")].iter().chain(settings).copied().collect();
        let simulated = stage.simulate(MLC_LOG_BLOCKS, &settings, &Work::Pattern(writes))?;
        let pages_per_block = simulated.erase_unit_bytes as f64 / 2048.0;
        Ok((simulated.device.write_amplification.unwrap_or(f64::NAN), pages_per_block))
    };
    let mapped_by_blocks = [("ftl", "block"), ("over_provisioning", "0.05")];
    found.measured("optimal", amplified(&mapped_by_blocks, Rw::Write, 32)?.0);
    let (programmed, pages_per_block) = amplified(&mapped_by_blocks, Rw::RandWrite, 1)?;
    found.measured("rewritten", programmed / pages_per_block);
    let (twice, _) = amplified(&[("ftl", "page"), ("over_provisioning", "1")], Rw::RandWrite, 128)?;
    // Each program beyond the host's moves a page that an erase could not free.
    found.measured("half", 100.0 / twice);
    let few = [("ftl", "page"), ("over_provisioning", "0.008")];
    let (copied, pages_per_block) = amplified(&few, Rw::RandWrite, 16)?;
    found.measured("single", pages_per_block / copied);
    found.measured("contiguous", amplified(&few, Rw::Write, 32)?.0);
    Ok(())
}
