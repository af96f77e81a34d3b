//! The clock that stamps IOs: the processor's time stamp counter where the kernel itself trusts it, else
//! `clock_gettime`.
//!
//! The counter is trusted when the kernel uses it as its clock source and the processor says that it ticks at
//! a constant rate and never stops; the kernel has then checked that it agrees between processors. It is
//! calibrated once per process against `CLOCK_MONOTONIC_RAW`, over two milliseconds. The uncertainty of the
//! rate is bounded by the width of the two readings over the time between them.

use std::sync::OnceLock;
use std::time::Duration;

use flashscope_core::{Nanos, Time};
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;

/// Where the time comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClockSource {
    /// The processor's time stamp counter.
    Tsc,
    /// The kernel's `CLOCK_MONOTONIC`.
    Monotonic,
}

/// How good the clock is, for the manifest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ClockInfo {
    /// Where the time comes from.
    pub source: ClockSource,
    /// What one reading costs, measured; two readings enclose every IO.
    pub cost_ns: f64,
    /// The most by which a span may be wrong, as parts per million of its length; zero where the kernel
    /// keeps the rate.
    pub rate_error_ppm: f64,
}

/// A clock with its epoch at its start. Copies agree, on every thread.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// Nanoseconds per tick of the counter, as a fraction of 2^32; zero means `CLOCK_MONOTONIC`.
    scale: u64,
    /// The counter, or the nanoseconds, at the epoch.
    epoch: u64,
}

/// Sleeping wakes up late by up to the kernel's timer slack (50 us) and more; the rest is spun.
const SPIN: Nanos = Nanos::from_us(150);

impl Clock {
    /// A clock whose epoch is now. The first one of a process takes two milliseconds to calibrate.
    pub fn start() -> Clock {
        let scale = calibration().scale;
        Clock { scale, epoch: reading(scale) }
    }

    /// The time since the epoch.
    #[inline]
    pub fn now(&self) -> Time {
        let passed = reading(self.scale).wrapping_sub(self.epoch);
        if self.scale == 0 { Time(passed) } else { Time(scaled(passed, self.scale)) }
    }

    /// Returns once the clock has reached `time`: sleeps through most of it, spins at the end.
    pub fn wait_until(&self, time: Time) {
        loop {
            let left = time.since(self.now());
            if left == Nanos::ZERO {
                return;
            }
            if left > SPIN {
                std::thread::sleep(Duration::from_nanos((left - SPIN).0));
            } else {
                std::hint::spin_loop();
            }
        }
    }

    /// What the clock is and costs. Measured at the first call.
    pub fn info() -> ClockInfo {
        static INFO: OnceLock<ClockInfo> = OnceLock::new();
        *INFO.get_or_init(|| {
            let calibration = calibration();
            let source = if calibration.scale == 0 { ClockSource::Monotonic } else { ClockSource::Tsc };
            ClockInfo { source, cost_ns: cost_ns(), rate_error_ppm: calibration.error_ppm }
        })
    }
}

#[inline]
fn scaled(ticks: u64, scale: u64) -> u64 {
    ((u128::from(ticks) * u128::from(scale)) >> 32) as u64
}

#[inline]
fn reading(scale: u64) -> u64 {
    if scale == 0 { kernel_ns(ClockId::Monotonic) } else { counter::read() }
}

fn kernel_ns(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The lowest mean cost of a reading among a few rounds: what it costs when nobody disturbs.
fn cost_ns() -> f64 {
    const READINGS: u32 = 500;
    let clock = Clock::start();
    let round = || {
        let start = clock.now();
        let end = (0..READINGS).fold(start, |_, _| std::hint::black_box(clock.now()));
        end.since(start).0 as f64 / f64::from(READINGS)
    };
    (0..5).map(|_| round()).fold(f64::INFINITY, f64::min)
}

struct Calibration {
    scale: u64,
    error_ppm: f64,
}

fn calibration() -> &'static Calibration {
    static CALIBRATION: OnceLock<Calibration> = OnceLock::new();
    CALIBRATION.get_or_init(|| {
        let kernel_only = Calibration { scale: 0, error_ppm: 0.0 };
        if counter::is_trusted() { calibrate().unwrap_or(kernel_only) } else { kernel_only }
    })
}

/// The counter and the kernel's clock at one instant, as nearly as several tries allow.
struct Pair {
    ticks: u64,
    ns: u64,
    width_ticks: u64,
}

