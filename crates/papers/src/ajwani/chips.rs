//! Paper 000, section 3.1: what it says of flash chips, measured on one chip behind no link.

use flashscope_core::pattern::{Pattern, Rw};
use flashscope_core::{Bytes, Io};
use flashscope_lab::Result;

use crate::claim::Claim;
use crate::claim::{ANY, CHIP_DATA};
use crate::devices::SLC_SSD;
use crate::papers::AJWANI;
use crate::session::{greatest, median, median_if};
use crate::stage::Stage;
use crate::stage::{Set, over_all};
use crate::study::{Found, Study};
use crate::work::Work;

const CHIP: [Set<'static>; 8] = [
    ("capacity", "64MiB"),
    ("ftl", "page"),
    ("nand.channels", "1"),
    ("nand.dies", "1"),
    ("nand.planes", "1"),
    ("nand.stripe", "1"),
    ("host.command_us", "0"),
    ("host.mb_s", "0"),
];

/// All of them.
pub const STUDIES: &[Study] = &[Study {
    name: "ajwani-chips",
    paper: &AJWANI,
    place: "section 3.1",
    about: "Pages of 2 KB read and overwritten in order on a single chip behind no link, whose times and \
            blocks are those of its profile: what is tried is that a benchmark finds them. A simulated chip \
            moves whole pages, so that its time per byte is in that of a page. And erases with and without \
            wear levelling.",
    claims: &[
        Claim::shape("block", "erase blocks typically contain 32 or 64 pages", "32, 64 pages", "pages")
            .near(32.0, 64.0, "writes in order between two that take longest: the paper's two")
            .set(),
        Claim::shape("read", "a page is read in tens of us, plus tens of ns a byte", "tens of us", "us")
            .near(30.0, 305.0, "10 to 100 µs, and 10 to 100 ns for each of 2,048 bytes")
            .set(),
        Claim::shape("write", "written in hundreds of us, plus tens of ns a byte", "hundreds of us", "us")
            .near(120.0, 1205.0, "100 to 1,000 µs, and 10 to 100 ns for each of 2,048 bytes")
            .set(),
        Claim::shape("erase", "a block is erased in several ms", "several ms", "ms")
            .near(2.0, 10.0, "several: 2 to 10")
            .kind(1.0, 20.0)
            .because("data sheets of chips of that time say 1.5 to 2 ms, and the profile follows them")
            .set(),
        Claim::shape(
            "levelling",
            "wear levelling spreads erases roughly evenly over the chip",
            "evenly",
            "x",
        )
        .near(
            1.0,
            1.5,
            "the most worn block in average ones, a tenth of the chip written at random: roughly",
        ),
        Claim::shape("unlevelled", "which they are not by themselves", "not evenly", "x").near(
            2.0,
            ANY,
            "the same without wear levelling: some block is erased twice as often as the average one",
        ),
        Claim::not_here(
            "pages",
            "a page holds 2,048 + 64 bytes, or 512 + 16, and is programmed one to three times",
            "2 KB + 64 B",
            CHIP_DATA,
        ),
        Claim::not_here(
            "endurance",
            "a block is guaranteed for 10,000 to 1,000,000 erases",
            "10^4 to 10^6",
            CHIP_DATA,
        ),
    ],
    run,
}];

fn run(stage: &Stage<'_>) -> Result<Found> {
    let mut found = Found::default();
    let mut bench = stage.device(SLC_SSD, &CHIP)?;
    let mut times_us = |rw| -> Result<Vec<f64>> {
        let pages = Pattern { number_ios: Some(2048), ..over_all(&bench, rw, 2 << 10) };
        let mut times = Vec::new();
        stage.every_io(&mut bench, &pages, &mut |io: &Io| times.push(io.response.as_ms() * 1e3))?;
        Ok(times)
    };
    let reads = times_us(Rw::Read)?;
    // Twice over the spare blocks, so that each new block must be erased.
    let writes = times_us(Rw::Write)?;
    drop(bench);
    let (usual, longest) = (median(&writes), greatest(writes.iter().copied()));
    let long: Vec<usize> = (0..writes.len()).filter(|at| writes[*at] > 0.5 * (usual + longest)).collect();
    let gaps: Vec<f64> = long.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
    found.measured_if("block", median_if(&gaps));
    found.measured("read", median(&reads));
    found.measured("write", usual);
    found.measured("erase", (longest - usual) / 1e3);
    found.unknown = Some("only a simulated SSD counts erases");
    if stage.takes_settings() {
        let size = Bytes(6 << 20);
        let hot = Pattern { bs: Bytes(2 << 10), ..Pattern::baseline(Rw::RandWrite, Bytes(0), size) };
        let hot = Work::Pattern(Pattern { number_ios: Some(3_000_000), ..hot });
        for (claim, levelling) in [("levelling", "static"), ("unlevelled", "none")] {
            let settings: Vec<Set<'_>> =
                CHIP.iter().copied().chain([("wear.levelling", levelling)]).collect();
            let wear = stage.simulate(SLC_SSD, &settings, &hot)?.device.wear;
            found.measured(claim, f64::from(wear.max) / wear.mean);
        }
    }
    Ok(found)
}
