//! What tracing tools print, and our own CSV. Samples made by hand after the definitions; sums are those of a
//! script over decimal numbers, first and last record are worked out by hand from the line above them.

use flashscope_core::request::Op::{Read, Trim, Write};
use flashscope_core::request::{Flags, Op};

use super::expected::{Expected, PLAIN, Request, share};

const FUA_AND_SYNC: Flags = Flags(Flags::FUA.0 | Flags::SYNC.0);

pub const SAMPLES: &[Expected] = &[
    Expected {
        name: "diskmon.log",
        format: "diskmon",
        devices: &["0", "1"],
        reads: share(21, 2_449_920),
        writes: share(19, 5_543_936),
        latency_ns: 22_197_966_960,
        end_bytes: 8_796_584_599_040,
        // 0 1.098306 0.00009918 0 Read 5498511 8
        first: Request::new(1_098_306_000, Read, [2_815_237_632, 4096], "0").took(99_180),
        // 39 45.000001 0.00010000 1 Write 17179869184 2048
        last: Request::new(45_000_001_000, Write, [8_796_093_022_208, 1_048_576], "1").took(100_000),
        lines: 40,
        unsorted: 1,
        ..PLAIN
    },
    Expected {
        name: "etw.csv",
        format: "etw",
        devices: &["4", "0"],
        reads: share(9, 54_272),
        writes: share(15, 305_152),
        flushes: 14,
        latency_ns: 177_320_000,
        end_bytes: 2_199_127_933_952,
        // DiskRead, 723291, p0 (11008), .., 0x4e5ec22e00, 0x00002000, 4388, 4, ..: ended at 723291 us, and
        // 0x4e5ec22e00 = 78 * 2^32 + 0x5ec22e00.
        first: Request::new(718_903_000, Read, [78 * 4_294_967_296 + 1_589_784_064, 8192], "4")
            .took(4_388_000)
            .by(11_008, "p0"),
        // DiskFlush, 999999, System (    4), .., 1500, 0, ..
        last: Request::new(998_499_000, flashscope_core::Op::Flush, [0, 0], "0")
            .took(1_500_000)
            .by(4, "System"),
        lines: 56,
        other_lines: 18,
        unsorted: 12,
        ..PLAIN
    },
    Expected {
        name: "biosnoop.txt",
        format: "biosnoop",
        devices: &["xvda1", "nvme0n1"],
        reads: share(16, 405_504),
        writes: share(22, 556_544),
        flushes: 2,
        latency_ns: 19_830_000 + 460_000 + 450_000,
        end_bytes: 4_398_556_813_824,
        // 0.000004 supervise 1950 xvda1 W 13092560 4096 0.01 0.74: issued before the trace began.
        first: Request::new(0, Write, [6_703_390_720, 4096], "xvda1").took(740_000).by(1950, "supervise"),
        // 45.250000 Web Content 3021 nvme0n1 R 8589934592 65536 0.03 1.25
        last: Request::new(45_248_750_000, Read, [4_398_046_511_104, 65_536], "nvme0n1")
            .took(1_250_000)
            .by(3021, "Web Content"),
        lines: 41,
        // The names.
        other_lines: 1,
        unsorted: 5,
        ..PLAIN
    },
    Expected {
        name: "iosnoop.txt",
        format: "biosnoop",
        devices: &["202,1", "202,16"],
        reads: share(12, 5_287_936),
        writes: share(11, 1_110_016),
        trims: share(5, 3_158_016),
        flushes: 2,
        sync: 7,
        fua: 5,
        latency_ns: 128_900_000,
        end_bytes: 2_199_224_295_424,
        // 5982800.302061 5982800.302679 supervise 1809 W 202,1 17039600 4096 0.62
        first: Request::new(5_982_800_302_061_000, Write, [8_724_275_200, 4096], "202,1")
            .took(620_000)
            .by(1809, "supervise"),
        // 5982802.000001 5982802.002501 jbd2/xvda1-8 295 WFS 202,16 4294967296 8192 2.50
        last: Request::new(5_982_802_000_001_000, Write, [2_199_023_255_552, 8192], "202,16")
            .took(2_500_000)
            .by(295, "jbd2/xvda1-8")
            .with(FUA_AND_SYNC),
        lines: 34,
        other_lines: 4,
        ..PLAIN
    },
    Expected {
        name: "hfplayer.csv",
        format: "hfplayer",
        devices: &["1", "5"],
        reads: share(8, 188_416),
        writes: share(21, 847_872),
        latency_ns: 2_277_991,
        end_bytes: 17_592_449_511_424,
        // 3610768,81442951.096,..,WR_IN,0,..,1,1,0,2254431928,8,121408,6,1,56.910
        first: Request::new(81_442_951_096, Write, [1_154_269_147_136, 4096], "1").took(56_910),
        // 3612000,81999999.001,..,RD_IN,2,..,5,0,0,34359738368,112,0,6,1,0.000
        last: Request::new(81_999_999_001, Read, [17_592_186_044_416, 57_344], "5"),
        lines: 46,
        other_lines: 17,
        ..PLAIN
    },
    Expected {
        name: "perf.txt",
        format: "tracefs",
        devices: &["259,0"],
        reads: share(8, 172_032),
        writes: share(9, 430_080),
        trims: share(1, 4096),
        flushes: 4,
        sync: 9,
        fua: 3,
        end_bytes: 2_199_039_512_576,
        // tar 31 [001] 1025.899728: block:block_rq_issue: 259,0 RM 4096 () 1572872 + 8 be,0,4 [tar]
        first: Request::new(1_025_899_728_000, Read, [805_310_464, 4096], "259,0").by(31, "tar"),
        // Web Content 2011 [000] 1031.000000: block:block_rq_issue: 259,0 WFS 131072 () 4294967296 + 256 ..
        last: Request::new(1_031_000_000_000, Write, [2_199_023_255_552, 131_072], "259,0")
            .by(2011, "Web Content")
            .with(FUA_AND_SYNC),
        lines: 46,
        // Comments, completions, call stacks.
        other_lines: 24,
        ..PLAIN
    },
    Expected {
        name: "named-columns.csv",
        format: "csv",
        devices: &["7,3", "nvme0n1"],
        reads: share(11, 4_220_416),
        writes: share(16, 4_256_256),
        trims: share(7, 12_887_007_744),
        flushes: 6,
        sync: 11,
        fua: 7,
        latency_ns: 98_529_782,
        end_bytes: 2_205_494_209_024,
        // 1025899728001,"7,3",write,805310464,4096,81250,1,1,31,tar
        first: Request::new(1_025_899_728_001, Write, [805_310_464, 4096], "7,3")
            .took(81_250)
            .by(31, "tar")
            .with(FUA_AND_SYNC),
        // 1025910000000,nvme0n1,trim,2199023255552,6442450944,,0,0,77,"a, ""b"""
        last: Request::new(1_025_910_000_000, Trim, [2_199_023_255_552, 6_442_450_944], "nvme0n1")
            .by(77, "a, \"b\""),
        lines: 41,
        other_lines: 1,
        ..PLAIN
    },
    Expected {
        name: "nvme.txt",
        format: "nvme",
        devices: &["nvme0n1", "nvme1n1"],
        reads: share(2, (256 + 8) * 512),
        writes: share(2, 2 * 4096),
        flushes: 1,
        fua: 1,
        // 24 us, 1.1 ms, 1 ms and 100 us; the last read was not answered.
        latency_ns: 24_000 + 1_100_000 + 1_000_000 + 100_000,
        end_bytes: (1_073_741_824 + 256) * 512,
        first: Request::new(9_904_831_153_000, Op::Write, [498_455_480 * 512, 4096], "nvme0n1")
            .took(24_000)
            .by(37_801, "raft-benchmark"),
        last: Request::new(9_904_850_000_000, Op::Read, [16 * 512, 4096], "nvme0n1").by(99, "fio"),
        lines: 15,
        other_lines: 10,
        ..PLAIN
    },
    Expected {
        name: "nvme-4k.txt",
        format: "nvme-4k",
        devices: &["nvme0n1"],
        reads: share(2, 19 * 4096),
        writes: share(1, 4096),
        latency_ns: 100_000 + 200_000,
        end_bytes: 1_000_004 * 4096,
        first: Request::new(10_000_001_000, Op::Write, [7 * 4096, 4096], "nvme0n1")
            .took(100_000)
            .by(99, "fio"),
        last: Request::new(10_000_500_000, Op::Read, [5 * 4096, 65_536], "nvme0n1").by(99, "fio"),
        lines: 5,
        other_lines: 2,
        ..PLAIN
    },
];
