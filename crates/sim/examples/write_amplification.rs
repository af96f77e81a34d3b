//! What a spare part costs and what it is good for: write amplification of a known drive, by
//! over-provisioning. `cargo run --release -p flashscope-sim --example write_amplification`
#![allow(clippy::print_stdout)]

use flashscope_core::{Control, Io, Limits, Pattern, PatternSource, Stream, drive};
use flashscope_sim::{Profile, Ssd};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for spare in ["0.07", "0.15", "0.28", "0.5"] {
        let keys = [("capacity", "256MiB"), ("over_provisioning", spare)];
        let keys = keys.map(|(key, value)| (key.to_string(), value.to_string()));
        let Profile::Ssd(settings) = Profile::find("x25m-2009", &keys)? else { continue };
        let mut ssd = Ssd::new("x25m-2009", *settings, 1)?;
        let pattern: Pattern = "rw=randwrite bs=4KiB size=256MiB number_ios=500000".parse()?;
        let mut streams = [Stream { source: PatternSource::new(&pattern, 0, 2), pacing: pattern.pacing() }];
        drive(&mut ssd, &mut streams, Limits::default(), &mut |_: &Io| Control::Continue)?;
        println!("spare {spare:>4}: {:.2}", ssd.report().write_amplification.unwrap_or(0.0));
    }
    Ok(())
}