fn pair() -> Pair {
    let read = |_| {
        let before = counter::read();
        let ns = kernel_ns(ClockId::MonotonicRaw);
        let width_ticks = counter::read().saturating_sub(before);
        Pair { ticks: before + width_ticks / 2, ns, width_ticks }
    };
    (0..20).map(read).min_by_key(|pair| pair.width_ticks).expect("twenty pairs were read")
}

/// `None` when the counter does not behave: then the kernel's clock serves.
fn calibrate() -> Option<Calibration> {
    let first = pair();
    std::thread::sleep(Duration::from_millis(2));
    let last = pair();
    let ticks = last.ticks.checked_sub(first.ticks).filter(|ticks| *ticks > 0)?;
    let ns = last.ns.checked_sub(first.ns)?;
    let scale = u64::try_from((u128::from(ns) << 32) / u128::from(ticks)).ok()?;
    let error_ppm = (first.width_ticks + last.width_ticks) as f64 / 2.0 / ticks as f64 * 1e6;
    // Between 100 MHz and 43 GHz; anything else is no clock.
    let plausible = ((1 << 32) / 43..=10 << 32).contains(&scale);
    (plausible && error_ppm < 1000.0).then_some(Calibration { scale, error_ppm })
}

#[cfg(target_arch = "x86_64")]
mod counter {
    //! The time stamp counter of x86-64.
    #![allow(unsafe_code, reason = "the instruction is an unsafe intrinsic")]

    #[inline]
    pub(super) fn read() -> u64 {
        // SAFETY: every x86-64 processor has RDTSC; Linux forbids it to no ordinary process.
        unsafe { core::arch::x86_64::_rdtsc() }
    }

    pub(super) fn is_trusted() -> bool {
        let source = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let processors = read("/proc/cpuinfo");
        let flags = processors.lines().find(|line| line.starts_with("flags")).unwrap_or_default();
        let has = |wanted: &str| flags.split_whitespace().any(|flag| flag == wanted);
        read(source).trim() == "tsc" && has("constant_tsc") && has("nonstop_tsc")
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod counter {
    //! No counter that is known to be sound.

    pub(super) fn read() -> u64 {
        0
    }

    pub(super) fn is_trusted() -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both clocks over one span, so that only their rates are compared, however long the machine pauses.
    #[test]
    fn the_clock_agrees_with_the_kernel_within_its_stated_error() {
        let clock = Clock::start();
        let read = || {
            let tries = (0..50).map(|_| {
                let before = clock.now();
                let ns = kernel_ns(ClockId::MonotonicRaw);
                (clock.now().since(before).0, before, ns)
            });
            tries.min().unwrap()
        };
        let (first_width, first, first_ns) = read();
        std::thread::sleep(Duration::from_millis(30));
        let (last_width, last, last_ns) = read();
        let difference = (last.since(first).0 as f64 - (last_ns - first_ns) as f64).abs();
        // CLOCK_MONOTONIC itself may be slewed by 500 ppm against the raw one.
        let info = Clock::info();
        let rate_ppm = if info.source == ClockSource::Tsc { info.rate_error_ppm } else { 500.0 };
        let allowed = rate_ppm / 1e6 * (last_ns - first_ns) as f64 + (first_width + last_width) as f64;
        assert!(difference <= allowed + 2.0, "{difference} ns apart, {allowed} allowed, {info:?}");
    }

    #[test]
    fn time_never_goes_back_and_starts_at_the_epoch() {
        let clock = Clock::start();
        let mut last = Time::ZERO;
        for _ in 0..100_000 {
            let now = clock.now();
            assert!(now >= last);
            last = now;
        }
    }

    #[test]
    fn waiting_is_never_short() {
        let clock = Clock::start();
        for us in [0, 20, 100, 400, 2_000] {
            let until = clock.now() + Nanos::from_us(us);
            clock.wait_until(until);
            assert!(clock.now() >= until);
        }
        clock.wait_until(Time::ZERO);
    }

    #[test]
    fn spans_of_years_do_not_overflow() {
        let three_ghz = (1u64 << 32) / 3;
        let year_ticks = 3_000_000_000 * 86_400 * 365;
        let seconds = scaled(year_ticks, three_ghz) / 1_000_000_000;
        assert!((31_535_999..=31_536_000).contains(&seconds), "{seconds}");
    }
}
