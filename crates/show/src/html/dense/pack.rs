//! Many traces in little room: each has an equal share, and what one leaves the others may use.

use super::columns::Columns;
use super::exact::{exact, unit_bytes};
use super::order::in_order;
use super::{ArraySpec, Trace};
use flashscope_store::ios::{Io, IoFile};
use flashscope_store::{ResultFile, StoreError};

/// IOs by which the room for all of a trace is estimated.
const SAMPLE_IOS: u64 = 4096;
/// More IOs than these are not shown one by one: a page has to draw them.
const EXACT_IOS_MAX: u64 = 1 << 21;
/// Columns of a trace, at most: several for each pixel of a wide screen.
const COLUMNS_MAX: u64 = 1 << 14;
/// First IOs that are shown one by one beside columns, at most.
const HEAD_IOS_MAX: usize = 1 << 13;
/// What a trace says beside its blob, about.
const WORDS_BYTES: usize = 1000;

/// The IOs of one trace, packed.
pub(in super::super) struct Packed {
    ios: u64,
    column_ios: u64,
    unit_bytes: u64,
    arrays: Vec<ArraySpec>,
    base64: String,
}

impl Packed {
    /// Tells the trace what its blob holds, and gives the blob.
    pub(in super::super) fn into_trace(self, trace: &mut Trace) -> String {
        let Packed { ios, column_ios, unit_bytes, arrays, base64 } = self;
        (trace.ios, trace.column_ios, trace.unit_bytes, trace.arrays) = (ios, column_ios, unit_bytes, arrays);
        base64
    }
}

/// One file, and what all of its IOs would need.
struct Job {
    place: usize,
    file: IoFile,
    exact_bytes: usize,
}

/// Reads these files, in their order, and packs their IOs into `room_bytes` together.
pub(in super::super) fn pack(files: &[ResultFile], room_bytes: usize) -> Vec<Result<Packed, StoreError>> {
    let mut packed: Vec<Option<Result<Packed, StoreError>>> = files.iter().map(|_| None).collect();
    let mut jobs = Vec::new();
    for (place, file) in files.iter().enumerate() {
        match open(place, file) {
            Ok(job) => jobs.push(job),
            Err(error) => packed[place] = Some(Err(error)),
        }
    }
    let mut room_bytes = room_bytes.saturating_sub(jobs.len() * WORDS_BYTES);
    // From the least need to the greatest: then an equal share of what is left wastes nothing.
    jobs.sort_by_key(|job| job.exact_bytes);
    let mut left = jobs.len();
    for job in jobs {
        let one = job.pack(room_bytes / left);
        left -= 1;
        room_bytes = room_bytes.saturating_sub(one.as_ref().map_or(0, |one| one.base64.len()));
        packed[job.place] = Some(one);
    }
    packed.into_iter().flatten().collect()
}

fn open(place: usize, file: &ResultFile) -> Result<Job, StoreError> {
    let file = IoFile::open(file)?;
    let mut sample: Vec<Io> = Vec::new();
    in_order(&file, SAMPLE_IOS, |ios| sample.extend(ios))?;
    let sample_bytes = exact(&sample, unit_bytes(&sample)).base64().len() as f64;
    let share = file.ios() as f64 / sample.len().max(1) as f64;
    Ok(Job { place, file, exact_bytes: (sample_bytes * share.max(1.0)) as usize })
}

impl Job {
    fn pack(&self, room_bytes: usize) -> Result<Packed, StoreError> {
        // A sample may mislead by some; whoever is far beyond is not tried.
        if self.file.ios() <= EXACT_IOS_MAX && self.exact_bytes <= room_bytes / 2 * 3 {
            let packed = self.exact()?;
            if packed.base64.len() <= room_bytes {
                return Ok(packed);
            }
        }
        self.columns(room_bytes)
    }

    fn exact(&self) -> Result<Packed, StoreError> {
        let mut all: Vec<Io> = Vec::with_capacity(self.file.ios() as usize);
        in_order(&self.file, u64::MAX, |ios| all.extend(ios))?;
        all.sort_by_key(|io| io.submit_ns);
        let unit_bytes = unit_bytes(&all);
        let blob = exact(&all, unit_bytes);
        let base64 = blob.base64();
        Ok(Packed { ios: all.len() as u64, column_ios: 1, unit_bytes, arrays: blob.arrays, base64 })
    }

    /// As many columns as there is room for.
    fn columns(&self, room_bytes: usize) -> Result<Packed, StoreError> {
        let ios = self.file.ios();
        let mut fine = Columns::new(ios.div_ceil(COLUMNS_MAX).max(2), HEAD_IOS_MAX);
        in_order(&self.file, u64::MAX, |ios| fine.extend(ios))?;
        fine.close();
        let mut times = 1;
        loop {
            let coarse = fine.coarser(times);
            // A quarter of the room for the first IOs, at four bytes each.
            let blob = coarse.blob(room_bytes / 16);
            let base64 = blob.base64();
            if base64.len() <= room_bytes || coarse.count() <= 1 {
                let (column_ios, unit_bytes) = (coarse.column_ios, coarse.unit_bytes());
                return Ok(Packed { ios, column_ios, unit_bytes, arrays: blob.arrays, base64 });
            }
            let over = base64.len() as f64 / room_bytes.max(1) as f64;
            times = (times + 1).max((times as f64 * over * 0.95) as u64);
        }
    }
}
