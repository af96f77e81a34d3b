//! True files of each format: read as what they are, and rarely refused.

use flashscope_core::Op;
use flashscope_core::seed::Random;
use flashscope_trace::{Formats, ReadOptions, Record, Records, StatedUnits, TraceError};

/// One request of a workload, to be written.
pub struct Io {
    pub number: usize,
    pub record: Record,
}

impl Io {
    pub fn seconds(&self) -> String {
        format!("{}.{:09}", self.record.time_ns / 1_000_000_000, self.record.time_ns % 1_000_000_000)
    }

    pub fn latency(&self, unit_ns: f64) -> f64 {
        self.record.latency_ns.unwrap_or(0) as f64 / unit_ns
    }

    pub fn letter(&self) -> &'static str {
        if self.record.op == Op::Read { "R" } else { "W" }
    }

    pub fn word(&self) -> &'static str {
        if self.record.op == Op::Read { "Read" } else { "Write" }
    }

    pub fn is_read(&self) -> u8 {
        u8::from(self.record.op == Op::Read)
    }

    pub fn address(&self, unit_bytes: u64) -> u64 {
        self.record.offset_bytes / unit_bytes
    }

    pub fn length(&self, unit_bytes: u64) -> u64 {
        self.record.length_bytes / unit_bytes
    }
}

/// A format as its program writes it.
pub struct Kind {
    pub format: &'static str,
    /// Said by a person; else recognised.
    pub is_named: bool,
    pub extension: &'static str,
    pub heading: &'static str,
    pub line: fn(&Io) -> String,
    /// The least unit that it can hold.
    pub unit_bytes: u64,
}

const fn kind(format: &'static str, heading: &'static str, line: fn(&Io) -> String) -> Kind {
    Kind { format, is_named: false, extension: "", heading, line, unit_bytes: 512 }
}

const WINDOWS_TICKS: u64 = 128_166_372_003_061_629;
const UNIX_S: u64 = 1_577_808_144;

/// Formats that one program writes, or whose heading names the units.
pub const OWN_SYNTAX: &[Kind] = &[
    kind("biosnoop", "TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)\n", |io| {
        let end_s = (io.record.time_ns + io.record.latency_ns.unwrap_or(0)) as f64 / 1e9;
        let (sector, bytes, ms) = (io.address(512), io.length(1), io.latency(1e6));
        format!("{end_s:.6} dd 123 sda {} {sector} {bytes} {ms:.2}", io.letter())
    }),
    kind("diskmon", "", |io| {
        let (sector, sectors, s) = (io.address(512), io.length(512), io.latency(1e9));
        format!("{}\t{}\t{s:.8}\t0\t{}\t{sector}\t{sectors}", io.number, io.seconds(), io.word())
    }),
    kind("blkparse", "", |io| {
        let (sector, sectors) = (io.address(512), io.length(512));
        format!(
            "  8,0    0 {:8} {} 123  D   {} {sector} + {sectors} [dd]",
            io.number,
            io.seconds(),
            io.letter()
        )
    }),
    kind("tracefs", "", |io| {
        let (sector, sectors, bytes) = (io.address(512), io.length(512), io.length(1));
        let (s, us) = (io.record.time_ns / 1_000_000_000, io.record.time_ns / 1000 % 1_000_000);
        format!(
            "  dd-123 [001] .... {s}.{us:06}: block_rq_issue: 8,0 {} {bytes} () {sector} + {sectors} [dd]",
            io.letter()
        )
    }),
    kind("blkreplay", "start ; sector; length ; op ;  replay_delay=0 ; replay_duration=0\n", |io| {
        format!("{} ; {} ; {} ; {} ; 0.0 ; 0.0", io.seconds(), io.address(512), io.length(512), io.letter())
    }),
    kind("fio-iolog", "fio version 3 iolog\n0 /dev/sdb add\n0 /dev/sdb open\n", |io| {
        let us = io.record.time_ns / 1000;
        format!("{us} /dev/sdb {} {} {}", io.word().to_lowercase(), io.address(1), io.length(1))
    }),
    kind("csv", "time_ns,op,offset_bytes,length_bytes,latency_ns\n", |io| {
        let ns = io.record.time_ns;
        format!("{ns},{},{},{},{}", io.letter(), io.address(1), io.length(1), io.latency(1.0))
    }),
    kind("csv", "time_us,op,sector,sectors,latency_us\n", |io| {
        let us = io.record.time_ns / 1000;
        format!("{us},{},{},{},{}", io.letter(), io.address(512), io.length(512), io.latency(1e3))
    }),
    kind("fiu", "", |io| {
        let (sector, sectors) = (io.address(512), io.length(512));
        let hash = "793cf4220c917b853860886599b2ac75";
        format!("{} 123 proc {sector} {sectors} {} 6 0 {hash}", io.record.time_ns, io.letter())
    }),
];

