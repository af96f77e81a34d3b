//! Transforms against values worked out by hand, and against slow references that go block by block.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{Listed, all, drain, random_records, record};
use flashscope_core::Op::{self, Flush, Read, Trim, Write};
use flashscope_core::seed::Random;
use flashscope_trace::transform::{
    Across, Align, CapIdle, Factor, Note, Origin, Repeat, Sample, ScaleTime, SelectDevices, SelectOps,
    SelectRange, Shift, Sort, Split, TimeWindow, Transform, Transformed, Written,
};
use flashscope_trace::{Record, Records, TraceError};

fn through(records: Vec<Record>, transform: impl Transform) -> (Vec<Record>, Vec<Note>) {
    let mut transformed = Transformed::new(Listed::new(records), transform);
    let records = all(&mut transformed);
    assert_eq!(transformed.counts().records, records.len() as u64);
    (records, transformed.notes())
}

fn refusal(record: Record, transform: impl Transform) -> String {
    let (_, error) = drain(&mut Transformed::new(Listed::new(vec![record]), transform));
    error.expect("it cannot be done").to_string()
}

fn times(records: &[Record]) -> Vec<u64> {
    records.iter().map(|record| record.time_ns).collect()
}

fn ranges(records: &[Record]) -> Vec<(u64, u64)> {
    records.iter().map(|record| (record.offset_bytes, record.length_bytes)).collect()
}

fn counts(notes: &[Note]) -> Vec<u64> {
    notes.iter().map(|note| note.count).collect()
}

/// Writes of 4 KiB at these times.
fn writes_at(times: &[u64]) -> Vec<Record> {
    times.iter().map(|&time_ns| record(Write, time_ns, 0, 4096)).collect()
}

#[test]
fn records_that_come_late_by_no_more_than_the_window_are_put_in_order() {
    let mut random = Random::new(77);
    for window in [1, 2, 50, 3000] {
        // Each record is moved back by at most `window` others.
        let mut keyed: Vec<_> = (0..2000u64).map(|at| (at + random.below(window + 1), at / 3)).collect();
        keyed.sort();
        let records = writes_at(&keyed.iter().map(|(_, time)| *time).collect::<Vec<_>>());
        let back = times(&records).windows(2).filter(|pair| pair[1] < pair[0]).count() as u64;
        // The latency numbers the records.
        let numbered = |(at, record)| Record { latency_ns: Some(at as u64), ..record };
        let records: Vec<_> = records.into_iter().enumerate().map(numbered).collect();
        let mut expected = records.clone();
        expected.sort_by_key(|record| (record.time_ns, record.latency_ns));
        let mut sorted = Sort::new(Listed::new(records), window as usize);
        assert_eq!(all(&mut sorted), expected, "window {window}");
        assert_eq!((sorted.counts().unsorted, sorted.counts().records), (0, 2000));
        assert!(back > 0 || window == 1, "window {window}");
        assert_eq!(counts(&sorted.notes()), if back > 0 { vec![back] } else { vec![] });
    }
}

#[test]
fn a_record_that_comes_too_late_to_be_put_in_order_is_counted() {
    let mut times_ns: Vec<u64> = (10..3000).collect();
    times_ns.push(5);
    times_ns.extend([3000, 7]);
    let mut sorted = Sort::new(Listed::new(writes_at(&times_ns)), 100);
    let found = times(&all(&mut sorted));
    assert_eq!(found.windows(2).filter(|pair| pair[1] < pair[0]).count(), 1, "5 and 7 come together");
    assert_eq!((found.len(), sorted.counts().unsorted), (times_ns.len(), 1));
    assert_eq!(counts(&sorted.notes()), [2, 1]);
    let listed = Listed::new(writes_at(&[3, 1, 2])).failing(TraceError::Empty);
    let (records, error) = drain(&mut Sort::new(listed, 100));
    assert_eq!((times(&records), error), (vec![1, 2, 3], Some(TraceError::Empty)), "all before the error");
}

#[test]
fn a_time_window_counts_from_the_first_record_or_from_zero() {
    let records = writes_at(&[100, 150, 199, 200, 90, 250]);
    let (kept, notes) = through(records.clone(), TimeWindow::new(Origin::FirstRecord, 0, 100));
    assert_eq!(times(&kept), [100, 150, 199, 90], "one before the first counts as being with it");
    assert_eq!((notes.len(), notes[0].count), (1, 2));
    let (kept, notes) = through(records, TimeWindow::new(Origin::Trace, 150, 200));
    assert_eq!(times(&kept), [150, 199]);
    assert_eq!(counts(&notes), [2, 2]);
}

