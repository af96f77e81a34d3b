//! Profiles of today's drives beside what their data sheets promise.

use flashscope_core::seed::Random;
use flashscope_core::{Bytes, Completion, Op, Request, Target, Time};
use flashscope_sim::{Profile, Ssd};

fn drive(name: &str) -> Ssd {
    let keys = [("capacity".to_string(), "4GiB".to_string())];
    let Ok(Profile::Ssd(settings)) = Profile::find(name, &keys) else { panic!("built in") };
    Ssd::new(name, *settings, 1).expect("a device")
}

/// What is asked for, `depth` at any time.
#[derive(Clone, Copy)]
struct Load {
    op: Op,
    is_random: bool,
    bytes: u32,
    depth: u32,
}

/// IOs a second of the drive as new, after a tenth of them as warm-up.
fn rate(name: &str, load: Load, ios: u64) -> f64 {
    let mut ssd = drive(name);
    let places = ssd.info().size_bytes / u64::from(load.bytes);
    let (mut random, mut number) = (Random::new(1), 0);
    let mut next = |tag| {
        number += 1;
        let place = if load.is_random { random.below(places) } else { number % places };
        let offset_bytes = place * u64::from(load.bytes);
        Request { tag, op: load.op, offset_bytes, length_bytes: load.bytes, ..Request::default() }
    };
    (0..load.depth).for_each(|tag| ssd.submit(&[next(tag)]).expect("it fits"));
    let (mut out, mut done, mut begin) = (Vec::<Completion>::new(), 0, Time(0));
    while done < ios + ios / 10 {
        ssd.reap(1, Time::NEVER, &mut out).expect("nothing fails");
        for completion in out.drain(..) {
            done += 1;
            if done == ios / 10 {
                begin = completion.completed;
            }
            ssd.submit(&[next(completion.tag)]).expect("it fits");
        }
    }
    (done - ios / 10) as f64 * 1e9 / ssd.now().since(begin).0 as f64
}

/// Samsung 870 EVO, 1 TB, data sheet of 2021: within an eighth.
#[test]
fn the_sata_drive_is_as_fast_as_its_data_sheet() {
    let small = |op, depth| Load { op, is_random: true, bytes: 4096, depth };
    let in_order = |op| Load { op, is_random: false, bytes: 128 << 10, depth: 8 };
    let promised = [
        (small(Op::Read, 1), 13_000.0),
        (small(Op::Read, 32), 98_000.0),
        (small(Op::Write, 1), 36_000.0),
        (small(Op::Write, 32), 88_000.0),
        (in_order(Op::Read), 560e6 / f64::from(128 << 10)),
        (in_order(Op::Write), 530e6 / f64::from(128 << 10)),
    ];
    for (load, a_second) in promised {
        let found = rate("sata-tlc-2021", load, if load.is_random { 40_000 } else { 4_000 });
        let off = found / a_second - 1.0;
        let Load { op, bytes, depth, .. } = load;
        assert!(
            off.abs() < 0.125,
            "{op} of {bytes} bytes, {depth} in flight: {found:.0} a second, {off:+.3}"
        );
    }
}

/// Intel 660p, 1 TB: in order and as long as the cache takes it 1,800 MB/s, some 100 MB/s behind. The cache
/// is 12 GB of 1,024, and on an empty drive 128 GB more, which shrink to none at three quarters: x GB fit
/// that satisfy x = 12 + 128 (1 - x / 768), that is 120.
#[test]
fn the_qlc_drive_writes_as_much_as_its_cache_takes_and_slowly_then() {
    for (full, cache) in [(0.0, 120.0 / 1_024.0), (0.75, 12.0 / 1_024.0)] {
        let (fast_mb_s, fast, slow_mb_s) = fill_beyond_the_cache(full);
        assert!((fast_mb_s / 1_800.0 - 1.0).abs() < 0.125, "{fast_mb_s:.0} MB/s, {full} full");
        assert!((fast / cache - 1.0).abs() < 0.125, "{fast:.4} of the capacity, {full} full, not {cache:.4}");
        assert!((slow_mb_s / 100.0 - 1.0).abs() < 0.25, "{slow_mb_s:.0} MB/s behind the cache, {full} full");
    }
}

/// The drive is filled so far, rests, and a sixth of it is written in order, in pieces of 8 MiB. How fast the
/// first ones were, how much of the capacity was that fast, and how fast the others were.
fn fill_beyond_the_cache(full: f64) -> (f64, f64, f64) {
    let Ok(Profile::Ssd(mut settings)) = Profile::find("nvme-qlc-2018", &[]) else { panic!("built in") };
    // The same drive, an eighth as large.
    for size in [&mut settings.capacity, &mut settings.slc_cache.size, &mut settings.slc_cache.dynamic_size] {
        *size = Bytes(size.0 / 8);
    }
    let mut ssd = Ssd::new("qlc", *settings, 1).expect("a device");
    let (size_bytes, io, piece) = (ssd.info().size_bytes, 128 << 10, 8 << 20);
    let mut offset_bytes = 0;
    let mut write_piece = |ssd: &mut Ssd| {
        let begin = ssd.now();
        let mut out = Vec::new();
        for tag in 0..(piece / io) as u32 {
            let request =
                Request { tag, op: Op::Write, offset_bytes, length_bytes: io as u32, ..Request::default() };
            ssd.submit(&[request]).expect("it fits");
            offset_bytes += io;
            ssd.reap(usize::from(tag >= 7), Time::NEVER, &mut out).expect("nothing fails");
        }
        ssd.reap((piece / io) as usize - out.len(), Time::NEVER, &mut out).expect("nothing fails");
        piece as f64 * 1e3 / ssd.now().since(begin).0 as f64
    };
    for _ in 0..(full * size_bytes as f64) as u64 / piece {
        write_piece(&mut ssd);
    }
    let now = ssd.now();
    ssd.wait_until(Time(now.0 + 1_000_000_000_000));
    let speeds: Vec<f64> = (0..size_bytes / 6 / piece).map(|_| write_piece(&mut ssd)).collect();
    let fast = speeds.iter().take_while(|mb_s| **mb_s > 900.0).count();
    let slow = &speeds[fast + 4..];
    let mean = |speeds: &[f64]| speeds.len() as f64 / speeds.iter().map(|mb_s| 1.0 / mb_s).sum::<f64>();
    (mean(&speeds[..fast]), (fast as u64 * piece) as f64 / size_bytes as f64, mean(slow))
}