/// Formats that are known by the description of a data set, or by a convention.
pub const DESCRIBED: &[Kind] = &[
    kind("msr", "", |io| {
        let ticks = WINDOWS_TICKS + io.record.time_ns / 100;
        let latency = io.latency(100.0).round();
        format!("{ticks},hm,1,{},{},{},{latency}", io.word(), io.address(1), io.length(1))
    }),
    kind("alibaba", "", |io| {
        let us = UNIX_S * 1_000_000 + io.record.time_ns / 1000;
        format!("3,{},{},{},{us}", io.letter(), io.address(1), io.length(1))
    }),
    kind("systor17", "Timestamp,Response,IOType,LUN,Offset,Size\n", |io| {
        let (s, ns) = (UNIX_S + io.record.time_ns / 1_000_000_000, io.record.time_ns % 1_000_000_000);
        let latency = io.latency(1e9);
        format!("{s}.{ns:09},{latency:.9},{},0,{},{}", io.letter(), io.address(1), io.length(1))
    }),
    kind("tencent", "", |io| {
        let s = UNIX_S + io.record.time_ns / 1_000_000_000;
        format!("{s},{},{},{},1283", io.address(512), io.length(512), 1 - io.is_read())
    }),
    Kind {
        extension: "spc",
        ..kind("spc", "", |io| {
            format!("0,{},{},{},{}", io.address(512), io.length(1), io.letter(), io.seconds())
        })
    },
    Kind {
        is_named: true,
        ..kind("disksim", "", |io| {
            let ms = io.record.time_ns as f64 / 1e6;
            format!("{ms:.6} 0 {} {} {}", io.address(512), io.length(512), io.is_read())
        })
    },
    Kind {
        is_named: true,
        ..kind("mqsim", "", |io| {
            format!("{} 0 {} {} {}", io.record.time_ns, io.address(512), io.length(512), io.is_read())
        })
    },
    Kind {
        is_named: true,
        ..kind("cloudphysics-csv", "", |io| {
            let us = io.record.time_ns / 1000;
            format!("{us},{},{},{}", io.address(512), io.letter().to_lowercase(), io.length(1))
        })
    },
    // Of smaller requests, a file does not tell its blocks of 512 bytes from those of 4 KiB.
    Kind { unit_bytes: 4096, ..kind("hfplayer", HFPLAYER, hfplayer::<512>) },
    Kind { is_named: true, ..kind("hfplayer", HFPLAYER, hfplayer::<512>) },
    Kind { is_named: true, ..kind("nvme", "", nvme::<512>) },
    Kind { is_named: true, unit_bytes: 4096, ..kind("nvme-4k", "", nvme::<4096>) },
];

pub const HFPLAYER: &str = "#ELAPSED_USECS.D,CMD.S,LUN_SSID.I,LBA.I,NBLKS.I,LATENCY_USECS.D\n";

pub fn hfplayer<const BLOCK: u64>(io: &Io) -> String {
    let (us, latency) = (io.record.time_ns as f64 / 1e3, io.latency(1e3));
    let command = if io.record.op == Op::Read { "RD_IN" } else { "WR_IN" };
    format!("{us:.3},{command},1,{},{},{latency:.3}", io.address(BLOCK), io.length(BLOCK))
}

pub fn nvme<const BLOCK: u64>(io: &Io) -> String {
    let (s, us) = (io.record.time_ns / 1_000_000_000, io.record.time_ns / 1000 % 1_000_000);
    let (word, id) = (io.word().to_lowercase(), io.number % 60_000);
    format!(
        "  dd-99 [003] ..... {s}.{us:06}: nvme_setup_cmd: nvme0: disk=nvme0n1, qid=1, cmdid={id}, nsid=1, \
         flags=0x0, meta=0x0, cmd=(nvme_cmd_{word} slba={}, len={}, ctrl=0x0, dsmgmt=0, reftag=0)",
        io.address(BLOCK),
        io.length(BLOCK) - 1
    )
}

