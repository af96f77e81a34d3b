//! Traces of clouds and enterprises. Samples made by hand after the definitions; sums are awk's, first and
//! last record are worked out by hand from the line above them.

use flashscope_core::request::Op::{Read, Write};

use super::expected::{Expected, PLAIN, Request, share};

pub const SAMPLES: &[Expected] = &[
    Expected {
        name: "alibaba.csv",
        format: "alibaba",
        devices: &["419", "725", "999", "3", "64"],
        reads: share(11, 1_290_752),
        writes: share(49, 9_172_992),
        end_bytes: 1_100_475_506_688,
        // 419,W,8792731648,16384,1577808144360767
        first: Request::new(1_577_808_144_360_767_000, Write, [8_792_731_648, 16_384], "419"),
        // 3,W,1099667419136,4096,1577808150304993
        last: Request::new(1_577_808_150_304_993_000, Write, [1_099_667_419_136, 4096], "3"),
        lines: 60,
        ..PLAIN
    },
    Expected {
        name: "tencent.csv",
        format: "tencent",
        // Nothing but five numbers.
        sure: 90,
        devices: &["1063", "4", "1360", "1283"],
        reads: share(10, 291_840),
        writes: share(40, 2_201_088),
        end_bytes: 4_402_252_328_960,
        // 1538323200,12910952,128,0,1063
        first: Request::new(1_538_323_200_000_000_000, Read, [6_610_407_424, 65_536], "1063"),
        // 1538323266,1112972552,1,0,1283
        last: Request::new(1_538_323_266_000_000_000, Read, [569_841_946_624, 512], "1283"),
        lines: 50,
        ..PLAIN
    },
    Expected {
        name: "k5cloud.csv",
        format: "k5cloud",
        devices: &["1157", "12", "800"],
        reads: share(13, 636_416),
        writes: share(27, 1_545_216),
        end_bytes: 2_199_531_554_304,
        // 1157,3.828359000,W,7155568640,4096
        first: Request::new(3_828_359_000, Write, [7_155_568_640, 4096], "1157"),
        // 12,13.322302000,W,451167744,512
        last: Request::new(13_322_302_000, Write, [451_167_744, 512], "12"),
        lines: 41,
        other_lines: 1,
        unsorted: 1,
        ..PLAIN
    },
    Expected {
        name: "cloudphysics.csv",
        format: "cloudphysics-csv",
        reads: share(8, 148_992),
        writes: share(32, 660_480),
        end_bytes: 2_199_055_166_464,
        // 0,6218919,w,4096
        first: Request::new(0, Write, [3_184_086_528, 4096], "0"),
        // 6002278,42958592,w,65536
        last: Request::new(6_002_278_000, Write, [21_994_799_104, 65_536], "0"),
        lines: 40,
        ..PLAIN
    },
    Expected {
        name: "systor17.csv",
        format: "systor17",
        devices: &["0", "1"],
        reads: share(27, 1_340_416),
        writes: share(11, 284_160),
        latency_ns: 516_254_000,
        end_bytes: 899_489_344_000,
        // 1456095145.133076000,0.000806000,R,0,899056122368,131072
        first: Request::new(1_456_095_145_133_076_000, Read, [899_056_122_368, 131_072], "0").took(806_000),
        // 1456095145.534486000,0.001250000,W,1,5368709120,4096
        last: Request::new(1_456_095_145_534_486_000, Write, [5_368_709_120, 4096], "1").took(1_250_000),
        lines: 52,
        // Two lines of names, twelve without an answer.
        other_lines: 14,
        ..PLAIN
    },
];
