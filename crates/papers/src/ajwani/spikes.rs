//! Paper 000, section 3.3.2: a long series of random writes, most of them fast, and one in thousands that
//! takes seconds.
//!
//! The device is made of what the paper believes: writes gather, and after a while they are put in place at
//! once. 3,000 pages of 4 KiB gather, and all but the newest thousand leave for flash that is nearly full.

use flashscope_core::Io;
use flashscope_core::pattern::{Pattern, Rw};
use flashscope_lab::Result;
use flashscope_show::html::document::{Axis, Block, Chart};

use crate::claim::Claim;
use crate::devices::SLC_SSD;
use crate::papers::AJWANI;
use crate::picture::chart;
use crate::session::{median, median_if};
use crate::stage::Stage;
use crate::stage::{Set, over_all};
use crate::study::{Found, Study};

/// One chip as fast as the whole Hama is (28 MB/s read, 24.5 written), mapped by pages of 4 KiB.
const GATHERING: [Set<'static>; 16] = [
    ("capacity", "1GiB"),
    ("ftl", "page"),
    ("over_provisioning", "0.045"),
    ("initial", "random"),
    ("buffer", "batch"),
    ("ram.size", "12000KiB"),
    ("batch.keep", "0.3333"),
    ("nand.channels", "1"),
    ("nand.dies", "1"),
    ("nand.planes", "1"),
    ("nand.stripe", "1"),
    ("nand.page", "4KiB"),
    ("nand.read_us", "[40]"),
    ("nand.program_us", "[60]"),
    ("nand.transfer_us", "100"),
    ("host.mb_s", "30"),
];

/// All of them.
pub const STUDIES: &[Study] = &[Study {
    name: "ajwani-spikes",
    paper: &AJWANI,
    place: "section 3.3.2, figure 3.2",
    about: "20,000 random writes of a page of 4 KiB (which a number of 8 bytes becomes), on an SSD of 1 GiB \
            on which writes gather before they are put in place. How many gather and how many stay is set \
            so that the first spike and the period are the paper's; how long a spike takes follows from \
            the spare blocks and the times of the chip, which are set, too. The paper's file of 8 GB is a \
            fourth of its drive; what a spike takes depends on the spare blocks and not on the size.",
    claims: &[
        Claim::figure("first", "spikes come after the first 3,000 random writes", 3000.0, "writes")
            .within(1.1, 2.0, "within 10 %; the buffer is made for it")
            .set(),
        Claim::figure("every", "afterwards after every 2,000", 2000.0, "writes")
            .within(1.1, 2.0, "within 10 %; the buffer is made for it")
            .set(),
        Claim::shape("spike", "the rearrangement takes 5 to 8 s", "5 to 8 s", "s")
            .near(5.0, 8.0, "the paper's range; the median spike")
            .kind(2.0, 20.0)
            .set(),
        Claim::shape("fast", "2,000 random writes take less than 0.8 s otherwise", "below 0.8 s", "s")
            .near(0.0, 0.8, "2,000 times the median write")
            .kind(0.0, 2.4)
            .set(),
        Claim::not_here(
            "others",
            "many other flash devices do the same",
            "many",
            "devices that are not named; any simulated one whose writes gather does it",
        ),
    ],
    run,
}];

const WRITES: u64 = 20_000;
/// A write that takes so many medians is a spike.
const SPIKE: f64 = 100.0;

fn run(stage: &Stage<'_>) -> Result<Found> {
    let mut bench = stage.device(SLC_SSD, &GATHERING)?;
    let writes = Pattern { number_ios: Some(WRITES), ..over_all(&bench, Rw::RandWrite, 4 << 10) };
    let mut times_s = Vec::new();
    stage.every_io(&mut bench, &writes, &mut |io: &Io| times_s.push(io.response.as_s()))?;
    let middle = median(&times_s);
    let spikes: Vec<usize> = (0..times_s.len()).filter(|at| times_s[*at] > SPIKE * middle).collect();
    let gaps: Vec<f64> = spikes.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
    let lengths: Vec<f64> = spikes.iter().map(|at| times_s[*at]).collect();
    let mut found = Found::default();
    found.measured_if("first", spikes.first().map(|at| *at as f64));
    found.measured_if("every", median_if(&gaps));
    found.measured_if("spike", median_if(&lengths));
    found.measured("fast", 2000.0 * middle);
    found.blocks.push(picture(&times_s));
    Ok(found)
}

/// Figure 3.2: the time of every hundred writes.
fn picture(times_s: &[f64]) -> Block {
    let point = |(i, part): (usize, &[f64])| ((i * 100) as f64, part.iter().sum());
    let points = times_s.chunks(100).enumerate().map(point).collect();
    let axes = [Axis::linear("random writes", ""), Axis::linear("time", "s")];
    Block::Chart(Chart {
        caption: "Time of each hundred writes.".into(),
        ..chart("spikes", "A long series of random writes", axes, vec![("random writes".into(), points)])
    })
}