/// A workload: its alignment, sizes, order, span, pace and length are drawn.
pub fn workload(seed: u64, least_bytes: u64) -> Vec<Record> {
    let mut random = Random::new(seed);
    let unit = [512, 4096][random.below(2) as usize].max(least_bytes);
    let most = 2 << random.below(11);
    let count = 1 + random.below(most);
    let span = (1_u64 << (24 + random.below(18))) / unit;
    let gap_ns = 1_u64 << (12 + random.below(18));
    // One size, a few, or any, of up to 1 MiB.
    let largest = 1 + random.below((1 << 20) / unit);
    let size = 1 << random.below(u64::from(((1 << 20) / unit).ilog2()) + 1);
    let sizes = random.below(3);
    let sequential_in_16 = [0, 1, 8, 15, 16][random.below(5) as usize];
    let (mut time_ns, mut next) = (random.below(1 << 40), 0);
    let mut one = || {
        let random = &mut random;
        time_ns += random.below(2 * gap_ns);
        let length = match sizes {
            0 => size,
            1 => (size >> random.below(4)).max(1),
            _ => 1 + random.below(largest),
        };
        let is_sequential = random.below(16) < sequential_in_16;
        // Programs align large blocks; small ones come anywhere.
        let begin = random.below(span);
        let address = if is_sequential {
            next
        } else if sizes < 2 {
            begin / length * length
        } else {
            begin
        };
        next = address + length;
        let op = if random.below(3) == 0 { Op::Read } else { Op::Write };
        let latency_ns = Some(20_000 + random.below(gap_ns.min(5_000_000)));
        let (offset_bytes, length_bytes) = (address * unit, length * unit);
        Record { time_ns, op, offset_bytes, length_bytes, latency_ns, ..Record::default() }
    };
    (0..count).map(|_| one()).collect()
}

pub fn text(kind: &Kind, records: &[Record]) -> String {
    let line = |(number, record): (usize, &Record)| (kind.line)(&Io { number, record: *record }) + "\n";
    kind.heading.to_string() + &records.iter().enumerate().map(line).collect::<String>()
}

/// What is read of a file of this kind, or why it is refused.
pub fn read(kind: &Kind, text: String) -> Result<Vec<Record>, TraceError> {
    read_in(kind, text, StatedUnits::default())
}

/// The same in these units.
pub fn read_in(kind: &Kind, text: String, units: StatedUnits) -> Result<Vec<Record>, TraceError> {
    let named = kind.is_named.then_some(kind.format);
    let extension = kind.extension.into();
    let options = ReadOptions { extension, units, ..ReadOptions::new(named, false) };
    let mut trace = Formats::builtin().open_bytes_with(text, &options).unwrap();
    assert_eq!(trace.format(), kind.format);
    let (mut records, mut batch) = (Vec::new(), Vec::new());
    while trace.next_batch(&mut batch)? > 0 {
        records.extend_from_slice(&batch);
    }
    Ok(records)
}

/// How many files of so many, of different workloads, are refused; those that are read are read right.
fn refused(kind: &Kind, files: u64) -> usize {
    let place = |record: &Record| (record.op, record.offset_bytes, record.length_bytes);
    let is_refused = |seed: &u64| {
        let expected = workload(*seed, kind.unit_bytes);
        let found = read(kind, text(kind, &expected)).ok();
        if let Some(found) = &found {
            let [found, expected] = [found, &expected].map(|all| all.iter().map(place).collect::<Vec<_>>());
            assert_eq!(found, expected, "{} of seed {seed}", kind.format);
        }
        found.is_none()
    };
    (0..files).filter(is_refused).count()
}

/// Of 200 files of each kind, no more than so many are refused.
fn at_most(kinds: &[Kind], most: usize) {
    let rates: Vec<_> = kinds.iter().map(|kind| (kind.format, refused(kind, 200))).collect();
    assert!(rates.iter().all(|(_, refused)| *refused <= most), "true files refused, of 200: {rates:?}");
}

#[test]
fn true_files_whose_syntax_or_heading_tells_the_units_are_accepted() {
    at_most(OWN_SYNTAX, 1);
}

/// What a convention tells is little: files of three requests remain open, and those of 512 bytes alone,
/// which may as well be of 512 sectors.
#[test]
fn most_true_files_of_described_formats_are_accepted() {
    at_most(DESCRIBED, 30);
}
