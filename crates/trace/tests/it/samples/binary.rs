//! Binary formats, hand-made: `samples/make-binary-samples.py` packs the entries from the formats'
//! definitions and prints these numbers.

use flashscope_core::request::{Flags, Op};

use super::expected::{Expected, PLAIN, Request, share};

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

const BOTH: Flags = Flags(Flags::FUA.0 | Flags::SYNC.0);

/// The whole of it is the same requests as `hand-made.blktrace.0` to `.2`.
const BLKTRACE: Expected = Expected {
    name: "hand-made-big-endian.blktrace",
    format: "blktrace",
    devices: &["259,2", "8,16"],
    reads: share(12, 417_792),
    writes: share(18, 76_800),
    trims: share(6, 6_291_456),
    flushes: 12,
    sync: 18,
    fua: 6,
    end_bytes: 4_398_047_575_552,
    first: Request::new(5_000_000_500, Op::Read, [0, 4096], "259,2").by(4020, "java"),
    last: Request::new(7_008_008_501, Op::Write, [1_024_000_000_000, 512], "259,2").by(7, "kworker/0:1H"),
    lines: 221,
    // All but 42 actions D, of which 6 are two requests each.
    other_lines: 221 - 42,
    ..PLAIN
};

/// pyarrow wrote it, and its numbers are those of `samples/make-parquet-sample.py`.
const PARQUET: Expected = Expected {
    name: "hand-made.parquet",
    format: "parquet",
    devices: &["sda", "nvme0n1"],
    reads: share(10, 40_960),
    writes: share(20, 6120),
    trims: share(10, 10_485_760),
    flushes: 10,
    sync: 10,
    fua: 5,
    latency_ns: 913_000,
    end_bytes: 1_125_899_908_087_808,
    first: Request::new(9_223_372_036_854_775_808, Op::Read, [1_125_899_906_842_624, 4096], "sda"),
    last: Request::new(9_223_372_036_878_775_880, Op::Write, [1_125_899_907_043_328, 100], "sda")
        .took(49_000)
        .by(31, "tar"),
    lines: 50,
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
    PARQUET,
    BLKTRACE,
    Expected {
        name: "hand-made.blktrace.0",
        reads: share(4, 139_264),
        writes: share(6, 25_600),
        trims: share(2, 2_097_152),
        flushes: 4,
        sync: 6,
        fua: 2,
        end_bytes: 1_146_880,
        last: Request::new(7_008_008_500, Op::Write, [159_744, 4096], "8,16").by(31, "tar").with(BOTH),
        lines: 75,
        other_lines: 75 - 14,
        ..BLKTRACE
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
