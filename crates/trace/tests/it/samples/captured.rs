//! Real traces: captured for this project, and an excerpt of blkreplay's own. Numbers are awk's.

use flashscope_core::request::{Flags, Op};

use super::expected::{Expected, PLAIN, Request, share};

/// A capture on loop device 7,3 that begins and ends with a mount.
const fn captured(name: &'static str, first: (u64, u32), last: (u64, u32)) -> Expected {
    let ((first_ns, mount), (last_ns, umount)) = (first, last);
    Expected {
        name,
        format: "tracefs",
        devices: &["7,3"],
        end_bytes: 939_794_432,
        first: Request::new(first_ns, Op::Read, [1024, 1024], "7,3").by(mount, "mount"),
        last: Request::new(last_ns, Op::Write, [0, 4096], "7,3").by(umount, "umount").with(Flags::SYNC),
        ..PLAIN
    }
}

pub const SAMPLES: &[Expected] = &[
    Expected {
        reads: share(77, 533_504),
        writes: share(1243, 74_375_168),
        sync: 1081,
        lines: 1320,
        ..captured("compile-ext3.tracefs.gz", (1_746_135_525_000, 17_476), (1_829_686_378_000, 4746))
    },
    Expected {
        reads: share(30, 246_784),
        writes: share(13_303, 494_641_152),
        sync: 13_098,
        lines: 13_333,
        end_bytes: 1_061_158_912,
        ..captured("install-ext3.tracefs.gz", (1_671_543_852_000, 6390), (1_743_629_896_000, 15_377))
    },
    Expected {
        reads: share(25, 226_304),
        writes: share(870, 434_765_824),
        sync: 280,
        lines: 895,
        ..captured("mp3-ext3.tracefs.gz", (1_268_610_052_000, 6641), (1_321_822_692_000, 8491))
    },
    Expected {
        reads: share(25, 226_304),
        writes: share(16_354, 197_308_416),
        sync: 18,
        lines: 16_379,
        ..captured("postmark-ext3.tracefs.gz", (1_516_461_185_000, 11_355), (1_522_476_353_000, 11_440))
    },
    Expected {
        reads: share(32, 254_976),
        writes: share(22_389, 269_144_064),
        flushes: 42,
        sync: 22_309,
        lines: 22_463,
        end_bytes: 986_546_176,
        // kworker/1:0H-24 [001] .....  1442.511071: block_rq_issue: 7,3 FF 0 () 0 + 0 none,0,0
        last: Request::new(1_442_511_071_000, Op::Flush, [0, 0], "7,3").by(24, "kworker/1:0H"),
        ..captured("untar-ext3-flush.tracefs.gz", (1_384_129_861_000, 9302), (0, 0))
    },
    Expected {
        reads: share(32, 254_976),
        writes: share(17_446, 269_156_352),
        sync: 17_222,
        lines: 17_478,
        end_bytes: 988_487_680,
        ..captured("untar-ext3.tracefs.gz", (1_167_525_325_000, 3109), (1_225_619_168_000, 4931))
    },
    Expected {
        name: "perf-ext4.perf.gz",
        format: "tracefs",
        devices: &["7,0"],
        reads: share(59, 1_080_320),
        writes: share(52, 1_594_368),
        flushes: 33,
        sync: 49,
        end_bytes: 67_108_864,
        // mount 13888 [000] 27072.989165: block:block_rq_issue: 7,0 RA 4096 () 130944 + 8 0x2,0,4 [mount]
        first: Request::new(27_072_989_165_000, Op::Read, [130_944 * 512, 4096], "7,0").by(13_888, "mount"),
        // kworker/1:0H-kb 24 [001] 27073.260853: block:block_rq_issue: 7,0 FF 0 () 0 + 0 .. [kworker/1:0H]
        last: Request::new(27_073_260_853_000, Op::Flush, [0, 0], "7,0").by(24, "kworker/1:0H"),
        lines: 144,
        ..PLAIN
    },
    Expected {
        name: "untar-ext4-completions.tracefs.gz",
        format: "tracefs",
        devices: &["7,0"],
        reads: share(59, 1_080_320),
        writes: share(27, 1_092_608),
        flushes: 16,
        sync: 18,
        // Each completion matched by hand's rule: same operation, same last sector, the oldest first.
        latency_ns: 24_671_000,
        end_bytes: 256 << 20,
        // mount-6409 [001] ..... 26894.889192: block_rq_issue: 7,0 RA 4096 () 524160 + 8 be,0,4 [mount]
        // ksoftirqd/1-22 [001] ..s.. 26894.889215: block_rq_complete: 7,0 RA () 524160 + 8 be,0,4 [0]
        first: Request::new(26_894_889_192_000, Op::Read, [524_160 * 512, 4096], "7,0")
            .by(6409, "mount")
            .took(23_000),
        // kworker/0:1H-58 [000] ..... 26894.946344: block_rq_issue: 7,0 FF 0 () 0 + 0 none,0,0 [kworker/0:1H]
        last: Request::new(26_894_946_344_000, Op::Flush, [0, 0], "7,0").by(58, "kworker/0:1H").took(2000),
        lines: 229,
        other_lines: 127,
        ..PLAIN
    },
    Expected {
        name: "mysql-first-2000.load.gz",
        format: "blkreplay",
        reads: share(131, 1_421_312),
        writes: share(1869, 31_461_888),
        end_bytes: 32_556_998_656,
        //      0.000000000 ;     37766853 ;   64 ; W ; 0.0 ; 0.0
        first: Request::new(0, Op::Write, [37_766_853 * 512, 64 * 512], "0"),
        //     76.008869214 ;      6025504 ;    8 ; W ; 0.0 ; 0.0
        last: Request::new(76_008_869_214, Op::Write, [6_025_504 * 512, 4096], "0"),
        lines: 2035,
        // The header, the excerpt's note and the column names.
        other_lines: 35,
        ..PLAIN
    },
];
