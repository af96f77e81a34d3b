//! The page FTL against the closed forms of write amplification, throughput and wear.
mod formulas;

/// Whether `value` is `expected` in all printed digits.
fn same(value: f64, expected: f64, what: &str) {
    assert!((value - expected).abs() < 6e-4 * expected.max(1.0), "{what}: {value:.4}, published {expected}");
}

#[test]
fn the_formulas_give_the_published_numbers() {
    let rows = [
        (1.07, [7.8172, 7.0099, 7.3916, 7.5969, 10.4749, 8.1677, 7.6495, 15.2857]),
        (1.125, [4.6801, 4.3891, 4.5281, 4.6026, 6.2669, 4.9570, 4.6660, 9.0000]),
        (1.2, [3.1878, 3.0528, 3.1188, 3.1530, 4.2356, 3.3914, 3.2050, 6.0000]),
        (1.28, [2.4814, 2.4028, 2.4412, 2.4610, 3.2644, 2.6406, 2.5035, 4.5714]),
        (1.0 / 0.93, [7.3177, 6.6155, 6.9450, 7.1240, 9.8100, 7.6635, 7.1821, 14.2857]),
        (1.0 / 0.72, [1.9916, 1.9425, 1.9667, 1.9791, 2.5847, 2.1157, 2.0131, 3.5714]),
    ];
    for (alpha, row) in rows {
        same(formulas::fifo(alpha), row[0], "fifo");
        for (b, expected) in [64, 128, 256].into_iter().zip(&row[1..4]) {
            same(formulas::greedy(alpha, b), *expected, "greedy");
        }
        for (d, expected) in [2, 5, 10].into_iter().zip(&row[4..7]) {
            same(formulas::d_choices(alpha, 128, d), *expected, "d-choices");
        }
        same(formulas::random(alpha), row[7], "random");
        same(formulas::d_choices(alpha, 128, 1), row[7], "one choice");
    }
    for (alpha, share, expected) in [(1.07, 0.2, 8.182), (1.07, 0.1, 8.866), (1.28, 0.1, 3.296)] {
        let groups = [(1.0 - share, share), (share, 1.0 - share)];
        same(formulas::grouped_fifo(alpha, groups.into_iter()), expected, "hot and cold");
    }
    same(formulas::zipf_fifo(1.1248, 40_000, 1.0), 6.805, "zipf 1");
    same(formulas::zipf_fifo(1.28, 40_000, 0.8), 3.107, "zipf 0.8");
    for (alpha, q, expected, mapped) in [(1.1248, 0.1, 2.578, 0.889), (1.28, 0.2, 1.441, 0.750)] {
        same(formulas::trimmed_fifo(alpha, q).0, expected, "trim");
        same(formulas::trimmed_fifo(alpha, q).1, mapped, "mapped");
    }
}
