//! Paper 001, table 3: the key characteristics of seven devices, each on a simulated device built from the
//! mechanisms that explain it. A blank of the table is 0 here. A quick run is enough but for the Samsung: its
//! logs hold all of the space that a quick run writes in order.

use anyhow::Result;
use flashscope_analysis::{indicators, points};
use flashscope_bench::Scope;

use super::devices::SAMSUNG;
use super::papers::UFLIP;
use super::{Claim, Found, Stage, Study};

/// The micro-benchmarks that the columns come from; the baselines always run.
const COLUMNS: [&str; 4] = ["locality", "partitioning", "order", "pause"];

const TIME: &str = "times within 20 %: the paper prints one or two digits";
const CLASS: &str = "sizes are measured in powers of two: the same one";
const FACTOR: &str = "factors within 30 %: the paper prints one digit";
const MECHANISM: &str = "docs/simulator.md says which mechanism gives the figure, or is missing for it";
const BLANK: &str = "a blank: no such effect";

const fn time(name: &'static str, words: &'static str, ms: f64) -> Claim {
    Claim::figure(name, words, ms, "ms").within(1.2, 2.0, TIME).because(MECHANISM)
}

const fn effect(
    name: &'static str,
    words: &'static str,
    figure: f64,
    unit: &'static str,
    why: &'static str,
) -> Claim {
    let claim = Claim::figure(name, words, figure, unit).because(MECHANISM);
    // Of powers of two half an octave leaves one.
    let near = if unit.len() == 1 { 1.3 } else { 1.42 };
    if figure == 0.0 { claim.near(0.0, 0.0, BLANK) } else { claim.within(near, 2.0, why) }
}

/// A row as it is printed: times in ms, the locality area in MB, partitions, factors.
struct Row {
    times_ms: [f64; 4],
    pause_ms: f64,
    locality: [f64; 2],
    partitions: [f64; 2],
    order: [f64; 3],
}

const fn claims(row: &Row) -> [Claim; 12] {
    let [sr, rr, sw, rw] = row.times_ms;
    let [reverse, in_place, large] = row.order;
    [
        time("sr", "sequential reads of 32 KB", sr),
        time("rr", "random reads", rr),
        time("sw", "sequential writes", sw),
        time("rw", "random writes", rw),
        effect(
            "pause",
            "the pause that makes random writes behave like sequential ones",
            row.pause_ms,
            "ms",
            TIME,
        ),
        effect("locality", "the area within which random writes are cheap", row.locality[0], "MiB", CLASS),
        effect("locality-factor", "what they cost there, in sequential writes", row.locality[1], "x", FACTOR),
        effect("partitions", "sequential streams side by side", row.partitions[0], "streams", CLASS),
        effect("partitions-factor", "what they cost, against a single one", row.partitions[1], "x", FACTOR),
        effect("reverse", "writes in reverse order, in sequential ones", reverse, "x", FACTOR),
        effect("in-place", "writes in place, in sequential ones", in_place, "x", FACTOR),
        effect("large-steps", "writes with large steps, in random ones", large, "x", FACTOR),
    ]
}

macro_rules! rows {
    ($($name:literal, $about:literal, $device:expr, $scope:ident => $row:expr;)+) => {
        /// One for each row.
        pub const STUDIES: &[Study] = &[$(Study {
            name: $name,
            paper: &UFLIP,
            place: "table 3",
            about: concat!($about, ": its row, as `flashscope run` finds it."),
            claims: &const { claims(&$row) },
            run: |stage| row(stage, $device, Scope::$scope),
        }),+];
    };
}

rows! {
    "uflip-memoright", "Memoright MR25.2-032S, an SSD of 32 GB",
    "sim:memoright-2009", Quick => Row {
        times_ms: [0.3, 0.4, 0.3, 5.0], pause_ms: 5.0, locality: [8.0, 1.0], partitions: [8.0, 1.0],
        order: [1.0, 1.0, 4.0],
    };
    "uflip-mtron", "Mtron SATA7035-016, an SSD of 16 GB",
    "sim:mtron-2009", Quick => Row {
        times_ms: [0.4, 0.5, 0.4, 9.0], pause_ms: 9.0, locality: [8.0, 2.0], partitions: [4.0, 1.5],
        order: [1.0, 1.0, 2.0],
    };
    "uflip-samsung", "Samsung MCBQE32G5MPP, an SSD of 32 GB",
    SAMSUNG, Table1 => Row {
        times_ms: [0.5, 0.5, 0.6, 18.0], pause_ms: 0.0, locality: [16.0, 1.5], partitions: [4.0, 2.0],
        order: [1.5, 0.6, 2.0],
    };
    "uflip-transcend-module", "Transcend TS4GDOM40V-S, a module of 4 GB",
    "sim:transcend-module-2009", Quick => Row {
        times_ms: [1.2, 1.3, 1.7, 18.0], pause_ms: 0.0, locality: [4.0, 2.0], partitions: [4.0, 2.0],
        order: [3.0, 2.0, 2.0],
    };
    "uflip-transcend-mlc", "Transcend TS32GSSD25S-M, an MLC SSD of 32 GB",
    "sim:transcend-mlc-2009", Quick => Row {
        times_ms: [1.4, 3.0, 2.6, 233.0], pause_ms: 0.0, locality: [4.0, 1.0], partitions: [4.0, 2.0],
        order: [2.0, 2.0, 1.0],
    };
    "uflip-kingston-dthx", "Kingston DT hyper X, a USB drive of 8 GB",
    "sim:kingston-dthx-2009", Quick => Row {
        times_ms: [1.3, 1.5, 1.8, 270.0], pause_ms: 0.0, locality: [16.0, 20.0], partitions: [8.0, 20.0],
        order: [7.0, 6.0, 1.0],
    };
    "uflip-kingston-dti", "Kingston DTI, a USB drive of 4 GB",
    "sim:kingston-dti-2009", Quick => Row {
        times_ms: [1.9, 2.2, 2.9, 256.0], pause_ms: 0.0, locality: [0.0, 0.0], partitions: [4.0, 5.0],
        order: [8.0, 40.0, 1.0],
    };
}

fn row(stage: &Stage<'_>, device: &str, scope: Scope) -> Result<Found> {
    let mut bench = stage.device(device, &[])?;
    let outcome = stage.characterise(&mut bench, &COLUMNS, scope)?;
    let row = indicators(&points(&outcome.finished));
    let mut found = Found::default();
    for (claim, indicator) in [
        ("sr", row.sr_ms),
        ("rr", row.rr_ms),
        ("sw", row.sw_ms),
        ("rw", row.rw_ms),
        ("pause", row.pause_ms),
        ("locality", row.locality_mib),
        ("locality-factor", row.locality_factor),
        ("partitions", row.partitions),
        ("partitions-factor", row.partitions_factor),
        ("reverse", row.reverse_factor),
        ("in-place", row.in_place_factor),
        ("large-steps", row.large_increment_factor),
    ] {
        found.measured_if(claim, indicator);
    }
    Ok(found)
}
