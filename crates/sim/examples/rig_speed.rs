//! How fast rigs are: drives each by the drive loop and prints millions of IOs per second of processor time.
//!
//! `rig_speed [NAME]`

use std::error::Error;
use std::io::Write;
use std::time::Instant;

use flashscope_core::{Bytes, Control, Io, Limits, Pattern, PatternSource, Rw, Stream, drive};
use flashscope_sim::{Rig, rigs};

const IOS: u64 = 4_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let only = std::env::args().nth(1);
    let mut out = std::io::stdout();
    for name in rigs::NAMES.into_iter().filter(|name| only.as_deref().is_none_or(|only| only == *name)) {
        let speeds: Vec<String> = Rw::ALL.iter().map(|&rw| format!("{rw} {:6.1}", speed(name, rw))).collect();
        writeln!(out, "{name:18} {}", speeds.join("   "))?;
    }
    Ok(())
}

/// Millions of IOs per second.
fn speed(name: &str, rw: Rw) -> f64 {
    let mut rig = Rig::new(rigs::get(name).expect("built in"), 1);
    let pattern = Pattern { number_ios: Some(IOS), ..Pattern::baseline(rw, Bytes(0), Bytes(1 << 30)) };
    let mut streams = [Stream { source: PatternSource::new(&pattern, 0, 1), pacing: pattern.pacing() }];
    let mut sum = 0;
    let mut observe = |io: &Io| {
        sum += io.response.0;
        Control::Continue
    };
    let start = Instant::now();
    drive(&mut rig, &mut streams, Limits::default(), &mut observe).expect("a rig serves what is valid");
    let elapsed = start.elapsed();
    assert!(sum > 0);
    IOS as f64 / elapsed.as_secs_f64() / 1e6
}
