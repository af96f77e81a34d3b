//! How a trace is read is stated, held against the data, and refused where it is not certain.

mod accepted;
mod contradicted;
mod written;

use std::io::Read;

use flashscope_core::Op;
use flashscope_core::seed::Random;
use flashscope_trace::reading::{SpaceUnit, TimeUnit, Uncertain};
use flashscope_trace::{FORMATS, Formats, ReadOptions, Record, Records, Stage, TraceError, open_bytes};

use crate::common::all;

/// A public copy of the MSR traces for replay tools: ms, disk, offset and size in bytes, 1 for a read.
fn replayer_table() -> String {
    let mut text = String::new();
    for number in 0..50_u64 {
        let (offset, size) = (3_159_347_200 + number * number * 4096, 4096 << (number % 5));
        text += &format!("{}.{:03} 0 {offset} {size} {}\n", number * 13, number * 7, number % 2);
    }
    text
}

fn uncertain(error: &TraceError) -> &Uncertain {
    match error.inner() {
        TraceError::Uncertain(uncertain) => uncertain,
        other => panic!("{other}"),
    }
}

fn refused(text: &str, format: Option<&str>) -> TraceError {
    let mut trace = open_bytes(text.to_string(), format, false).unwrap();
    let mut batch = vec![Record::default()];
    let error = trace.next_batch(&mut batch).unwrap_err();
    assert!(batch.is_empty(), "nothing is given before it is refused");
    assert_eq!(trace.next_batch(&mut batch), Err(error.clone()), "and it stays so");
    error
}

#[test]
fn bytes_in_a_table_of_sectors_are_refused_with_both_readings() {
    for format in [None, Some("disksim")] {
        let error = refused(&replayer_table(), format);
        let found = uncertain(&error);
        let [said, other] = found.outcomes;
        assert_eq!((said.units.address, said.units.length), (SpaceUnit::Sector, SpaceUnit::Sector));
        assert_eq!((other.units.address, other.units.length), (SpaceUnit::Byte, SpaceUnit::Byte));
        assert_eq!(said.length_bytes_p50, 512.0 * other.length_bytes_p50);
        assert!(found.certainty < 0.5 && other.probability > said.probability, "{found}");
        assert!(
            found.doubts.iter().any(|doubt| doubt.contains("lengths would be multiples of 256 KiB")),
            "{found}"
        );
        assert_eq!(found.columns[1], "time=1:ms,device=2,offset=3:byte,length=4:byte,op=5:1");
    }
}

#[test]
fn small_requests_that_all_begin_at_multiples_of_512_sectors_are_refused() {
    let mut random = Random::new(5);
    // Addresses in bytes, where the format has sectors; lengths in sectors.
    let mut line = |n: u64| {
        let (at, sectors) = (random.below(12 << 20) * 4096, 8 << random.below(3));
        format!("{} 123 proc {at} {sectors} W 6 0 793cf4220c917b853860886599b2ac75\n", 487_624 + n * 173_000)
    };
    let error = refused(&(0..3_000).map(&mut line).collect::<String>(), None);
    let found = uncertain(&error);
    assert!(found.certainty < 0.9, "{found}");
}

#[test]
fn the_columns_that_a_refusal_names_read_the_trace() {
    let table = replayer_table();
    let error = refused(&table, None);
    let columns = uncertain(&error).columns[1].parse().unwrap();
    let options = ReadOptions { columns: Some(columns), ..ReadOptions::default() };
    let mut trace = Formats::builtin().open_bytes_with(table, &options).unwrap();
    let records = all(&mut *trace);
    let expected = Record {
        time_ns: 13_007_000,
        op: Op::Read,
        offset_bytes: 3_159_351_296,
        length_bytes: 8192,
        ..Record::default()
    };
    assert_eq!((records.len(), records[1]), (50, expected));
    let reading = trace.reading().unwrap();
    assert_eq!((reading.time_unit, reading.address_unit), (TimeUnit::Millisecond, SpaceUnit::Byte));
    assert_eq!((reading.certainty, reading.stage), (1.0, Stage::Unknown));
}

#[test]
fn columns_read_a_table_of_any_kind() {
    let text = "# made by hand\nid\tus\tkind\tx\tlba\tbytes\n7\t1000.5\tRead\t-\t8\t4096\n\
                8\t2000\tw\t-\t0x10\t512\n\n9\t2001\tFLUSH\t-\t\t\n";
    let open = |columns: &str, lenient| {
        let options =
            ReadOptions { columns: Some(columns.parse().unwrap()), lenient, ..ReadOptions::default() };
        Formats::builtin().open_bytes_with(text, &options).unwrap()
    };
    let mut trace = open("time=2:us,offset=5:sector,length=6:byte,op=3,device=1", false);
    let found: Vec<_> =
        all(&mut *trace).iter().map(|r| (r.time_ns, r.op, r.offset_bytes, r.length_bytes)).collect();
    assert_eq!(
        found,
        [(1_000_500, Op::Read, 4096, 4096), (2_000_000, Op::Write, 8192, 512), (2_001_000, Op::Flush, 0, 0)]
    );
    assert_eq!((trace.counts().other_lines, trace.devices().len()), (3, 3));
    let mut trace = open("time=2:us,offset=5:sector,length=6:byte,op=3:1", false);
    let error = trace.next_batch(&mut Vec::new()).unwrap_err();
    assert!(matches!(error, TraceError::Line { line: 3, .. }), "{error}");
}

