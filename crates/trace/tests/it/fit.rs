//! Traces fitted to a device of another size, against references that go block by block.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::common::{Listed, all, drain, random_records, record};
use flashscope_core::Op::{Flush, Read, Trim, Write};
use flashscope_core::number::{count, exact_size};
use flashscope_trace::transform::{Fit, FitMode, Layout, Transformed};
use flashscope_trace::{Record, Records, TraceError};

const MIB: u64 = 1 << 20;

fn layout(records: &[Record], chunk_bytes: u64) -> Arc<Layout> {
    Arc::new(Layout::survey(&mut Listed::new(records.to_vec()), chunk_bytes).unwrap())
}

fn fitted(records: &[Record], fit: Fit) -> (Vec<Record>, BTreeMap<String, u64>) {
    let mut fitted = Transformed::new(Listed::new(records.to_vec()), fit);
    let all = all(&mut fitted);
    (
        all,
        fitted
            .notes()
            .into_iter()
            .map(|note| (format!("{}, {}", note.about, note.detail), note.count))
            .collect(),
    )
}

fn note(notes: &BTreeMap<String, u64>, words: &str) -> u64 {
    notes.iter().find(|(about, _)| about.contains(words)).map_or(0, |(_, &count)| count)
}

fn is_data(record: &Record) -> bool {
    matches!(record.op, Read | Write)
}

/// The blocks of 512 bytes of a record, in order: device and number.
fn sectors(record: &Record) -> impl Iterator<Item = (u32, u64)> + use<> {
    let device = record.device;
    let end = record.offset_bytes + record.length_bytes;
    (record.offset_bytes / 512..end / 512).map(move |sector| (device, sector))
}

fn all_sectors(records: &[Record]) -> Vec<(u32, u64)> {
    records.iter().flat_map(sectors).collect()
}

/// Units of 4 KiB on which places of different distance came to lie.
fn collisions(before: &[(u32, u64)], behind: &[(u32, u64)]) -> (u64, u64) {
    let mut distances: BTreeMap<(u32, u64), BTreeSet<i128>> = BTreeMap::new();
    for (&(_, from), &(device, to)) in before.iter().zip(behind) {
        let distance = i128::from(from) - i128::from(to);
        distances.entry((device, to / 8)).or_default().insert(distance);
    }
    let collided = distances.values().filter(|distances| distances.len() > 1).count();
    (collided as u64, distances.len() as u64)
}

#[test]
fn modulo_wraps_every_block_and_counts_what_collides() {
    let records = random_records(31, 3000, 16 * MIB);
    let size = 5 * MIB;
    let (behind, notes) = fitted(&records, Fit::new(FitMode::Modulo, size, None, false).unwrap());
    let expected: Vec<_> =
        all_sectors(&records).iter().map(|&(device, sector)| (device, sector % (size / 512))).collect();
    assert_eq!(all_sectors(&behind), expected);
    let is_across =
        |record: &&Record| record.offset_bytes % size + record.length_bytes > size && record.op != Flush;
    let wrapped = records.iter().filter(is_across).count() as u64;
    assert!(wrapped > 0);
    assert_eq!(note(&notes, "continued at its start"), wrapped);
    assert_eq!(behind.len() as u64, records.len() as u64 + wrapped);
    let data = |records: &[Record]| all_sectors(&records.iter().copied().filter(is_data).collect::<Vec<_>>());
    let (collided, used) = collisions(&data(&records), &data(&behind));
    assert_eq!(
        note(&notes, &format!("blocks of 4 KiB with address collisions, of {} in use", count(used))),
        collided
    );
    assert!(0 < collided && collided < used, "{collided} of {used}");
}

#[test]
fn what_fits_is_left_as_it_is_by_modulo() {
    let records = random_records(32, 1000, MIB);
    let (behind, notes) = fitted(&records, Fit::new(FitMode::Modulo, MIB, None, false).unwrap());
    assert_eq!((behind, notes.len()), (records, 0));
}

#[test]
fn a_request_longer_than_the_device_covers_it_once() {
    let records = vec![record(Trim, 0, 512, u64::MAX - 512)];
    let (behind, notes) = fitted(&records, Fit::new(FitMode::Modulo, 4096, None, false).unwrap());
    let ranges: Vec<_> = behind.iter().map(|record| (record.offset_bytes, record.length_bytes)).collect();
    assert_eq!(ranges, [(512, 3584), (0, 512)]);
    assert_eq!((note(&notes, "clipped to it"), note(&notes, "split at the end of the device")), (1, 1));
}

