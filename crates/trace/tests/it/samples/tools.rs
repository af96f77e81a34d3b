//! Traces of tools: blkparse, fio, DiskSim, MQSim. The samples are made by hand after the definitions.
//! Numbers of DiskSim and MQSim are awk's, with `awk '{n[$5]++; b[$5]+=512*$4}'` (DiskSim: odd flags
//! together); those of blkparse and fio are counted by hand, line by line.

use flashscope_core::request::{Flags, Op};

use super::expected::{Expected, PLAIN, Request, share};

pub const SAMPLES: &[Expected] = &[
    Expected {
        name: "hand-made.disksim",
        format: "disksim",
        devices: &["0", "4", "1"],
        reads: share(20, 362_496),
        writes: share(20, 362_496),
        end_bytes: 135_536_269_312,
        //   5265.313025 0 6357144 8  0
        first: Request::new(5_265_313_025, Op::Write, [6_357_144 * 512, 4096], "0"),
        // 610077.457 1 15231354 24 80
        last: Request::new(610_077_457_000, Op::Write, [15_231_354 * 512, 24 * 512], "1"),
        lines: 40,
        unsorted: 2,
        ..PLAIN
    },
    Expected {
        name: "hand-made.mqsim",
        format: "mqsim",
        // DiskSim writes the same columns.
        sure: 80,
        devices: &["4", "0", "2"],
        reads: share(19, 458_752),
        writes: share(21, 720_896),
        end_bytes: 63_209_876_277_760,
        // 938513000 4 264719034 16 0
        first: Request::new(938_513_000, Op::Write, [264_719_034 * 512, 8192], "4"),
        // 420947449000 2 6133 7 0
        last: Request::new(420_947_449_000, Op::Write, [6133 * 512, 3584], "2"),
        lines: 40,
        ..PLAIN
    },
    Expected {
        name: "hand-made.iolog",
        format: "fio-iolog",
        devices: &["Nvme1n1", "/dev/nvme0n1"],
        reads: share(4, 512 + 7 + 4096 + 1023),
        writes: share(5, 2 * 16_384 + 131_072 + 4096 + 512),
        trims: share(1, 4_194_304_000),
        flushes: 2,
        // 18446744073709550592 + 1023
        end_bytes: u64::MAX,
        // 878 Nvme1n1 write 0 16384
        first: Request::new(878_000, Op::Write, [0, 16_384], "Nvme1n1"),
        // 3600000001 Nvme1n1 write 8192 512
        last: Request::new(3_600_000_001_000, Op::Write, [8192, 512], "Nvme1n1"),
        lines: 19,
        other_lines: 7,
        unsorted: 1,
        ..PLAIN
    },
    Expected {
        name: "hand-made.iolog2",
        format: "fio-iolog",
        devices: &["/dev/nvme0n1", "/dev/sdb"],
        reads: share(3, 512 + 131_072 + 4096),
        writes: share(3, 65_536 + 4096 + 7),
        trims: share(1, 16_777_216),
        flushes: 3,
        end_bytes: 549_755_813_888 + 131_072,
        // /dev/nvme0n1 read 944000 512
        first: Request::new(0, Op::Read, [944_000, 512], "/dev/nvme0n1"),
        // /dev/nvme0n1 sync, behind a wait until 86400000 ms
        last: Request::new(86_400_000_000_000, Op::Flush, [0, 0], "/dev/nvme0n1"),
        lines: 22,
        other_lines: 12,
        ..PLAIN
    },
    Expected {
        name: "hand-made.blkparse",
        format: "blkparse",
        devices: &["8,0"],
        // Only what was issued: the other requests of the file were queued.
        reads: share(1, 8 * 512),
        writes: share(1, 16 * 512),
        flushes: 1,
        sync: 1,
        end_bytes: (9_437_184 + 16) * 512,
        //   8,0    1        1     0.000007000   221  D  WS 9437184 + 16 [jbd2/sda1-8]
        first: Request::new(7000, Op::Write, [9_437_184 * 512, 8192], "8,0")
            .by(221, "jbd2/sda1-8")
            .with(Flags::SYNC),
        //   8,0    1        4     0.000402500     7  D  FN [kworker/1:0H]
        last: Request::new(402_500, Op::Flush, [0, 0], "8,0").by(7, "kworker/1:0H"),
        lines: 47,
        other_lines: 44,
        ..PLAIN
    },
];
