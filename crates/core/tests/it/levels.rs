//! A log-structured engine's writes and discards, against what its words mean: a host that is given each of
//! them keeps lists of its own.

use std::collections::{BTreeMap, VecDeque};

use flashscope_core::{Op, Pattern, PatternSource, Request, RequestSource};

const BS: u64 = 4096;
const SEGMENT: u64 = 64 << 10;
const SEED: u64 = 20_261_124;

fn requests(text: &str, ios: usize, batch: usize) -> Vec<Request> {
    let pattern: Pattern = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    pattern.check().unwrap_or_else(|error| panic!("{text}: {error}"));
    let mut source = PatternSource::new(&pattern, 0, SEED);
    let mut requests = vec![Request::default(); ios];
    requests.chunks_mut(batch).for_each(|batch| assert_eq!(source.fill(batch), batch.len()));
    requests
}

fn refusal(text: &str) -> String {
    let parsed = text.parse::<Pattern>().map_err(|error| error.to_string());
    let checked = parsed.and_then(|pattern| pattern.check().map_err(|error| error.to_string()));
    checked.expect_err(text)
}

/// What a host knows of a segment: its level, and how much of it is written.
type Segments = BTreeMap<u64, (u16, u64)>;

#[test]
fn segments_are_written_in_order_and_never_again_before_they_were_discarded() {
    // 90 segments: 3 are being filled, 87 are of levels of 4, 16 and 67.
    let sizes = [4, 16, 67];
    let text = "rw=randwrite bs=4k offset=1m size=5760k random=levels:3:4:64k placement=part";
    let mut segments = Segments::new();
    let mut full: [VecDeque<u64>; 3] = Default::default();
    let mut most = [0; 3];
    for (io, request) in requests(text, 60_000, 64).iter().enumerate() {
        let at = request.offset_bytes - (1 << 20);
        let (segment, place) = (at / SEGMENT, at % SEGMENT);
        assert!(segment < 90, "IO {io}: {request:?}");
        if request.op == Op::Trim {
            assert_eq!((place, u64::from(request.length_bytes)), (0, SEGMENT), "IO {io}: a whole segment");
            let (level, _) = segments.remove(&segment).expect("it was written");
            let level = usize::from(level);
            assert_eq!(full[level].pop_front(), Some(segment), "IO {io}: the oldest of its level");
            assert_eq!(full[level].len(), sizes[level], "IO {io}: its level had one too many");
            continue;
        }
        let (level, written) = segments.entry(segment).or_insert((request.placement, 0));
        assert_eq!((*level, *written), (request.placement, place), "IO {io}: in order, of one level");
        *written += BS;
        if *written == SEGMENT {
            full[usize::from(*level)].push_back(segment);
        }
        for (most, full) in most.iter_mut().zip(&full) {
            *most = full.len().max(*most);
        }
    }
    assert_eq!(most, sizes.map(|size| size + 1), "every level was full");
}

#[test]
fn levels_are_written_in_the_proportion_of_their_fanout() {
    for (words, levels) in [("2:2", 2), ("4:3", 4), ("3:16", 3)] {
        let text = format!("rw=randwrite bs=4k size=512m random=levels:{words}:64k placement=part");
        let fanout: f64 = words[2..].parse().expect("a number");
        let mut writes = vec![0_u32; levels];
        let requests = requests(&text, 100_000, 100_000);
        requests.iter().filter(|io| io.op == Op::Write).for_each(|io| writes[usize::from(io.placement)] += 1);
        let all = f64::from(writes.iter().sum::<u32>());
        for (level, writes) in writes.iter().enumerate() {
            let share = if level == 0 { 1.0 } else { fanout } / (1.0 + fanout * (levels as f64 - 1.0));
            let (expected, sigma) = (all * share, (all * share * (1.0 - share)).sqrt());
            let off = (f64::from(*writes) - expected) / sigma;
            assert!(off.abs() < 5.0, "{text}, level {level}: {writes} writes, not {expected}; seed {SEED}");
        }
    }
}

#[test]
fn handles_and_batches_change_nothing_else() {
    let text = "rw=randwrite bs=4k size=8m random=levels:4:2:64k";
    let plain = requests(text, 20_000, 20_000);
    assert!(plain.iter().all(|request| request.placement == 0));
    for batch in [1, 7, 256] {
        let mut placed = requests(&format!("{text} placement=part"), 20_000, batch);
        assert!(placed.iter().any(|request| request.placement == 3));
        placed.iter_mut().for_each(|request| request.placement = 0);
        assert_eq!(placed, plain, "in batches of {batch}");
    }
}

#[test]
fn levels_that_cannot_be_are_refused_with_a_way_out() {
    for (words, way_out) in [
        ("size=64m random=levels:1:8:1m", "such as 4:8:4MiB"),
        ("size=64m random=levels:9:8:1m", "such as 4:8:4MiB"),
        ("size=64m random=levels:4:8", "such as 4:8:4MiB"),
        ("size=64m random=levels:4:8:0", "such as 4:8:4MiB"),
        ("size=64m random=levels:4:8:2g", "such as 4:8:4MiB"),
        ("size=64m random=levels:4:8:6k", "write 4KiB"),
        ("size=64m random=levels:4:8:1m", "64 of the 78 segments needed; use smaller ones"),
        ("size=16g random=levels:2:2:4k", "use larger ones"),
        ("size=64m random=levels:2:2:1m mix=randread:3", "write rw=randwrite"),
        ("size=64m random=levels:2:2:1m bssplit=4k/50:8k/50", "leave them out"),
    ] {
        let refused = refusal(&format!("rw=randwrite bs=4k {words}"));
        assert!(refused.contains(way_out), "{words}: {refused}");
    }
    let refused = refusal("rw=randread bs=4k size=64m random=levels:2:2:1m");
    assert!(refused.contains("write rw=randwrite"), "{refused}");
}
