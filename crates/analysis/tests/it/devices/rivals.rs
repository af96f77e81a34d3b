//! What other tools would report for the same device: they ignore nothing, or trust a fixed window.

use super::Device;

/// Mean of the first 512 IOs, in ms.
pub fn first_512(device: &Device, seed: u64) -> f64 {
    let mut player = device.play(seed);
    (0..512).map(|_| player.next_ns() as f64 / 1e6).sum::<f64>() / 512.0
}

/// Mean of the IOs that complete within one second, in ms.
pub fn first_second(device: &Device, seed: u64) -> f64 {
    let mut player = device.play(seed);
    let (mut sum, mut ios) = (0.0, 0.0);
    while sum < 1e3 {
        sum += player.next_ns() as f64 / 1e6;
        ios += 1.0;
    }
    sum / ios
}

/// fio's `steadystate=iops:10% ss_dur=10` with one sample a second: the run stops once all of the last ten
/// samples lie within 10 % of their mean, after a minute at the latest. Returns the mean over the window,
/// which fio offers only in its JSON, in ms, and the IOs issued.
pub fn fixed_window(device: &Device, seed: u64) -> (f64, u64) {
    let mut player = device.play(seed);
    let mut seconds: Vec<(f64, f64)> = vec![(0.0, 0.0)];
    let (mut now_ms, mut ios) = (0.0, 0);
    loop {
        let cost_ms = player.next_ns() as f64 / 1e6;
        now_ms += cost_ms;
        ios += 1;
        while now_ms >= 1e3 * seconds.len() as f64 {
            let window = &seconds[seconds.len().saturating_sub(10)..];
            let mean = window.iter().map(|s| s.0).sum::<f64>() / window.len() as f64;
            let steady = window.len() == 10 && window.iter().all(|s| (s.0 - mean).abs() <= 0.1 * mean);
            if steady || seconds.len() >= 60 {
                let spent: f64 = window.iter().map(|s| s.1).sum();
                return (spent / window.iter().map(|s| s.0).sum::<f64>(), ios);
            }
            seconds.push((0.0, 0.0));
        }
        let last = seconds.last_mut().expect("there is always a current second");
        *last = (last.0 + 1.0, last.1 + cost_ms);
    }
}