/// Each chunk's place: its rank among those in use, per device or over all.
fn ranks(records: &[Record], chunk: u64, joined: bool) -> BTreeMap<(u32, u64), u64> {
    let data: Vec<_> = records.iter().copied().filter(is_data).collect();
    let chunks: BTreeSet<_> =
        all_sectors(&data).iter().map(|&(device, sector)| (device, sector * 512 / chunk)).collect();
    let first = |device| chunks.iter().position(|&(other, _)| other == device).unwrap_or(0) as u64;
    let place = |(rank, &(device, chunk)): (usize, &(u32, u64))| {
        ((device, chunk), rank as u64 - if joined { 0 } else { first(device) })
    };
    chunks.iter().enumerate().map(place).collect()
}

#[test]
fn compact_squeezes_out_what_is_not_in_use_and_nothing_else() {
    for (seed, chunk, joined) in [(41, 4096, false), (42, 4096, true), (43, 512, true), (44, 12_288, false)] {
        // Sparse: half of 1,500 requests are data, 16 KiB each in the mean, on twice 128 MiB.
        let records = random_records(seed, 1500, 128 * MIB);
        let layout = layout(&records, chunk);
        let size = layout.footprint_bytes(joined);
        let ranks = ranks(&records, chunk, joined);
        assert_eq!(size, (1 + *ranks.values().max().unwrap()) * chunk, "seed {seed}");
        let fit = Fit::new(FitMode::Compact, size, Some(layout.clone()), joined).unwrap();
        let (behind, notes) = fitted(&records, fit);
        // Sectors in use only: those of trims that are not are left out.
        let expected: Vec<_> = all_sectors(&records)
            .iter()
            .filter_map(|&(device, sector)| {
                let place = ranks.get(&(device, sector * 512 / chunk))? * chunk + sector * 512 % chunk;
                Some((if joined { 0 } else { device }, place / 512))
            })
            .collect();
        assert_eq!(all_sectors(&behind), expected, "seed {seed}");
        assert_eq!(behind.len() as u64 + note(&notes, "trims dropped"), records.len() as u64);
        assert!(note(&notes, "trims dropped") > 0 && note(&notes, "trims shortened") > 0);
        assert_eq!(note(&notes, "address collisions"), 0);
        let tight = Fit::new(FitMode::Compact, size - 1, Some(layout), joined).err().unwrap().to_string();
        assert!(tight.contains(&exact_size(size)) && tight.contains("fit modulo"), "{tight}");
    }
}

#[test]
fn linear_scales_first_addresses_in_whole_blocks() {
    // A span of 40 blocks on a device of 10: a quarter, rounded down.
    let records = vec![
        record(Write, 0, 0, 4096),
        record(Write, 1, 5 * 4096 + 512, 1024),
        record(Write, 2, 39 * 4096, 4096),
        record(Write, 3, 36 * 4096, 8192),
        record(Write, 4, 36 * 4096 + 512, 4096),
        record(Trim, 5, 0, 40 * 4096),
        record(Read, 6, 8 * 4096, 512),
        record(Read, 7, 9 * 4096, 512),
    ];
    let fit = Fit::new(FitMode::Linear, 10 * 4096, Some(layout(&records, 4096)), false).unwrap();
    let (behind, notes) = fitted(&records, fit);
    let ranges: Vec<_> = behind.iter().map(|record| (record.offset_bytes, record.length_bytes)).collect();
    let expected = [
        (0, 4096),
        (4096 + 512, 1024),
        (9 * 4096, 4096),
        // Would end a block behind the device.
        (8 * 4096, 8192),
        // Moved back in whole blocks.
        (8 * 4096 + 512, 4096),
        (0, 10 * 4096),
        (2 * 4096, 512),
        (2 * 4096, 512),
    ];
    assert_eq!(ranges, expected);
    assert_eq!((note(&notes, "moved back"), note(&notes, "clipped to it")), (2, 1));
    // Block 2: of 8 and 9. Block 8: of 36 twice, moved by the same. Block 9: of 39, and of 37.
    assert_eq!(note(&notes, "blocks of 4 KiB with address collisions, of 5 in use"), 2);
}

#[test]
fn linear_stays_inside_and_counts_what_collides() {
    for joined in [false, true] {
        let records = random_records(51, 3000, 64 * MIB);
        let size = 7 * MIB + 512;
        let fit = Fit::new(FitMode::Linear, size, Some(layout(&records, 4096)), joined).unwrap();
        let (behind, notes) = fitted(&records, fit);
        assert_eq!(behind.len(), records.len());
        for (was, is) in records.iter().zip(&behind) {
            assert_eq!((was.length_bytes, was.time_ns, was.op), (is.length_bytes, is.time_ns, is.op));
            assert!(is.offset_bytes + is.length_bytes <= size, "{was:?} to {is:?}");
        }
        if joined {
            assert!(behind.iter().all(|record| record.device == 0));
            // The second device comes behind the first.
            let place = |device| {
                let of =
                    records.iter().zip(&behind).filter(move |(was, _)| was.device == device && is_data(was));
                of.map(|(_, is)| is.offset_bytes).collect::<Vec<_>>()
            };
            assert!(
                place(0).iter().max() <= place(1).iter().max() && place(1).iter().min() >= Some(&(3 * MIB))
            );
            continue;
        }
        let data =
            |records: &[Record]| all_sectors(&records.iter().copied().filter(is_data).collect::<Vec<_>>());
        let (collided, used) = collisions(&data(&records), &data(&behind));
        assert_eq!(note(&notes, &format!("of {} in use", count(used))), collided);
    }
}

