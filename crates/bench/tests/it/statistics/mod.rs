//! The little that tests over many rigs and runs share.
#![allow(dead_code)] // each test file uses its part

/// Chance that a count which is short of its claim by luck alone fails a test.
const BAD_LUCK: f64 = 1e-4;

/// Fewest successes in `runs` that a claimed share allows: fewer come by chance in one case of 10,000.
pub fn at_least(share: f64, runs: u64) -> u64 {
    let mut below = 0.0;
    (0..=runs)
        .find(|&count| {
            below += chance(share, runs, count);
            below > BAD_LUCK
        })
        .expect("the chances add up to one")
}

/// Most successes in `runs` that a claimed share allows.
pub fn at_most(share: f64, runs: u64) -> u64 {
    runs - at_least(1.0 - share, runs)
}

/// Binomial probability of exactly `count` successes.
fn chance(share: f64, runs: u64, count: u64) -> f64 {
    let ways_log: f64 = (1..=count).map(|i| ((runs - count + i) as f64 / i as f64).ln()).sum();
    (ways_log + count as f64 * share.ln() + (runs - count) as f64 * (1.0 - share).ln()).exp()
}

/// The middle value, the upper one of two.
pub fn median<T: Copy + PartialOrd>(values: &[T]) -> T {
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| a.partial_cmp(b).expect("no value is NaN"));
    sorted[sorted.len() / 2]
}

/// One answer a rig, in their order; each half of them in a thread.
pub fn in_two_threads<T: Send>(names: &[&'static str], of: impl Fn(&'static str) -> T + Sync) -> Vec<T> {
    let all = |names: &[&'static str]| names.iter().map(|name| of(name)).collect::<Vec<T>>();
    let (first, second) = names.split_at(names.len() / 2);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| all(second));
        let mut answers = all(first);
        answers.extend(other.join().expect("no panic"));
        answers
    })
}
