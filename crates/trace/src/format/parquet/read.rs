//! Row groups as requests.

use std::panic::{AssertUnwindSafe, catch_unwind};

use flashscope_core::request::{Flags, Op};
use parquet::data_type::{BoolType, ByteArrayType};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, RowGroupReader, SerializedFileReader};

use super::NAME;
use super::columns::{Numbers, Place, Values, find};
use crate::devices::Devices;
use crate::error::TraceError;
use crate::reading::Reading;
use crate::record::{Process, Record};
use crate::records::{BATCH, Counts, Records};
use crate::seen::Seen;
use crate::text::Problem;

type Result<T> = std::result::Result<T, ParquetError>;

/// A table that is read; a row is what a line is elsewhere.
pub(crate) struct ParquetTrace<R: ChunkReader> {
    file: SerializedFileReader<R>,
    places: Places,
    /// Groups begun so far.
    groups: usize,
    group: Option<Group>,
    lenient: bool,
    devices: Devices,
    seen: Seen,
    first_bad: Option<TraceError>,
}

/// Where the columns are.
struct Places {
    time: Place,
    op: Place,
    offset: Place,
    length: Place,
    device: Option<Place>,
    latency: Option<Place>,
    fua: Option<Place>,
    sync: Option<Place>,
    pid: Option<Place>,
    process: Option<Place>,
}

/// The columns of the group at hand.
struct Group {
    rows_left: usize,
    time: Numbers,
    op: Values<ByteArrayType>,
    offset: Numbers,
    length: Numbers,
    device: Option<Values<ByteArrayType>>,
    latency: Option<Numbers>,
    fua: Option<Values<BoolType>>,
    sync: Option<Values<BoolType>>,
    pid: Option<Numbers>,
    process: Option<Values<ByteArrayType>>,
}

impl<R: ChunkReader + 'static> ParquetTrace<R> {
    /// Reads the table's end.
    pub(crate) fn open(file: R, lenient: bool) -> std::result::Result<ParquetTrace<R>, TraceError> {
        let length_bytes = file.len();
        let (places, file) = guarded(0, || {
            let file = SerializedFileReader::new(file)?;
            check_chunks(&file, length_bytes)?;
            Ok((Places::of(&file)?, file))
        })?;
        Ok(ParquetTrace {
            file,
            places,
            groups: 0,
            group: None,
            lenient,
            devices: Devices::default(),
            seen: Seen::default(),
            first_bad: None,
        })
    }

    /// The next rows until there is a request among them, or the end.
    fn fill(&mut self, records: &mut Vec<Record>) -> std::result::Result<(), TraceError> {
        while records.is_empty() {
            let rows = guarded(self.seen.counts.lines, || self.rows())?;
            if rows == 0 {
                return Ok(());
            }
            let group = self.group.as_mut().expect("it has rows");
            for row in 0..rows {
                self.seen.counts.lines += 1;
                match group.record(row, &mut self.devices) {
                    Ok(record) => records.push(record),
                    Err((problem, text)) => {
                        let problem = problem.into();
                        let error = TraceError::Line { line: self.seen.counts.lines, problem, text };
                        if !self.lenient {
                            return Err(error);
                        }
                        self.seen.counts.bad_lines += 1;
                        self.first_bad.get_or_insert(error);
                    }
                }
            }
        }
        Ok(())
    }

    /// Reads the next rows of all columns; returns how many, 0 at the end.
    fn rows(&mut self) -> Result<usize> {
        loop {
            if let Some(group) = self.group.as_mut().filter(|group| group.rows_left > 0) {
                return group.read();
            }
            if self.groups == self.file.num_row_groups() {
                return Ok(0);
            }
            let group = self.file.get_row_group(self.groups)?;
            self.group = Some(Group::open(&self.places, &*group)?);
            self.groups += 1;
        }
    }
}

