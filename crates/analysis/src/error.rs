//! The one error type of this crate.

/// Why a number cannot be given.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AnalysisError {
    /// Too few IOs in the accepted phase for any interval.
    #[error("the steady state has {have} IOs, but an interval needs at least {need}; measure longer")]
    TooFewIos {
        /// IOs in the accepted phase.
        have: u64,
        /// IOs that are needed.
        need: u64,
    },
    /// A confidence outside the open interval (0, 1).
    #[error("a confidence of {0} is not possible; use a value between 0 and 1, such as 0.95")]
    Confidence(f64),
    /// Nothing to pool.
    #[error("no estimate to pool; at least one finished run is needed")]
    NothingToPool,
    /// Estimates at different confidences cannot be put together.
    #[error("intervals at {0} and {1} confidence cannot be combined; use the same confidence")]
    MixedConfidence(f64, f64),
    /// The divisor's interval reaches zero, so the ratio has no bounded interval.
    #[error("the divisor {mean_ns} ns (± {half_ns} ns) is not significantly above 0; measure it longer")]
    DivisorNotPositive {
        /// Mean of the divisor.
        mean_ns: f64,
        /// Half width of its interval.
        half_ns: f64,
    },
}
