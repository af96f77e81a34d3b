//! blktrace's binary form: entries in both byte orders, the rule that picks one action of a request, files of
//! several CPUs, and damage. Entries are put together here, from `struct blk_io_trace`; the samples come from
//! `samples/make-binary-samples.py`, and blkparse prints the same of them.
#![allow(clippy::print_stderr)]

use std::fs::File;
use std::io::{Cursor, Read};
use std::process::Command;

use flashscope_core::request::{Flags, Op};
use flashscope_trace::{Counts, CpuFiles, Record, Records, TraceError, open};

const READ: u32 = 1;
const WRITE: u32 = 2;
const FLUSH: u32 = 4;
const ISSUE: u32 = 64;
const PASSED_THROUGH: u32 = 512;
const NOTIFICATION: u32 = 1024;

/// An entry in this machine's own order, which the format has to find out.
struct Entry {
    time_ns: u64,
    sector: u64,
    bytes: u32,
    kind: u32,
    categories: u32,
    pid: u32,
    data: &'static [u8],
}

const READS: Entry =
    Entry { time_ns: 5, sector: 8, bytes: 4096, kind: 7, categories: READ | ISSUE, pid: 7, data: b"" };

impl Entry {
    fn bytes(&self) -> Vec<u8> {
        let mut all = Vec::new();
        let u32s = |numbers: &[u32], all: &mut Vec<u8>| {
            numbers.iter().for_each(|number| all.extend(number.to_ne_bytes()));
        };
        u32s(&[0x6561_7407, 1], &mut all);
        all.extend(self.time_ns.to_ne_bytes());
        all.extend(self.sector.to_ne_bytes());
        let device = 259 << 20 | 2;
        u32s(&[self.bytes, self.kind | self.categories << 16, self.pid, device, 0], &mut all);
        all.extend(0u16.to_ne_bytes());
        all.extend((self.data.len() as u16).to_ne_bytes());
        all.extend(self.data);
        all
    }
}

fn read(input: impl Read + Send + 'static, lenient: bool) -> (Vec<Record>, Option<TraceError>, Counts) {
    let mut reader = open(input, Some("blktrace"), lenient).unwrap();
    let (mut all, mut batch) = (Vec::new(), Vec::new());
    loop {
        let result = reader.next_batch(&mut batch);
        all.extend_from_slice(&batch);
        match result {
            Ok(0) => return (all, None, reader.counts()),
            Ok(_) => {}
            Err(error) => return (all, Some(error), reader.counts()),
        }
    }
}

fn records(entries: &[Entry]) -> Vec<Record> {
    let bytes: Vec<u8> = entries.iter().flat_map(Entry::bytes).collect();
    let (records, error, _) = read(Cursor::new(bytes), false);
    assert_eq!(error, None);
    records
}

