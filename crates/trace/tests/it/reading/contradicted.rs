//! Files whose data contradict what their syntax, heading or name says of the units: refused, with the units
//! in which they were written beside those that they claim.

use flashscope_core::Op;
use flashscope_core::seed::Random;
use flashscope_trace::reading::SpaceUnit::{self, Block, Byte, Sector};
use flashscope_trace::reading::TimeUnit;
use flashscope_trace::{Record, Records, StatedUnits, TraceError, open_bytes};

use super::accepted::{HFPLAYER, Io, Kind, hfplayer, read, read_in, text};
use super::uncertain;

/// Random requests of 4 to 64 KiB at whole pages of 50 GiB.
fn requests(seed: u64) -> Vec<Record> {
    let mut random = Random::new(seed);
    let mut time_ns = 0;
    let mut one = || {
        time_ns += random.below(1_000_000);
        let offset_bytes = random.below(50 << 18) * 4096;
        let length_bytes = [4096, 8192, 16_384, 65_536][random.below(4) as usize];
        let op = if random.below(3) == 0 { Op::Read } else { Op::Write };
        Record { time_ns, op, offset_bytes, length_bytes, latency_ns: Some(200_000), ..Record::default() }
    };
    (0..1000).map(|_| one()).collect()
}

const fn kind(format: &'static str, heading: &'static str, line: fn(&Io) -> String) -> Kind {
    Kind { format, is_named: false, extension: "", heading, line, unit_bytes: 512 }
}

const BIOSNOOP: &str = "TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)\n";
const CSV: &str = "time_ns,op,offset_bytes,length_bytes\n";

fn biosnoop(io: &Io, address: u64, length: u64) -> String {
    let (address, length) = (io.address(address), io.length(length));
    format!("{} dd 1 sda {} {address} {length} 0.200", io.seconds(), io.letter())
}

fn diskmon(io: &Io, address: u64, length: u64) -> String {
    let (address, length) = (io.address(address), io.length(length));
    format!("{}\t{}\t0.00020000\t0\t{}\t{address}\t{length}", io.number, io.seconds(), io.word())
}

fn blkparse(io: &Io, address: u64, length: u64) -> String {
    let (address, length) = (io.address(address), io.length(length));
    format!("  8,0    0 {:8} {} 123  D   {} {address} + {length} [dd]", io.number, io.seconds(), io.letter())
}

fn csv(io: &Io, address: u64, length: u64) -> String {
    format!("{},{},{},{}", io.record.time_ns, io.letter(), io.address(address), io.length(length))
}

fn spc(io: &Io, address: u64, length: u64) -> String {
    format!("0,{},{},{},{}", io.address(address), io.length(length), io.letter(), io.seconds())
}

const SPC: Kind = Kind { extension: "spc", ..kind("spc", "", |io| spc(io, 1, 1)) };

/// What they are written as, and in which units.
const LIES: &[(Kind, [SpaceUnit; 2])] = &[
    (kind("biosnoop", BIOSNOOP, |io| biosnoop(io, 512, 512)), [Sector, Sector]),
    (kind("biosnoop", BIOSNOOP, |io| biosnoop(io, 1, 1)), [Byte, Byte]),
    (kind("biosnoop", BIOSNOOP, |io| biosnoop(io, 1, 512)), [Byte, Sector]),
    (kind("diskmon", "", |io| diskmon(io, 1, 1)), [Byte, Byte]),
    (kind("diskmon", "", |io| diskmon(io, 1, 512)), [Byte, Sector]),
    (kind("diskmon", "", |io| diskmon(io, 512, 1)), [Sector, Byte]),
    (kind("blkparse", "", |io| blkparse(io, 1, 1)), [Byte, Byte]),
    (kind("blkparse", "", |io| blkparse(io, 512, 1)), [Sector, Byte]),
    (kind("csv", CSV, |io| csv(io, 512, 1)), [Sector, Byte]),
    (kind("csv", CSV, |io| csv(io, 512, 512)), [Sector, Sector]),
    (kind("csv", CSV, |io| csv(io, 1, 512)), [Byte, Sector]),
    (SPC, [Byte, Byte]),
    (Kind { line: |io| spc(io, 512, 512), ..SPC }, [Sector, Sector]),
    (Kind { line: |io| spc(io, 4096, 1), ..SPC }, [Block, Byte]),
    (kind("hfplayer", HFPLAYER, hfplayer::<4096>), [Block, Block]),
];

#[test]
fn data_outweigh_what_a_syntax_a_heading_or_a_name_says() {
    for (kind, written) in LIES {
        for seed in 0..20 {
            let error = read(kind, text(kind, &requests(seed))).expect_err(kind.format);
            let found = uncertain(&error);
            let [claimed, other] =
                found.outcomes.map(|outcome| [outcome.units.address, outcome.units.length]);
            assert_ne!(claimed, *written);
            assert_eq!(other, *written, "{} of seed {seed}: {found}", kind.format);
        }
    }
}