#[test]
fn columns_that_make_no_sense_say_what_is_allowed() {
    for (columns, said) in [
        ("time=1:us,offset=2:byte,length=3:byte", "op is missing"),
        ("time=1,offset=2:byte,length=3:byte,op=4", "time: no unit; choose one of ns"),
        ("time=1:us,offset=2,length=3:byte,op=4", "offset: no unit; choose one of byte, sector"),
        ("time=1:us,offset=2:block,length=3:byte,op=4", "unknown unit 'block'"),
        ("time=0:us,offset=2:byte,length=3:byte,op=4", "with columns from 1"),
        ("time=1:us,time=2:us,offset=2:byte,length=3:byte,op=4", "time is given twice"),
        ("tyme=1:us", "unknown key 'tyme'"),
        ("time", "not of the form"),
        ("time=1:us,offset=2:byte,length=3:byte,op=4,device=5:byte", "device: it has no unit"),
    ] {
        let error = columns.parse::<flashscope_trace::Columns>().unwrap_err().to_string();
        assert!(error.contains(said), "{columns}: {error}");
    }
}

/// Bios of 4 KiB that the block layer merges: 64 are queued, four reach the device.
fn merged(with_issues: bool) -> String {
    let mut text = String::new();
    for request in 0..4_u64 {
        let at = |event: u64| format!("{:>5}.{:09}", request, event * 1000);
        for bio in 0..16 {
            let sector = 1000 + request * 128 + bio * 8;
            text += &format!(
                "  8,0    0 {:>8} {}  4020  Q   W {sector} + 8 [dd]\n",
                request * 100 + bio,
                at(bio)
            );
        }
        let first = 1000 + request * 128;
        if with_issues {
            text += &format!("  8,0    0       90 {}  4020  D   W {first} + 128 [dd]\n", at(20));
        }
        text += &format!("  8,0    0       91 {}     0  C   W {first} + 128 [0]\n", at(90));
    }
    text
}

#[test]
fn what_reached_the_device_counts_and_another_stage_is_read_if_asked_for() {
    let read = |text: String, stage| {
        let options = ReadOptions { stage, ..ReadOptions::default() };
        let mut trace = Formats::builtin().open_bytes_with(text, &options).unwrap();
        let records = all(&mut *trace);
        let bytes: u64 = records.iter().map(|record| record.length_bytes).sum();
        let Some(reading) = trace.reading() else { panic!("it states no reading") };
        assert_eq!(trace.counts().lines - trace.counts().other_lines, records.len() as u64);
        (records.len(), bytes, reading.stage)
    };
    const BYTES: u64 = 4 * 65_536;
    assert_eq!(read(merged(true), None), (4, BYTES, Stage::Issued));
    assert_eq!(read(merged(true), Some(Stage::Queued)), (64, BYTES, Stage::Queued));
    assert_eq!(read(merged(true), Some(Stage::Completed)), (4, BYTES, Stage::Completed));
    assert_eq!(read(merged(false), None), (64, BYTES, Stage::Queued), "and says that it is queued");
}

#[test]
fn text_behind_the_heading_of_blkreplay_is_no_request() {
    let text = "Some words\nstart ; sector; length ; op ;  replay_delay=0 ; replay_duration=0\n\
                recorded at noon; by hand\n12 disks\n0.449518165 ; 37766917 ; 14 ; W ; 0.0 ; 0.0\n";
    let mut trace = open_bytes(text, Some("blkreplay"), false).unwrap();
    assert_eq!(all(&mut *trace).len(), 1);
    assert_eq!(trace.counts().other_lines, 4);
    let torn = format!("{text}by hand\n");
    let error = open_bytes(torn, Some("blkreplay"), false).unwrap().next_batch(&mut Vec::new()).unwrap_err();
    assert!(matches!(error, TraceError::Line { line: 6, .. }), "{error}");
}

#[test]
fn flushes_and_commands_of_biosnoop_are_told_apart() {
    let text = "TIME(s)     COMM           PID     DISK      T SECTOR     BYTES   LAT(ms)\n\
                0.000000    ?              0                 R -1         8          0.32\n\
                0.100000    jbd2/vda1-8    377     vda       W 2355360    61440      0.35\n\
                0.200000    ?              0       vda       R -1         0          0.40\n\
                0.300000    jbd2/vda1-8    377     vda       FWS 18446744073709551615 0 0.40\n\
                0.400000    smartctl       99      vda       R -1         512        1.00\n";
    let mut trace = open_bytes(text, None, false).unwrap();
    let ops: Vec<_> = all(&mut *trace).iter().map(|record| record.op).collect();
    assert_eq!(ops, [Op::Write, Op::Flush, Op::Flush]);
    assert_eq!((trace.counts().other_lines, trace.devices().len()), (3, 1));
}