impl<R: ChunkReader + 'static> Records for ParquetTrace<R> {
    fn next_batch(&mut self, records: &mut Vec<Record>) -> std::result::Result<usize, TraceError> {
        records.clear();
        self.seen.check()?;
        let read = self.fill(records);
        self.seen.take(records, read, NAME)
    }

    fn format(&self) -> &'static str {
        NAME
    }

    fn devices(&self) -> &[String] {
        self.devices.names()
    }

    fn counts(&self) -> Counts {
        self.seen.counts
    }

    fn first_bad_line(&self) -> Option<&TraceError> {
        self.first_bad.as_ref()
    }

    fn reading(&self) -> Option<Reading> {
        Some(Reading::certain(&super::CLAIM))
    }
}

/// A table that contradicts itself makes the crate parquet panic here and there. A reader that failed is not
/// used again.
fn guarded<T>(line: u64, read: impl FnOnce() -> Result<T>) -> std::result::Result<T, TraceError> {
    let damaged = |cause| TraceError::Read { line, cause };
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(result) => result.map_err(|error| damaged(error.into())),
        Err(_) => Err(damaged("the table contradicts itself".into())),
    }
}

/// An error if a column of a group is said to lie outside of the file.
fn check_chunks<R: ChunkReader + 'static>(file: &SerializedFileReader<R>, length_bytes: u64) -> Result<()> {
    let columns = file.metadata().row_groups().iter().flat_map(|group| group.columns());
    for column in columns {
        let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
        let ends = |start: u64| {
            Some(start.checked_add(u64::try_from(column.compressed_size()).ok()?)? <= length_bytes)
        };
        let is_within =
            column.data_page_offset() >= 0 && u64::try_from(start).ok().and_then(ends) == Some(true);
        if !is_within {
            return Err(ParquetError::General("a column lies outside of the file".into()));
        }
    }
    Ok(())
}

impl Places {
    fn of<R: ChunkReader + 'static>(file: &SerializedFileReader<R>) -> Result<Places> {
        let schema = file.metadata().file_metadata().schema_descr();
        let maybe = |name: &str| find(schema, name);
        let needed =
            |name: &str| maybe(name).ok_or_else(|| ParquetError::General(format!("it has no column {name}")));
        Ok(Places {
            time: needed("time_ns")?,
            op: needed("op")?,
            offset: needed("offset_bytes")?,
            length: needed("length_bytes")?,
            device: maybe("device"),
            latency: maybe("latency_ns"),
            fua: maybe("fua"),
            sync: maybe("sync"),
            pid: maybe("pid"),
            process: maybe("process"),
        })
    }
}

/// Opens or reads a column that may be missing.
fn each<T, U>(column: Option<T>, then: impl FnOnce(T) -> Result<U>) -> Result<Option<U>> {
    column.map(then).transpose()
}

impl Group {
    fn open(places: &Places, group: &dyn RowGroupReader) -> Result<Group> {
        let rows = usize::try_from(group.metadata().num_rows());
        Ok(Group {
            rows_left: rows.map_err(|_| ParquetError::General("a group has less than no rows".into()))?,
            time: places.time.numbers(group)?,
            op: places.op.texts(group)?,
            offset: places.offset.numbers(group)?,
            length: places.length.numbers(group)?,
            device: each(places.device.as_ref(), |place| place.texts(group))?,
            latency: each(places.latency.as_ref(), |place| place.numbers(group))?,
            fua: each(places.fua.as_ref(), |place| place.truths(group))?,
            sync: each(places.sync.as_ref(), |place| place.truths(group))?,
            pid: each(places.pid.as_ref(), |place| place.numbers(group))?,
            process: each(places.process.as_ref(), |place| place.texts(group))?,
        })
    }

