//! A sweep on two cores beside the same sweep on one, in turns: `cargo bench -p flashscope --bench sweep`. At
//! most 0.55 of the time is asked for, on a machine that has two cores to itself.
#![allow(clippy::print_stdout)]

use std::process::Command;
use std::time::Instant;

const ROUNDS: usize = 5;
const RATIO_MAX: f64 = 0.55;

fn sweep_s(jobs: &str) -> f64 {
    let trace = concat!(env!("CARGO_MANIFEST_DIR"), "/../trace/samples/install-ext3.tracefs.gz");
    let start = Instant::now();
    let status = Command::new(env!("CARGO_BIN_EXE_flashscope"))
        .args(["sim", "bplru-board", "--quiet", "--json", "--seed", "1", "--jobs", jobs, "--trace", trace])
        .args([
            "--initial",
            "random",
            "--buffer",
            "lru,fab,block-lru,bplru",
            "--buffer-size",
            "1m,2m,4m,8m,16m",
        ])
        .stdout(std::process::Stdio::null())
        .status()
        .expect("the binary is built");
    assert!(status.success());
    start.elapsed().as_secs_f64()
}

fn main() {
    sweep_s("2");
    let mut ratios: Vec<f64> =
        (0..ROUNDS).map(|_| (sweep_s("2"), sweep_s("1"))).map(|(two, one)| two / one).collect();
    ratios.sort_by(f64::total_cmp);
    let median = ratios[ROUNDS / 2];
    let verdict = if median <= RATIO_MAX { "held" } else { "missed" };
    println!(
        "two cores take {median:.3} of the time of one [{:.3} to {:.3}]: {verdict}",
        ratios[0],
        ratios[ROUNDS - 1]
    );
}
