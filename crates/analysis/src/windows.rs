//! A run cut into equal pieces of time, of bytes or of IOs: how it went, in bounded memory.
//!
//! Recovery after a burst (paper 000, appendix C), throughput against the device capacities written
//! (paper 004) and the rounds of a steady-state test are such series. Single IOs are not kept here.

use flashscope_core::Nanos;
use serde::{Deserialize, Serialize};

/// What makes a window full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cut {
    /// So much time since the run began.
    Time(Nanos),
    /// So many bytes, read and written.
    Bytes(u64),
    /// So many IOs.
    Ios(u64),
}

/// One piece of a run: the IOs that ended in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// When it ended, from the start of the run.
    pub end_ns: u64,
    /// IOs in it.
    pub ios: u64,
    /// Bytes of them.
    pub bytes: u64,
    /// Sum of their response times.
    pub sum_ns: u64,
    /// The longest of them.
    pub max_ns: u64,
}

impl Window {
    /// Mean response time; none without an IO.
    pub fn mean_ns(&self) -> Option<f64> {
        (self.ios > 0).then(|| self.sum_ns as f64 / self.ios as f64)
    }

    fn add(&mut self, later: &Window) {
        self.end_ns = self.end_ns.max(later.end_ns);
        self.ios += later.ios;
        self.bytes += later.bytes;
        self.sum_ns += later.sum_ns;
        self.max_ns = self.max_ns.max(later.max_ns);
    }
}

/// A window as a rate, between the end of the one before and its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// When the window ended, in seconds from the start of the run.
    pub end_s: f64,
    /// Bytes up to its end.
    pub bytes: u64,
    /// IOs up to its end.
    pub ios: u64,
    /// Megabytes (10^6) a second.
    pub mb_per_s: f64,
    /// IOs a second.
    pub iops: f64,
}

/// The windows of a run as rates.
pub fn paces(windows: &[Window]) -> Vec<Pace> {
    let (mut begin_ns, mut bytes, mut ios) = (0, 0, 0);
    let pace = |window: &Window| {
        let seconds = window.end_ns.saturating_sub(begin_ns) as f64 / 1e9;
        begin_ns = window.end_ns;
        bytes += window.bytes;
        ios += window.ios;
        let rate = |things: f64| if seconds > 0.0 { things / seconds } else { 0.0 };
        let (mb_per_s, iops) = (rate(window.bytes as f64 / 1e6), rate(window.ios as f64));
        Pace { end_s: window.end_ns as f64 / 1e9, bytes, ios, mb_per_s, iops }
    };
    windows.iter().map(pace).collect()
}

/// Cuts a run as it goes. There are never more than `most` windows: where more would come, each two become
/// one and all later ones are twice as wide.
#[derive(Debug, Clone)]
pub struct Windows {
    cut: Cut,
    width: u64,
    most: usize,
    list: Vec<Window>,
    /// What the present window is full at: time, bytes or IOs, as the cut says.
    full_at: u64,
    bytes: u64,
    ios: u64,
}

impl Windows {
    /// No IO yet. A width of zero counts as one; at least two windows are kept.
    pub fn new(cut: Cut, most: usize) -> Windows {
        let (Cut::Time(Nanos(width)) | Cut::Bytes(width) | Cut::Ios(width)) = cut;
        let most = most.max(2);
        let list = Vec::with_capacity(most);
        Windows { cut, width: width.max(1), most, list, full_at: 0, bytes: 0, ios: 0 }
    }

    /// One IO is done, `end_ns` after the start of the run. In order of completion.
    #[inline]
    pub fn push(&mut self, end_ns: u64, response_ns: u64, bytes: u32) {
        let at = match self.cut {
            Cut::Time(_) => end_ns,
            Cut::Bytes(_) => self.bytes,
            Cut::Ios(_) => self.ios,
        };
        if at >= self.full_at {
            self.turn(at);
        }
        self.bytes += u64::from(bytes);
        self.ios += 1;
        if let Some(window) = self.list.last_mut() {
            let bytes = u64::from(bytes);
            window.add(&Window { end_ns, ios: 1, bytes, sum_ns: response_ns, max_ns: response_ns });
        }
    }