#[test]
fn devices_are_chosen_by_name_and_numbered_anew() {
    let on = |device, time_ns| Record { device, ..record(Read, time_ns, 0, 512) };
    let records: Vec<_> = (0..30).map(|at| on([0, 2, 1][at % 3], at as u64)).collect();
    let select = SelectDevices::new(["d1".to_string(), "d2".to_string()]);
    let mut selected = Transformed::new(Listed::new(records.clone()), select);
    let kept = all(&mut selected);
    assert_eq!(selected.devices(), ["d1", "d2"].map(String::from), "in the order of the input's numbers");
    let expected: Vec<_> = (0..30u64).filter(|at| at % 3 != 0).collect();
    assert_eq!(times(&kept), expected);
    let expected = |record: &Record| u32::from(record.time_ns % 3 == 1);
    assert!(kept.iter().all(|record| record.device == expected(record)));
    assert_eq!(counts(&selected.notes()), [10]);
    let none = SelectDevices::new(["d1".to_string(), "d7".to_string()]);
    let (_, error) = drain(&mut Transformed::new(Listed::new(records), none));
    assert_eq!(error, Some(TraceError::NoSuchDevice { device: "d7".into(), known: "d0 d1 d2".into() }));
}

#[test]
fn operations_are_chosen() {
    let records: Vec<_> = (0..20u64).map(|at| record(Op::ALL[at as usize % 4], at, 0, 0)).collect();
    let (kept, notes) = through(records, SelectOps::new([Write, Flush]));
    assert!(kept.len() == 10 && kept.iter().all(|record| matches!(record.op, Write | Flush)));
    assert_eq!(counts(&notes), [10]);
}

#[test]
fn an_address_range_clips_or_drops_what_crosses_its_ends() {
    let records = vec![
        record(Read, 0, 0, 1000),
        record(Read, 1, 0, 1001),
        record(Write, 2, 1000, 1000),
        record(Write, 3, 1500, 501),
        record(Trim, 4, 0, u64::MAX),
        record(Write, 5, 2000, 8),
        record(Flush, 6, 0, 0),
        record(Read, 7, 1999, 0),
        record(Read, 8, 2000, 0),
    ];
    let (kept, notes) = through(records.clone(), SelectRange::new(1000, 2000, Across::Clip));
    let expected = [(1000, 1), (1000, 1000), (1500, 500), (1000, 1000), (0, 0), (1999, 0)];
    assert_eq!(ranges(&kept), expected);
    assert_eq!(counts(&notes), [3, 3]);
    let (kept, notes) = through(records, SelectRange::new(1000, 2000, Across::Drop));
    assert_eq!(times(&kept), [2, 6, 7]);
    assert_eq!(counts(&notes), [3, 3]);
}

#[test]
fn factors_are_exact_decimals() {
    for (text, shown) in [("2", "2"), ("0.10", "0.1"), ("1.000000001", "1.000000001"), ("010", "10")] {
        assert_eq!(text.parse::<Factor>().map(|factor| factor.to_string()), Ok(shown.into()));
    }
    for bad in ["", "0", "0.0", "-1", "1e3", ".5", "1.", "1.0000000001", "99999999999", "nan", "1,5"] {
        assert!(bad.parse::<Factor>().unwrap_err().to_string().contains("write one above 0"), "{bad}");
    }
}

#[test]
fn time_is_scaled_around_the_first_record() {
    let factor = |text: &str| text.parse::<Factor>().unwrap();
    let (scaled, notes) = through(writes_at(&[1000, 1001, 1010, 990]), ScaleTime::new(factor("0.1")));
    assert_eq!(times(&scaled), [1000, 1000, 1001, 999]);
    assert_eq!(counts(&notes), [3]);
    // A float would lose the last digits.
    let far = (1 << 60) + 1;
    let (scaled, _) = through(writes_at(&[0, far]), ScaleTime::new(factor("3")));
    assert_eq!(times(&scaled), [0, 3 * far]);
    for (times, place) in [([0, 1 << 63], "2 of"), ([5, 0], "2 of")] {
        let scaled = &mut Transformed::new(Listed::new(writes_at(&times)), ScaleTime::new(factor("2")));
        let (kept, error) = drain(scaled);
        let message = error.unwrap().to_string();
        assert!(kept.len() == 1 && message.contains(place) && message.contains("scaled by 2"), "{message}");
    }
}

