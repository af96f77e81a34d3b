//! Times as papers have them. A simulated device is given them whole, a real one in proportion.

use flashscope_core::Nanos;

/// A time of a paper: how long that is on a device, only the stage says, see
/// `Stage::time`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaperTime(Nanos);

impl PaperTime {
    /// One run of paper 000, in whose place a real device has [`Schedule::runtime`](crate::Schedule).
    pub const RUN: PaperTime = PaperTime::from_s(30);

    /// So many seconds.
    pub const fn from_s(seconds: u64) -> PaperTime {
        PaperTime(Nanos::from_s(seconds))
    }

    /// So many of them.
    pub const fn times(self, count: usize) -> PaperTime {
        PaperTime(Nanos(self.0.0 * count as u64))
    }

    /// In the paper's seconds.
    pub fn as_s(self) -> f64 {
        self.0.as_s()
    }

    /// As long as the paper has it.
    pub fn whole(self) -> Nanos {
        self.0
    }

    /// How long it is where `runtime` stands for [`PaperTime::RUN`].
    pub fn shortened(self, runtime: Nanos) -> Nanos {
        Nanos((self.as_s() * runtime.as_s() / Self::RUN.as_s() * 1e9).round() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_a_paper_takes_the_runtime_and_other_times_are_in_proportion() {
        let runtime = Nanos::from_s(2);
        assert_eq!(PaperTime::RUN.shortened(runtime), runtime);
        assert_eq!(PaperTime::from_s(60).shortened(runtime), Nanos::from_s(4));
        assert_eq!(PaperTime::from_s(15).times(3).shortened(runtime), Nanos::from_s(3));
        assert_eq!(PaperTime::from_s(4).whole(), Nanos::from_s(4));
    }
}
