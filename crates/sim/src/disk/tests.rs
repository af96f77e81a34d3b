use super::*;
use flashscope_core::seed::Random;

fn serve(disk: &mut Disk, op: Op, offset_bytes: u64, length_bytes: u32) -> f64 {
    let request = Request { op, offset_bytes, length_bytes, ..Request::default() };
    let before = disk.clock;
    let mut out = Vec::new();
    disk.submit(&[request]).unwrap();
    disk.reap(1, Time::NEVER, &mut out).unwrap();
    (disk.clock - before) as f64 / 1e6
}

/// Over random sectors the share of the full stroke is |x - y| of two uniform tracks, whose mean square
/// root is 8/15; half a turn on top.
#[test]
fn a_random_read_takes_a_mean_seek_and_half_a_turn() {
    let settings = DiskSettings { inner_track: Bytes(1 << 20), ..DiskSettings::default() };
    let mut disk = Disk::new("test", &settings).unwrap();
    let mut random = Random::new(5);
    let sectors = settings.capacity.0 / 512;
    let ios = 20_000;
    let total: f64 = (0..ios).map(|_| serve(&mut disk, Op::Read, random.below(sectors) * 512, 512)).sum();
    let expected = 1.0 + 15.0 * 8.0 / 15.0 + 60_000.0 / 7_200.0 / 2.0 + 0.05;
    let mean = total / f64::from(ios);
    assert!((mean / expected - 1.0).abs() < 0.02, "{mean} ms, not {expected} ms");
}

#[test]
fn the_outer_tracks_are_read_at_a_track_a_turn() {
    let mut disk = Disk::new("test", &DiskSettings::default()).unwrap();
    serve(&mut disk, Op::Read, 0, 65_536);
    let ms: f64 = (1..400).map(|i| serve(&mut disk, Op::Read, i * 65_536, 65_536)).sum();
    let mb_s = 399.0 * 65_536.0 / 1e3 / ms;
    let expected = 1_048_576.0 / 1e6 * 7_200.0 / 60.0;
    assert!((mb_s / expected - 1.0).abs() < 0.03, "{mb_s} MB/s, not {expected}");
}

const TURN_MS: f64 = 60_000.0 / 7_200.0;

/// What command and link take at least.
fn link_ms(length: u32) -> f64 {
    0.05 + f64::from(length) / 300e3
}

/// What passes under the head on the outer tracks, 1 MiB a turn.
fn media_ms(length: u32) -> f64 {
    f64::from(length) / f64::from(1 << 20) * TURN_MS
}

/// The mean of reads in order, after the first.
fn in_order_ms(settings: &DiskSettings, length: u32, ios: u64) -> f64 {
    let mut disk = Disk::new("test", settings).unwrap();
    serve(&mut disk, Op::Read, 0, length);
    let total: f64 = (1..ios).map(|i| serve(&mut disk, Op::Read, i * u64::from(length), length)).sum();
    total / (ios - 1) as f64
}

#[test]
fn reads_in_order_of_any_size_take_what_the_media_or_the_link_takes() {
    let small = DiskSettings { read_ahead: Bytes(256 << 10), ..DiskSettings::default() };
    let sizes = [512, 4 << 10, 8 << 10, 32 << 10, 256 << 10, 260 << 10, 1 << 20, 4 << 20];
    for length in sizes {
        // Small reads leave the head behind them, and it needs a turn to come back: a track holds that.
        let settings = if length < 32 << 10 { &DiskSettings::default() } else { &small };
        let (seen, expected) = (in_order_ms(settings, length, 1_000), media_ms(length).max(link_ms(length)));
        assert!((seen / expected - 1.0).abs() < 0.01, "{length}: {seen} ms, not {expected} ms");
    }
}

#[test]
fn without_reading_ahead_every_read_in_order_waits_for_a_turn() {
    let settings = DiskSettings { read_ahead: Bytes(0), ..DiskSettings::default() };
    let (seen, expected) = (in_order_ms(&settings, 512, 100), TURN_MS + media_ms(512));
    assert!((seen / expected - 1.0).abs() < 0.001, "{seen} ms, not {expected} ms");
}