#[test]
fn long_gaps_are_capped_and_short_ones_stay() {
    let (capped, notes) = through(writes_at(&[100, 110, 1000, 1000, 995, 1011, 5000]), CapIdle::new(10));
    // The gap of 890 becomes 10, that of 11 becomes 10, the last one 10; 995 stays 5 before its neighbour.
    assert_eq!(times(&capped), [100, 110, 120, 120, 115, 130, 140]);
    assert_eq!(notes[0].count, 3);
    let (capped, notes) = through(writes_at(&[0, 1000, 5]), CapIdle::new(0));
    assert_eq!(times(&capped), [0, 0, 0]);
    assert_eq!(counts(&notes), [1, 1]);
}

#[test]
fn pieces_cross_no_multiple_of_the_block() {
    let records = vec![record(Write, 3, 1000, 9000), record(Read, 4, 4096, 4096), record(Flush, 5, 0, 0)];
    let (pieces, notes) = through(records, Split::new(4096));
    let expected = [(1000, 3096), (4096, 4096), (8192, 1808), (4096, 4096), (0, 0)];
    assert_eq!(ranges(&pieces), expected);
    assert_eq!(times(&pieces), [3, 3, 3, 4, 5]);
    assert_eq!(counts(&notes), [1]);
    assert!(notes[0].detail == "into 3", "{notes:?}");
}

#[test]
fn an_absurdly_long_request_is_split_a_batch_at_a_time() {
    let mut split = Transformed::new(Listed::new(vec![record(Trim, 0, 0, u64::MAX)]), Split::new(4096));
    let mut batch = Vec::new();
    for turn in 0..3u64 {
        assert_eq!(split.next_batch(&mut batch), Ok(flashscope_trace::BATCH));
        assert_eq!(batch[0].offset_bytes, turn * 4096 * flashscope_trace::BATCH as u64);
    }
}

#[test]
fn aligned_requests_cover_what_they_covered() {
    let records = vec![
        record(Write, 0, 4096, 4096),
        record(Write, 0, 4095, 2),
        record(Write, 0, 5000, 100),
        record(Write, 0, 4096, 1),
        record(Read, 0, 5000, 0),
        record(Flush, 0, 0, 0),
    ];
    let (aligned, notes) = through(records, Align::new(4096));
    let expected = [(4096, 4096), (0, 8192), (4096, 4096), (4096, 4096), (4096, 0), (0, 0)];
    assert_eq!(ranges(&aligned), expected);
    assert_eq!(counts(&notes), [3, 3], "three begin earlier, three are longer");
    assert!(
        notes[1].to_string().ends_with("lengthened to a multiple of 4 KiB: 3, 16,281 B added"),
        "{notes:?}"
    );
    let message = refusal(record(Trim, 0, u64::MAX - 10, 10), Align::new(4096));
    assert!(message.contains("exceeds 2^64") && message.contains("cut the address range"), "{message}");
}

#[test]
fn all_addresses_but_flushes_move() {
    let records = vec![record(Write, 0, 4096, 512), record(Flush, 1, 0, 0)];
    let (moved, notes) = through(records.clone(), Shift::new(512));
    assert_eq!((ranges(&moved), counts(&notes)), (vec![(4608, 512), (0, 0)], vec![1]));
    assert_eq!(ranges(&through(records, Shift::new(-4096)).0), [(0, 512), (0, 0)]);
    for by in [-4097, i128::from(u64::MAX) - 4096, i128::MIN, i128::MAX] {
        let message = refusal(record(Write, 0, 4096, 512), Shift::new(by));
        assert!(message.contains("request 1") && message.contains("outside the address space"), "{message}");
    }
}

