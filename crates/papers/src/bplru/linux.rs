//! Paper 002, figures 13 to 15: LRU, FAB and BPLRU on W7 to W9, as they were recorded on ext3, and W9 as it
//! is generated for three file systems.

use flashscope_lab::Result;

use super::table::{OTHER_TRACE, TRACE, Table};
use crate::claim::ANY;
use crate::claim::Claim;
use crate::papers::BPLRU;
use crate::session::least;
use crate::stage::Set;
use crate::stage::Stage;
use crate::study::{Found, Study};
use crate::work::Work;

const GOOD: &str = "good: clearly better than LRU, by a fifth; the paper gives no value in words";
const NTFS: &[Set<'static>] = &[("fs", "ntfs")];
const FAT16: &[Set<'static>] = &[("fs", "fat16")];
const EXT3: &[Set<'static>] = &[("fs", "ext3")];

/// All of them.
pub const STUDIES: &[Study] = &[
    Study {
        name: "bplru-untar",
        paper: &BPLRU,
        place: "section 4.2 and figure 13",
        about: "W7, a source tree unpacked, recorded on ext3.",
        claims: &[Claim::figure("throughput", "BPLRU is about 39 % faster than FAB with 16 MB", 39.0, "%")
            .near(26.0, 58.5, TRACE)
            .kind(13.0, 117.0)
            .because(OTHER_TRACE)],
        run: |stage| lead(stage, "W7", "untar-ext3"),
    },
    Study {
        name: "bplru-compile",
        paper: &BPLRU,
        place: "section 4.2 and figure 14",
        about: "W8, a program compiled, recorded on ext3.",
        claims: &[Claim::figure("throughput", "BPLRU is 23 % faster than FAB with 16 MB", 23.0, "%")
            .near(15.3, 34.5, TRACE)
            .kind(7.7, 69.0)
            .because(OTHER_TRACE)],
        run: |stage| lead(stage, "W8", "compile-ext3"),
    },
    Study {
        name: "bplru-postmark",
        paper: &BPLRU,
        place: "sections 2 and 4.2; figure 15",
        about: "W9, PostMark's mail server: recorded on ext3, and generated for the three file systems.",
        claims: &[
            Claim::shape("ntfs", "BPLRU's throughput is fairly good on NTFS (16 MB, to LRU's)", GOOD_IS, "x")
                .near(1.2, ANY, GOOD)
                .at(FIGURE),
            Claim::shape("fat16", "on FAT16", GOOD_IS, "x").near(1.2, ANY, GOOD).at(FIGURE),
            Claim::shape("ext3", "and on EXT3", GOOD_IS, "x").near(1.2, ANY, GOOD).at(FIGURE),
            Claim::shape("good", "so it is as recorded on ext3", GOOD_IS, "x")
                .near(1.2, ANY, GOOD)
                .at(FIGURE),
            Claim::shape("fab", "beside FAB, the worst of the three file systems", GOOD_IS, "%")
                .near(-10.0, ANY, "fairly good: at most a tenth behind the best of the others")
                .kind(-30.0, ANY)
                .at(FIGURE),
            Claim::shape("fab-recorded", "beside FAB as recorded on ext3", GOOD_IS, "%")
                .near(-10.0, ANY, "fairly good: at most a tenth behind the best of the others")
                .kind(-30.0, ANY)
                .because(
                    "as with W4: few writes come again, and FAB's victims hold more pages than the least \
                     recently used block; BPLRU erases less all the same",
                )
                .at(FIGURE),
            Claim::shape("fab-lru", "FAB is very effective compared to LRU (as recorded)", "effective", "x")
                .near(1.5, ANY, "throughput with 16 MiB, by half")
                .at("section 2"),
        ],
        run: postmark,
    },
];

const FIGURE: &str = "section 4.2 and figure 15";
const GOOD_IS: &str = "fairly good";

/// The lead over FAB, and the pictures.
fn lead(stage: &Stage<'_>, workload: &str, sample: &'static str) -> Result<Found> {
    let table = Table::of(stage, &Work::Sample(sample))?;
    let mut found = table.found(workload);
    found.measured("throughput", table.lead_percent(16));
    Ok(found)
}

fn postmark(stage: &Stage<'_>) -> Result<Found> {
    let recorded = Table::of(stage, &Work::Sample("postmark-ext3"))?;
    let mut found = recorded.found_of_throughput("W9 recorded");
    found.measured("good", recorded.ratio("bplru", "lru", 16));
    found.measured("fab-recorded", recorded.lead_percent(16));
    found.measured("fab-lru", recorded.ratio("fab", "lru", 16));
    let mut leads = Vec::new();
    for (name, set) in [("ntfs", NTFS), ("fat16", FAT16), ("ext3", EXT3)] {
        let table = Table::of(stage, &Work::Generated("W9", set))?;
        found.measured(name, table.ratio("bplru", "lru", 16));
        leads.push(table.lead_percent(16));
        found.blocks.extend(table.found_of_throughput(&format!("W9 {name}")).blocks);
    }
    found.measured("fab", least(leads));
    Ok(found)
}
