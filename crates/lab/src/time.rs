//! The time of day: seeds that differ from run to run, and dates of results.

use std::time::SystemTime;

/// A seed from the clock: different each time, shown and stored so that a run can be repeated.
pub fn fresh_seed() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    // Short enough to be typed.
    flashscope_core::seed::derive(since.as_nanos() as u64, 0) % 1_000_000_000
}

/// Now, as `2026-11-20T17:03:59Z`.
pub fn now_text() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}
