//! Binary formats, hand-made: `samples/make-binary-samples.py` packs the entries from the formats'
//! definitions and prints these numbers.

use flashscope_core::request::Op;

use crate::expected::{Expected, PLAIN, Request, share};

const VSCSI: Expected = Expected {
    name: "hand-made-1.vscsi",
    format: "vscsi",
    reads: share(22, 425_984),
    writes: share(34, 632_320),
    flushes: 2,
    end_bytes: 562_949_953_892_352,
    first: Request::new(5_633_898_368_802_000, Op::Read, [0, 512], "0"),
    last: Request::new(5_633_910_372_258_000, Op::Write, [12_288, 1024], "0"),
    lines: 60,
    // An inquiry and a test of readiness.
    other_lines: 2,
    ..PLAIN
};

const ORACLE: Expected = Expected {
    name: "hand-made.oracleGeneral",
    format: "oraclegeneral",
    sure: 95,
    reads: share(60, 1_067_520),
    end_bytes: 562_949_953_892_352,
    first: Request::new(633_898_000_000_000, Op::Read, [0, 512], "0"),
    last: Request::new(633_910_000_000_000, Op::Read, [12_288, 1024], "0"),
    lines: 60,
    ..PLAIN
};

pub const SAMPLES: &[Expected] = &[
    VSCSI,
    Expected {
        name: "hand-made-2.vscsi",
        latency_ns: 10_930_000,
        first: Request::new(5_633_898_368_802_000, Op::Read, [0, 512], "0").took(100_000),
        last: Request::new(5_633_910_372_258_000, Op::Write, [12_288, 1024], "0").took(277_000),
        ..VSCSI
    },
    ORACLE,
    Expected {
        name: "hand-made.oracleGeneralOpNS",
        format: "oraclegeneral-opns",
        devices: &["0", "300", "600"],
        reads: share(22, 357_376),
        writes: share(34, 638_976),
        trims: share(4, 71_168),
        last: Request::new(633_910_000_000_000, Op::Write, [12_288, 1024], "600"),
        ..ORACLE
    },
];
