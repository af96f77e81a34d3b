//! What must come out whatever the engine does: bounds, Little's law, a queue with a closed form.

use flashscope_core::seed::Random;
use flashscope_core::{Bytes, Completion, Request, Target, Time};
use flashscope_sim::nand::BackEnd;
use flashscope_sim::settings::Initial;
use flashscope_sim::{Settings, Ssd};

const SENSING_NS: u64 = 50_000;
const PAGE: u32 = 4096;

/// Page-mapped flash without link or controller: 50 us to read a page.
fn flash(channels: u32, dies: u32, transfer_us: f64) -> Ssd {
    let mut settings = Settings { capacity: Bytes(256 << 20), ..Settings::default() };
    (settings.nand.channels, settings.nand.dies) = (channels, dies);
    settings.nand.pages_per_block = 32;
    settings.nand.read_us = vec![SENSING_NS as f64 / 1e3];
    settings.nand.transfer_us = transfer_us;
    settings.initial = Initial::Full;
    let device = Ssd::builder("flash", settings).back_end(BackEnd::Events);
    device.build().expect("a device")
}

/// A second's worth of what is served in the long run, and the mean time in it, in ns.
fn steady(ssd: &mut Ssd, depth: usize) -> (f64, f64) {
    super::random_reads(ssd, depth, 100_000, 5)
}

#[test]
fn one_die_reads_as_many_pages_as_sensing_and_transfer_allow() {
    for depth in [1, 2, 16, 256] {
        let (rate, latency_ns) = steady(&mut flash(1, 1, 10.0), depth);
        let service_ns = SENSING_NS as f64 + 10_000.0;
        assert!((rate * service_ns / 1e9 - 1.0).abs() < 1e-3, "depth {depth}: {rate}");
        let all_before = depth as f64 * service_ns;
        assert!((latency_ns / all_before - 1.0).abs() < 1e-3, "depth {depth}: {latency_ns}");
    }
}

/// 16 dies could sense 250,000 pages a second, of which the bus carries 50,000.
#[test]
fn a_bus_that_is_the_bottleneck_is_never_idle() {
    for (channels, depth) in [(1, 64), (1, 256), (4, 512)] {
        let (rate, _) = steady(&mut flash(channels, 16, 20.0), depth);
        let most = f64::from(channels) * 1e9 / 20_000.0;
        assert!(rate <= most * 1.001 && rate > 0.99 * most, "{channels} channels: {rate} of {most}");
    }
}

/// With as many requests as one could want all dies work all the time.
#[test]
fn dies_that_are_the_bottleneck_are_never_idle() {
    let (rate, _) = steady(&mut flash(8, 2, 1.0), 2_048);
    let most = 16.0 * 1e9 / 51_000.0;
    assert!(rate <= most && rate > 0.97 * most, "{rate} of {most}");
}

#[test]
fn littles_law_holds() {
    for (channels, dies, depth) in [(1, 4, 7), (2, 4, 33), (8, 8, 64), (8, 8, 256)] {
        let (rate, latency_ns) = steady(&mut flash(channels, dies, 2.5), depth);
        let in_flight = rate * latency_ns / 1e9;
        assert!((in_flight / depth as f64 - 1.0).abs() < 1e-2, "depth {depth}: {in_flight} in flight");
    }
}

/// M/D/1: reads of one die that come at random times wait rho / (2 (1 - rho)) of a read in the mean.
#[test]
fn reads_that_come_at_random_wait_as_long_as_in_m_d_1() {
    for rho in [0.3, 0.6, 0.8] {
        let mut ssd = flash(1, 1, 10.0);
        let (service_ns, mut random) = (60_000.0, Random::new(9));
        let pages = u64::from(ssd.logical_pages());
        let (mut at_ns, mut sum_ns, mut count, mut out) = (0.0, 0.0, 0.0, Vec::<Completion>::new());
        for tag in 0..400_000_u32 {
            at_ns -= (1.0 - random.unit()).ln() * service_ns / rho;
            ssd.reap(usize::MAX, Time(at_ns as u64), &mut out).expect("nothing fails");
            let offset_bytes = random.below(pages) * u64::from(PAGE);
            ssd.submit(&[Request { tag, offset_bytes, length_bytes: PAGE, ..Request::default() }])
                .expect("it fits");
            for done in out.drain(..) {
                sum_ns += done.completed.since(done.submitted).0 as f64;
                count += 1.0;
            }
        }
        let (mean, expected) = (sum_ns / count, service_ns * (1.0 + rho / (2.0 * (1.0 - rho))));
        assert!((mean / expected - 1.0).abs() < 0.02, "rho {rho}: {mean:.0} ns, expected {expected:.0}");
    }
}
