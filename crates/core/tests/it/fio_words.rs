//! Words of fio's newer versions: orders that are written out, sizes of each direction, spaces at a distance,
//! atomic writes, priorities of single IOs.

use std::collections::HashSet;

use flashscope_core::{
    Bytes, Flags, Op, Pattern, PatternSource, Request, RequestSource, Sequence, TargetInfo,
};

const SEED: u64 = 0x6669_6f77;

fn pattern(text: &str) -> Pattern {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn requests(pattern: &Pattern, job: u32, ios: usize) -> Vec<Request> {
    let mut all = vec![Request::default(); ios];
    let filled = PatternSource::new(pattern, job, SEED).fill(&mut all);
    all.truncate(filled);
    all
}

fn target(size_bytes: u64) -> TargetInfo {
    TargetInfo {
        name: "here".into(),
        size_bytes,
        logical_block_bytes: 512,
        virtual_time: true,
        engine: String::new(),
        queue_depth_max: u32::MAX,
        placements: 1,
        zones: None,
    }
}

fn slots(text: &str, ios: usize) -> Vec<u64> {
    requests(&pattern(text), 0, ios).iter().map(|request| request.offset_bytes / 4096).collect()
}

/// The two jobs of fio's `examples/sequence-distribution.fio`, and the slots that it says.
#[test]
fn a_sequence_repeats_or_moves_on_as_fios_example_says() {
    let text = "rw=randread bs=4k size=48k random=sequence:2,0,1";
    assert_eq!(slots(text, 6), [2, 0, 1, 2, 0, 1]);
    assert_eq!(slots(&format!("{text}:strided"), 6), [2, 0, 1, 5, 3, 4]);
    // Of 11 slots the last cycle has not all: it begins again.
    let odd = slots("rw=randread bs=4k size=44k random=sequence:2,0,1:strided", 12);
    assert_eq!(odd, [2, 0, 1, 5, 3, 4, 8, 6, 7, 2, 0, 1]);
    let holes = slots("rw=randread bs=4k size=40k random=sequence:0,2,1:strided", 12);
    assert_eq!(holes, [0, 2, 1, 3, 5, 4, 6, 8, 7, 9, 0, 2]);
}

/// Slots counted one by one, for all lengths of a space.
#[test]
fn a_pass_of_a_sequence_ends_before_the_first_slot_outside() {
    for (list, is_strided) in [(&[2, 0, 1][..], true), (&[0, 5, 1, 1], true), (&[7], true), (&[3, 1], false)]
    {
        let sequence = Sequence::new(list, is_strided).unwrap();
        for room in 0..40u64 {
            let length = list.len() as u64;
            let slot = |io: u64| {
                u64::from(list[(io % length) as usize]) + if is_strided { io / length * length } else { 0 }
            };
            let by_hand = (0..200).find(|io| slot(*io) >= room);
            assert_eq!(sequence.ios_within(room), by_hand, "{sequence} in {room}");
        }
    }
}

#[test]
fn reads_and_writes_of_a_mix_each_go_through_the_sequence() {
    let all = requests(&pattern("rw=randrw bs=4k size=1m random=sequence:9,4,7"), 0, 300);
    for op in [Op::Read, Op::Write] {
        let of = all.iter().filter(|request| request.op == op).map(|request| request.offset_bytes / 4096);
        for (slot, expected) in of.zip([9, 4, 7].into_iter().cycle()) {
            assert_eq!(slot, expected, "{op}, seed {SEED}");
        }
    }
}

#[test]
fn a_sequence_that_the_space_has_not_is_refused() {
    for (size, is_taken) in [("48k", true), ("12k", true), ("8k", false)] {
        let found = pattern(&format!("rw=randread bs=4k size={size} random=sequence:2,0,1"));
        assert_eq!(found.validate(&target(1 << 20)).is_ok(), is_taken, "{size}");
    }
    for text in ["random=sequence:", "random=sequence:1,x", "random=sequence:1:stride"] {
        assert!(text.parse::<Pattern>().is_err(), "{text}");
    }
    assert!(Sequence::new(&[0; 65], false).is_err() && Sequence::new(&[0; 64], false).is_ok());
}

#[test]
fn reads_and_writes_have_sizes_and_alignment_of_their_own() {
    const IOS: usize = 40_000;
    let text = "rw=randrw bs=4KiB bssplit=4KiB/60:64KiB/40,16KiB/100 size=64MiB";
    let pattern = pattern(text);
    assert_eq!(pattern.to_string(), text);
    let all = requests(&pattern, 0, IOS);
    let share = |op: Op, size: u32| {
        let of_op = all.iter().filter(|request| request.op == op);
        let (found, count) = of_op.fold((0, 0), |(found, count), request| {
            (found + u32::from(request.length_bytes == size), count + 1)
        });
        f64::from(found) / f64::from(count)
    };
    for (op, size, expected) in
        [(Op::Read, 4096, 0.6), (Op::Read, 65536, 0.4), (Op::Write, 16384, 1.0), (Op::Read, 16384, 0.0)]
    {
        let found = share(op, size);
        assert!((found - expected).abs() < 0.01, "{op} of {size}: {found}, seed {SEED}");
    }
    let (mut reads, mut writes) = ([0u32; 4], [0u32; 4]);
    for request in &all {
        let align = if request.op == Op::Read { 4096 } else { 16384 };
        assert!(request.offset_bytes.is_multiple_of(align), "{request:?}");
        assert!(request.offset_bytes + u64::from(request.length_bytes) <= 64 << 20, "{request:?}");
        let quarters = if request.op == Op::Read { &mut reads } else { &mut writes };
        quarters[(request.offset_bytes >> 24) as usize] += 1;
    }
    for quarter in reads.into_iter().chain(writes) {
        assert!((f64::from(quarter) / (IOS as f64 / 8.0) - 1.0).abs() < 0.05, "{quarter}, seed {SEED}");
    }
    let mean = all.iter().map(|request| f64::from(request.length_bytes)).sum::<f64>() / IOS as f64;
    assert!((mean / pattern.bs_mean() - 1.0).abs() < 0.02, "{mean}, seed {SEED}");
}

/// A sequential mix keeps a position each, and each moves by its own sizes.
#[test]
fn sequential_directions_of_different_sizes_leave_no_gap() {
    let all = requests(&pattern("rw=rw bssplit=4k/100,16k/100 size=1MiB"), 0, 1000);
    for (op, length) in [(Op::Read, 4096), (Op::Write, 16384)] {
        let of = all.iter().filter(|request| request.op == op);
        for (number, request) in of.enumerate() {
            assert_eq!(request.offset_bytes, number as u64 * length % (1 << 20), "{op}");
            assert_eq!(u64::from(request.length_bytes), length);
        }
    }
}

#[test]
fn sizes_whose_grids_do_not_fit_each_other_are_refused() {
    let error = pattern("rw=randrw bssplit=12k/100,16k/100 size=1m").check().unwrap_err().to_string();
    assert!(error.contains("multiples of each other"), "{error}");
    assert!(pattern("rw=rw bssplit=12k/100,16k/100 size=1m").check().is_ok(), "in order they need no grid");
    assert!("bssplit=4k,8k,16k,32k".parse::<Pattern>().is_err());
    let error = pattern("rw=read bssplit=4k,8k size=1m").check().unwrap_err().to_string();
    assert!(error.contains("no mix"), "{error}");
    let odd = pattern("rw=randrw bssplit=4k/100,64k/100 size=100k");
    assert_eq!(odd.job_space(0).size_bytes, 64 << 10, "a whole number of the larger ones");
}

#[test]
fn spaces_begin_at_a_distance_and_end_with_their_size_or_the_targets() {
    let spaces = |text: &str| {
        let pattern = pattern(text);
        (0..3)
            .map(|job| pattern.job_space(job))
            .map(|it| (it.offset_bytes, it.size_bytes))
            .collect::<Vec<_>>()
    };
    let text = "rw=write bs=4k offset=8k numjobs=3";
    assert_eq!(
        spaces(&format!("{text} size=64k job_space=1m")),
        [(8 << 10, 64 << 10), ((1 << 20) + (8 << 10), 64 << 10), ((2 << 20) + (8 << 10), 64 << 10)]
    );
    assert_eq!(
        spaces(&format!("{text} size=3m job_space=1m:end")),
        [(8 << 10, 3 << 20), ((1 << 20) + (8 << 10), 2 << 20), ((2 << 20) + (8 << 10), 1 << 20)]
    );
    // The last process decides whether it fits.
    let end = (2 << 20) + (8 << 10) + (64 << 10);
    let fits = |size_bytes| pattern(&format!("{text} size=64k job_space=1m")).validate(&target(size_bytes));
    assert!(fits(end).is_ok() && fits(end - 512).is_err());
    let to_end = pattern(&format!("{text} size=2m job_space=1m:end"));
    assert!(to_end.validate(&target(1 << 30)).is_err(), "the third has no room");
    for text in ["job_space=0", "job_space=apart", "job_space=:end"] {
        assert!(text.parse::<Pattern>().is_err(), "{text}");
    }
}

/// What fio 3.33 writes for `rw=write:112k bs=16k offset=120k offset_increment=1m numjobs=3` into 4 MiB.
#[test]
fn gaps_in_spaces_at_a_distance_are_where_fio_has_them() {
    let text = "rw=write bs=16k gap=112k offset=120k numjobs=3 size=3976k job_space=1m:end";
    for (job, first, last, ios) in [(0, 120, 3960, 31), (1, 1144, 3960, 23), (2, 2168, 3960, 15)] {
        let all = requests(&pattern(text), job, ios + 1);
        let places: Vec<u64> = all.iter().map(|request| request.offset_bytes >> 10).collect();
        assert_eq!((places[0], places[ios - 1], places[ios]), (first, last, first), "process {job}");
        assert!(places[..ios].windows(2).all(|pair| pair[1] - pair[0] == 128));
    }
}

#[test]
fn atomic_marks_writes_beside_dsync_and_needs_their_alignment() {
    let all = requests(&pattern("rw=randrw bs=4k size=1MiB atomic=1 sync=dsync"), 0, 500);
    for request in &all {
        let expected = if request.op == Op::Write { Flags::ATOMIC.and(Flags::FUA) } else { Flags::NONE };
        assert_eq!(request.flags, expected, "{request:?}");
    }
    for (text, word) in [
        ("rw=read bs=4k atomic=1", "without writes"),
        ("rw=write bs=12k atomic=1", "power of two"),
        ("rw=write bs=4k shift=512 atomic=1", "multiples of their size"),
        ("rw=write bs=4k offset=2k atomic=1", "multiples of their size"),
        ("rw=write bssplit=4k/50:8k/50 atomic=1", "one size"),
    ] {
        let error = pattern(&format!("{text} size=1m")).check().expect_err(text).to_string();
        assert!(error.contains(word), "{text}: {error}");
    }
    for text in ["rw=rw bssplit=4k/50:8k/50,16k/100", "rw=randwrite bs=16k bssplit=4k/100", "rw=randrw bs=8k"]
    {
        assert!(pattern(&format!("{text} size=1m atomic=1")).check().is_ok(), "{text}");
    }
}

/// Linux' `IOPRIO_PRIO_VALUE`: class in bits 13 to 15, hint in 3 to 12, level in 0 to 2.
#[test]
fn priorities_have_their_shares_of_their_kinds_of_ios() {
    const IOS: usize = 40_000;
    let text = "rw=randrw bs=4KiB bssplit=4KiB/50:16KiB/50 size=64MiB \
                priority=read@4KiB:25%/1/1,read@4KiB:75%/3/2,write:10%/2/7/5";
    let pattern = pattern(text);
    assert_eq!(pattern.to_string(), text);
    let all = requests(&pattern, 0, IOS);
    let share = |op: Op, size: u32, priority: u16| {
        let of = all.iter().filter(|request| request.op == op && request.length_bytes == size);
        let (found, count) = of.fold((0u32, 0u32), |(found, count), request| {
            (found + u32::from(request.priority == priority), count + 1)
        });
        f64::from(found) / f64::from(count)
    };
    for (op, size, priority, expected) in [
        (Op::Read, 4096, 1 << 13 | 1, 0.25),
        (Op::Read, 4096, 3 << 13 | 2, 0.75),
        (Op::Read, 16384, 0, 1.0),
        (Op::Write, 4096, 2 << 13 | 5 << 3 | 7, 0.1),
        (Op::Write, 16384, 2 << 13 | 5 << 3 | 7, 0.1),
        (Op::Write, 16384, 0, 0.9),
    ] {
        let found = share(op, size, priority);
        assert!((found - expected).abs() < 0.02, "{op} of {size}, {priority:#x}: {found}, seed {SEED}");
    }
    let kinds: HashSet<u16> = all.iter().map(|request| request.priority).collect();
    assert_eq!(kinds.len(), 4, "no other");
    // They draw from a generator of their own: addresses stay.
    let plain = requests(&Pattern { priorities: None, ..pattern.clone() }, 0, IOS);
    assert!(plain.iter().zip(&all).all(|(plain, with)| plain.offset_bytes == with.offset_bytes));
}

#[test]
fn priorities_that_cannot_be_are_refused() {
    for text in ["0%/1/0", "101%/1/0", "20%", "20%/4/0", "20%/0/0", "20%/1/8", "20%/1/0/1024", "trim:20%/1/0"]
    {
        assert!(format!("priority={text}").parse::<Pattern>().is_err(), "{text}");
    }
    for text in ["60%/1/0,50%/2/0", "60%/1/0,write@4k:50%/2/0", "read:60%/1/0,41%/2/0"] {
        let error = format!("priority={text}").parse::<Pattern>().expect_err(text).to_string();
        assert!(error.contains("100 %"), "{error}");
    }
    for text in ["read:60%/1/0,write:60%/2/0", "read@4k:60%/1/0,read@8k:60%/2/0", "50%/1/0,50%/3"] {
        assert!(format!("priority={text}").parse::<Pattern>().is_ok(), "{text}");
    }
    assert_eq!(pattern("priority=5/2").priorities.unwrap().rules()[0].size, None::<Bytes>);
}