#[test]
fn a_sample_keeps_a_unit_always_or_never() {
    let records = random_records(21, 4000, 64 << 20);
    let unit = 4096;
    let (sampled, notes) = through(records.clone(), Sample::new(0.25, unit));
    // Unit by unit, what is read and written before and behind.
    let touched = |records: &[Record]| {
        let mut touched: BTreeMap<(u32, u64), u64> = BTreeMap::new();
        for record in records.iter().filter(|record| record.length_bytes > 0) {
            for sector in record.offset_bytes / 512..(record.offset_bytes + record.length_bytes) / 512 {
                *touched.entry((record.device, sector * 512 / unit)).or_default() += 512;
            }
        }
        touched
    };
    let (before, behind) = (touched(&records), touched(&sampled));
    assert!(behind.iter().all(|(unit, bytes)| before[unit] == *bytes), "a unit comes whole or not at all");
    let share = behind.len() as f64 / before.len() as f64;
    // Some 12,000 units: one standard deviation is 0.004.
    assert!(before.len() > 10_000 && (share - 0.25).abs() < 0.015, "{share} of {} units", before.len());
    let flushes = |records: &[Record]| records.iter().filter(|record| record.op == Flush).count();
    assert_eq!(flushes(&sampled), flushes(&records));
    let neighbours = |pair: &[Record]| {
        let end = pair[0].offset_bytes + pair[0].length_bytes;
        let is_data = pair[0].length_bytes > 0;
        is_data
            && (pair[0].time_ns, pair[0].device, end)
                == (pair[1].time_ns, pair[1].device, pair[1].offset_bytes)
    };
    let pair = sampled.windows(2).find(|pair| neighbours(pair));
    assert_eq!(pair, None, "neighbours stay one request");
    let bytes: u64 = behind.values().sum();
    let asked: u64 = before.values().sum();
    assert_eq!(counts(&notes[notes.len() - 2..]), [asked, bytes]);
    assert_eq!(through(records.clone(), Sample::new(1.0, unit)).0, records);
    assert_eq!(flushes(&through(records, Sample::new(0.0, unit)).0), flushes(&sampled));
    let message = refusal(record(Trim, 0, 0, 1 << 60), Sample::new(0.5, 4096));
    assert!(message.contains("larger units"), "{message}");
}

#[test]
fn device_writes_are_bytes_written_by_the_capacity() {
    let records = vec![record(Write, 0, 0, 3000), record(Read, 0, 7000, 1000), record(Write, 0, 0, 9000)];
    let about = |capacity| through(records.clone(), Written::new(capacity)).1[0].clone();
    assert_eq!(about(Some(4000)).count, 12_000);
    assert!(about(Some(4000)).to_string() == "written: 12,000 B, 3.00 device writes of 4,000 B");
    assert!(about(None).detail == "1.33 device writes of the span of 9,000 B");
    // Of several devices, each is as large; one that is only flushed is none.
    let mut records = records;
    records.push(Record { device: 1, ..record(Write, 0, 0, 1000) });
    records.push(Record { device: 2, ..record(Flush, 0, 0, 0) });
    let about = |capacity| through(records.clone(), Written::new(capacity)).1[0].detail.clone();
    assert!(about(Some(13_000)) == "0.500 device writes of 26,000 B of 2 devices");
    assert!(about(None) == "1.30 device writes of the span of 10,000 B of 2 devices");
}

#[test]
fn a_sample_tells_the_same_share_of_one_pass_and_of_many() {
    let records = random_records(3, 500, 16 << 20);
    let bytes = |notes: Vec<Note>| counts(&notes[notes.len() - 2..]);
    let one = bytes(through(records.clone(), Sample::new(0.5, 4096)).1);
    let open = move || {
        let listed = Listed::new(records.clone());
        Ok(Box::new(Transformed::new(listed, Sample::new(0.5, 4096))) as Box<dyn Records>)
    };
    let mut three = Repeat::new(Box::new(open), 3).unwrap();
    all(&mut three);
    let mut notes = three.notes();
    assert_eq!(notes.pop().map(|note| note.count), Some(3), "the passes");
    assert_eq!(bytes(notes), [3 * one[0], 3 * one[1]]);
}

#[test]
fn a_device_has_the_same_sample_alone_and_among_others() {
    let records = random_records(4, 2000, 16 << 20);
    let select = || SelectDevices::new(["d1".to_string()]);
    let sample = || Sample::new(0.3, 4096);
    let first = Transformed::new(Listed::new(records.clone()), sample());
    let last = Transformed::new(Listed::new(records), select());
    let (first, last) =
        (all(&mut Transformed::new(first, select())), all(&mut Transformed::new(last, sample())));
    assert!(first == last && first.len() > 100, "{} and {} requests", first.len(), last.len());
}

fn opener(records: Vec<Record>) -> flashscope_trace::transform::Opener {
    Box::new(move || Ok(Box::new(Listed::new(records.clone()))))
}

