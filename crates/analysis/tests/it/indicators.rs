//! Indicators, on devices whose characteristics are known because they were typed in.

use crate::table::{Device, EVEN, KIB, MIB, estimate};
use flashscope_analysis::published::{Row, TABLE_3};
use flashscope_analysis::{Finished, Indicator, Indicators, indicators, points};
use flashscope_core::seed::Random;

fn of(finished: &[Finished]) -> Indicators {
    indicators(&points(finished))
}

fn value(indicator: Option<Indicator>) -> f64 {
    let found = indicator.expect("an indicator");
    assert!(found.ci_low <= found.value && found.value <= found.ci_high, "{found:?}");
    found.value
}

/// Table 3 prints times below 4 ms with one digit, others without; factors with one digit below 2, others
/// without; and "=" for a factor of 1.
fn times(factor: Option<Indicator>) -> String {
    let value = value(factor);
    let rounded = if value < 1.95 { (value * 10.0).round() / 10.0 } else { value.round() };
    if rounded == 1.0 { "=".into() } else { format!("x{rounded}") }
}

fn ms(time: Option<Indicator>) -> String {
    let value = value(time);
    if value < 4.0 { format!("{value:.1}") } else { format!("{value:.0}") }
}

fn row(found: &Indicators) -> String {
    let area = |size: Option<Indicator>, factor| match size {
        Some(_) => format!("{} ({})", value(size), times(factor)),
        None => "-".into(),
    };
    let basic = [found.sr_ms, found.rr_ms, found.sw_ms, found.rw_ms].map(ms).join(" ");
    let pause = found.pause_ms.map_or("-".into(), |_| ms(found.pause_ms));
    let locality = area(found.locality_mib, found.locality_factor);
    let partitions = area(found.partitions, found.partitions_factor);
    let order = [found.reverse_factor, found.in_place_factor, found.large_increment_factor].map(times);
    format!("{basic} | {pause} | {locality} | {partitions} | {}", order.join(" "))
}

/// The published rows as they are printed, and devices that behave like them. A pause of "precisely the time
/// required on average for a random write" hides what a random write costs more than a sequential one; both
/// are the same after the table's rounding.
fn table_3() -> impl Iterator<Item = (String, Device)> {
    TABLE_3.into_iter().map(|published| (printed(&published), device(&published)))
}

fn printed(row: &Row) -> String {
    let ms = |time: f64| if time < 4.0 { format!("{time:.1}") } else { format!("{time}") };
    let times = |factor: f64| if factor == 1.0 { "=".into() } else { format!("x{factor}") };
    let area = |(size, factor): (f64, f64)| format!("{size} ({})", times(factor));
    let pause = row.pause_ms.map_or("-".into(), ms);
    let locality = row.locality.map_or("-".into(), area);
    let [basic, order] = [row.times_ms.map(ms).join(" "), row.order.map(times).join(" ")];
    format!("{basic} | {pause} | {locality} | {} | {order}", area(row.partitions))
}

fn device(row: &Row) -> Device {
    let [sr, rr, sw, rw] = row.times_ms;
    let [reverse, in_place, large] = row.order;
    let area = row.locality.map(|(mib, factor)| (mib as u64 * MIB, factor));
    let streams = Some((row.partitions.0 as u32, row.partitions.1));
    Device { sr, rr, sw, rw, drains: row.pause_ms.is_some(), area, streams, reverse, in_place, large, ..EVEN }
}

#[test]
fn the_rows_of_table_3_come_back() {
    for (expected, device) in table_3() {
        assert_eq!(row(&of(&device.characterised())), expected);
    }
}

#[test]
fn a_device_without_effects_has_blanks_and_factors_of_one() {
    let found = of(&EVEN.characterised());
    assert_eq!(row(&found), "1.0 1.0 1.0 1.0 | - | - | - | = = =");
    assert_eq!((found.alignment_bytes, found.alignment_factor), (None, None));
    let even = Device { latency: 0.0, ..EVEN };
    assert_eq!(of(&even.characterised()).granularity_bytes, None);
}