#[test]
fn joined_devices_lie_one_behind_the_other() {
    let on = |device, offset_bytes| Record { device, ..record(Write, 0, offset_bytes, 4096) };
    // Spans of 3, 1 and 2 blocks.
    let records =
        [on(0, 8192), on(1, 0), on(2, 4096), on(0, 0), Record { device: 2, ..record(Flush, 1, 0, 0) }];
    let fit = Fit::new(FitMode::Modulo, MIB, Some(layout(&records, 4096)), true).unwrap();
    let mut joined = Transformed::new(Listed::new(records.to_vec()), fit);
    let behind = all(&mut joined);
    let offsets: Vec<_> = behind.iter().map(|record| record.offset_bytes).collect();
    assert_eq!(offsets, [8192, 3 * 4096, 5 * 4096, 0, 0]);
    assert!(behind.iter().all(|record| record.device == 0));
    assert_eq!(joined.devices(), ["all".to_string()]);
}

#[test]
fn a_file_that_changed_since_it_was_looked_at_is_an_error() {
    let (old, new) = (vec![record(Write, 0, 0, 4096)], vec![record(Write, 0, 4096, 8192)]);
    for (mode, joined) in [
        (FitMode::Compact, false),
        (FitMode::Linear, false),
        (FitMode::Linear, true),
        (FitMode::Modulo, true),
    ] {
        let fit = Fit::new(mode, MIB, Some(layout(&old, 4096)), joined).unwrap();
        let (_, error) = drain(&mut Transformed::new(Listed::new(new.clone()), fit));
        let message = error.expect("it is not the file").to_string();
        assert!(message.contains("first pass over the trace"), "{mode:?}: {message}");
    }
}

#[test]
fn a_footprint_that_is_too_scattered_is_an_error_and_not_all_memory() {
    let records = vec![record(Write, 0, 0, 1 << 60)];
    let error = Layout::survey(&mut Listed::new(records), 512).err().unwrap();
    assert!(matches!(&error, TraceError::Fit { remedy, .. } if remedy.contains("larger chunks")), "{error}");
    let last = vec![record(Trim, 0, u64::MAX - 1, 1)];
    let message = Layout::survey(&mut Listed::new(last), 4096).err().unwrap().to_string();
    assert!(
        message.contains("ends at 18446744073709551615") && message.contains("smaller chunks"),
        "{message}"
    );
}

#[test]
fn devices_that_are_too_long_together_are_fitted_one_by_one() {
    let on = |device| Record { device, ..record(Write, 0, u64::MAX - 8191, 4096) };
    let records = vec![on(0), on(1), on(2)];
    let fit = |mode, joined| Fit::new(mode, MIB, Some(layout(&records, 4096)), joined);
    for mode in [FitMode::Modulo, FitMode::Linear, FitMode::Compact] {
        let message = fit(mode, true).err().expect("together they are too long").to_string();
        assert!(message.contains("concatenated") && message.contains("do not concatenate"), "{message}");
    }
    let mut fitted = Transformed::new(Listed::new(records.clone()), fit(FitMode::Compact, false).unwrap());
    let places: Vec<_> = all(&mut fitted).iter().map(|record| (record.device, record.offset_bytes)).collect();
    assert_eq!(places, [(0, 0), (1, 0), (2, 0)]);
}

#[test]
fn collisions_are_counted_for_each_of_many_devices() {
    // On every third device two places come to lie on one; on all others each has its own.
    let on = |device: u32, offset_bytes| Record { device, ..record(Write, 0, offset_bytes, 4096) };
    let second = |device: u32| if device.is_multiple_of(3) { 1 << 40 } else { (1 << 40) + MIB };
    let records: Vec<_> = (0..9000).flat_map(|device| [on(device, 0), on(device, second(device))]).collect();
    let fit = Fit::new(FitMode::Modulo, 1 << 40, None, false).unwrap();
    let mut fitted = Transformed::new(Listed::new(records), fit);
    assert_eq!(all(&mut fitted).len(), 18_000);
    let note = fitted.notes().last().unwrap().clone();
    assert_eq!(note.count, 3000, "{note:?}");
}
