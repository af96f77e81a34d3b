//! How many page writes a second each write buffer takes, by itself:
//! `cargo run --release --example buffer_speed`. CPU time of one core.
#![allow(clippy::print_stdout)]

use flashscope_core::seed::Random;
use flashscope_sim::Settings;
use flashscope_sim::buffer::{AnyBuffer, BUFFERS, BufferSetup, Evictions, WriteBuffer};
use flashscope_sim::nand::Lpn;

/// 1 GiB of 4 KiB pages, and a buffer of 16 MiB.
const LOGICAL_PAGES: u32 = 1 << 18;
const PAGES: u32 = 4096;
const WRITES: usize = 1 << 22;
const BATCH: usize = 64;

/// CPU time of this process in seconds, of user and system, in the kernel's ticks of 10 ms.
fn cpu_s() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |i: usize| fields.get(i).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

fn main() {
    let mut random = Random::new(1);
    let uniform: Vec<Lpn> = (0..WRITES).map(|_| random.below(u64::from(LOGICAL_PAGES)) as Lpn).collect();
    let local: Vec<Lpn> = (0..WRITES).map(|_| random.below(u64::from(PAGES) * 5 / 4) as Lpn).collect();
    let sequential: Vec<Lpn> = (0..WRITES).map(|i| i as Lpn % LOGICAL_PAGES).collect();
    println!("M page writes per CPU second: {PAGES} pages of RAM, {LOGICAL_PAGES} of flash");
    println!("{:10} {:>10} {:>10} {:>10}", "", "uniform", "local", "sequential");
    for (name, _) in BUFFERS.iter().filter(|(name, _)| *name != "none") {
        let speeds = [&uniform, &local, &sequential].map(|pages| format!("{:10.1}", speed(name, pages)));
        println!("{name:10} {}", speeds.join(" "));
    }
}

fn speed(name: &str, written: &[Lpn]) -> f64 {
    let settings = Settings { buffer: name.into(), ..Settings::default() };
    let setup =
        BufferSetup { pages: PAGES, pages_per_block: 128, logical_pages: LOGICAL_PAGES, settings: &settings };
    let mut buffer = AnyBuffer::new(&setup, &()).expect("the settings are good");
    let mut out = Evictions::default();
    let (start, mut writes) = (cpu_s(), 0);
    while cpu_s() - start < 0.3 {
        for batch in written.chunks(BATCH) {
            batch.iter().for_each(|lpn| buffer.prepare(*lpn));
            for lpn in batch {
                buffer.write(*lpn, 1, &mut out);
            }
            out.pages.clear();
        }
        writes += written.len();
    }
    writes as f64 / (cpu_s() - start) / 1e6
}
