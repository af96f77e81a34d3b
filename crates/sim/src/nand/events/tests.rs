//! Dies with a bus of their own need no events for most operations, and are done at the same times.

use flashscope_core::seed::Random;

use super::*;
use crate::nand::geometry::NandSettings;

const DEVICES: u64 = 2_000;
const OPERATIONS: u64 = 60;

fn random_flash(random: &mut Random) -> NandSettings {
    let dies = 1 + random.below(4) as u32;
    NandSettings {
        channels: dies,
        dies: 1,
        planes: 1 + random.below(2) as u32,
        pages_per_program: 1 + random.below(3) as u32,
        stripe: [0, 1, dies][random.below(3) as usize],
        transfer_us: 1.0 + random.below(3) as f64,
        read_us: vec![1.0 + random.below(9) as f64],
        program_us: vec![1.0 + random.below(30) as f64, 7.0],
        erase_us: random.below(60) as f64,
        ..NandSettings::default()
    }
}

/// What random operations, which wait for each other and for times, end at; and how many ends are known at
/// once.
fn ends_ns(times: &Times, mut events: Events, seed: u64) -> (Vec<u64>, usize) {
    let mut random = Random::new(seed);
    let (mut moments, mut known) = (vec![Moment::at(0)], 0);
    for _ in 0..OPERATIONS {
        let earlier = moments[random.below(moments.len() as u64) as usize];
        let at = match random.below(4) {
            0 => Moment::at(events.now_ns + random.below(20_000)),
            1 => Moment::at(events.now_ns),
            2 => earlier,
            _ => {
                let latest = moments[moments.len() - 1];
                events.both(earlier, latest)
            }
        };
        // Nothing is asked for at a time that has passed.
        let is_past = events.known_ns(at).is_some_and(|ns| ns < events.now_ns);
        let at = if is_past { Moment::at(events.now_ns) } else { at };
        let (block, page) = (random.below(6) as u32, random.below(12) as u32);
        let place = times.place(block, page);
        let end = match random.below(8) {
            0..4 => events.read(times, place, false, at),
            4..6 => events.program(times, place.die, times.programming_ns(block, page), at),
            6 => events.erase(times, block, at),
            _ => events.later(at, random.below(5_000)),
        };
        known += usize::from(end.known_ns().is_some());
        moments.push(end);
        if random.below(3) == 0 {
            let until_ns = events.now_ns + random.below(15_000);
            events.run_until(times, until_ns);
        }
    }
    let ends_ns = moments.into_iter().map(|moment| events.run_until_known(times, moment)).collect();
    (ends_ns, known)
}

#[test]
fn dies_with_buses_of_their_own_are_done_at_the_same_times_without_events() {
    let (mut known_alone, mut known_queued) = (0, 0);
    for seed in 0..DEVICES {
        let mut random = Random::new(seed);
        let times = Times::new(&random_flash(&mut random));
        let alone = Events::after(&Booking::new(&times), &times);
        assert!(alone.is_each_alone, "device {seed} has {} dies on as many channels", times.dies);
        let queued = Events { is_each_alone: false, ..alone.clone() };
        let (alone, queued) = (ends_ns(&times, alone, seed), ends_ns(&times, queued, seed));
        assert_eq!(alone.0, queued.0, "device {seed}");
        known_alone += alone.1;
        known_queued += queued.1;
    }
    assert!(
        known_alone > 2 * known_queued,
        "{known_alone} ends were known at once, {known_queued} with queues"
    );
}

/// Four pages wait for a page of another die, and no transfer parts them: the first that was asked for is
/// read first, and each group is sensed once.
#[test]
fn reads_that_become_ready_at_the_same_instant_are_served_in_their_order() {
    let flash = NandSettings {
        channels: 1,
        dies: 2,
        stripe: 1,
        pages_per_program: 2,
        transfer_us: 0.0,
        read_us: vec![50.0],
        program_us: vec![300.0],
        ..NandSettings::default()
    };
    let times = Times::new(&flash);
    let mut events = Events::after(&Booking::new(&times), &times);
    // So that it waits in a queue, the program comes behind an erase.
    let erase = events.erase(&times, 1, Moment::at(10));
    let program = events.program(&times, times.place(1, 1).die, 300_000, Moment::at(10));
    let read = events.read(&times, times.place(1, 0), false, program);
    let both = events.both(erase, read);
    let reads: Vec<Moment> =
        (0..4).map(|page| events.read(&times, times.place(0, page), false, both)).collect();
    let ready_ns = events.run_until_known(&times, both);
    let ends_ns = reads.into_iter().map(|read| events.run_until_known(&times, read) - ready_ns);
    assert_eq!(ends_ns.collect::<Vec<_>>(), [50_000, 50_000, 100_000, 100_000]);
}
