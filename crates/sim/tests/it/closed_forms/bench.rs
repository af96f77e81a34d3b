//! A page-mapped device in steady state, and what it did.

use flashscope_core::seed::Random;
use flashscope_core::{Bytes, Op, Request};
use flashscope_sim::{Settings, Ssd};

/// Logical blocks of the devices here; all over-provisioning factors give whole blocks.
pub const LOGICAL_BLOCKS: u32 = 2_000;
pub const SEED: u64 = 20_241_121;
const PAGE_BYTES: u32 = 4096;

/// A device with `b` pages a block.
pub fn settings(gc: &str, over_provisioning: f64, b: u32) -> Settings {
    let pages = u64::from(LOGICAL_BLOCKS) * u64::from(b);
    let mut settings = Settings {
        capacity: Bytes(pages * u64::from(PAGE_BYTES)),
        over_provisioning,
        gc: gc.into(),
        ..Settings::default()
    };
    settings.nand.pages_per_block = b;
    settings.nand.endurance_erases = 1_000_000;
    settings
}

/// The device, full.
pub fn device(settings: &Settings) -> Ssd {
    Ssd::new("closed-form", settings.clone(), SEED).expect("the settings are right")
}

/// Physical over logical blocks, without those that never hold closed data.
pub fn alpha_effective(ssd: &Ssd) -> f64 {
    f64::from(ssd.geometry().blocks - ssd.reserve_blocks()) / f64::from(LOGICAL_BLOCKS)
}

pub fn write(page: u64) -> Request {
    Request {
        offset_bytes: page * u64::from(PAGE_BYTES),
        length_bytes: PAGE_BYTES,
        op: Op::Write,
        ..Request::default()
    }
}

/// Serves `count` requests.
pub fn serve(ssd: &mut Ssd, mut count: u64, mut next: impl FnMut() -> Request) {
    let mut done = Vec::new();
    while count > 0 {
        let batch: Vec<Request> = (0..count.min(256)).map(|_| next()).collect();
        ssd.serve_in_turn(&batch, &mut done).expect("served");
        done.clear();
        count -= batch.len() as u64;
    }
}

/// Programs for each host write: after `warm_up` times the capacity, over `passes` times.
pub fn amplification(ssd: &mut Ssd, warm_up: u64, passes: u64, mut next: impl FnMut() -> Request) -> f64 {
    let pages = u64::from(ssd.logical_pages());
    serve(ssd, warm_up * pages, &mut next);
    ssd.restart();
    let mut writes = 0_u64;
    serve(ssd, passes * pages, || {
        let request = next();
        writes += u64::from(request.op == Op::Write);
        request
    });
    ssd.nand().counts().programs() as f64 / writes as f64
}

/// Uniform random writes.
pub fn uniform(ssd: &Ssd) -> impl FnMut() -> Request + use<> {
    let (pages, mut random) = (u64::from(ssd.logical_pages()), Random::new(SEED));
    move || write(random.below(pages))
}

/// A share of `1 - cold` of the writes to the first `cold` of the pages.
pub fn hot_and_cold(ssd: &Ssd, cold: f64) -> impl FnMut() -> Request + use<> {
    let (pages, mut random) = (u64::from(ssd.logical_pages()), Random::new(SEED));
    let hot_pages = (pages as f64 * cold).round() as u64;
    move || {
        let is_hot = random.unit() >= cold;
        write(if is_hot { random.below(hot_pages) } else { hot_pages + random.below(pages - hot_pages) })
    }
}

/// The relative deviation of a simulated value.
pub fn deviation(simulated: f64, expected: f64) -> f64 {
    simulated / expected - 1.0
}
