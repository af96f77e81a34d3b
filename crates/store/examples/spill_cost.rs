//! What recording costs: processor time and bytes on disk for each of 10 M IOs.
//!
//! `cargo run --release -p flashscope-store --example spill_cost [FILE]`

use std::io::Write;
use std::time::Instant;

use flashscope_core::seed::Random;
use flashscope_core::{Bytes, Nanos, Pattern, PatternSource, Record, RequestSource, Rw, Time};
use flashscope_store::{Origin, Recorder};
use rustix::time::{ClockId, clock_gettime};

const IOS: u64 = 10_000_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).unwrap_or("/tmp/spill_cost.parquet".into());
    let out = &mut std::io::stdout();
    for (name, rw, response_ns, spread_ns) in [
        ("randwrite 16 GiB, 100 us ± 64 us", Rw::RandWrite, 100_000, 1 << 17),
        ("randwrite 16 GiB, 9 ms ± 8 ms", Rw::RandWrite, 9_000_000, 1 << 24),
        ("read, null device, 80 ns ± 32 ns", Rw::Read, 80, 64),
    ] {
        let pattern = Pattern::baseline(rw, Bytes(0), Bytes(16 << 30));
        let mut random = Random::new(1);
        let (elapsed, before) = (Instant::now(), cpu_ns());
        let source: Box<dyn RequestSource + Send> = Box::new(PatternSource::new(&pattern, 0, 1));
        let mut recorder = Recorder::create(path.as_ref(), vec![source], &Origin::default())?;
        let mut submitted = Time(0);
        for index in 0..IOS {
            let response = Nanos(response_ns - spread_ns / 2 + random.below(spread_ns));
            recorder.push(Record::new(submitted, response, 0, index));
            submitted += response + Nanos(20 + (index & 7));
        }
        let pushed = elapsed.elapsed();
        let written = recorder.finish()?;
        let cost = cpu_ns() - before - made_up_ns(response_ns, spread_ns);
        writeln!(
            out,
            "{name}: {:.1} ns CPU and {:.2} bytes an IO; pushed in {:.2} s, done after {:.2} s",
            cost / IOS as f64,
            written.bytes as f64 / written.ios as f64,
            pushed.as_secs_f64(),
            elapsed.elapsed().as_secs_f64(),
        )?;
    }
    Ok(std::fs::remove_file(path)?)
}

/// What making up the response times costs, which is no part of recording.
fn made_up_ns(response_ns: u64, spread_ns: u64) -> f64 {
    let before = cpu_ns();
    let mut random = Random::new(1);
    for _ in 0..IOS {
        std::hint::black_box(response_ns + random.below(spread_ns));
    }
    cpu_ns() - before
}

fn cpu_ns() -> f64 {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    used.tv_sec as f64 * 1e9 + used.tv_nsec as f64
}
