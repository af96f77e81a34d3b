//! Driving a rig in tests.

use flashscope_core::{Bytes, Control, Io, Limits, Pattern, PatternSource, Rw, Share, Stream, Target, drive};
use flashscope_sim::{Rig, RigSpec, rigs};

/// A built-in rig without its noise.
pub fn quiet(name: &str) -> RigSpec {
    let mut spec = rigs::get(name).expect("built in");
    spec.noise.spread = Share(0.0);
    spec
}

/// A pattern from its text; 32 KiB in 1 GiB unless the text says otherwise.
pub fn pattern(text: &str) -> Pattern {
    let size = if text.contains("size=") { "" } else { "size=1GiB " };
    format!("{size}{text}").parse().expect("a pattern")
}

/// Drives `ios` IOs (of all processes together) of `pattern`.
pub fn run(rig: &mut Rig, pattern: &Pattern, ios: u64, seed: u64) -> Vec<Io> {
    pattern.validate(rig.info()).expect("a valid pattern");
    let mut streams: Vec<_> = (0..pattern.numjobs)
        .map(|job| Stream { source: PatternSource::new(pattern, job, seed), pacing: pattern.pacing() })
        .collect();
    let mut seen = Vec::new();
    let mut observe = |io: &Io| {
        seen.push(*io);
        if seen.len() as u64 >= ios { Control::Stop } else { Control::Continue }
    };
    drive(rig, &mut streams, Limits::default(), &mut observe).expect("a rig serves what is valid");
    seen.truncate(ios as usize);
    seen
}

/// The response times in nanoseconds of a run on a rig just switched on.
pub fn times(spec: &RigSpec, pattern: &Pattern, ios: u64, seed: u64) -> Vec<u64> {
    let mut rig = Rig::new(spec.clone(), seed);
    run(&mut rig, pattern, ios, seed).iter().map(|io| io.response.0).collect()
}

/// The mean of some times.
pub fn mean(times: &[u64]) -> f64 {
    times.iter().map(|&ns| ns as f64).sum::<f64>() / times.len() as f64
}

/// A baseline in half the device.
pub fn baseline(rw: Rw) -> Pattern {
    Pattern::baseline(rw, Bytes(0), Bytes(2 << 30))
}
