//! Several traces as one, in the order of time.

use std::io::Cursor;

use flashscope_core::seed::Random;
use flashscope_trace::transform::Merge;
use flashscope_trace::{Record, Records, TraceError, open};

const SEED: u64 = 27;

/// A line of blkparse's text: device, time in ns, sector.
fn line(device: &str, time_ns: u64, sector: u64) -> String {
    let (seconds, below) = (time_ns / 1_000_000_000, time_ns % 1_000_000_000);
    format!("{device} 0 1 {seconds}.{below:09} 7 D R {sector} + 8 [tar]\n")
}

fn trace(text: String, lenient: bool) -> Box<dyn Records> {
    Box::new(open(Cursor::new(text.into_bytes()), Some("blkparse"), lenient).unwrap())
}

fn read(merge: &mut Merge) -> (Vec<Record>, Option<TraceError>) {
    let (mut all, mut batch) = (Vec::new(), Vec::new());
    loop {
        let result = merge.next_batch(&mut batch);
        all.extend_from_slice(&batch);
        match result {
            Ok(0) => return (all, None),
            Ok(_) => {}
            Err(error) => return (all, Some(error)),
        }
    }
}

#[test]
fn sorted_inputs_make_what_a_stable_sort_makes() {
    let mut random = Random::new(SEED);
    let names = ["8,0", "8,16", "7,3"];
    let (mut texts, mut expected) = ([(); 4].map(|()| String::new()), Vec::new());
    for (input, text) in texts.iter_mut().enumerate() {
        let mut time_ns = 0;
        for number in 0..[3000, 1, 2500, 700][input] {
            time_ns += random.below(3) * 1000;
            let (device, sector) = (names[random.below(3) as usize], number * 4 + input as u64);
            text.push_str(&line(device, time_ns, sector));
            expected.push((time_ns, device.to_string(), sector * 512));
        }
    }
    // Stable: ties stay in the order of the inputs.
    expected.sort_by_key(|(time_ns, ..)| *time_ns);
    let mut merge = Merge::new(texts.into_iter().map(|text| trace(text, false)).collect());
    let (records, error) = read(&mut merge);
    let name = |record: &Record| merge.devices()[record.device as usize].clone();
    let merged: Vec<_> = records.iter().map(|r| (r.time_ns, name(r), r.offset_bytes)).collect();
    assert!(merged == expected && error.is_none(), "seed {SEED}");
    assert_eq!((merge.devices().len(), merge.format(), merge.counts().records), (3, "blkparse", 6201));
    assert_eq!((merge.counts().lines, merge.counts().unsorted), (6201, 0));
}

#[test]
fn an_input_keeps_its_own_order_and_says_so() {
    let one = [5, 3, 9].map(|time_ns| line("8,0", time_ns, time_ns)).concat();
    let other = [4, 6].map(|time_ns| line("8,0", time_ns, time_ns)).concat();
    let mut merge = Merge::new(vec![trace(one, false), trace(other, false)]);
    let times: Vec<_> = read(&mut merge).0.iter().map(|record| record.time_ns).collect();
    assert_eq!(times, [4, 5, 3, 6, 9]);
    assert_eq!(merge.counts().unsorted, 1);
}

#[test]
fn a_bad_line_ends_all_or_is_counted() {
    let bad = line("8,0", 1, 8) + &line("8,0", 2, 8) + "garbage\n" + &line("8,0", 4, 8);
    let good: String = (0..5).map(|time_ns| line("8,16", time_ns, 8)).collect();
    let inputs = |lenient| vec![trace(good.clone(), lenient), trace(bad.clone(), lenient)];
    let mut strict = Merge::new(inputs(false));
    let (records, error) = read(&mut strict);
    assert!(matches!(error, Some(TraceError::Line { line: 3, .. })), "{error:?}");
    assert_eq!(records.iter().map(|record| record.time_ns).collect::<Vec<_>>(), [0, 1, 1, 2, 2]);
    assert_eq!(strict.next_batch(&mut Vec::new()).err(), error, "and it stays so");
    let mut lenient = Merge::new(inputs(true));
    let (records, error) = read(&mut lenient);
    assert_eq!((records.len(), error, lenient.counts().bad_lines), (8, None, 1));
    assert!(lenient.first_bad_line().is_some());
}

#[test]
fn nothing_merged_is_nothing() {
    assert_eq!(read(&mut Merge::new(Vec::new())), (Vec::new(), None));
}
