//! What flashscope itself costs an IO: source, drive loop and a record of each IO, against a target that does
//! nothing in a virtual time. Prints the processor time per IO, the least of several rounds.
//!
//! `cargo run --release -p flashscope-core --example drive_cost [IOS]`

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::io::Write;

use flashscope_core::{
    Bytes, Completion, Control, Io, Limits, Pattern, PatternSource, Record, Request, Rw, Stream, Target,
    TargetError, TargetInfo, Time, drive,
};

const ROUNDS: usize = 7;

fn main() -> Result<(), Box<dyn Error>> {
    let ios = std::env::args().nth(1).map_or(Ok(4_000_000), |text| text.parse())?;
    let mut out = std::io::stdout().lock();
    for rw in [Rw::Read, Rw::RandWrite] {
        for iodepth in [1, 32] {
            let mut least_ns = f64::INFINITY;
            for _ in 0..ROUNDS {
                least_ns = least_ns.min(cost_ns(rw, iodepth, ios)?);
            }
            writeln!(out, "{:<9} iodepth={iodepth:<2} {least_ns:6.1} ns cpu per IO", rw.name())?;
        }
    }
    Ok(())
}

fn cost_ns(rw: Rw, iodepth: u32, ios: u64) -> Result<f64, Box<dyn Error>> {
    let mut target = Nothing::new(iodepth);
    let mut pattern = Pattern::baseline(rw, Bytes(0), Bytes(1 << 40));
    (pattern.iodepth, pattern.number_ios) = (iodepth, Some(ios));
    let mut streams = [Stream { source: PatternSource::new(&pattern, 0, 1), pacing: pattern.pacing() }];
    let mut records = vec![Record::default(); 1 << 16];
    let mut observer = |io: &Io| {
        let place = io.index as usize & 0xffff;
        records[place] = Record::new(io.submitted, io.response, io.stream, io.index);
        Control::Continue
    };
    let start_ns = cpu_ns()?;
    drive(&mut target, &mut streams, Limits::default(), &mut observer)?;
    let spent_ns = cpu_ns()? - start_ns;
    black_box(&records);
    Ok(spent_ns as f64 / ios as f64)
}

/// Processor time of this thread so far, as the scheduler counts it.
fn cpu_ns() -> Result<u64, Box<dyn Error>> {
    // Giving the processor away makes the scheduler bring its account up to date.
    std::thread::yield_now();
    let text = fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(text.split(' ').next().ok_or("an empty schedstat")?.parse()?)
}

/// Takes one virtual nanosecond for every IO.
struct Nothing {
    info: TargetInfo,
    clock: Time,
    in_flight: Vec<Completion>,
}

impl Nothing {
    fn new(iodepth: u32) -> Nothing {
        let info = TargetInfo {
            name: "nothing".into(),
            size_bytes: 1 << 40,
            logical_block_bytes: 512,
            virtual_time: true,
            engine: "none".into(),
            queue_depth_max: iodepth,
            placements: 1,
            zones: None,
        };
        Nothing { info, clock: Time(0), in_flight: Vec::with_capacity(iodepth as usize) }
    }
}

impl Target for Nothing {
    fn info(&self) -> &TargetInfo {
        &self.info
    }

    #[inline]
    fn now(&mut self) -> Time {
        self.clock
    }

    #[inline]
    fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError> {
        let submitted = self.clock;
        for request in requests {
            let completed = Time(submitted.0 + 1);
            self.in_flight.push(Completion { tag: request.tag, submitted, completed });
        }
        Ok(())
    }

    #[inline]
    fn reap(&mut self, _min: usize, _until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        self.clock.0 += 1;
        out.extend_from_slice(&self.in_flight);
        self.in_flight.clear();
        Ok(())
    }

    #[inline]
    fn serve(&mut self, request: &Request) -> Result<Completion, TargetError> {
        let submitted = self.clock;
        self.clock.0 += 1;
        Ok(Completion { tag: request.tag, submitted, completed: self.clock })
    }

    fn wait_until(&mut self, time: Time) {
        self.clock = self.clock.max(time);
    }
}
