//! The device without the effect: two runs of it differ by chance alone, and nothing in it is worth telling.
#![allow(clippy::print_stdout)]

use flashscope_analysis::{Disturbance, Support};
use flashscope_lab::{Interrupt, RunRequest, Scope, TargetSpec, characterise};
use flashscope_show::compare_json;
use flashscope_store::Stored;

use crate::common::Scratch;

/// Every IO of a kind and size costs the same, and the noise of one IO is like that of the next.
fn rig(write_us: u32) -> String {
    format!(
        r#"
        size = "256MiB"
        [latency]
        sequential_read = [["0", "60us"], ["32KiB", "100us"]]
        sequential_write = [["0", "150us"], ["32KiB", "{write_us}us"]]
        [noise]
        spread = "20%"
        correlation = 0.95
        "#
    )
}

const SEEDS: u64 = 5;

fn run(scratch: &Scratch, write_us: u32, seed: u64) -> Stored {
    let rig_file = scratch.path(&format!("flat-{write_us}.toml"));
    std::fs::write(&rig_file, rig(write_us)).unwrap();
    let only = ["alignment", "order", "locality"].map(String::from).to_vec();
    let request = RunRequest {
        target: TargetSpec::Rig(rig_file.display().to_string()),
        only: Some(only),
        scope: Scope::Quick,
        seed: Some(seed),
        ..RunRequest::default()
    };
    let folder = scratch.path(&format!("{write_us}-{seed}"));
    let result = characterise(&request, Some(&folder), None, &mut |_| {}, &Interrupt::new()).unwrap();
    assert!(result.error.is_none(), "seed {seed}: {:?}", result.error);
    // uFLIP's hints 3 to 7 each say that something costs more; here nothing does.
    let costs: Vec<String> = (3..=7).map(|number| format!("confirms uFLIP hint {number}")).collect();
    for hint in result.conclusions().hints.iter().filter(|hint| hint.state == Support::Supported) {
        assert!(!costs.iter().any(|of| hint.evidence.contains(of)), "seed {seed}: {hint:?}");
    }
    Stored::read(&folder).unwrap()
}

/// Experiments compared, and those told apart as supported.
fn told_apart(a: &Stored, b: &Stored) -> (usize, usize) {
    let json = compare_json(a, b, None);
    let all = json["experiments"].as_array().unwrap();
    let is_told = |one: &&serde_json::Value| {
        one["state"] == "supported" && (one["verdict"] == "b_slower" || one["verdict"] == "b_faster")
    };
    (all.len(), all.iter().filter(is_told).count())
}

#[test]
fn two_runs_of_one_device_draw_few_differences_and_a_slower_device_is_told() {
    let scratch = Scratch::new();
    let runs: Vec<Stored> = (1..=SEEDS).map(|seed| run(&scratch, 250, seed)).collect();
    let pairs = runs.iter().enumerate().flat_map(|(place, a)| runs[place + 1..].iter().map(move |b| (a, b)));
    let counts: Vec<(usize, usize)> = pairs.map(|(a, b)| told_apart(a, b)).collect();
    let (compared, told) = counts.iter().fold((0, 0), |sum, of| (sum.0 + of.0, sum.1 + of.1));
    println!("seeds 1 to {SEEDS}: {told} of {compared} told apart");
    assert!(
        compared >= 200 && told * 100 <= compared,
        "{told} of {compared} are reported to differ, and none does"
    );
    // The test can fail: where writes cost 1.6 times as much, most writes are reported.
    let slower = run(&scratch, 400, 99);
    let (of, told) = told_apart(&runs[0], &slower);
    assert!(told * 3 > of, "{told} of {of} told of a device whose writes are slower");
    // A real drive's rounds within seconds say nothing of what it does a minute later.
    let mut moment = slower.clone();
    let mut spread = slower.clone();
    for (place, entry) in moment.finished.iter_mut().enumerate() {
        entry.run.began_s = Some(1e9 + 0.01 * place as f64);
        spread.finished[place].run.began_s = Some(1e9 + 40.0 * f64::from(entry.repeat));
    }
    assert_eq!(told_apart(&runs[0], &moment), (of, 0));
    assert_eq!(told_apart(&runs[0], &spread), (of, told));
    // Where either of them was not alone nobody knows whose difference it is.
    let mut beside = slower;
    for entry in &mut beside.finished {
        entry.run.disturbance = Some(Disturbance { disk: Some(0.25), ..Disturbance::default() });
    }
    assert_eq!(told_apart(&runs[0], &beside), (of, 0));
    assert_eq!(told_apart(&beside, &runs[0]), (of, 0));
}