    fn read(&mut self) -> Result<usize> {
        let rows = self.rows_left.min(BATCH);
        self.rows_left -= rows;
        let Group { rows_left: _, time, op, offset, length, device, latency, fua, sync, pid, process } = self;
        for numbers in [time, offset, length] {
            numbers.read(rows)?;
        }
        op.read(rows)?;
        for numbers in [latency, pid] {
            each(numbers.as_mut(), |column| column.read(rows))?;
        }
        for texts in [device, process] {
            each(texts.as_mut(), |column| column.read(rows))?;
        }
        for truths in [fua, sync] {
            each(truths.as_mut(), |column| column.read(rows))?;
        }
        Ok(rows)
    }

    /// The request of a row of those read last; every row is asked for, in order.
    #[inline(always)]
    fn record(
        &mut self,
        row: usize,
        devices: &mut Devices,
    ) -> std::result::Result<Record, (Problem, String)> {
        let numbers = [self.time.of(row), self.offset.of(row), self.length.of(row)];
        let latency = self.latency.as_mut().map_or(Ok(None), |column| column.of(row));
        let pid = self.pid.as_mut().map_or(Ok(None), |column| column.of(row));
        let is = |column: &mut Option<Values<BoolType>>| column.as_mut()?.of(row).copied();
        let fua = if is(&mut self.fua).unwrap_or(false) { Flags::FUA.0 } else { 0 };
        let sync = if is(&mut self.sync).unwrap_or(false) { Flags::SYNC.0 } else { 0 };
        let op = self.op.of(row).map_or(&b""[..], |op| op.data());
        let device = self.device.as_mut().and_then(|column| column.of(row));
        let device = device.map_or(&b"0"[..], |name| name.data());
        let process = self.process.as_mut().and_then(|column| column.of(row));
        let name = process.map_or(&b""[..], |name| name.data());
        let mut make = || {
            let [time_ns, offset_bytes, length_bytes] = whole(numbers)?;
            let op = operation(op)?;
            check_range(op, offset_bytes, length_bytes)?;
            let pid = u32::try_from(pid?.unwrap_or(0)).map_err(|_| "the pid does not fit 32 bits")?;
            Ok(Record {
                time_ns,
                offset_bytes,
                length_bytes,
                latency_ns: latency?,
                device: devices.number(device)?,
                process: Process::new(pid, name),
                op,
                flags: Flags(fua | sync),
            })
        };
        make().map_err(|problem| (problem, shown(op, numbers)))
    }
}

type Number = std::result::Result<Option<u64>, Problem>;

#[inline(always)]
fn whole(numbers: [Number; 3]) -> std::result::Result<[u64; 3], Problem> {
    const NULL: Problem = "time, offset or length is null";
    let [time, offset, length] = numbers;
    Ok([time?.ok_or(NULL)?, offset?.ok_or(NULL)?, length?.ok_or(NULL)?])
}

#[inline(always)]
fn operation(name: &[u8]) -> std::result::Result<Op, Problem> {
    match name {
        b"read" => Ok(Op::Read),
        b"write" => Ok(Op::Write),
        b"flush" => Ok(Op::Flush),
        b"trim" => Ok(Op::Trim),
        _ => Err("the op is not one of read, write, flush, trim"),
    }
}

#[inline(always)]
fn check_range(op: Op, offset_bytes: u64, length_bytes: u64) -> std::result::Result<(), Problem> {
    match op {
        Op::Flush if offset_bytes == 0 && length_bytes == 0 => Ok(()),
        Op::Flush => Err("a flush has a range"),
        _ if length_bytes == 0 => Err("the length is zero"),
        _ if offset_bytes.checked_add(length_bytes).is_none() => Err("the range does not fit 64 bits"),
        _ => Ok(()),
    }
}

/// A row as a message shows it.
#[cold]
fn shown(op: &[u8], numbers: [Number; 3]) -> String {
    let [time, offset, length] = numbers.map(|number| match number {
        Ok(Some(number)) => number.to_string(),
        Ok(None) => "null".into(),
        Err(_) => "negative".into(),
    });
    let op = crate::error::shown(op);
    format!("time_ns {time}, op {op}, offset_bytes {offset}, length_bytes {length}")
}