#[test]
fn an_area_lies_between_the_last_cheap_size_and_the_first_dear_one() {
    let area = Device { sw: 0.5, rw: 10.0, area: Some((6 * MIB, 1.0)), streams: Some((6, 1.0)), ..EVEN };
    let found = of(&area.characterised());
    let locality = found.locality_mib.unwrap();
    assert_eq!((locality.value, locality.ci_low, locality.ci_high), (4.0, 4.0, 8.0));
    let partitions = found.partitions.unwrap();
    assert_eq!((partitions.value, partitions.ci_low, partitions.ci_high), (4.0, 4.0, 7.0));
}

#[test]
fn an_area_without_a_limit_is_no_area() {
    let area = Device { sw: 0.5, rw: 10.0, area: Some((1 << 40, 1.0)), streams: Some((1000, 1.0)), ..EVEN };
    let found = of(&area.characterised());
    assert_eq!((found.locality_mib, found.partitions), (None, None));
}

#[test]
fn random_writes_below_twice_a_sequential_one_have_no_area() {
    let area = Device { rw: 1.9, area: Some((8 * MIB, 0.8)), streams: Some((4, 0.8)), ..EVEN };
    let found = of(&area.characterised());
    assert_eq!((found.locality_mib, found.partitions), (None, None));
    let found = of(&Device { rw: 2.1, ..area }.characterised());
    assert_eq!(found.locality_mib.map(|area| area.value), Some(8.0));
}

#[test]
fn the_order_of_the_runs_does_not_matter() {
    for (expected, device) in table_3() {
        let mut finished = device.characterised();
        finished.reverse();
        assert_eq!(row(&of(&finished)), expected);
    }
}

#[test]
fn cheap_in_place_writes_are_not_an_area() {
    let area = Device { sw: 0.5, rw: 10.0, area: Some((128 * KIB, 1.0)), ..EVEN };
    assert_eq!(of(&area.characterised()).locality_mib, None);
}

#[test]
fn a_pause_that_works_off_half_a_second_in_a_second_is_twice_the_work() {
    let drains = Device { sw: 1.0, rw: 5.0, ..EVEN };
    let mut finished = drains.characterised();
    for entry in finished.iter_mut().filter(|e| e.experiment.id().starts_with("pause/RW")) {
        let mean_ms = (5.0 - entry.experiment.parameter / 2.0).max(1.0);
        entry.run.outcome.estimate = Some(estimate(mean_ms, 0.02));
    }
    let pause = of(&finished).pause_ms.unwrap();
    assert!((pause.value - 8.0).abs() < 1e-9 && pause.ci_low > 7.0 && pause.ci_high < 9.0, "{pause:?}");
}

#[test]
fn a_pause_that_works_all_at_once_is_known_to_the_grid() {
    let drains = Device { sw: 1.0, rw: 5.0, ..EVEN };
    let mut finished = drains.characterised();
    for entry in finished.iter_mut().filter(|e| e.experiment.id().starts_with("pause/RW")) {
        let mean_ms = if entry.experiment.parameter > 3.0 { 1.0 } else { 5.0 };
        entry.run.outcome.estimate = Some(estimate(mean_ms, 0.02));
    }
    let pause = of(&finished).pause_ms.unwrap();
    assert_eq!((pause.value, pause.ci_low, pause.ci_high), (3.2, 1.6, 3.2));
}

#[test]
fn a_pause_that_does_more_than_its_share_is_known_to_the_grid() {
    // A quarter of the work is gone after 0.8 ms, which makes 3.2 ms in proportion; but 1.6 ms is enough.
    let drains = Device { sw: 1.0, rw: 5.0, ..EVEN };
    let mut finished = drains.characterised();
    for entry in finished.iter_mut().filter(|e| e.experiment.id().starts_with("pause/RW")) {
        let pause_ms = entry.experiment.parameter;
        let mean_ms = if pause_ms > 1.0 { 1.0 } else { 5.0 - pause_ms / 0.8 };
        entry.run.outcome.estimate = Some(estimate(mean_ms, 0.02));
    }
    let pause = of(&finished).pause_ms.unwrap();
    assert_eq!((pause.value, pause.ci_low, pause.ci_high), (1.6, 0.8, 1.6));
}

