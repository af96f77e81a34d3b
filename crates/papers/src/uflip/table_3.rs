//! Paper 001, table 3: the key characteristics of seven devices, each on a simulated device built from the
//! mechanisms that explain it. A quick run is enough but for the areas, and for the Samsung: its logs hold
//! all of the space that a quick run writes in order.

use std::ops::RangeInclusive;

use flashscope_analysis::published::{self, TABLE_3};
use flashscope_analysis::{Point, indicators, points};
use flashscope_bench::Scope;
use flashscope_lab::Result;

use crate::claim::Claim;
use crate::devices::{
    KINGSTON_DTHX, KINGSTON_DTI, MEMORIGHT, MTRON, SAMSUNG, TRANSCEND_MLC, TRANSCEND_MODULE,
};
use crate::papers::UFLIP;
use crate::session::least;
use crate::stage::Stage;
use crate::study::{Found, Study};

/// The micro-benchmarks that the columns but one come from; the baselines always run.
const COLUMNS: [&str; 3] = ["partitioning", "order", "pause"];
/// Areas in bytes: in a smaller one writes are in place.
const AREA_BYTES: RangeInclusive<f64> = 262_144.0..=67_108_864.0;

const TIME: &str = "set from this row; within 20 %: the paper prints one or two digits";
const PAUSE: &str = "times within 20 %: the paper prints one digit";
const CLASS: &str = "the same power of two; in kind the next one. Logs and sharers are set from this row";
const FACTOR: &str =
    "within 30 %: the paper prints one digit; in kind nearer to it than to x1, at most twice";
const SAME: &str = "within 30 %: the paper prints one digit; in kind nearer to x1 than to x2";
const NO_PAUSE: &str =
    "within 15 %: three times as much as runs differ. The profile works nothing off when idle";

const fn time(name: &'static str, words: &'static str, ms: f64) -> Claim {
    Claim::figure(name, words, ms, "ms").within(1.2, 2.0, TIME).set()
}

/// Areas and numbers of streams. Of powers of two half an octave leaves one.
const fn class(name: &'static str, words: &'static str, figure: f64, unit: &'static str) -> Claim {
    Claim::figure(name, words, figure, unit).within(1.42, 2.0, CLASS).set()
}

const fn factor(name: &'static str, words: &'static str, figure: f64) -> Claim {
    let claim = Claim::figure(name, words, figure, "x").set();
    if figure == 1.0 {
        return claim.within(1.3, 1.42, SAME);
    }
    let claim = claim.near(figure / 1.3, figure * 1.3, FACTOR);
    let middle = square_root(figure);
    if figure > 1.0 { claim.kind(middle, 2.0 * figure) } else { claim.kind(figure / 2.0, middle) }
}

const fn square_root(square: f64) -> f64 {
    let mut root = square;
    let mut step = 0;
    while step < 30 {
        root = (root + square / root) / 2.0;
        step += 1;
    }
    root
}

const fn pause(ms: Option<f64>) -> Claim {
    let Some(ms) = ms else {
        let words = "no pause makes random writes faster: with the longest pause over without";
        return Claim::shape("pause", words, "blank", "x").near(0.85, 1.15, NO_PAUSE).set();
    };
    let words = "the pause that makes random writes behave like sequential ones";
    Claim::figure("pause", words, ms, "ms").within(1.2, 2.0, PAUSE).set()
}

/// A row as it was published, to all of which its profile was fitted; and for columns that are not met, why.
struct Row {
    published: published::Row,
    why: &'static [(&'static str, &'static str)],
}

const fn claims(row: &Row) -> [Claim; 12] {
    let published::Row { times_ms, pause_ms, locality, partitions, order, .. } = row.published;
    let [sr, rr, sw, rw] = times_ms;
    let (area, area_factor) = if let Some(locality) = locality { locality } else { (0.0, 0.0) };
    let (streams, streams_factor) = partitions;
    let [reverse, in_place, large] = order;
    let claims = [
        time("sr", "sequential reads of 32 KB", sr),
        time("rr", "random reads", rr),
        time("sw", "sequential writes", sw),
        time("rw", "random writes", rw),
        pause(pause_ms),
        class("locality", "the area within which random writes are fast", area, "MiB"),
        factor("locality-factor", "their maximum time there, relative to sequential writes", area_factor),
        class("partitions", "concurrent sequential streams", streams, "streams"),
        factor("partitions-factor", "their maximum time, relative to a single stream", streams_factor),
        factor("reverse", "writes at descending addresses, relative to sequential ones", reverse),
        factor("in-place", "rewrites of one address, relative to sequential writes", in_place),
        factor("large-steps", "strided writes, relative to random ones", large),
    ];
    explained(claims, row.why)
}