    /// Opens the window that `at` lies in, and those before it in which nothing ended.
    #[cold]
    fn turn(&mut self, at: u64) {
        while at / self.width >= self.most as u64 {
            self.list = self.list.chunks(2).map(joined).collect();
            self.list.reserve(self.most);
            self.width *= 2;
        }
        let place = (at / self.width) as usize;
        if let (Cut::Time(_), Some(last)) = (self.cut, self.list.len().checked_sub(1)) {
            self.list[last].end_ns = (last as u64 + 1) * self.width;
        }
        while self.list.len() <= place {
            let end_ns = match self.cut {
                Cut::Time(_) if self.list.len() < place => (self.list.len() as u64 + 1) * self.width,
                _ => 0,
            };
            self.list.push(Window { end_ns, ..Window::default() });
        }
        self.full_at = (place as u64 + 1) * self.width;
    }

    /// All windows. A last one that is less than half full belongs to the one before it.
    pub fn finish(mut self) -> Vec<Window> {
        let Some(last) = self.list.last().copied() else { return self.list };
        let before = self.list.len().checked_sub(2).map_or(0, |before| self.list[before].end_ns);
        let filled = match self.cut {
            Cut::Time(_) => last.end_ns.saturating_sub(before),
            Cut::Bytes(_) => last.bytes,
            Cut::Ios(_) => last.ios,
        };
        if filled * 2 < self.width && self.list.len() > 1 {
            self.list.pop();
            if let Some(before) = self.list.last_mut() {
                before.add(&last);
            }
        }
        self.list
    }
}

fn joined(pair: &[Window]) -> Window {
    let mut whole = pair[0];
    pair[1..].iter().for_each(|later| whole.add(later));
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    /// IOs of 4 KiB that take 1 ms each.
    fn even(cut: Cut, most: usize, ios: u64) -> Vec<Window> {
        let mut windows = Windows::new(cut, most);
        (1..=ios).for_each(|io| windows.push(io * 1_000_000 - 1, 1_000_000, 4096));
        windows.finish()
    }

    #[test]
    fn windows_of_time_of_bytes_and_of_ios_hold_what_they_say() {
        for cut in [Cut::Time(Nanos::from_ms(10)), Cut::Bytes(10 * 4096), Cut::Ios(10)] {
            let windows = even(cut, 100, 100);
            assert_eq!(windows.len(), 10, "{cut:?}");
            for window in &windows {
                assert_eq!((window.ios, window.bytes, window.sum_ns), (10, 40_960, 10_000_000), "{cut:?}");
            }
            let pace = paces(&windows)[9];
            assert!((pace.iops - 1000.0).abs() < 1.0 && pace.ios == 100, "{cut:?}: {pace:?}");
        }
    }

    #[test]
    fn more_windows_than_may_be_become_wider_and_nothing_is_lost() {
        let windows = even(Cut::Ios(1), 16, 1000);
        assert!((8..=16).contains(&windows.len()), "{}", windows.len());
        assert_eq!(windows.iter().map(|window| window.ios).sum::<u64>(), 1000);
        assert!(windows.is_sorted_by_key(|window| window.end_ns));
    }

    #[test]
    fn time_in_which_nothing_ends_is_an_empty_window_and_a_stall_of_an_hour_is_no_flood() {
        let mut windows = Windows::new(Cut::Time(Nanos::from_ms(1)), 1000);
        windows.push(500_000, 500_000, 512);
        windows.push(5_500_000, 5_000_000, 512);
        let list = windows.clone().finish();
        assert_eq!(list.iter().map(|window| window.ios).collect::<Vec<_>>(), [1, 0, 0, 0, 0, 1]);
        assert_eq!(list[3].end_ns, 4_000_000);
        windows.push(3_600_000_000_000, 3_594_500_000_000, 512);
        let list = windows.finish();
        assert!(list.len() <= 1000 && list.iter().map(|window| window.ios).sum::<u64>() == 3);
    }

    #[test]
    fn the_last_io_beyond_the_time_does_not_make_a_window_of_its_own() {
        let mut windows = Windows::new(Cut::Time(Nanos::from_ms(4)), 64);
        (1..=12).for_each(|io| windows.push(io * 1_000_000 - 1, 1_000_000, 4096));
        windows.push(12_900_000, 1_000_000, 4096);
        let list = windows.finish();
        assert_eq!(list.iter().map(|window| window.ios).collect::<Vec<_>>(), [4, 4, 5]);
        assert_eq!(list[2].end_ns, 12_900_000);
    }
}
