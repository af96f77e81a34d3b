//! Paper 000, table 3.1: how a row of it is measured, and the row of the stick that most studies use. Those
//! of other devices are in `sticks`, `exceptions` and `disk`.

use flashscope_core::pattern::Rw;
use flashscope_lab::Result;

use super::devices::TOSHIBA;
use crate::claim::Claim;
use crate::devices::MLC_LOG_BLOCKS;
use crate::paper_time::PaperTime;
use crate::papers::AJWANI;
use crate::stage::Stage;
use crate::stage::{Timed, over_all};
use crate::study::{Found, Study};
use flashscope_lab::OpenTarget;

/// What the whole device is written with before each block size.
pub(super) const FILL_BYTES: u64 = 1 << 20;

const FITTED: &str = "the link and a command are chosen from this row: within a factor of 1.1";
const FOLLOWS: &str = "follows from sequential reads, set from this row: within a factor of 1.5";
const ROW: &str = "another stick of the class behind its link: within a factor of 1.5";

/// The columns, in the table's order: two block sizes, four patterns of each.
pub(super) const COLUMNS: [&str; 8] =
    ["sr-512", "rr-512", "sw-512", "rw-512", "sr-2m", "rr-2m", "sw-2m", "rw-2m"];

/// All of them.
pub const STUDIES: &[Study] = &[Study {
    name: "ajwani-table-3-1",
    paper: &AJWANI,
    place: "table 3.1, Toshiba TransMemory of 1 GB",
    about: "The row of a stick: four patterns of 512 B and 2 MB. Its command of 0.56 ms is set from \
                the row, and its link gives the row's speed; its flash and its blocks are the class's. The \
                other devices of the table are in ajwani-table-3-1-others, ajwani-figure-3-1b, ajwani-hama \
                and ajwani-hard-disk.",
    claims: &[
        Claim::figure("sr-512", "sequential reads of 512 B", 0.8, "MB/s").within(1.1, 3.0, FITTED).set(),
        Claim::figure("rr-512", "random reads of 512 B", 0.8, "MB/s").within(1.5, 3.0, FOLLOWS).set(),
        Claim::figure("sw-512", "sequential writes of 512 B", 0.27, "MB/s").within(1.5, 3.0, ROW),
        Claim::figure("rw-512", "random writes of 512 B", 0.002, "MB/s")
            .within(1.25, 3.0, "what rounds to the digit")
            .because(
                "a merge copies 512 KiB in 147 ms here; 0.002 MB/s are 205 to 341 ms, as it is rounded: \
                     larger blocks, or slower flash",
            ),
        Claim::figure("sr-2m", "sequential reads of 2 MB", 12.38, "MB/s").within(1.1, 3.0, FITTED).set(),
        Claim::figure("rr-2m", "random reads of 2 MB", 12.38, "MB/s").within(1.5, 3.0, FOLLOWS).set(),
        Claim::figure("sw-2m", "sequential writes of 2 MB", 4.54, "MB/s").within(1.5, 3.0, ROW),
        Claim::figure("rw-2m", "random writes of 2 MB", 4.54, "MB/s").within(1.5, 3.0, ROW),
    ],
    run: table_3_1,
}];

/// A row, in MB/s: a device written in order, and four patterns, for either block size.
pub(super) fn row(stage: &Stage<'_>, bench: &mut OpenTarget) -> Result<[f64; 8]> {
    let (small, large) = (four(stage, bench, 512)?, four(stage, bench, 2 << 20)?);
    let mut row = [0.0; 8];
    row.iter_mut().zip(small.iter().chain(&large)).for_each(|(mb_s, timed)| *mb_s = timed.mb_s());
    Ok(row)
}

/// The four patterns of one size, in the order of the table: SR, RR, SW, RW.
pub(super) fn four(stage: &Stage<'_>, bench: &mut OpenTarget, bs: u64) -> Result<[Timed; 4]> {
    stage.fill(bench, FILL_BYTES)?;
    let mut timed = [Timed::default(); 4];
    for (timed, rw) in timed.iter_mut().zip(Rw::ALL) {
        *timed = stage.timed(bench, &over_all(bench, rw, bs), Some(PaperTime::RUN))?;
    }
    Ok(timed)
}

fn table_3_1(stage: &Stage<'_>) -> Result<Found> {
    let mut found = Found::default();
    let row = row(stage, &mut *stage.device(MLC_LOG_BLOCKS, &TOSHIBA)?)?;
    COLUMNS.into_iter().zip(row).for_each(|(name, mb_s)| found.measured(name, mb_s));
    Ok(found)
}
