//! A pattern is one value in three forms: a line of text, a TOML table, single settings. What is wrong with
//! one is said in words that name the key and the way out.

use flashscope_core::pattern::KEYS;
use flashscope_core::{
    Arrivals, Bytes, JobSpace, Location, Mix, Nanos, Op, Pattern, Placement, Priorities, PriorityRule, Rate,
    Rw, Sequence, Share, Streams, TargetInfo, Turns, Zones,
};
use proptest::prelude::*;

fn text(text: &str) -> Pattern {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn text_error(text: &str) -> String {
    text.parse::<Pattern>().expect_err(text).to_string()
}

fn toml_error(table: &str) -> String {
    toml::from_str::<Pattern>(table).expect_err(table).to_string()
}

#[track_caller]
fn assert_says(message: &str, words: &[&str]) {
    for word in words {
        assert!(message.contains(word), "no '{word}' in: {message}");
    }
}

#[test]
fn every_setting_means_the_same_in_text_toml_and_set() {
    for key in KEYS {
        // A share of reads is one of a mix.
        let base = if key.name.starts_with("rwmix") { "rw" } else { "read" };
        let plain = text(&format!("rw={base}"));
        let mut set = plain.clone();
        set.set(key.name, key.example).unwrap();
        let mut dashed = plain.clone();
        dashed.set(&key.name.replace('_', "-"), key.example).unwrap();
        let rw = if key.name == "rw" { key.example } else { base };
        let other = if key.name == "rw" { ("bs", "32KiB") } else { (key.name, key.example) };
        let from_text = text(&format!("rw={rw} {}={}", other.0, other.1));
        let from_toml: Pattern =
            toml::from_str(&format!("rw='{rw}'\n{} = \"{}\"", other.0, other.1)).unwrap();
        assert!(key.name == "bs" || set != plain, "the example of {} says nothing", key.name);
        assert_eq!([&dashed, &from_text, &from_toml], [&set; 3], "{}", key.name);
    }
}

#[test]
fn toml_takes_bare_numbers_where_text_would_do() {
    let table = "rw = 'randwrite'\nbs = 4096\nsize = 1048576\niodepth = 8\nrate_iops = 12.5\n";
    let pattern: Pattern = toml::from_str(table).unwrap();
    assert_eq!(pattern, text("rw=randwrite bs=4k size=1MiB iodepth=8 rate_iops=12.5"));
    let strided: Pattern = toml::from_str("stride = -1").unwrap();
    assert_eq!(strided.location, Location::Ordered { stride: -1 });
}

#[test]
fn the_order_of_the_keys_does_not_matter() {
    assert_eq!(text("stride=-1 rw=randwrite"), text("rw=randwrite stride=-1"));
    assert_eq!(text("random=zipf:1.1 rw=read"), text("rw=read random=zipf:1.1"));
    assert_eq!(text("random=draws rw=read"), text("rw=read random=draws"));
    assert_eq!(text("partitions=4 bs=4k rw=write"), text("rw=write partitions=4 bs=4k"));
}

#[test]
fn the_words_mean_what_they_say() {
    let pattern = text(
        "rw=RW bs=8k offset=1GiB size=64m shift=512 random=permutation mix=read:4 numjobs=2 iodepth=16 \
         job_space=shared sync=dsync atomic=1 priority=20%/1 placement=3 \
         thinktime=100us thinktime_blocks=10 fsync=8 number_ios=1024 ignore_ios=128",
    );
    let expected = Pattern {
        rw: Rw::RandWrite,
        bs: Bytes(8 << 10),
        sizes: None,
        offset: Bytes(1 << 30),
        size: Bytes(64 << 20),
        shift: Bytes(512),
        location: Location::Permutation,
        mix: Some(Mix::ratio(Rw::Read, 4)),
        numjobs: 2,
        job_space: JobSpace::Shared,
        is_dsync: true,
        is_atomic: true,
        priorities: Some("20%/1/0".parse().unwrap()),
        placement: Some(Placement::One(3)),
        iodepth: 16,
        thinktime: Nanos(100_000),
        thinktime_blocks: 10,
        rate_iops: None,
        arrivals: Arrivals::Fixed,
        fsync: Some(8),
        number_ios: Some(1024),
        ignore_ios: 128,
    };
    assert_eq!(pattern, expected);
}

#[test]
fn an_unknown_key_is_refused_with_the_known_ones() {
    let names: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
    assert_says(&text_error("blocksize=4k"), &names);
    assert_says(&text_error("blocksize=4k"), &["blocksize"]);
    let toml = toml_error("rw = 'read'\nblocksize = 4096\n");
    assert_says(&toml, &names);
    assert_says(&toml, &["blocksize", "line 2"]);
}

#[test]
fn a_key_twice_and_two_ways_to_choose_addresses_are_refused() {
    assert_says(&text_error("bs=4k bs=8k"), &["bs", "twice", "once"]);
    assert_says(&text_error("thinktime-blocks=4 thinktime_blocks=8"), &["thinktime_blocks", "twice"]);
    assert_says(&toml_error("bs = 1\nbs = 2\n"), &["duplicate key"]);
    assert_says(&toml_error("thinktime-blocks = 4\nthinktime_blocks = 8\n"), &["twice"]);
    let location = ["stride=2", "partitions=2", "gap=4k", "random=draws"];
    for first in location {
        for second in location.iter().filter(|other| **other != first) {
            let (a, b) = (first.split('=').next().unwrap(), second.split('=').next().unwrap());
            assert_says(&text_error(&format!("{first} bs=4k {second}")), &[a, b, "excludes"]);
        }
    }
}

#[test]
fn a_value_that_cannot_be_is_refused_with_one_that_can() {
    for (wrong, words) in [
        ("rw=append", &["rw", "append", "randwrite"][..]),
        ("bs=-4k", &["bs", "negative", "32KiB"]),
        ("bs=4 kilos", &["kilos"]),
        ("bs=4parsecs", &["bs", "parsecs", "KiB"]),
        ("size=99999999T", &["size", "too large"]),
        ("size=0", &["size", "more than 0", "whole target"]),
        ("number_ios=-5", &["number_ios", "-5", "whole number"]),
        ("numjobs=1.5", &["numjobs", "1.5"]),
        ("iodepth=99999999999", &["iodepth"]),
        ("stride=fast", &["stride", "-1"]),
        ("thinktime=100", &["thinktime", "unit", "100us"]),
        ("thinktime=-1ms", &["thinktime", "negative"]),
        ("mix=randwrite", &["mix", "randwrite:4"]),
        ("mix=randwrite:-4", &["mix", "-4"]),
        ("random=always", &["random", "permutation", "zipf"]),
        ("random=hot:110%:5%", &["random", "110%"]),
        ("rate_iops=quick", &["rate_iops", "5000"]),
        ("arrivals=late", &["arrivals", "poisson"]),
        ("bs", &["bs", "key=value"]),
    ] {
        assert_says(&text_error(wrong), words);
    }
    assert_says(&toml_error("iodepth = -3"), &["iodepth", "-3", "line 1"]);
    assert!(toml::from_str::<Pattern>("bs = [1]").is_err());
}

fn target() -> TargetInfo {
    TargetInfo {
        name: "rig:plain".into(),
        size_bytes: 1 << 30,
        logical_block_bytes: 4096,
        virtual_time: true,
        engine: "rig".into(),
        queue_depth_max: 64,
        placements: 1,
        zones: None,
    }
}

#[test]
fn validate_says_what_cannot_be_and_what_could() {
    for (pattern, words) in [
        ("bs=512 size=1m", &["bs", "512", "4096-byte sector", "rig:plain", "write 4KiB"][..]),
        ("bs=6000 size=1m", &["bs", "write 4KiB"]),
        ("bs=0 size=1m", &["bs", "must be"]),
        ("bs=2g size=1m", &["bs", "1GiB"]),
        ("size=5000", &["size", "sector"]),
        ("size=1m offset=100", &["offset", "sector"]),
        ("size=1m shift=512", &["shift", "sector"]),
        ("size=1m gap=512", &["gap", "sector"]),
        ("size=2g", &["size", "2GiB", "beyond the end", "rig:plain (1GiB)", "at most 1GiB"]),
        ("size=1g offset=32k", &["beyond", "at most 1048544KiB"]),
        ("size=1g shift=4k", &["beyond", "at most 1048544KiB"]),
        ("offset=2g size=1m", &["size", "beyond", "at most 0"]),
        ("offset=4194303t size=4194303t", &["beyond"]),
        ("rw=read", &["size", "no IO of 32KiB fits", "rig:plain (1GiB)"]),
        ("size=4k", &["size", "too small", "32KiB"]),
        ("size=1m gap=1m", &["gap", "target space of 1MiB"]),
        ("size=32k numjobs=2", &["size", "too small", "64KiB"]),
        ("size=1m partitions=4294967295 numjobs=4096 bs=1g", &["size", "too small"]),
        ("size=64k mix=write:4 partitions=2", &["mix and partitions", "128KiB"]),
        ("size=1m numjobs=0", &["numjobs", "1 to 4096"]),
        ("size=1m numjobs=5000", &["numjobs", "4096"]),
        ("size=1m iodepth=0", &["iodepth", "at least 1"]),
        ("size=1m iodepth=70000", &["iodepth", "65536"]),
        ("size=1m thinktime_blocks=0", &["thinktime_blocks", "at least 1"]),
        ("size=1m number_ios=0", &["number_ios", "ignore_ios"]),
        ("size=1m number_ios=10 ignore_ios=10", &["number_ios", "ignore_ios"]),
        ("size=1m mix=write:0", &["mix", "at least 1"]),
        ("size=1m partitions=0", &["partitions", "at least 1"]),
        ("size=1m rate_iops=0", &["rate_iops", "more than 0"]),
        ("size=1m rate_iops=-3", &["rate_iops", "more than 0"]),
        ("size=1m rate_iops=nan", &["rate_iops"]),
        ("size=1m rate_iops=1e300", &["rate_iops", "1000000000"]),
        ("size=1m rate_iops=1e-9", &["rate_iops", "0.000001"]),
        ("size=1m rate_iops=10 thinktime=1ms", &["thinktime", "rate_iops"]),
        ("size=1m random=zipf:0", &["random", "theta of 0.001"]),
        ("size=1m rw=randread stride=-1", &["stride", "rw=randread", "rw=read"]),
        ("size=1m rw=randwrite partitions=2", &["partitions", "rw=randwrite", "rw=write"]),
        ("size=1m rw=randread gap=random:4k", &["gap", "rw=randread"]),
        ("size=1m rw=write placement=1", &["placement", "knows no placement handles", "leave it out"]),
        ("size=1m rw=write numjobs=2 placement=job", &["placement", "knows no placement handles"]),
        ("size=1m placement=0", &["placement", "without writes"]),
        ("size=1m rw=randwrite placement=part", &["placement", "partitions", "random=streams"]),
        ("size=1m rw=write partitions=2 mix=read:4 placement=part", &["placement", "mix=RW:RATIO"]),
        ("bs=4k size=16k rw=randwrite random=streams:8", &["size", "streams need room", "32KiB"]),
        ("size=1m rw=randwrite random=streams:8:0", &["random", "theta"]),
        ("bssplit=4k/50:8k/50 size=1m rw=randwrite random=streams:8", &["bssplit", "random=streams"]),
        ("size=1m arrivals=poisson", &["arrivals", "rate_iops"]),
        ("size=1m thinktime_blocks=8", &["thinktime_blocks", "without thinktime"]),
    ] {
        let error = text(pattern).validate(&target()).expect_err(pattern);
        assert_says(&error.to_string(), words);
    }
    text("size=1g").validate(&target()).unwrap();
    text("bs=4k size=4k").validate(&target()).unwrap();
}

fn location() -> impl Strategy<Value = Location> {
    let share = || (0.0f64..=1.0).prop_map(Share);
    prop_oneof![
        Just(Location::Sequential),
        Just(Location::Random),
        Just(Location::Permutation),
        Just(Location::RepeatedPermutation),
        any::<i64>().prop_map(|stride| Location::Ordered { stride }),
        any::<u32>().prop_map(|partitions| Location::Partitioned { partitions }),
        bytes().prop_map(|gap| Location::RegularGaps { gap }),
        bytes().prop_map(|gap| Location::RandomGaps { gap }),
        (bytes(), bytes()).prop_map(|(gap, zone)| Location::ZoneGaps { gap, zone }),
        (1u8..100, 0u8..=100).prop_map(|(space, ios)| {
            Location::Zones(Zones::new(&[(ios, space), (100 - ios, 100 - space)]).unwrap())
        }),
        (1u32..=4096, prop::option::of(0.001f64..10.0))
            .prop_map(|(count, theta)| Location::Streams(Streams { count, theta })),
        (0.001f64..10.0).prop_map(|theta| Location::Zipf { theta }),
        (prop::collection::vec(any::<u32>(), 1..=64), any::<bool>())
            .prop_map(|(slots, is_strided)| Location::Sequence(Sequence::new(&slots, is_strided).unwrap())),
        (share(), share()).prop_map(|(hot_space, hot_ios)| Location::HotCold { hot_space, hot_ios }),
    ]
}

fn bytes() -> impl Strategy<Value = Bytes> {
    prop_oneof![0u64..100_000, (0u64..(1 << 20)).prop_map(|n| n << 12), 0u64..(1 << 60)].prop_map(Bytes)
}

fn job_space() -> impl Strategy<Value = JobSpace> {
    let distance = (1u64..1 << 50).prop_map(Bytes);
    prop_oneof![
        Just(JobSpace::Parts),
        Just(JobSpace::Shared),
        distance.clone().prop_map(JobSpace::Apart),
        distance.prop_map(JobSpace::ApartToEnd),
    ]
}

/// Rules of at most 100 % together.
fn priorities() -> impl Strategy<Value = Option<Priorities>> {
    let op = prop::sample::select(vec![None, Some(Op::Read), Some(Op::Write)]);
    let rule = (op, prop::option::of(bytes()), 1u8..=25, 1u8..=3, 0u8..=7, 0u16..=1023);
    let rule = rule.prop_map(|(op, size, percent, class, level, hint)| PriorityRule {
        op,
        size,
        percent,
        class,
        level,
        hint,
    });
    prop::collection::vec(rule, 0..=4).prop_map(|rules| Priorities::new(rules).ok())
}

fn placement() -> impl Strategy<Value = Option<Placement>> {
    let one = any::<u16>().prop_map(Placement::One);
    prop::option::of(prop_oneof![one, Just(Placement::Job), Just(Placement::Part)])
}

/// Turns that a mix of any two can take.
fn turns() -> impl Strategy<Value = Turns> {
    prop_oneof![any::<u32>().prop_map(Turns::Ratio), (0u8..=100).prop_map(Turns::Chance)]
}

fn rate() -> impl Strategy<Value = Rate> {
    let one = || 0.001f64..1e9;
    let each = (one(), one()).prop_map(|(reads, writes)| Rate::Each { reads, writes });
    prop_oneof![one().prop_map(Rate::Total), each]
}

prop_compose! {
    fn pattern()(
        rw in prop::sample::select(&Rw::EVERY[..]),
        (bs, offset, size, shift) in (bytes(), bytes(), bytes(), bytes()),
        location in location(),
        mix in prop::option::of((prop::sample::select(&Rw::EVERY[..]), turns())),
        (numjobs, iodepth, thinktime_blocks, ignore_ios) in any::<(u32, u32, u64, u64)>(),
        thinktime_us in 0u64..10_000_000,
        rate_iops in prop::option::of(rate()),
        (poisson, is_dsync, is_atomic) in any::<(bool, bool, bool)>(),
        (job_space, priorities, placement) in (job_space(), priorities(), placement()),
        (fsync, number_ios) in any::<(Option<u64>, Option<u64>)>(),
    ) -> Pattern {
        Pattern {
            rw, bs, sizes: None, offset, size, shift, location,
            mix: mix.map(|(rw, turns)| Mix { rw, turns }),
            numjobs, iodepth, thinktime_blocks, ignore_ios, rate_iops, is_dsync, is_atomic, fsync,
            number_ios, job_space, priorities, placement,
            thinktime: Nanos::from_us(thinktime_us),
            arrivals: if poisson { Arrivals::Poisson } else { Arrivals::Fixed },
        }
    }
}

/// Larger than any pattern above needs.
const BIG: u64 = 1 << 61;

/// Only plain sequential addresses of a random baseline have none, and `rw` contradicts them.
fn has_words(pattern: &Pattern) -> bool {
    !pattern.rw.is_random() || pattern.location != Location::Sequential
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn a_printed_pattern_reads_back_unchanged(pattern in pattern().prop_filter("no words", has_words)) {
        let printed = pattern.to_string();
        prop_assert_eq!(printed.parse::<Pattern>(), Ok(pattern), "{}", printed);
    }

    #[test]
    fn every_valid_pattern_prints_and_reads_back(
        pattern in pattern(), counts in (1u32..9, 1u32..9, 1u64..99),
    ) {
        // Within reach of a large target, so that nothing but its form is in question.
        let (numjobs, iodepth, thinktime_blocks) = counts;
        let pattern = Pattern {
            bs: Bytes(4096), offset: Bytes(8192), size: Bytes(BIG / 2), shift: Bytes(4096),
            numjobs, iodepth, thinktime_blocks, ignore_ios: 0, ..pattern
        };
        if pattern.validate(&TargetInfo { size_bytes: BIG, ..target() }).is_ok() {
            let printed = pattern.to_string();
            prop_assert_eq!(printed.parse::<Pattern>(), Ok(pattern), "{}", printed);
        }
    }

    #[test]
    fn a_pattern_survives_toml(pattern in pattern().prop_filter("no words", has_words)) {
        let table = toml::to_string(&pattern).unwrap();
        prop_assert_eq!(toml::from_str::<Pattern>(&table), Ok(pattern), "{}", table);
    }
}
