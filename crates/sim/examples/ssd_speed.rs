//! How many host writes a second the simulated SSD serves:
//! `cargo run --release --example ssd_speed`.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use flashscope_core::Target;
use flashscope_core::seed::Random;
use flashscope_core::{Bytes, Op, Request};
use flashscope_sim::{Settings, Ssd};

fn main() {
    for (gib, over_provisioning) in [(1_u64, 0.28), (8, 0.28)] {
        let mut settings = Settings { capacity: Bytes(gib << 30), over_provisioning, ..Settings::default() };
        settings.nand.pages_per_block = 256;
        let mut ssd = Ssd::new("speed", settings, 1).expect("the settings are right");
        let pages = u64::from(ssd.logical_pages());
        let mut random = Random::new(2);
        let mut batch = [Request { length_bytes: 4096, op: Op::Write, ..Request::default() }; 64];
        let mut out = Vec::with_capacity(64);
        for pass in 0..4 {
            let (start, before) = (Instant::now(), ssd.nand().counts().programs());
            for _ in 0..pages / 64 {
                for request in &mut batch {
                    request.offset_bytes = random.below(pages) * 4096;
                }
                ssd.prepare(&batch);
                ssd.serve_in_turn(&batch, &mut out).expect("served");
                out.clear();
            }
            let (s, programs) = (start.elapsed().as_secs_f64(), ssd.nand().counts().programs() - before);
            println!(
                "{gib} GiB pass {pass}: {:.1} M host writes/s, {:.1} M programs/s, WA {:.4}",
                pages as f64 / s / 1e6,
                programs as f64 / s / 1e6,
                programs as f64 / pages as f64
            );
        }
    }
}