fn msr(io: &Io, latency_ns: f64) -> String {
    let ticks = 128_166_372_003_061_629 + io.record.time_ns / 100;
    let latency = io.latency(latency_ns).round();
    format!("{ticks},hm,1,{},{},{},{latency}", io.word(), io.address(1), io.length(1))
}

/// Requests that take as long as these on average, in ns.
fn slow(seed: u64, mean_ns: u64) -> Vec<Record> {
    let mut random = Random::new(seed);
    let mut all = requests(seed);
    all.iter_mut().for_each(|record| record.latency_ns = Some(1 + random.below(2 * mean_ns)));
    all
}

#[test]
fn latencies_that_no_queue_holds_are_refused_in_that_unit() {
    for seed in 0..20 {
        // 1 ms read as 100 ms, with 500 us between two requests; and 10 ms read as a tick.
        for (kind, mean_ns) in [
            (kind("msr", "", |io| msr(io, 1.0)), 2_000_000),
            (kind("msr", "", |io| msr(io, 10_000_000.0)), 10_000_000),
        ] {
            let error = read(&kind, text(&kind, &slow(seed, mean_ns))).expect_err("msr");
            let [claimed, other] = uncertain(&error).outcomes.map(|outcome| outcome.units);
            assert_eq!(claimed.latency, Some(TimeUnit::Tick));
            assert_ne!(other.latency, claimed.latency);
            assert_eq!((other.address, other.time), (claimed.address, claimed.time));
        }
    }
}

#[test]
fn the_unit_of_latencies_is_stated_where_there_are_any() {
    let reading = |kind: &Kind| {
        let mut trace = open_bytes(text(kind, &requests(0)), Some(kind.format), false).unwrap();
        while trace.next_batch(&mut Vec::new()).unwrap() > 0 {}
        trace.reading().unwrap()
    };
    let biosnoop = reading(&kind("biosnoop", BIOSNOOP, |io| biosnoop(io, 512, 1)));
    assert_eq!(biosnoop.latency_unit, Some(TimeUnit::Millisecond));
    assert!(biosnoop.to_string().contains("latency ms"), "{biosnoop}");
    assert_eq!(reading(&kind("msr", "", |io| msr(io, 100.0))).latency_unit, Some(TimeUnit::Tick));
    let none = reading(&kind("blkparse", "", |io| blkparse(io, 512, 512)));
    assert_eq!(none.latency_unit, None);
    assert!(!none.to_string().contains("latency"), "{none}");
}

#[test]
fn the_units_that_a_refusal_names_read_the_trace() {
    let place = |record: &Record| (record.time_ns, record.op, record.offset_bytes, record.length_bytes);
    for (kind, _) in LIES {
        let expected = requests(1);
        let error = read(kind, text(kind, &expected)).expect_err(kind.format);
        let [claimed, other] = uncertain(&error).outcomes.map(|outcome| outcome.units);
        let found = read_in(kind, text(kind, &expected), other.stating(&claimed).parse().unwrap()).unwrap();
        // Where biosnoop prints an end, an issue is earlier, and not before the trace begins.
        let mut expected: Vec<_> = expected.iter().map(place).collect();
        if kind.format == "biosnoop" {
            expected.iter_mut().for_each(|one| one.0 = one.0.saturating_sub(200_000));
        }
        assert_eq!(found.iter().map(place).collect::<Vec<_>>(), expected, "{}", kind.format);
    }
}

/// One line has both: when a request ended, and how long it took.
#[test]
fn an_issue_is_as_far_before_its_end_as_the_stated_latency() {
    let kind = kind("biosnoop", BIOSNOOP, |io| {
        format!("{} dd 1 sda W {} {} 200", io.seconds(), io.address(512), io.length(1))
    });
    let read = |units: &str| {
        let read = read_in(&kind, text(&kind, &requests(3)), units.parse().unwrap()).unwrap();
        read.last().map(|record| (record.time_ns, record.latency_ns)).unwrap()
    };
    let end_ns = requests(3).last().unwrap().time_ns;
    assert_eq!(read("latency=us"), (end_ns - 200_000, Some(200_000)));
    assert_eq!(read("latency=ms"), (end_ns - 200_000_000, Some(200_000_000)));
}

#[test]
fn stated_units_that_make_no_sense_say_what_is_allowed() {
    for (units, said) in [
        ("offset", "'offset' is not of the form KEY=UNIT"),
        ("size=byte", "unknown key 'size'; choose one of time, offset, length, latency"),
        ("offset=byte,offset=sector", "offset is given twice"),
        ("offset=us", "unknown unit 'us'; choose one of byte, sector, 4KiB"),
        ("time=byte", "unknown unit 'byte'; choose one of ns, 100ns, us, ms, s"),
    ] {
        assert_eq!(units.parse::<StatedUnits>().unwrap_err().to_string(), said);
    }
    let far =
        kind("blkparse", "", |_| "  8,0    0 1 0.000000001 123  D   W 9007199254740992 + 8 [dd]".into());
    let error = read_in(&far, text(&far, &requests(1)), "offset=4KiB".parse().unwrap()).unwrap_err();
    assert!(matches!(error, TraceError::BeyondUnits { .. }), "{error}");
}
