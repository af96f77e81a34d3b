//! Parts of one's own beside the FTL `page`: write amplification and host writes per CPU second, under
//! uniform random writes of one page to a full device of 1 GiB with 20 % spare. `cargo run --release`.

use flashscope_core::seed::Random;
use flashscope_core::{Op, Request, Target};
use flashscope_sim::buffer::WriteBuffer;
use flashscope_sim::ftl::Ftl;
use flashscope_sim::ftl::page::PageFtl;
use flashscope_sim::{Settings, Ssd, SsdBuilder};
use own_ftl::{CScan, CScanOptions, RingLog, RingLogOptions, Window, WindowedGreedy};
use rustix::time::{ClockId, clock_gettime};

const WRITES: u64 = 2_000_000;
const BATCH: usize = 64;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let settings = Settings { capacity: "1GiB".parse()?, over_provisioning: 0.2, ..Settings::default() };
    let page = Ssd::builder("page", settings);
    println!("{:<34} {:>6} {:>22}", "", "WA", "M host writes a CPU s");
    measure("page", page.clone())?;
    measure("page, windowed-greedy", page.clone().ftl::<PageFtl<WindowedGreedy>>(Window { blocks: 64 }))?;
    let ring_log = page.ftl::<RingLog>(RingLogOptions { reserve_blocks: 1 });
    measure("ring-log", ring_log.clone())?;
    measure("ring-log, c-scan", ring_log.buffer::<CScan>(CScanOptions { pages_at_once: 16 }))
}

fn measure<F: Ftl, B: WriteBuffer>(
    name: &str,
    device: SsdBuilder<F, B>,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut ssd = device.seed(1).build()?;
    let mut random = Random::new(2);
    write(&mut ssd, &mut random)?; // into its steady state
    ssd.restart();
    let start_s = cpu_s();
    write(&mut ssd, &mut random)?;
    let rate = WRITES as f64 / (cpu_s() - start_s) / 1e6;
    let report = ssd.report();
    println!("{name:<34} {:>6.2} {rate:>22.1}", report.write_amplification.unwrap_or(0.0));
    Ok(())
}

fn write<F: Ftl, B: WriteBuffer>(
    ssd: &mut Ssd<F, B>,
    random: &mut Random,
) -> Result<(), Box<dyn std::error::Error>> {
    let pages = u64::from(ssd.logical_pages());
    let mut batch = [Request { length_bytes: 4096, op: Op::Write, ..Request::default() }; BATCH];
    let mut done = Vec::with_capacity(BATCH);
    for _ in 0..WRITES / BATCH as u64 {
        batch.iter_mut().for_each(|request| request.offset_bytes = random.below(pages) * 4096);
        ssd.prepare(&batch);
        ssd.serve_in_turn(&batch, &mut done)?;
        done.clear();
    }
    Ok(())
}

/// Processor time of this process so far.
fn cpu_s() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
