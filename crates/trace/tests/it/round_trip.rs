//! What is written is read back the same, and what a format cannot hold is counted. The table says what each
//! format holds, from its definition; both sides of flashscope are checked against it.

use std::io::{Cursor, Write};

use crate::common::Shared;
use flashscope_core::request::{Flags, Op};
use flashscope_core::seed::Random;
use flashscope_trace::{Compress, FORMATS, Loss, Losses, Process, Record, Records, Writer, open, open_bytes};

/// What a written format holds of a record.
struct Holds {
    name: &'static str,
    flush: bool,
    trim: bool,
    latency: bool,
    /// Whether writes are told from reads.
    op: bool,
    process: bool,
    fua: bool,
    sync: bool,
    devices: bool,
    /// Times are whole multiples of it.
    time_step_ns: u64,
    /// Times are kept from the first request on, which is then at this time, not from the trace's own zero.
    first_ns: Option<u64>,
    /// Offsets and lengths are whole multiples of it.
    unit_bytes: u64,
    /// What devices are called when the format has no names.
    nameless: fn(u32) -> String,
}

const NOTHING: Holds = Holds {
    name: "",
    flush: false,
    trim: false,
    latency: false,
    op: true,
    process: false,
    fua: false,
    sync: false,
    devices: false,
    time_step_ns: 1,
    first_ns: None,
    unit_bytes: 512,
    nameless: |_| "0".into(),
};

/// Simulators know devices by number.
const SIMULATOR: Holds = Holds { first_ns: Some(0), nameless: |device| device.to_string(), ..NOTHING };

const TABLE: &[Holds] = &[
    Holds { name: "blkreplay", latency: true, fua: true, sync: true, ..NOTHING },
    Holds {
        name: "blkparse",
        flush: true,
        trim: true,
        process: true,
        fua: true,
        sync: true,
        devices: true,
        ..NOTHING
    },
    Holds {
        name: "fio-iolog",
        flush: true,
        trim: true,
        devices: true,
        time_step_ns: 1000,
        first_ns: Some(1000),
        unit_bytes: 1,
        ..NOTHING
    },
    Holds {
        name: "csv",
        flush: true,
        trim: true,
        latency: true,
        process: true,
        fua: true,
        sync: true,
        devices: true,
        unit_bytes: 1,
        ..NOTHING
    },
    Holds { name: "disksim", ..SIMULATOR },
    Holds { name: "mqsim", ..SIMULATOR },
    Holds {
        name: "parquet",
        flush: true,
        trim: true,
        latency: true,
        process: true,
        fua: true,
        sync: true,
        devices: true,
        unit_bytes: 1,
        ..NOTHING
    },
    Holds {
        name: "oraclegeneral",
        op: false,
        time_step_ns: 1_000_000_000,
        first_ns: Some(0),
        unit_bytes: 512,
        ..NOTHING
    },
];

const DEVICES: [&str; 3] = ["7,3", "259,0", "8,16"];
const SEED: u64 = 4;

/// Everything that a record can be, sorted by time, ties among them.
fn records(count: u64) -> Vec<Record> {
    let mut random = Random::new(SEED);
    let mut time_ns = 5_000_000_000;
    (0..count)
        .map(|_| {
            time_ns += [0, 1, 999, 1_000_000_007][random.below(4) as usize];
            let op = Op::ALL[random.below(4) as usize];
            let range = |value| if op == Op::Flush { 0 } else { value };
            Record {
                time_ns,
                offset_bytes: range(random.below(1 << 30) * 512 + random.below(2) * 100),
                length_bytes: range(512 * (1 + random.below(64))),
                latency_ns: (random.below(2) == 0).then(|| 1 + random.below(1 << 30)),
                device: random.below(3) as u32,
                process: match random.below(2) {
                    0 => Process::default(),
                    _ => Process::new(1 + random.below(9999) as u32, b"postgres"),
                },
                op,
                flags: Flags(if op == Op::Write { random.below(4) as u8 } else { 0 }),
            }
        })
        .collect()
}

/// The record as the format holds it; none if it holds nothing of it.
fn held(record: &Record, first_ns: u64, holds: &Holds) -> Option<Record> {
    let is_held = match record.op {
        Op::Read | Op::Write => true,
        Op::Flush => holds.flush,
        Op::Trim => holds.trim,
    };
    let fits = (record.offset_bytes | record.length_bytes).is_multiple_of(holds.unit_bytes);
    let mask = (if holds.fua { Flags::FUA.0 } else { 0 }) | (if holds.sync { Flags::SYNC.0 } else { 0 });
    let step_ns = holds.time_step_ns;
    let time_ns = match holds.first_ns {
        Some(start_ns) => start_ns + (record.time_ns - first_ns) / step_ns * step_ns,
        None => record.time_ns / step_ns * step_ns,
    };
    (is_held && fits).then(|| Record {
        time_ns,
        latency_ns: record.latency_ns.filter(|_| holds.latency),
        process: if holds.process { record.process } else { Process::default() },
        flags: Flags(record.flags.0 & mask),
        device: if holds.devices { record.device } else { 0 },
        op: if holds.op { record.op } else { Op::Read },
        ..*record
    })
}