#[test]
fn a_pause_that_never_helps_enough_is_blank() {
    let drains = Device { sw: 1.0, rw: 5.0, ..EVEN };
    for floor_ms in [3.0, 4.5] {
        let mut finished = drains.characterised();
        for entry in finished.iter_mut().filter(|e| e.experiment.id().starts_with("pause/RW")) {
            let mean_ms = f64::max(5.0 - 2.0 * entry.experiment.parameter, floor_ms);
            entry.run.outcome.estimate = Some(estimate(mean_ms, 0.02));
        }
        assert_eq!(of(&finished).pause_ms, None, "writes never cost less than {floor_ms} ms");
    }
}

/// Paper 001, section 5.2: on the Samsung "random IOs should be aligned to 16 KB, as otherwise the response
/// time increases from 18 msec to 32 msec".
#[test]
fn the_alignment_of_the_samsung_comes_back() {
    let samsung = Device { sw: 0.6, rw: 18.0, alignment: Some((16 * KIB, 32.0 / 18.0)), ..EVEN };
    let found = of(&samsung.characterised());
    assert_eq!(found.alignment_bytes.unwrap().value, 16384.0);
    assert!((value(found.alignment_factor) - 32.0 / 18.0).abs() < 1e-9);
    let coarse: Vec<Finished> = samsung
        .characterised()
        .into_iter()
        .filter(|e| {
            e.experiment.micro != "alignment" || [2048.0, 8192.0, 32768.0].contains(&e.experiment.parameter)
        })
        .collect();
    let found = of(&coarse).alignment_bytes.unwrap();
    assert_eq!((found.value, found.ci_low, found.ci_high), (32768.0, 16384.0, 32768.0));
}

#[test]
fn small_writes_that_cost_as_much_as_larger_ones_show_the_granularity() {
    let coarse = Device { rw: 5.0, granularity: 16 * KIB, latency: 0.0, ..EVEN };
    let found = of(&coarse.characterised()).granularity_bytes.unwrap();
    assert_eq!((found.value, found.ci_low, found.ci_high), (16384.0, 16384.0, 32768.0));
    let slow_start = Device { latency: 0.2, ..EVEN };
    let found = of(&slow_start.characterised()).granularity_bytes.unwrap();
    // (0.2 + 0.8 x 2/32) / (0.2 + 0.8 x 0.5/32) is 1.18, and 1.41 for 4 KiB.
    assert_eq!(found.value, 2048.0);
}

#[test]
fn what_was_not_measured_is_none_and_the_rest_stays() {
    let (expected, device) = table_3().next().expect("a row");
    let mut finished = device.characterised();
    finished.retain(|entry| entry.experiment.micro != "pause" && entry.experiment.micro != "partitioning");
    let found = of(&finished);
    assert_eq!(row(&found), expected.replace("| 5 |", "| - |").replace("| 8 (=) | =", "| - | ="));
    assert_eq!(of(&[]), Indicators::default());
}

#[test]
fn no_subset_of_the_points_is_an_error() {
    let (_, device) = table_3().nth(1).expect("a row");
    let finished = device.characterised();
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let share = random.unit();
        let mut some: Vec<Finished> = finished.iter().filter(|_| random.unit() < share).cloned().collect();
        for entry in &mut some {
            match random.below(12) {
                0 => entry.run.outcome.estimate = None,
                1 => entry.run.outcome.estimate = Some(estimate(0.0, 0.0)),
                2 => entry.run.outcome.estimate = Some(estimate(random.unit(), 3.0)),
                _ => {}
            }
        }
        let found = of(&some);
        let Some(area) = found.locality_mib else { continue };
        assert!(area.ci_low <= area.value && area.value <= area.ci_high, "seed {seed}: {area:?}");
    }
}
