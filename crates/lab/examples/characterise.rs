//! Characterises a file, a drive or a simulated one, and prints its row of paper 001's table 3:
//! `cargo run --release -p flashscope-lab --example characterise -- rig:mtron`
#![allow(clippy::print_stdout, reason = "it is a program")]

use flashscope_lab::{Error, Interrupt, RunRequest, Scope, TargetSpec, characterise};

fn main() -> Result<(), Error> {
    let target = std::env::args().nth(1).unwrap_or_else(|| "rig:mtron".into());
    let request = RunRequest {
        target: TargetSpec::from(target.as_str()),
        scope: Scope::Quick,
        write: true,
        ..RunRequest::default()
    };
    let result = characterise(&request, None, None, &mut |_| {}, &Interrupt::new())?;
    let found = result.conclusions().indicators;
    let columns = [
        ("SR ms", found.sr_ms),
        ("RR ms", found.rr_ms),
        ("SW ms", found.sw_ms),
        ("RW ms", found.rw_ms),
        ("pause ms", found.pause_ms),
        ("locality MiB", found.locality_mib),
    ];
    for (name, value) in columns {
        println!("{name:<14}{}", value.map_or("-".into(), |value| format!("{:.3}", value.value)));
    }
    result.error.map_or(Ok(()), Err)
}