#[test]
fn reads_in_order_with_pauses_find_their_bytes_in_the_cache() {
    for pause_ms in [1, 3, 30, 1_000] {
        let mut disk = Disk::new("test", &DiskSettings::default()).unwrap();
        serve(&mut disk, Op::Read, 0, 4096);
        for i in 1..1_000 {
            disk.wait_until(Time(disk.clock + pause_ms * 1_000_000));
            let seen = serve(&mut disk, Op::Read, i * 4096, 4096);
            assert!((seen - link_ms(4096)).abs() < 1e-4, "read {i}, pauses of {pause_ms} ms: {seen} ms");
        }
    }
}

#[test]
fn a_pause_is_used_for_what_passes_in_it() {
    let length = 1 << 20;
    for share in [0.1, 0.25, 0.5] {
        let mut disk = Disk::new("test", &DiskSettings::default()).unwrap();
        serve(&mut disk, Op::Read, 0, 4096);
        disk.wait_until(Time(disk.clock + (share * TURN_MS * 1e6) as u64));
        let (seen, expected) = (serve(&mut disk, Op::Read, 4096, length), (1.0 - share) * TURN_MS);
        assert!((seen / expected - 1.0).abs() < 0.001, "{share} of a turn: {seen} ms, not {expected} ms");
    }
}

#[test]
fn what_was_read_ahead_stays_until_a_read_goes_elsewhere() {
    let mut disk = Disk::new("test", &DiskSettings::default()).unwrap();
    let mut read = |offset| {
        let ms = serve(&mut disk, Op::Read, offset, 4096);
        disk.wait_until(Time(disk.clock + 1_000_000_000));
        serve(&mut disk, Op::Write, 1 << 36, 4096);
        disk.wait_until(Time(disk.clock + 1_000_000_000));
        ms
    };
    read(0);
    let is_cached = |ms: f64| (ms - link_ms(4096)).abs() < 1e-4;
    assert!(is_cached(read(4096)), "the next");
    assert!(is_cached(read(65_536)), "one that leaves some out");
    assert!(!is_cached(read(4096)), "what was passed over is gone");
    assert!(is_cached(read(4096)), "the same again");
    assert!(!is_cached(read(1 << 30)), "another place");
    assert!(!is_cached(read(8192)), "and back");
}

#[test]
fn a_cached_write_is_quick_until_the_cache_is_full() {
    let settings = DiskSettings { write_cache: Bytes(1 << 20), ..DiskSettings::default() };
    let mut disk = Disk::new("test", &settings).unwrap();
    let mut random = Random::new(6);
    let mut write = || serve(&mut disk, Op::Write, random.below(100_000) * 4096 * 1000, 65_536);
    assert!((0..16).all(|_| write() < 0.5), "sixteen 64 KiB writes fit");
    let later: f64 = (0..64).map(|_| write()).sum();
    assert!(later / 64.0 > 5.0, "then each waits for the arm: {later} ms for 64");
}

#[test]
fn absurd_numbers_are_refused_by_name_and_the_limits_work() {
    let set = |key: &str, value: f64| {
        let overrides = [(key.to_string(), format!("{value:?}"))];
        match crate::Profile::find("hdd-7200", &overrides).unwrap() {
            crate::Profile::Disk(disk) => Disk::new("test", &disk),
            crate::Profile::Ssd(_) => panic!("a disk is a disk"),
        }
    };
    for (key, least, most) in [
        ("disk.rotations_per_minute", 100.0, 1e5),
        ("disk.link_mb_s", 0.001, 1e6),
        ("disk.full_seek_us", 0.0, 1e6),
    ] {
        for value in [1e-300, -1.0, 1e300].into_iter().filter(|value| !(least..=most).contains(value)) {
            let message = set(key, value).err().expect("absurd").to_string();
            assert!(message.starts_with(key) && message.contains(&most.to_string()), "{message}");
        }
        for value in [least, most] {
            let mut disk = set(key, value).unwrap_or_else(|error| panic!("{error}"));
            (0..100).for_each(|i| assert!(serve(&mut disk, Op::Read, i * 4_096_000, 1 << 30) > 0.0));
        }
    }
}