#[test]
fn a_repeated_trace_goes_on_behind_its_latest_request() {
    // Five requests in 40 ns: 10 ns from one to the next in the mean.
    let records = writes_at(&[100, 110, 140, 120, 130]);
    let mut three = Repeat::new(opener(records), 3).unwrap();
    let expected = [100, 110, 140, 120, 130, 150, 160, 190, 170, 180, 200, 210, 240, 220, 230];
    assert_eq!(times(&all(&mut three)), expected);
    assert_eq!((three.counts().records, three.counts().lines), (15, 15));
    assert_eq!(counts(&three.notes()), [3]);
    assert_eq!(times(&all(&mut Repeat::new(opener(writes_at(&[7])), 3).unwrap())), [7, 7, 7]);
    assert_eq!(all(&mut Repeat::new(opener(Vec::new()), u64::MAX).unwrap()), [], "nothing ends at once");
}

#[test]
fn notes_and_names_of_all_passes_are_kept() {
    let on = |device, time_ns| Record { device, ..record(Read, time_ns, 0, 512) };
    let records: Vec<_> = (0..20u32).map(|at| on(at / 10, u64::from(at))).collect();
    let open = move || {
        let select = SelectDevices::new(["d1".to_string()]);
        Ok(Box::new(Transformed::new(Listed::new(records.clone()), select)) as Box<dyn Records>)
    };
    let mut two = Repeat::new(Box::new(open), 2).unwrap();
    assert_eq!(times(&all(&mut two)), (10..30).collect::<Vec<u64>>());
    assert_eq!(two.devices(), ["d1".to_string()]);
    assert_eq!(counts(&two.notes()), [20, 2], "requests dropped in both passes; two passes");
}

#[test]
fn a_repeat_that_cannot_go_on_says_so() {
    let mut long = Repeat::new(opener(writes_at(&[0, 1 << 62])), 9).unwrap();
    let (records, error) = drain(&mut long);
    // The second pass ends at 3/4 of 2^64, and the third would begin there with the gap behind it.
    assert_eq!(error, Some(TraceError::TooLong { passes: 2 }));
    // The second pass begins just above 2^63 and does not fit.
    let mut half = Repeat::new(opener(writes_at(&[0, 0, 0, 0, 0, 1 << 63])), 9).unwrap();
    assert_eq!(drain(&mut half).1, Some(TraceError::TooLong { passes: 1 }));
    assert!(records.is_sorted_by_key(|record| record.time_ns) && records.len() >= 3, "{}", records.len());
    let mut opened = 0;
    let gone = move || {
        opened += 1;
        match opened {
            1 => Ok(Box::new(Listed::new(writes_at(&[1, 2]))) as Box<dyn Records>),
            _ => Err(TraceError::Empty),
        }
    };
    let (records, error) = drain(&mut Repeat::new(Box::new(gone), 2).unwrap());
    assert_eq!((records.len(), error), (2, Some(TraceError::Empty)));
}

#[test]
fn what_came_before_an_error_goes_before_it() {
    let records = random_records(5, 1000, 1 << 20);
    let listed = Listed::new(records.clone()).failing(TraceError::Empty);
    let (kept, error) = drain(&mut Transformed::new(listed, Split::new(u64::MAX)));
    assert_eq!((kept, error), (records, Some(TraceError::Empty)));
}

#[test]
fn transforms_keep_the_order_of_their_input() {
    // The latency numbers the records; no transform touches it.
    let mut records = random_records(9, 3000, 1 << 24);
    let mut random = Random::new(9);
    for (at, record) in records.iter_mut().enumerate() {
        record.latency_ns = Some(at as u64);
        record.time_ns -= random.below(500);
    }
    let input = Listed::new(records);
    let input = Transformed::new(input, TimeWindow::new(Origin::FirstRecord, 10_000, 2_000_000));
    let input = Transformed::new(input, SelectRange::new(1 << 20, 15 << 20, Across::Clip));
    let input = Transformed::new(input, Sample::new(0.5, 8192));
    let input = Transformed::new(input, CapIdle::new(900));
    let input = Transformed::new(input, Align::new(4096));
    let mut input = Transformed::new(input, Split::new(16 << 10));
    let all = all(&mut input);
    let numbers: BTreeSet<_> = all.iter().map(|record| record.latency_ns).collect();
    assert!(all.is_sorted_by_key(|record| record.latency_ns) && numbers.len() > 500, "{}", numbers.len());
    assert_eq!(input.notes().len(), 12, "each tells of its own: {:?}", input.notes());
}