/// The claims of a device without an area: the table says "No" in the place of both of its figures.
const fn without_area(row: &Row) -> [Claim; 11] {
    let [sr, rr, sw, rw, pause, _, _, partitions, factor, reverse, in_place, large] = claims(row);
    let words = "random writes in an area of 256 KB to 64 MB are not faster: the fastest over all";
    let area = Claim::shape("locality", words, "No", "x").near(0.8, 1.25, "equal within 25 %").set();
    [sr, rr, sw, rw, pause, area, partitions, factor, reverse, in_place, large]
}

/// The claims with the reasons of those that are named.
const fn explained(mut claims: [Claim; 12], why: &[(&'static str, &'static str)]) -> [Claim; 12] {
    let mut reason = 0;
    while reason < why.len() {
        let mut at = 0;
        while !is_same(claims[at].name, why[reason].0) {
            at += 1;
        }
        claims[at].reason = why[reason].1;
        reason += 1;
    }
    claims
}

const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

macro_rules! rows {
    ($($name:literal, $about:literal, $device:expr, $scope:ident => $claims:ident $row:expr;)+) => {
        /// One for each row.
        pub const STUDIES: &[Study] = &[$(Study {
            name: $name,
            paper: &UFLIP,
            place: "table 3 and section 5.2",
            about: concat!($about, ": its row, as a characterisation finds it. The profile's settings are \
                                    chosen from this row."),
            claims: &const { $claims(&$row) },
            run: |stage| row(stage, $device, Scope::$scope, &const { $row }.published),
        }),+];
    };
}

rows! {
    "uflip-memoright", "Memoright MR25.2-032S, an SSD of 32 GB",
    MEMORIGHT, Quick => claims Row {
        published: TABLE_3[0],
        why: &[
            (
                "locality",
                "16 MiB cost less than half of a random write, too: six logs of each bank cover them, and \
             cost merges only as they fill",
            ),
            (
                "locality-factor",
                "the factor is that of 16 MiB, where full logs cost merges; up to 8 MiB it is x1.0",
            ),
            (
                "partitions",
                "six logs in each bank make four streams, the power of two below; eight logs make eight \
             streams, but an area of 32 MiB",
            ),
            (
                "large-steps",
                "one merge of 19 ms for each, as in the paper, but the first of them are put off, and a \
             random write takes 5.6 ms instead of 5",
            ),
        ],
    };
    "uflip-mtron", "Mtron SATA7035-016, an SSD of 16 GB",
    MTRON, Quick => claims Row {
        published: TABLE_3[1],
        why: &[
            (
                "locality",
                "16 MiB cost less than half of a random write, too: five logs cover 10 of them, and cost \
             merges only as they fill",
            ),
            (
                "locality-factor",
                "the factor is that of 16 MiB, where a part of the writes misses the logs; up to 8 MiB it \
             is x1.8",
            ),
            (
                "partitions-factor",
                "each stream has a log and ends it in order, which costs no merge; logs that streams \
             share would cost its area more than x2",
            ),
        ],
    };
    "uflip-samsung", "Samsung MCBQE32G5MPP, an SSD of 32 GB",
    SAMSUNG, Table1 => claims Row {
        published: TABLE_3[2],
        why: &[
            (
                "locality-factor",
                "blocks share logs from 8 to 16 MiB, and a log that two blocks share costs two merges; in \
             8 MiB it is x1.4",
            ),
            (
                "large-steps",
                "a superblock of 4 MiB takes four steps of 1 MiB in one log; smaller ones would cost more \
             in its area",
            ),
        ],
    };
    "uflip-transcend-module", "Transcend TS4GDOM40V-S, a module of 4 GB",
    TRANSCEND_MODULE, Quick => claims Row {
        published: TABLE_3[3],
        why: &[
            (
                "rr",
                "nothing is read ahead here, so that a random read costs what one in order does",
            ),
            (
                "reverse",
                "logs take writes in any order: in reverse their merges overlap, in place they do not, \
             and nothing here makes the first the slower",
            ),
        ],
    };
    "uflip-transcend-mlc", "Transcend TS32GSSD25S-M, an MLC SSD of 32 GB",
    TRANSCEND_MLC, Quick => claims Row {
        published: TABLE_3[4],
        why: &[
            (
                "locality",
                "four logs of 2 MiB cover 8 MiB",
            ),
            (
                "locality-factor",
                "a log that is written at random is merged as often as one that is written in place, \
             which costs x2 in the paper too: a cache that knows pages, but not the same page twice, \
             would do",
            ),
            (
                "partitions-factor",
                "each of four streams has a log and ends it in order, which costs no merge",
            ),
        ],
    };
    "uflip-kingston-dthx", "Kingston DT hyper X, a USB drive of 8 GB",
    KINGSTON_DTHX, Quick => claims Row {
        published: TABLE_3[5],
        why: &[
            (
                "locality",
                "two logs of 1 MiB that four blocks share cover 8 MiB",
            ),
            (
                "reverse",
                "a log costs one merge when it is full, whether its 32 IOs came in reverse or in place: \
             both cost the same",
            ),
        ],
    };
    "uflip-kingston-dti", "Kingston DTI, a USB drive of 4 GB",
    KINGSTON_DTI, Quick => without_area Row {
        published: TABLE_3[6],
        why: &[
            (
                "reverse",
                "a write that does not follow the last one closes the log, so that each costs a merge, \
             like random ones: known neighbours, written downwards, would do",
            ),
            (
                "in-place",
                "a write in place closes the log, so that each costs a whole merge, like random ones: a \
             merge that leaves out what lies behind the place would do",
            ),
        ],
    };
}