fn path(name: &str) -> String {
    format!("{}/samples/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn sample(name: &str) -> Box<dyn Read + Send> {
    Box::new(File::open(path(name)).unwrap())
}

fn cpus() -> CpuFiles {
    CpuFiles::new((0..3).map(|cpu| sample(&format!("hand-made.blktrace.{cpu}"))).collect()).unwrap()
}

#[test]
fn an_entry_as_its_bytes_say_in_both_orders() {
    // No. 1, 5,000,000,001 ns, sector 0x1234, 8192 bytes, Q with write, sync and FUA (2 + 8 + 0x8000, 16
    // for the queue), process 4020, device 259,2, CPU 1, no error, no data.
    let little = b"\x07tae\x01\0\0\0\x01\xf2\x05\x2a\x01\0\0\0\x34\x12\0\0\0\0\0\0\0\x20\0\0\x01\0\x1a\x80\
        \xb4\x0f\0\0\x02\0\x30\x10\x01\0\0\0\0\0\0\0";
    let big = b"eat\x07\0\0\0\x01\0\0\0\x01\x2a\x05\xf2\x01\0\0\0\0\0\0\x12\x34\0\0\x20\0\x80\x1a\0\x01\
        \0\0\x0f\xb4\x10\x30\0\x02\0\0\0\x01\0\0\0\0";
    for bytes in [little, big] {
        let mut reader = open(Cursor::new(bytes.to_vec()), None, false).unwrap();
        let mut batch = Vec::new();
        assert_eq!(reader.next_batch(&mut batch), Ok(1));
        let record = &batch[0];
        assert_eq!((record.time_ns, record.offset_bytes), (5_000_000_001, 0x1234 * 512));
        assert_eq!((record.length_bytes, record.op), (8192, Op::Write));
        assert_eq!(record.flags, Flags(Flags::FUA.0 | Flags::SYNC.0));
        assert_eq!((record.process.pid, reader.devices()), (4020, &["259,2".to_string()][..]));
    }
}

#[test]
fn a_request_counts_once_as_what_the_device_got() {
    let at = |time_ns, kind| Entry { time_ns, kind, ..READS };
    let times = |entries: &[Entry]| records(entries).iter().map(|r| r.time_ns).collect::<Vec<_>>();
    let (q, merged, i, d, c) = (1, 2, 12, 7, 8);
    assert_eq!(times(&[at(1, q), at(2, merged), at(3, i), at(4, d), at(5, c), at(6, q)]), [4]);
    assert_eq!(times(&[at(1, d), at(2, c), at(3, d)]), [1, 3], "a trace of issues alone");
    assert_eq!(
        times(&[at(1, q), at(2, i), at(3, q), at(4, i)]),
        [2, 4],
        "insertions are nearer to the device"
    );
    assert_eq!(times(&[at(1, q), at(2, c), at(3, q)]), [1, 3], "a trace of queued requests");
    assert_eq!(times(&[at(1, c), at(2, c)]), [1, 2], "a trace of completions alone");
}

#[test]
fn what_is_no_request_and_what_is_two() {
    let flush = Entry { bytes: 0, categories: WRITE | FLUSH | ISSUE, ..READS };
    let flush_and_write = Entry { categories: WRITE | FLUSH | ISSUE, ..READS };
    let passed_through = Entry { categories: READ | PASSED_THROUGH | ISSUE, ..READS };
    let nothing = Entry { bytes: 0, ..READS };
    let ops: Vec<_> = records(&[flush, flush_and_write, passed_through, nothing, READS])
        .iter()
        .map(|record| (record.op, record.offset_bytes, record.length_bytes))
        .collect();
    let flush = (Op::Flush, 0, 0);
    assert_eq!(ops, [flush, flush, (Op::Write, 4096, 4096), (Op::Read, 4096, 4096)]);
}

#[test]
fn notifications_name_processes() {
    let names = |kind, data| Entry { kind, categories: NOTIFICATION, pid: 7, data, ..READS };
    let name = |entries: &[Entry]| {
        let process = records(entries).pop().unwrap().process;
        assert_eq!(process.pid, 7);
        String::from_utf8(process.name().to_vec()).unwrap()
    };
    assert_eq!(name(&[READS]), "");
    assert_eq!(name(&[names(0, b"tar\0\0garbage"), READS]), "tar");
    assert_eq!(name(&[READS, names(0, b"tar\0"), READS, names(0, b"cp\0"), READS]), "cp");
    assert_eq!(name(&[names(0x100, b"\x08cgroup.tar\0"), READS]), "tar", "behind the number of its cgroup");
    assert_eq!(name(&[names(2, b"a message"), names(1, b"\0\0\0\0\0\0\0\0"), READS]), "");
}

#[test]
fn each_field_is_checked() {
    for (bad, said) in [
        (Entry { kind: 0, ..READS }, "action is unknown"),
        (Entry { kind: 18, ..READS }, "action is unknown"),
        (Entry { bytes: 0, categories: WRITE | ISSUE, ..READS }, "length is zero"),
        (Entry { sector: 1 << 55, ..READS }, "does not fit"),
        (Entry { sector: (1 << 55) - 1, ..READS }, "does not fit"),
        (Entry { kind: 3, categories: NOTIFICATION, ..READS }, "notification is unknown"),
        (Entry { kind: 0, categories: NOTIFICATION, pid: 1 << 23, ..READS }, "process number"),
    ] {
        let bytes = [READS.bytes(), bad.bytes(), READS.bytes()].concat();
        let (records, error, _) = read(Cursor::new(bytes.clone()), false);
        let Some(TraceError::Entry { entry: 2, offset_bytes: 48, problem, .. }) = error else {
            panic!("{said}: {error:?}")
        };
        assert!(problem.contains(said), "{problem}");
        assert_eq!(records.len(), 1);
        let (records, error, counts) = read(Cursor::new(bytes), true);
        assert_eq!((records.len(), error, counts.bad_lines), (2, None, 1));
    }
}

#[test]
fn what_lies_between_entries_is_one_bad_entry_and_the_next_magic_is_found() {
    for garbage in [1, 47, 48, 49, 1000, 300_000] {
        let garbage = vec![0x65; garbage];
        let bytes = [READS.bytes(), garbage.clone(), READS.bytes(), READS.bytes()[..30].to_vec()].concat();
        let (records, error, counts) = read(Cursor::new(bytes.clone()), true);
        assert_eq!((records.len(), error), (2, None));
        assert_eq!((counts.lines, counts.bad_lines), (4, 2), "{} bytes", garbage.len());
        assert!(counts.is_last_line_open);
        let (records, error, _) = read(Cursor::new(bytes), false);
        assert_eq!(records.len(), 1);
        assert!(error.unwrap().to_string().contains("entry 2, at byte 48: it does not begin with the magic"));
    }
}

/// All but the order of ties.
fn sorted(mut records: Vec<Record>) -> Vec<Record> {
    records.sort_by_key(|r| (r.time_ns, r.device, r.process.pid, r.op as u8, r.offset_bytes));
    records
}

#[test]
fn the_files_of_the_cpus_are_one_trace_in_the_order_of_time() {
    let (whole, _, one) = read(sample("hand-made-big-endian.blktrace"), false);
    let (merged, error, counts) = read(cpus(), false);
    assert_eq!(error, None);
    assert_eq!(sorted(merged), sorted(whole), "names from the first CPU's file included");
    assert_eq!((counts, counts.unsorted), (one, 0));
}

#[test]
fn damage_in_one_cpus_file_costs_the_others_nothing() {
    let bytes = |cpu| {
        let mut bytes = Vec::new();
        sample(&format!("hand-made.blktrace.{cpu}")).read_to_end(&mut bytes).unwrap();
        bytes
    };
    let (whole, ..) = read(cpus(), false);
    // The first file is cut within an entry, the second has garbage in its middle, the third is empty.
    let mut cut = bytes(0);
    cut.truncate(cut.len() - 10);
    let mut damaged = bytes(1);
    damaged.splice(0..0, [1; 100]);
    let inputs = [cut, damaged, bytes(2), Vec::new()];
    let inputs = inputs.into_iter().map(|bytes| Box::new(Cursor::new(bytes)) as Box<dyn Read + Send>);
    let (records, error, counts) = read(CpuFiles::new(inputs.collect()).unwrap(), true);
    assert_eq!((error, counts.bad_lines), (None, 2));
    // What is cut is a completion.
    assert_eq!(sorted(records), sorted(whole));
}

#[test]
fn blkparse_prints_the_same_requests() {
    if Command::new("blkparse").arg("-V").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "install blkparse (Debian: blktrace)");
        eprintln!("skipped: there is no blkparse");
        return;
    }
    let format = "%a %D %T.%9t %p %d %S %N %C\\n";
    let base = path("hand-made");
    let output = Command::new("blkparse").args(["-q", "-i", &base, "-f", format]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let issued = text.lines().filter(|line| line.starts_with("D "));
    let mut printed: Vec<String> =
        issued.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let mut reader = open(cpus(), None, false).unwrap();
    let (mut all, mut batch) = (Vec::new(), Vec::new());
    while reader.next_batch(&mut batch).unwrap() > 0 {
        all.extend_from_slice(&batch);
    }
    let mut ours: Vec<String> = Vec::new();
    let mut all = all.into_iter().peekable();
    while let Some(mut record) = all.next() {
        // blkparse shows a flush before a write as a letter of it.
        let next_is_its_write = |next: &Record| next.op == Op::Write && next.flags.0 & Flags::FUA.0 != 0;
        let mut letters = String::new();
        if record.op == Op::Flush {
            letters.push('F');
            match all.next_if(next_is_its_write) {
                Some(write) => record = write,
                None => letters.push_str("WS"),
            }
        }
        letters.push_str(["R", "W", "", "D"][record.op as usize]);
        letters.push_str(if record.flags.0 & Flags::FUA.0 != 0 { "F" } else { "" });
        letters.push_str(if record.flags.0 & Flags::SYNC.0 != 0 { "S" } else { "" });
        // The samples' forced writes are metadata, which a record does not say.
        letters.push_str(if record.flags.0 & Flags::FUA.0 != 0 { "M" } else { "" });
        let after_ns = record.time_ns - 5_000_000_000;
        ours.push(format!(
            "D {} {}.{:09} {} {letters} {} {} {}",
            reader.devices()[record.device as usize],
            after_ns / 1_000_000_000,
            after_ns % 1_000_000_000,
            record.process.pid,
            record.offset_bytes / 512,
            record.length_bytes,
            String::from_utf8_lossy(record.process.name()),
        ));
    }
    printed.sort();
    ours.sort();
    assert_eq!(ours.len(), 42);
    assert_eq!(ours, printed);
}
