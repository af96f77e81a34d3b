//! Published traces of servers: MSR Cambridge, SPC, FIU. The samples are made by hand after the definitions,
//! the numbers are awk's: for MSR, reads and writes are `awk -F, '{n[$4]++; b[$4]+=$6}'`, for SPC
//! `awk -F, '{n[toupper($4)]++; b[toupper($4)]+=$3}'` without blanks, for FIU
//! `awk '{n[$(NF-3)]++; b[$(NF-3)]+=512*$(NF-4)}'`.

use flashscope_core::request::Op;

use super::expected::{Expected, PLAIN, Request, share};

pub const SAMPLES: &[Expected] = &[
    Expected {
        name: "hand-made.msr.csv",
        format: "msr",
        devices: &["hm_1", "hm_0", "src1_1", "prxy_0"],
        reads: share(14, 688_128),
        writes: share(27, 210_432),
        latency_ns: 164_348_600,
        end_bytes: 4_398_046_912_512,
        // 128166372003061629,hm,1,Read,383496192,32768,113736
        first: Request::new(12_816_637_200_306_162_900, Op::Read, [383_496_192, 32_768], "hm_1")
            .took(11_373_600),
        // 128166372727061669,src1,1,Read,4398046629888,65536,55
        last: Request::new(12_816_637_272_706_166_900, Op::Read, [4_398_046_629_888, 65_536], "src1_1")
            .took(5500),
        lines: 41,
        unsorted: 1,
        ..PLAIN
    },
    Expected {
        name: "hand-made.spc",
        format: "spc",
        devices: &["0", "1", "2", "19"],
        reads: share(16, 94_208),
        writes: share(24, 233_472),
        end_bytes: 63_209_876_018_176,
        // 0,20941264,8192,R,0
        first: Request::new(0, Op::Read, [20_941_264 * 512, 8192], "0"),
        // 19,55629,4096,W,8.011413, any, text
        last: Request::new(8_011_413_000, Op::Write, [55_629 * 512, 4096], "19"),
        lines: 40,
        unsorted: 4,
        ..PLAIN
    },
    Expected {
        name: "hand-made.fiu",
        format: "fiu",
        devices: &["6,0", "8,1", "8,17"],
        reads: share(9, 558_080),
        writes: share(27, 2_706_432),
        end_bytes: 9_444_733_608_448,
        // 0 4892 syslogd 904265560 8 W 6 0 793cf4220c917b853860886599b2ac75
        first: Request::new(0, Op::Write, [904_265_560 * 512, 4096], "6,0").by(4892, "syslogd"),
        // 86420027064 4892 syslogd 904265840 1 R 8 17 b421eb5bb2b3eef54ad49e557e6d4095
        last: Request::new(86_420_027_064, Op::Read, [904_265_840 * 512, 512], "8,17").by(4892, "syslogd"),
        lines: 36,
        ..PLAIN
    },
];