fn row(stage: &Stage<'_>, device: &str, scope: Scope, published: &published::Row) -> Result<Found> {
    let mut bench = stage.device(device, &[])?;
    let mut found = Found::default();
    let outcome = stage.characterise(&mut bench, &COLUMNS, scope)?;
    let measured = points(&outcome.finished);
    let row = indicators(&measured);
    for (claim, indicator) in [
        ("sr", row.sr_ms),
        ("rr", row.rr_ms),
        ("sw", row.sw_ms),
        ("rw", row.rw_ms),
        ("partitions", row.partitions),
        ("partitions-factor", row.partitions_factor),
        ("reverse", row.reverse_factor),
        ("in-place", row.in_place_factor),
        ("large-steps", row.large_increment_factor),
    ] {
        found.measured_if(claim, indicator);
    }
    if published.pause_ms.is_some() {
        found.measured_if("pause", row.pause_ms);
    } else {
        let longest = random_writes(&measured, "pause").last().map_or(f64::NAN, |(_, ms)| *ms);
        found.measured("pause", longest / row.rw_ms.map_or(f64::NAN, |rw| rw.value));
    }
    // A quick run leaves out areas that the table tells apart.
    let outcome = stage.characterise(&mut bench, &["locality"], Scope::Table1)?;
    let measured = points(&outcome.finished);
    let row = indicators(&measured);
    if published.locality.is_some() {
        found.measured_if("locality", row.locality_mib);
        found.measured_if("locality-factor", row.locality_factor);
    } else {
        let areas = random_writes(&measured, "locality");
        let small = areas.iter().filter(|(bytes, _)| AREA_BYTES.contains(bytes)).map(|(_, ms)| *ms);
        found.measured("locality", least(small) / row.rw_ms.map_or(f64::NAN, |rw| rw.value));
    }
    Ok(found)
}

/// What random writes take, in ms, by the parameter of a micro-benchmark.
fn random_writes(points: &[Point<'_>], micro: &str) -> Vec<(f64, f64)> {
    let of_curve =
        points.iter().filter(|point| point.experiment.micro == micro && point.experiment.curve == "RW");
    let mut curve: Vec<(f64, f64)> = of_curve
        .filter_map(|point| Some((point.experiment.parameter, point.estimate.as_ref()?.mean_ns / 1e6)))
        .collect();
    curve.sort_by(|a, b| a.0.total_cmp(&b.0));
    curve
}
