//! What other ways of measuring say of the same device: they ignore nothing, or trust a fixed window.

use flashscope_core::{Control, Io, Limits, Observer, Pattern, PatternSource, Stream, Target, drive};

/// The names, in the order of [`answers`].
pub const NAMES: [&str; 3] = ["first 512 IOs", "first second", "fixed window"];

/// Mean response times in nanoseconds: of the first 512 IOs; of the IOs that complete within the first second
/// (at least one); of the window at which fio's `steadystate=iops:10% ss_dur=10` stops. And the IOs that the
/// last one takes.
pub fn answers<T: Target>(target: &mut T, pattern: &Pattern, seed: u64) -> ([f64; 3], u64) {
    let mut streams = [Stream { source: PatternSource::new(pattern, 0, seed), pacing: pattern.pacing() }];
    let mut rivals = Rivals::default();
    drive(target, &mut streams, Limits::default(), &mut rivals).expect("a rig serves what is valid");
    ([rivals.first_512.mean(), rivals.first_second.mean(), rivals.window_mean_ns], rivals.window_ios)
}

#[derive(Clone, Copy, Default)]
struct Sum {
    ios: u64,
    total_ns: u64,
}

impl Sum {
    fn add(&mut self, response_ns: u64) {
        self.ios += 1;
        self.total_ns += response_ns;
    }

    fn mean(&self) -> f64 {
        self.total_ns as f64 / self.ios as f64
    }
}

/// fio's window: this many samples of one second, all within this share of their mean, by this second.
const WINDOW_S: usize = 10;
const WITHIN: f64 = 0.1;
const LAST_S: usize = 60;

#[derive(Default)]
struct Rivals {
    first_512: Sum,
    first_second: Sum,
    seconds: Vec<Sum>,
    window_mean_ns: f64,
    /// IOs until it stops.
    window_ios: u64,
}

impl Rivals {
    /// Mean over the last ten seconds if fio would stop now; it reports that only in its JSON.
    fn window(&self) -> Option<f64> {
        let window = self.seconds.last_chunk::<WINDOW_S>()?;
        let mean_iops = window.iter().map(|second| second.ios as f64).sum::<f64>() / WINDOW_S as f64;
        let steady = window.iter().all(|s| (s.ios as f64 - mean_iops).abs() <= WITHIN * mean_iops);
        let stops = steady || self.seconds.len() >= LAST_S;
        let total_ns: u64 = window.iter().map(|second| second.total_ns).sum();
        stops.then(|| total_ns as f64 / (mean_iops * WINDOW_S as f64))
    }
}

impl Observer for Rivals {
    fn observe(&mut self, io: &Io) -> Control {
        let (response_ns, end_ns) = (io.response.0, (io.submitted + io.response).0);
        if self.first_512.ios < 512 {
            self.first_512.add(response_ns);
        }
        if end_ns <= 1_000_000_000 || self.first_second.ios == 0 {
            self.first_second.add(response_ns);
        }
        let second = (end_ns / 1_000_000_000) as usize;
        while self.window_mean_ns == 0.0 && self.seconds.len() <= second {
            // The second before is complete.
            self.window_mean_ns = self.window().unwrap_or(0.0);
            self.seconds.push(Sum::default());
        }
        if self.window_mean_ns == 0.0 {
            self.window_ios += 1;
            self.seconds[second].add(response_ns);
            return Control::Continue;
        }
        if self.first_512.ios < 512 { Control::Continue } else { Control::Stop }
    }
}
