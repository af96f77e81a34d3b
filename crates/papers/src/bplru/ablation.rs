//! Paper 002, figures 16 to 18 and section 3.4: what flush commands, padding, compensation and the nodes of
//! block headers do to BPLRU, each alone.

use flashscope_lab::Result;

use super::table::{OTHER_TRACE, TRACE, Table, Variant, buffered};
use crate::claim::ANY;
use crate::claim::Claim;
use crate::papers::BPLRU;
use crate::stage::Set;
use crate::stage::Stage;
use crate::study::{Found, Study};
use crate::work::Work;

const UNPADDED: &[Set<'static>] = &[("bplru.padding", "false")];
const NEITHER: &[Set<'static>] = &[("bplru.padding", "false"), ("bplru.compensation", "false")];
const HEADERS: &[Set<'static>] = &[("bplru.header_nodes", "1")];
const PADDED: [Variant; 2] = [("with padding", "bplru", &[]), ("without", "bplru", UNPADDED)];
const COMPENSATED: [Variant; 2] =
    [("with compensation", "bplru", &[]), ("without", "bplru", &[("bplru.compensation", "false")])];
const FLUSHES: [Variant; 2] =
    [("with flushes", "bplru", &[("host.ignore_flush", "false")]), ("ignored", "bplru", &[])];

/// All of them.
pub const STUDIES: &[Study] = &[
    Study {
        name: "bplru-flush",
        paper: &BPLRU,
        place: "section 4.3 and figure 16",
        about: "A source tree unpacked on ext3: with the flush commands of its journal, which empty the \
                buffer, and without; and with one behind every hundredth write. (That Windows sends none \
                to a secondary disk is its own matter, and no device's.)",
        claims: &[
            Claim::figure("loss", "flush commands cost BPLRU about 23 % with 16 MB", 23.0, "%")
                .near(15.0, 35.0, TRACE)
                .kind(7.7, 69.0)
                .because(
                    "ext3 flushed once every 6.4 MB here; how often Windows Vista did on the paper's drive \
                     C: is not specified",
                ),
            Claim::figure("often", "the same with a flush every 100 writes", 23.0, "%")
                .kind(7.7, 69.0)
                .tolerated("within a factor of three: how often flushes come is chosen, not found")
                .because(
                    "every 100 writes is chosen to show that flushes of that order of frequency cost as much",
                ),
        ],
        run: flushes,
    },
    Study {
        name: "bplru-padding",
        paper: &BPLRU,
        place: "sections 3.2 and 4.3 and figure 17",
        about: "BPLRU with and without padding, on W1: an installation, recorded on ext3.",
        claims: &[Claim::figure("gain", "padding makes W1 about 26 % faster with 16 MB", 26.0, "%")
            .near(17.3, 39.0, TRACE)
            .kind(8.7, 78.0)
            .because(OTHER_TRACE)],
        run: |stage| {
            let table = Table::comparing(stage, &Work::Sample("install-ext3"), &PADDED)?;
            let mut found = table.found_of_throughput("W1");
            found.measured("gain", table.faster_percent(PADDED[0].0, PADDED[1].0, 16));
            Ok(found)
        },
    },
    Study {
        name: "bplru-compensation",
        paper: &BPLRU,
        place: "sections 3.3 and 4.3 and figure 18",
        about: "BPLRU with and without LRU compensation, on W5: MP3 files copied, recorded on ext3, and \
                generated on FAT16, which the paper has.",
        claims: &[
            Claim::figure("gain", "compensation makes W5 10 % faster with 1 MB", 10.0, "%")
                .near(6.67, 15.0, TRACE)
                .kind(3.3, 30.0)
                .because(OTHER_TRACE)
                .at("section 4.3 and figure 18"),
            Claim::figure("gain-fat16", "the same of W5 as generated on FAT16", 10.0, "%")
                .near(6.67, 15.0, TRACE)
                .kind(3.3, 30.0)
                .because(
                    "the model copies one file after the other and changes its tables little: BPLRU without \
                     compensation is already within 4 % of the flash's speed in order",
                )
                .at("section 4.3 and figure 18"),
            Claim::shape(
                "padded",
                "compensation is also important when page padding is used: its gain with padding, less \
                 that without",
                "important",
                "points",
            )
            .near(2.0, ANY, "important: two points of ten at least; the paper gives no value")
            .at("section 3.3"),
        ],
        run: |stage| {
            let work = Work::Sample("mp3-ext3");
            let table = Table::comparing(stage, &work, &COMPENSATED)?;
            let gain = table.faster_percent(COMPENSATED[0].0, COMPENSATED[1].0, 1);
            let [with, without] = [UNPADDED, NEITHER].map(|more| buffered(stage, "bplru", 1, more, &work));
            let generated = Table::comparing(stage, &Work::Generated("W5", &[]), &COMPENSATED)?;
            let mut found = table.found_of_throughput("W5");
            found.blocks.extend(generated.found_of_throughput("W5 on FAT16").blocks);
            found.measured("gain", gain);
            found.measured("gain-fat16", generated.faster_percent(COMPENSATED[0].0, COMPENSATED[1].0, 1));
            found.measured("padded", gain - 100.0 * (with?.mb_s / without?.mb_s - 1.0));
            Ok(found)
        },
    },
    Study {
        name: "bplru-headers",
        paper: &BPLRU,
        place: "section 3.4",
        about: "BPLRU on W1 with 1 MiB, the header of each block a node of the same RAM, and free.",
        claims: &[Claim::shape(
            "cost",
            "the memory for block header nodes is the cost of fast searching: throughput with it, over \
             that without",
            "a cost",
            "x",
        )
        .near(0.9, 0.9999, "a cost, and a small one: less than a tenth; the paper gives no value")
        .one_sided()],
        run: |stage| {
            let work = Work::Sample("install-ext3");
            let [with, without] = [HEADERS, &[]].map(|more| buffered(stage, "bplru", 1, more, &work));
            let mut found = Found::default();
            found.measured("cost", with?.mb_s / without?.mb_s);
            Ok(found)
        },
    },
];

fn flushes(stage: &Stage<'_>) -> Result<Found> {
    let [heeded, ignored] = FLUSHES.map(|variant| variant.0);
    let loss = |table: &Table| -table.faster_percent(heeded, ignored, 16);
    let recorded = Table::comparing(stage, &Work::Sample("untar-ext3-flush"), &FLUSHES)?;
    let often = Table::comparing(stage, &Work::Flushed("untar-ext3", 100), &FLUSHES)?;
    let mut found = recorded.found_of_throughput("recorded flushes");
    found.blocks.extend(often.found_of_throughput("a flush every 100 writes").blocks);
    found.measured("loss", loss(&recorded));
    found.measured("often", loss(&often));
    Ok(found)
}
