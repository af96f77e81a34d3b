//! What an IO on a simulated SSD costs by each way to it, in processor time: writes in order to `x25m-2009`.
//!
//! `cargo bench -p flashscope-bench --bench virtual_time`
//!
//! Beside each way stands the same one by the general loop, which submits and reaps: a second stream without
//! any IO makes it necessary. Both in one run and in turn, so that a busy machine slows both.
#![allow(clippy::print_stdout)]

use std::sync::atomic::AtomicBool;

use flashscope_bench::{FLASH_BLOCK_BYTES, Measurement, State, StateSource, Unrecorded, measure};
use flashscope_core::{
    Control, Io, Limits, Pacing, Pattern, PatternSource, RequestSource, Stream, Target, drive,
};
use flashscope_sim::{Profile, Ssd};
use rustix::time::{ClockId, clock_gettime};

const ROUNDS: usize = 5;
const PATTERN: &str = "rw=write bs=4KiB size=4GiB number_ios=4000000";

/// A way to the device: serves IOs, by the general loop or not, and returns how many.
type Way = fn(&mut Ssd, bool) -> u64;

fn main() {
    let ways: [(&str, Way); 3] = [("drive", driven), ("measure", measured), ("sequential state", enforced)];
    for (name, way) in ways {
        let (mut short, mut general) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..ROUNDS {
            short = short.min(cost_ns(way, false));
            general = general.min(cost_ns(way, true));
        }
        let gain = general / short;
        println!(
            "{name:<17} {short:6.1} ns an IO; by the general loop {general:6.1} ns, {gain:.2} times as many"
        );
    }
}

/// Processor time for each IO of one round on a new device.
fn cost_ns(way: Way, is_general: bool) -> f64 {
    let change = [("capacity".to_string(), "4GiB".to_string())];
    let Ok(Profile::Ssd(settings)) = Profile::find("x25m-2009", &change) else { panic!("it is built in") };
    let mut ssd = Ssd::new("x25m-2009", *settings, 1).expect("the settings are right");
    let start_ns = cpu_ns();
    let ios = way(&mut ssd, is_general);
    (cpu_ns() - start_ns) as f64 / ios as f64
}

/// Processor time of this process so far.
fn cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Drives one closed stream of single IOs.
fn single_ios<S: RequestSource>(ssd: &mut Ssd, source: S, nothing: S, is_general: bool) -> u64 {
    let mut streams = vec![Stream { source, pacing: Pacing::CONSECUTIVE }];
    if is_general {
        streams.push(Stream { source: nothing, pacing: Pacing::CONSECUTIVE });
    }
    let mut ios = 0;
    let mut observer = |_: &Io| {
        ios += 1;
        Control::Continue
    };
    drive(ssd, &mut streams, Limits::default(), &mut observer).expect("served");
    ios
}

fn driven(ssd: &mut Ssd, is_general: bool) -> u64 {
    let pattern: Pattern = PATTERN.parse().expect("a pattern");
    let nothing = Pattern { number_ios: Some(0), ..pattern.clone() };
    let source = |pattern| PatternSource::new(pattern, 0, 1);
    single_ios(ssd, source(&pattern), source(&nothing), is_general)
}

fn measured(ssd: &mut Ssd, is_general: bool) -> u64 {
    let pattern: Pattern = PATTERN.parse().expect("a pattern");
    let nothing = Pattern { number_ios: Some(0), ..pattern.clone() };
    let interrupted = AtomicBool::new(false);
    let beside = is_general.then_some(&nothing);
    let request = Measurement { beside, ..Measurement::new(&pattern, &interrupted) };
    let measured = measure(ssd, &request, &mut Unrecorded, &mut |_, _, _| ());
    assert!(measured.error.is_none());
    measured.run.ios
}

/// Writes a state in pieces of a flash block, as before a run.
fn enforced(ssd: &mut Ssd, is_general: bool) -> u64 {
    let size_bytes = ssd.info().size_bytes;
    let state = |from| StateSource::new(State::Sequential, (0, size_bytes), 512, 1, from);
    single_ios(ssd, state(0), state(size_bytes.div_ceil(FLASH_BLOCK_BYTES)), is_general)
}
