//! How fast rigs are: drives each by the drive loop and prints millions of IOs per second, the best of
//! several short runs, beside a target that does nothing.
//!
//! `rig_speed [NAME]`

use std::error::Error;
use std::io::Write;
use std::time::Instant;

use flashscope_core::{
    Bytes, Completion, Control, Io, Limits, Pattern, PatternSource, Request, Rw, Stream, Target, TargetError,
    TargetInfo, Time, drive,
};
use flashscope_sim::{Rig, rigs};

const IOS: u64 = 200_000;
const RUNS: u32 = 40;

fn main() -> Result<(), Box<dyn Error>> {
    let only = std::env::args().nth(1);
    let spec = rigs::get("plain").expect("built in");
    let mut idle = Idle { info: Rig::new(spec, 1).info().clone(), done: Vec::new(), clock: Time(0) };
    print("(nothing)", Rw::ALL.map(|rw| best(&mut idle, rw)))?;
    for name in rigs::NAMES.into_iter().filter(|name| only.as_deref().is_none_or(|only| only == *name)) {
        let mut rig = Rig::new(rigs::get(name).expect("built in"), 1);
        print(name, Rw::ALL.map(|rw| best(&mut rig, rw)))?;
    }
    Ok(())
}

fn print(name: &str, speeds: [f64; 4]) -> std::io::Result<()> {
    let cells: Vec<String> =
        Rw::ALL.iter().zip(speeds).map(|(rw, speed)| format!("{rw} {speed:6.1}")).collect();
    writeln!(std::io::stdout(), "{name:18} {}", cells.join("   "))
}

/// Millions of IOs per second.
fn best(target: &mut impl Target, rw: Rw) -> f64 {
    (0..RUNS).map(|seed| speed(target, rw, u64::from(seed))).fold(0.0, f64::max)
}

fn speed(target: &mut impl Target, rw: Rw, seed: u64) -> f64 {
    let pattern = Pattern { number_ios: Some(IOS), ..Pattern::baseline(rw, Bytes(0), Bytes(1 << 30)) };
    let mut streams = [Stream { source: PatternSource::new(&pattern, 0, seed), pacing: pattern.pacing() }];
    let mut sum = 0;
    let mut observe = |io: &Io| {
        sum += io.response.0;
        Control::Continue
    };
    let start = Instant::now();
    drive(target, &mut streams, Limits::default(), &mut observe).expect("a rig serves what is valid");
    let elapsed = start.elapsed();
    assert!(sum > 0);
    IOS as f64 / elapsed.as_secs_f64() / 1e6
}

/// Each IO takes a nanosecond.
struct Idle {
    info: TargetInfo,
    done: Vec<Completion>,
    clock: Time,
}

impl Target for Idle {
    fn info(&self) -> &TargetInfo {
        &self.info
    }

    fn now(&mut self) -> Time {
        self.clock
    }

    fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError> {
        for request in requests {
            let submitted = self.clock;
            self.done.push(Completion { tag: request.tag, submitted, completed: Time(submitted.0 + 1) });
        }
        Ok(())
    }

    fn reap(&mut self, _: usize, _: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        self.clock.0 += 1;
        out.append(&mut self.done);
        Ok(())
    }

    fn serve(&mut self, request: &Request) -> Result<Completion, TargetError> {
        let submitted = self.clock;
        self.clock.0 += 1;
        Ok(Completion { tag: request.tag, submitted, completed: self.clock })
    }

    fn wait_until(&mut self, time: Time) {
        self.clock = time;
    }
}
