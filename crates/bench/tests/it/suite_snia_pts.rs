//! SNIA's tests on devices of known truth: rounds end where the criterion says, and its blind spot is said.

use crate::common::reading::{number, says};
use flashscope_analysis::{Finished, Reading};
use flashscope_bench::{Alone, Scope, Settings, Suites, conduct};
use flashscope_core::Bytes;
use flashscope_sim::profiles::Profile;
use flashscope_sim::{Rig, Ssd, rigs};

fn read<T: flashscope_core::Target>(
    target: T,
    values: &[(&str, &str)],
    span: u64,
) -> (Vec<Finished>, Reading) {
    let suite = &Suites::builtin().find("snia-pts").expect("a suite").clone();
    let values: Vec<_> = values.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let span = Some(Bytes(span));
    let settings = Settings {
        scope: Scope::Quick,
        write: true,
        can_trim: true,
        repeats: 1,
        span,
        ..Settings::default()
    };
    conduct(suite, &values, &mut Alone(target), &settings).expect("it runs")
}

#[test]
fn a_plain_device_is_steady_in_five_rounds_and_its_numbers_are_its_truth() {
    let values = [("tests", "iops,throughput,latency"), ("round", "50ms"), ("jobs", "1"), ("depth", "1")];
    let (finished, reading) = read(Rig::new(rigs::get("plain").expect("a rig"), 1), &values, 64 << 20);
    let rounds = finished.iter().filter(|done| done.experiment.micro == "pts-iops");
    assert_eq!(rounds.map(|done| done.experiment.parameter as u64).max(), Some(5), "then it is steady");
    assert!(reading.sentences[0].text.contains("Every test reached"), "{:?}", reading.sentences);
    // 60 us and an eighth of 40 us; 150 us and an eighth of 100 us.
    for (mix, us) in [("100/0", 65.0), ("0/100", 162.5), ("65/35", (2.0 * 65.0 + 162.5) / 3.0)] {
        let iops = number(&reading, "iops", "4KiB", mix);
        assert!((iops * us / 1e6 - 1.0).abs() < 0.02, "{mix}: {iops}");
    }
    assert!(number(&reading, "steady", "IOPS", "range") < 5.0);
}

#[test]
fn write_saturation_of_a_drive_that_collects_falls_and_levels_out() {
    let overrides = [("capacity".to_string(), "64MiB".to_string())];
    let Ok(Profile::Ssd(settings)) = Profile::find("x25m-2009", &overrides) else { panic!("a drive") };
    let ssd = Ssd::new("x25m-2009", *settings, 3).expect("settings");
    let (_, reading) = read(ssd, &[("tests", "wsat"), ("round", "50ms")], 64 << 20);
    let chart = reading.charts.iter().find(|chart| chart.id == "wsat").expect("a curve");
    let points = &chart.series[0].points;
    let at = |capacities: f64| {
        points
            .iter()
            .find(|point| point.x >= capacities)
            .and_then(|point| point.y)
            .expect("so much was written")
    };
    assert!(at(0.5) > 1.3 * at(3.5), "{} and {}", at(0.5), at(3.5));
    assert!((points.last().expect("some").x - 4.0).abs() < 0.1);
    assert!(
        reading.sentences.iter().any(|said| said.text.contains("by phase detection")),
        "{:?}",
        reading.sentences
    );
}

#[test]
fn idle_time_helps_only_where_the_device_works_while_it_is_idle() {
    let values = [("tests", "hir"), ("round", "600ms"), ("jobs", "1"), ("depth", "1")];
    let (_, helped) = read(Rig::new(rigs::get("mtron").expect("a rig"), 1), &values, 64 << 20);
    assert!(says(&helped, "Idle time helps"), "{:?}", helped.sentences);
    let (_, plain) = read(Rig::new(rigs::get("plain").expect("a rig"), 1), &values, 64 << 20);
    assert!(says(&plain, "Idle time does not help"), "{:?}", plain.sentences);
}

#[test]
fn sequential_writes_after_random_ones_are_followed_until_they_come_back() {
    let values = [("tests", "xsr"), ("round", "60ms"), ("jobs", "1"), ("depth", "1")];
    let (finished, reading) = read(Rig::new(rigs::get("plain").expect("a rig"), 1), &values, 64 << 20);
    assert_eq!(finished.len(), 3);
    assert!(finished.iter().all(|done| done.run.windows.len() >= 360));
    assert!(
        reading.sentences.iter().any(|said| said.text.contains("recover immediately")),
        "{:?}",
        reading.sentences
    );
}