fn write(records: &[Record], format: &str, compress: Compress) -> (Vec<u8>, Losses) {
    let devices = DEVICES.map(String::from);
    let output = Shared::default();
    let mut writer = Writer::new(output.clone(), format, compress).unwrap();
    for batch in records.chunks(100) {
        writer.write(batch, &devices).unwrap();
    }
    let losses = writer.finish().unwrap();
    let bytes = output.take();
    (bytes, losses)
}

/// Records with the names of their devices in place of the numbers.
fn read(bytes: Vec<u8>, format: Option<&str>) -> Vec<(Record, String)> {
    let mut reader = open_bytes(bytes, format, false).unwrap();
    let (mut all, mut batch) = (Vec::new(), Vec::new());
    while reader.next_batch(&mut batch).unwrap() > 0 {
        let name = |record: &Record| reader.devices()[record.device as usize].clone();
        all.extend(batch.iter().map(|record| (Record { device: 0, ..*record }, name(record))));
    }
    all
}

/// What reading back has to bring.
fn expected(records: &[Record], holds: &Holds) -> Vec<(Record, String)> {
    let first_ns = records[0].time_ns;
    let name = |record: &Record| match holds.devices {
        true => DEVICES[record.device as usize].into(),
        false => (holds.nameless)(record.device),
    };
    let with_name = |record| Some((Record { device: 0, ..held(record, first_ns, holds)? }, name(record)));
    records.iter().filter_map(with_name).collect()
}

#[test]
fn every_written_format_is_in_the_table() {
    for format in FORMATS.iter().filter(|format| format.is_written()) {
        assert!(TABLE.iter().any(|holds| holds.name == format.name), "{} is missing", format.name);
    }
}

#[test]
fn what_a_format_holds_comes_back_and_the_rest_is_counted() {
    for holds in TABLE {
        let name = holds.name;
        let records = records(3000);
        let (bytes, losses) = write(&records, name, Compress::No);
        let (back, expected) = (read(bytes, Some(name)), expected(&records, holds));
        assert_eq!(back.len(), expected.len(), "{name}, seed {SEED}");
        for (number, (back, expected)) in back.iter().zip(&expected).enumerate() {
            assert_eq!(back, expected, "{name}, request {number}, seed {SEED}");
        }
        let count = |is: fn(&Record) -> bool| records.iter().filter(|record| is(record)).count() as u64;
        let flushes = count(|record| record.op == Op::Flush);
        let trims = count(|record| record.op == Op::Trim);
        assert_eq!(losses.of(Loss::Flush), if holds.flush { 0 } else { flushes }, "{name}");
        assert_eq!(losses.of(Loss::Trim), if holds.trim { 0 } else { trims }, "{name}");
        let kept = |record: &&Record| held(record, records[0].time_ns, holds).is_some();
        let lost = |is: fn(&Record) -> bool| records.iter().filter(kept).filter(|record| is(record)).count();
        let lost = |held: bool, is| if held { 0 } else { lost(is) as u64 };
        let latencies = lost(holds.latency, |record| record.latency_ns.is_some());
        assert_eq!(losses.of(Loss::Latency), latencies, "{name}");
        let writes = lost(holds.op, |record| record.op == Op::Write);
        assert_eq!(losses.of(Loss::Op), writes, "{name}");
        let processes = lost(holds.process, |record| record.process != Process::default());
        assert_eq!(losses.of(Loss::Process), processes, "{name}");
        let fua = lost(holds.fua, |record| record.flags.0 & Flags::FUA.0 != 0);
        assert_eq!(losses.of(Loss::Fua), fua, "{name}");
        let sync = lost(holds.sync, |record| record.flags.0 & Flags::SYNC.0 != 0);
        assert_eq!(losses.of(Loss::Sync), sync, "{name}");
        let named = records.iter().filter(kept).filter(|record| {
            holds.devices || DEVICES[record.device as usize] == (holds.nameless)(record.device)
        });
        let nameless = records.iter().filter(kept).count() - named.count();
        assert_eq!(losses.of(Loss::Device), nameless as u64, "{name}");
        let since_ns = |record: &Record| record.time_ns - records[0].time_ns;
        let cut = |record: &&Record| !since_ns(record).is_multiple_of(holds.time_step_ns);
        let cut = records.iter().filter(kept).filter(cut).count();
        assert_eq!(losses.of(Loss::TimeDigits), cut as u64, "{name}");
    }
}

#[test]
fn what_a_format_holds_loses_nothing() {
    for holds in TABLE {
        let all = records(3000);
        let held: Vec<_> = all.iter().filter_map(|record| held(record, all[0].time_ns, holds)).collect();
        let (bytes, losses) = write(&held, holds.name, Compress::No);
        let lost: Vec<_> = losses.iter().filter(|(loss, _)| *loss != Loss::Device).collect();
        assert_eq!(lost, [], "{}, seed {SEED}", holds.name);
        assert_eq!(read(bytes, Some(holds.name)).len(), held.len(), "{}", holds.name);
    }
}

