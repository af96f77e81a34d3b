//! The four numbers by which a drive is known.

use flashscope_analysis::Support;
use flashscope_lab::{Interrupt, RunRequest, Scope, TargetSpec, characterise};
use flashscope_show::headline::{SHOWN, headlines};
use flashscope_store::ResultFile;
use flashscope_store::ios::IoFile;

#[test]
fn percentiles_are_those_of_all_ios_of_the_running_phases() {
    let folder = std::env::temp_dir().join(format!("flashscope-headline-{}", std::process::id()));
    let request = RunRequest {
        target: TargetSpec::from("rig:mtron"),
        scope: Scope::Quick,
        only: Some(vec!["baseline".into()]),
        seed: Some(3),
        ..RunRequest::default()
    };
    let result = characterise(&request, Some(&folder), None, &mut |_| {}, &Interrupt::new()).unwrap();
    let four = headlines(&result.context, &result.finished, Some(&folder));
    let names: Vec<_> = four.iter().map(|one| one.name).collect();
    assert_eq!(names, ["sequential read", "random read", "sequential write", "random write"]);
    for one in &four {
        let point = &one.point;
        let mut sorted = Vec::new();
        for run in &point.runs {
            let file = IoFile::open(&ResultFile::new(&folder, run.records.as_ref().unwrap())).unwrap();
            let mut all = Vec::new();
            file.each_response_ns(|batch| all.extend_from_slice(batch)).unwrap();
            sorted.extend_from_slice(&all[run.outcome.estimate.unwrap().ios_ignored as usize..]);
        }
        sorted.sort_unstable();
        assert_eq!(one.latencies.ios(), sorted.len() as u64, "{}", one.name);
        for percent in SHOWN {
            let rank = (percent / 100.0 * sorted.len() as f64).ceil() as usize;
            let is_told = sorted.len() - rank >= 10;
            let told = one.percentile_ns(percent);
            assert_eq!(told.is_some(), is_told, "{} p{percent} of {}", one.name, sorted.len());
            let exact = sorted[rank - 1] as f64;
            assert!(told.is_none_or(|told| told == exact), "{}: {told:?}, {exact}", one.name);
        }
        assert_eq!(one.state, Support::Supported, "{}", one.name);
        assert_eq!(one.io_bytes(), 32_768.0);
    }
    // Paper 001, table 3: a random write of the MTRON takes 9 ms, of which one in three has to erase.
    let rate = four[3].point.iops().unwrap().value;
    assert!((rate - 1000.0 / 9.0).abs() < 1.0, "{rate}");
    std::fs::remove_dir_all(&folder).unwrap();
}
