//! Patterns on a drive with zones, made by name: what is accepted is served to its end, one run after the
//! other on the same drive; all else is refused before the first IO.

use flashscope_core::pattern::Pattern;
use flashscope_core::seed::Random;
use flashscope_core::{Bytes, Control, Io, Limits, Target, drive};
use flashscope_sim::settings::Initial;
use flashscope_sim::{Settings, Ssd};

use super::{CAPACITY, PAGE, SIZE, settings, zones};

/// Eight zones of 64 KiB; with a hole, 58 KiB of each can be written.
fn drive_of(has_hole: bool, active_max: u32) -> Ssd {
    let mut zns = zones(active_max, active_max);
    zns.reset_on_rewrite = true;
    zns.zone_capacity = Bytes(if has_hole { u64::from(CAPACITY) * PAGE } else { 0 });
    let initial = if has_hole { Initial::Empty } else { Initial::Full };
    let settings = Settings { ftl: "zns".into(), zns, initial, ..settings() };
    Ssd::new("zns", settings, 1).expect("a good device")
}

fn pattern(ssd: &Ssd, words: &str) -> Result<Pattern, String> {
    let defaults = ["size=512KiB", "bs=2KiB", "number_ios=100"].into_iter();
    let key = |word: &str| format!("{}=", word.split('=').next().unwrap_or_default());
    let left = defaults.filter(|word| !words.contains(&format!(" {}", key(word))));
    let text = format!("{words} {}", left.collect::<Vec<_>>().join(" "));
    let pattern: Pattern = text.parse().map_err(|error| format!("{text}: {error}"))?;
    pattern.validate(ssd.info()).map_err(|error| error.to_string())?;
    Ok(pattern)
}

fn run(ssd: &mut Ssd, pattern: &Pattern, seed: u64) -> u64 {
    let mut streams: Vec<_> = pattern.streams(seed).collect();
    let mut ios = 0;
    let mut count = |_: &Io| {
        ios += 1;
        Control::Continue
    };
    drive(ssd, &mut streams, Limits::default(), &mut count).unwrap_or_else(|e| panic!("{pattern}: {e}"));
    ios
}

#[test]
fn what_a_drive_with_zones_cannot_take_is_refused_with_its_setting_and_a_way_out() {
    for (words, key, way_out) in [
        ("rw=randwrite", "rw", "choose write or rw"),
        ("rw=randrw", "rw", "choose write or rw"),
        ("rw=trim", "rw", "takes no discards"),
        ("rw=randwrite random=zipf:1.1", "rw", "random=streams:K"),
        ("rw=randwrite random=streams:3", "size", "384KiB"),
        ("rw=randwrite random=streams:8", "random", "at most 4 zones begun, not 8"),
        ("rw=write partitions=8", "partitions", "at most 4 zones begun, not 8"),
        ("rw=write numjobs=2 job_space=shared", "job_space", "a part of its own"),
        ("rw=write offset=2KiB size=64KiB", "offset", "write 0"),
        ("rw=write offset=96KiB size=64KiB", "offset", "64KiB"),
        ("rw=write size=448KiB shift=2KiB", "shift", "whole zones of 64KiB"),
        ("rw=write size=100KiB", "size", "64KiB"),
        ("rw=write bs=48KiB", "bs", "use a divisor"),
        ("rw=write stride=-1", "stride", "leave it out"),
        ("rw=write gap=2KiB", "gap", "leave out"),
        ("rw=write gap=2KiB/62KiB", "gap", "leave it out"),
        ("rw=write bssplit=2k/50:4k/50", "bssplit", "leave it out"),
        ("rw=write mix=randwrite:3", "mix", "write:30%"),
    ] {
        let refused = pattern(&drive_of(false, 4), words).expect_err(words);
        assert!(refused.starts_with(&format!("{key}: ")), "{words}: {refused}");
        assert!(refused.contains(way_out) || key == "gap", "{words}: {refused}");
    }
    let refused = pattern(&drive_of(true, 4), "rw=write").expect_err("the hole of each zone");
    assert!(refused.contains("gap: ") && refused.contains("write 6KiB/58KiB"), "{refused}");
    let mut by_hand = drive_of(false, 4).settings().clone();
    by_hand.zns.reset_on_rewrite = false;
    let by_hand = Ssd::new("zns", by_hand, 1).expect("a good device");
    let refused = pattern(&by_hand, "rw=write").expect_err("nobody resets");
    assert!(refused.contains("nobody resets"), "{refused}");
    assert!(pattern(&by_hand, "rw=randread").is_ok());
}

/// Every run begins at the starts of zones, and leaves some begun: more of them than may be active, were they
/// not finished. Two pages out of a hundred are what a finish pads.
#[test]
fn what_is_accepted_is_served_whatever_was_left_by_the_run_before() {
    for (has_hole, all) in [(false, PATTERNS), (true, HOLED)] {
        let mut ssd = drive_of(has_hole, 4);
        let mut random = Random::new(5);
        for round in 0..200 {
            let words = all[random.below(all.len() as u64) as usize];
            let ios = 1 + random.below(900);
            let words = format!("{words} number_ios={ios}");
            let pattern = pattern(&ssd, &words).unwrap_or_else(|error| panic!("{words}: {error}"));
            let served = run(&mut ssd, &pattern, round);
            assert_eq!(served, ios * u64::from(pattern.numjobs), "{words}");
            let zones = ssd.zones().expect("it has zones");
            assert!(zones.active() <= 4 && zones.open() <= 4, "{words}: {zones:?}");
        }
        let report = ssd.report();
        assert_eq!(report.programs_by_cause.gc, 0);
        let padded = report.programs_by_cause.padding;
        assert!(padded > 0, "zones were finished, or this says nothing");
        assert!(padded < 4 * 200, "at most four for each run: {padded}");
    }
}

const PATTERNS: &[&str] = &[
    "rw=write",
    "rw=write bs=64KiB",
    "rw=write iodepth=16",
    "rw=write size=128KiB offset=256KiB",
    "rw=write partitions=2",
    "rw=write partitions=4 iodepth=3",
    "rw=write numjobs=4",
    "rw=write numjobs=2 partitions=2 iodepth=8",
    "rw=randwrite random=streams:4",
    "rw=randwrite random=streams:4:1.1 iodepth=5",
    "rw=randwrite random=streams:2 numjobs=2",
    "rw=rw",
    "rw=rw rwmixread=20",
    "rw=randread mix=write:30%",
    "rw=write mix=randread:30% iodepth=4",
    "rw=write fsync=7",
    "rw=randread bs=16KiB",
    "rw=read gap=2KiB",
];

const HOLED: &[&str] =
    &["rw=write gap=6KiB/58KiB", "rw=write gap=6KiB/58KiB numjobs=4 iodepth=3", "rw=randread"];

/// A zone is 32 pages: what was written last is what is read, checked by token.
#[test]
fn a_saved_drive_goes_on_where_it_was() {
    let mut ssd = drive_of(false, 4);
    let first = pattern(&ssd, "rw=randwrite random=streams:4 number_ios=700").expect("four zones");
    run(&mut ssd, &first, 1);
    let mut again = Ssd::load(&ssd.save()).expect("it was saved");
    assert_eq!(again.info(), ssd.info());
    let second = pattern(&ssd, "rw=write number_ios=900").expect("in order");
    assert_eq!((run(&mut ssd, &second, 2), run(&mut again, &second, 2)), (900, 900));
    assert_eq!((ssd.now(), ssd.save()), (again.now(), again.save()));
    assert_eq!(ssd.zones().map(|zones| zones.count()), Some(ssd.logical_pages() / SIZE));
}
