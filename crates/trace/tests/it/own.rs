//! Formats and generators of others are found by name and recognised, and may take the place of those that
//! come with the crate.

use flashscope_core::{Flags, Op};
use flashscope_trace::format::{Devices, EntryFormat, Format, Formats, LineFormat, Problem};
use flashscope_trace::generate::{Emit, Generator, Generators, Key, Options, Workload};
use flashscope_trace::transform::{Note, Refusal, Step, Transform, Transformed};
use flashscope_trace::{Record, Records, TraceError, TraceFile};

use crate::common::{Listed, all, record};

/// `@BLOCK`, a read each.
#[derive(Default)]
struct At;

impl LineFormat for At {
    fn line(&mut self, line: &[u8], devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem> {
        let digits = line.strip_prefix(b"@").ok_or("it does not begin with @")?;
        let number = std::str::from_utf8(digits).ok().and_then(|text| text.parse::<u32>().ok());
        let block = number.ok_or("the block is not a number")?;
        let device = devices.number(b"own")?;
        records.push(Record { device, ..record(Op::Read, 0, u64::from(block) * 512, 512) });
        Ok(())
    }
}

static AT: Format = Format::lines::<At>("at", "@block").with_extensions(&["at"]);

/// Entries of two bytes: a block, little-endian.
#[derive(Default)]
struct Short;

impl EntryFormat for Short {
    const BYTES: usize = 2;

    fn entry(
        &mut self,
        entry: &[u8],
        devices: &mut Devices,
        records: &mut Vec<Record>,
    ) -> Result<(), Problem> {
        let block = u16::from_le_bytes([entry[0], entry[1]]);
        if block == 0xffff {
            return Err("there is no such block");
        }
        let device = devices.number(b"own")?;
        records.push(Record { device, ..record(Op::Write, 0, u64::from(block) * 512, 512) });
        Ok(())
    }
}

static SHORT: Format = Format::entries::<Short>("short", "blocks").sniffed_by(|_| 1);

#[test]
fn an_own_format_is_found_by_name_and_recognised() {
    let formats = Formats::builtin().with(&AT).with(&SHORT);
    let text = &b"@7\n@8\n"[..];
    for name in [None, Some("at")] {
        let mut trace = formats.open_bytes(text, name, false).unwrap();
        assert_eq!(
            all(&mut *trace).iter().map(|record| record.offset_bytes / 512).collect::<Vec<_>>(),
            [7, 8]
        );
        assert_eq!((trace.format(), trace.devices()), ("at", &["own".to_string()][..]));
    }
    let sure: Vec<_> = formats.sniff(text).iter().map(|(format, percent)| (format.name, *percent)).collect();
    assert_eq!(sure, [("at", 100), ("short", 1)]);
    assert!(matches!(Formats::builtin().open_bytes(text, None, false), Err(TraceError::Unrecognised { .. })));
    let Err(TraceError::UnknownFormat { known, .. }) = formats.find("ta") else { panic!("it finds ta") };
    assert!(known.starts_with("short, at, tracefs, "), "{known}");
}

#[test]
fn a_bad_entry_of_an_own_format_is_named_by_number_and_place() {
    let formats = Formats::builtin().with(&SHORT);
    let mut trace = formats.open(&[7, 0, 8, 0, 0xff, 0xff, 9, 0][..], Some("short"), false).unwrap();
    let error = trace.next_batch(&mut Vec::new()).unwrap_err();
    assert!(matches!(error, TraceError::Entry { entry: 3, offset_bytes: 4, .. }), "{error}");
}

#[test]
fn an_own_format_takes_the_place_of_one_of_its_name() {
    static OTHER_MSR: Format = Format::lines::<At>("msr", "@block");
    let formats = Formats::builtin().with(&OTHER_MSR);
    assert_eq!(formats.iter().count(), Formats::builtin().iter().count());
    assert_eq!(formats.open(&b"@7\n"[..], Some("msr"), false).unwrap().next_batch(&mut Vec::new()), Ok(1));
}

#[test]
fn a_file_is_opened_as_an_own_format() {
    let path = std::env::temp_dir().join(format!("own-{}.at", std::process::id()));
    std::fs::write(&path, "@1\n@2\n@3\n").unwrap();
    let file = TraceFile { formats: Formats::builtin().with(&AT), ..TraceFile::new(&path) };
    let found = all(&mut *file.open().unwrap()).len();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(found, 3);
    assert!(matches!(file.open().err().map(|error| error.inner().clone()), Some(TraceError::Open { .. })));
}

/// Writes downwards from the end of the device.
struct Down {
    offset_bytes: u64,
    bs: u64,
}

impl Workload for Down {
    fn step(&mut self, emit: &mut Emit) -> bool {
        self.offset_bytes -= self.bs;
        emit.issue(Op::Write, self.offset_bytes, self.bs, Flags::NONE);
        emit.pass(1_000);
        self.offset_bytes >= self.bs
    }
}

static DOWN: Generator = Generator {
    name: "down",
    paper: "",
    about: "writes downwards",
    keys: &[Key { name: "bs", default: "4KiB", about: "size of a write" }],
    make: |settings| {
        Ok(Box::new(Down { offset_bytes: settings.size_bytes, bs: settings.request_bytes("bs")? }))
    },
};

#[test]
fn an_own_generator_is_found_by_name_and_takes_its_settings() {
    let generators = Generators::builtin().with(&DOWN);
    let options = Options { size_bytes: 4096, set: vec![("bs".into(), "1KiB".into())], ..Options::default() };
    let records = all(&mut generators.generate("down", &options).unwrap());
    let expected = [3, 2, 1, 0].map(|block| record(Op::Write, (3 - block) * 1_000, block * 1024, 1024));
    assert_eq!(records, expected);
    let bad = Options { set: vec![("bs".into(), "7".into())], ..options.clone() };
    let refused = generators.generate("down", &bad).err();
    assert!(matches!(refused, Some(TraceError::Setting { key, .. }) if key == "bs"));
    let unknown = Generators::builtin().generate("down", &options).err();
    assert!(matches!(unknown, Some(TraceError::UnknownGenerator { .. })));
}

/// Reads become writes; trims are refused.
#[derive(Default)]
struct Overwrite {
    count: u64,
}

impl Transform for Overwrite {
    fn step(&mut self, record: &mut Record, _: &[String]) -> Result<Step, Refusal> {
        if record.op == Op::Trim {
            return Err(Refusal { problem: "it is a trim".into(), remedy: "leave trims out first".into() });
        }
        self.count += u64::from(record.op == Op::Read);
        record.op = Op::Write;
        Ok(Step::Keep)
    }

    fn notes(&self) -> Vec<Note> {
        vec![Note::new(self.count, "reads made writes")]
    }
}

#[test]
fn an_own_transform_stands_where_any_other_does() {
    let input = [record(Op::Read, 0, 0, 512), record(Op::Write, 1, 512, 512)];
    let mut trace = Transformed::new(Listed::new(input.to_vec()), Overwrite::default());
    assert_eq!(all(&mut trace), [record(Op::Write, 0, 0, 512), input[1]]);
    assert_eq!(trace.notes(), [Note::new(1, "reads made writes")]);
    let trim = Listed::new(vec![record(Op::Trim, 0, 0, 512)]);
    let error = Transformed::new(trim, Overwrite::default()).next_batch(&mut Vec::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "request 1 of the trace: trim of 512 bytes at offset 0: it is a trim; leave trims out first"
    );
}