/// As trace-cmd prints them: names of events are padded, and there may be no column of flags.
#[test]
fn reports_of_trace_cmd_are_read() {
    let text = "cpus=2\n\
        \x20            fio-4020  [001]  9203.271122: block_bio_queue:      259,0 WFS 498455552 + 8 [fio]\n\
        \x20  fio-4020  [001]  9203.271126: block_rq_issue:    259,0 WFS 4096 () 498455552 + 8 be,0,4 [fio]\n\
        \x20  <idle>-0     [000]  9203.271384: block_rq_complete:    259,0 WFS () 498455552 + 8 be,0,4 [0]\n";
    let read = |stage| {
        let options = ReadOptions { stage, ..ReadOptions::default() };
        let mut trace = Formats::builtin().open_bytes_with(text, &options).unwrap();
        let records = all(&mut *trace);
        let [record] = records[..] else { panic!("{records:?}") };
        assert_eq!((record.offset_bytes, record.length_bytes), (498_455_552 * 512, 4096));
        (record.time_ns % 1_000_000_000 / 1000, record.latency_ns, trace.reading().unwrap().stage)
    };
    assert_eq!(read(None), (271_126, Some(258_000), Stage::Issued));
    assert_eq!(read(Some(Stage::Queued)), (271_122, None, Stage::Queued));
    assert_eq!(read(Some(Stage::Completed)), (271_384, None, Stage::Completed));
}

#[test]
fn a_format_without_stages_refuses_one() {
    let options = ReadOptions { stage: Some(Stage::Queued), ..ReadOptions::new(Some("msr"), false) };
    let error = Formats::builtin().open_bytes_with(&b"1"[..], &options).err().expect("it has no stages");
    assert_eq!(error, TraceError::NoStages { format: "msr", stage: Stage::Queued });
}

#[test]
fn a_trace_of_queued_bios_alone_is_read_in_batches() {
    let text: String = (0..20_000)
        .map(|n| format!("  8,0    0 {n:>8} {n:>5}.000000000  4020  Q   W {} + 8 [dd]\n", n * 8))
        .collect();
    let mut trace = open_bytes(text, None, false).unwrap();
    let (mut batch, mut requests) = (Vec::new(), 0);
    while trace.next_batch(&mut batch).unwrap() > 0 {
        assert!(batch.len() <= flashscope_trace::BATCH + 1);
        assert!(
            batch
                .iter()
                .all(|record| record.offset_bytes == record.time_ns / 1_000_000_000 * 4096 || requests == 0)
        );
        requests += batch.len();
    }
    assert_eq!((requests, trace.counts().other_lines), (20_000, 0));
    assert_eq!(trace.reading().unwrap().stage, Stage::Queued);
}

#[test]
fn each_sample_states_a_reading_and_is_certain_of_it_once_it_is_named() {
    for format in FORMATS {
        let claim = format.claim().unwrap_or_else(|| panic!("{} says nothing", format.name));
        let (name, _) = (format.name, claim);
        let Some(bytes) = sample(name) else { continue };
        let mut trace = open_bytes(bytes, Some(name), false).unwrap();
        while trace.next_batch(&mut Vec::new()).unwrap_or_else(|error| panic!("{name}: {error}")) > 0 {}
        let reading = trace.reading().unwrap();
        assert!((0.9..=1.0).contains(&reading.certainty), "{name}: {reading}");
    }
}

/// The sample of a format.
fn sample(format: &str) -> Option<Vec<u8>> {
    let file = match format {
        "tracefs" => "untar-ext4-completions.tracefs.gz",
        "blkreplay" => "mysql-first-2000.load.gz",
        "nvme" => "nvme.txt",
        "alibaba" => "alibaba.csv",
        "tencent" => "tencent.csv",
        "k5cloud" => "k5cloud.csv",
        "systor17" => "systor17.csv",
        "cloudphysics-csv" => "cloudphysics.csv",
        "msr" => "hand-made.msr.csv",
        "disksim" => "hand-made.disksim",
        "mqsim" => "hand-made.mqsim",
        "biosnoop" => "biosnoop.txt",
        "etw" => "etw.csv",
        "parquet" => "hand-made.parquet",
        "hfplayer" => "hfplayer.csv",
        "diskmon" => "diskmon.log",
        _ => return None,
    };
    let mut bytes = std::fs::read(format!("{}/samples/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    if file.ends_with(".gz") {
        let mut text = Vec::new();
        flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut text).unwrap();
        bytes = text;
    }
    Some(bytes)
}