/// Four reads of device 0, at these times, and a length in bytes.
fn reads(times_ns: [u64; 4], length_bytes: u64) -> Vec<Record> {
    times_ns.map(|time_ns| Record { time_ns, length_bytes, ..Record::default() }).to_vec()
}

#[test]
fn times_that_go_back_are_left_out_only_where_they_must_be() {
    let records = reads([7_000_000, 9_000_000, 8_000_000, 6_999_999], 512);
    for (format, left_out) in
        [("disksim", 2), ("mqsim", 2), ("fio-iolog", 2), ("blkparse", 0), ("blkreplay", 0)]
    {
        let (bytes, losses) = write(&records, format, Compress::No);
        assert_eq!((losses.of(Loss::Time), losses.left_out()), (left_out, left_out), "{format}");
        assert_eq!(read(bytes, Some(format)).len() as u64, 4 - left_out, "{format}");
    }
}

#[test]
fn times_that_go_back_by_less_than_a_format_tells_apart_stay() {
    let (bytes, losses) = write(&reads([5_000, 8_900, 8_100, 7_999], 512), "fio-iolog", Compress::No);
    let times_ns: Vec<_> = read(bytes, None).iter().map(|(record, _)| record.time_ns).collect();
    assert_eq!((times_ns, losses.of(Loss::Time)), (vec![1_000, 4_000, 4_000], 1));
}

#[test]
fn fio_takes_lengths_of_32_bits_and_names_without_blanks() {
    let text = |records: &[Record], name: &str| {
        let output = Shared::default();
        let mut writer = Writer::new(output.clone(), "fio-iolog", Compress::No).unwrap();
        writer.write(records, &[name.into()]).unwrap();
        let losses = writer.finish().unwrap();
        (String::from_utf8(output.take()).unwrap(), losses)
    };
    let (log, losses) = text(&reads([5000, 5000, 6999, 7000], (1 << 32) - 1), "a b\tc");
    let lines = ["1 a_b_c add", "1 a_b_c open", "1 a_b_c read 0 4294967295", "1 a_b_c read 0 4294967295"];
    let later = ["2 a_b_c read 0 4294967295", "3 a_b_c read 0 4294967295", "3 a_b_c close"];
    let expected = [&["fio version 3 iolog"][..], &lines, &later].concat().join("\n") + "\n";
    assert_eq!(log, expected);
    assert_eq!((losses.of(Loss::Device), losses.of(Loss::TimeDigits)), (4, 1));
    let (log, losses) = text(&reads([5000; 4], 1 << 32), "sda");
    assert_eq!((log.as_str(), losses.of(Loss::Range)), ("fio version 3 iolog\n", 4));
}

#[test]
fn numbers_of_devices_survive_a_simulators_format() {
    for format in ["disksim", "mqsim"] {
        let fraction = if format == "disksim" { ".000000" } else { "" };
        let line = |device| format!("0{fraction} {device} 8 8 1\n");
        let text = [4, 0, 17].map(line).concat();
        let all = read(text.clone().into_bytes(), Some(format));
        let names: Vec<_> = all.iter().map(|(_, name)| name.clone()).collect();
        let output = Shared::default();
        let mut writer = Writer::new(output.clone(), format, Compress::No).unwrap();
        for (device, (record, _)) in all.iter().enumerate() {
            writer.write(&[Record { device: device as u32, ..*record }], &names).unwrap();
        }
        assert_eq!(writer.finish().unwrap().iter().count(), 0, "{format}");
        assert_eq!(String::from_utf8(output.take()).unwrap(), text, "{format}");
    }
}

#[test]
fn compressed_traces_read_back_as_they_are() {
    let records = records(3000);
    let plain = write(&records, "blkreplay", Compress::No).0;
    for (compress, magic) in
        [(Compress::Gzip, &[0x1f, 0x8b][..]), (Compress::Zstd, &[0x28, 0xb5]), (Compress::Xz, &[0xfd, b'7'])]
    {
        let (bytes, _) = write(&records, "blkreplay", compress);
        assert!(bytes.starts_with(magic) && bytes.len() < plain.len() / 2, "{compress:?}");
        assert_eq!(read(bytes.clone(), None), read(plain.clone(), None), "{compress:?}");
        // Two streams, one behind the other, as `cat` makes them.
        let mut twice = open(Cursor::new([bytes.clone(), bytes].concat()), Some("blkreplay"), true).unwrap();
        let mut batch = Vec::new();
        while twice.next_batch(&mut batch).unwrap() > 0 {}
        // The second heading is a bad line.
        let expected = 2 * read(plain.clone(), None).len() as u64;
        assert_eq!((twice.counts().records, twice.counts().bad_lines), (expected, 1), "{compress:?}");
    }
}

#[test]
fn a_full_output_is_an_error() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    for format in FORMATS.iter().filter(|format| format.is_written()) {
        for compress in [Compress::No, Compress::Gzip, Compress::Zstd, Compress::Xz] {
            let result = Writer::new(Full, format.name, compress).and_then(|mut writer| {
                writer.write(&records(10), &DEVICES.map(String::from))?;
                writer.finish()
            });
            assert!(result.is_err(), "{} {compress:?}", format.name);
        }
    }
}
