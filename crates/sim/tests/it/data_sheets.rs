//! Profiles of today's drives beside what their data sheets promise.

use flashscope_core::seed::Random;
use flashscope_core::{Completion, Op, Request, Target, Time};
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
