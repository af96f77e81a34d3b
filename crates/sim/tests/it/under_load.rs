//! Time under load: against a plain reference, against booking where that is exact, against laws of queues.

mod laws;
mod modes;
mod priorities;
mod reference;
mod same;

pub use priorities::any_scheduler;

use flashscope_core::seed::Random;
use flashscope_core::{Completion, Request, Target, Time};
use flashscope_sim::{Profile, Settings, Ssd};
use reference::Device;

/// `nvme-tlc-2024` of 1 GiB with other channels and dies.
fn nvme(channels: u32, dies: u32) -> Settings {
    let keys = [("capacity", "1GiB"), ("slc_cache.size", "64MiB")];
    let keys = keys.map(|(key, value)| (key.to_string(), value.to_string()));
    let Ok(Profile::Ssd(mut settings)) = Profile::find("nvme-tlc-2024", &keys) else { panic!("built in") };
    (settings.nand.channels, settings.nand.dies) = (channels, dies);
    *settings
}

/// Random reads of one page, `depth` in flight at any time; after a tenth of them as warm-up. Reads a second
/// and mean latency in ns.
fn random_reads(ssd: &mut Ssd, depth: usize, reads: usize, seed: u64) -> (f64, f64) {
    let page = ssd.geometry().page_bytes;
    let pages = u64::from(ssd.logical_pages());
    let mut random = Random::new(seed);
    let mut next = |tag| {
        let offset_bytes = random.below(pages) * u64::from(page);
        Request { tag, offset_bytes, length_bytes: page, ..Request::default() }
    };
    for tag in 0..depth as u32 {
        ssd.submit(&[next(tag)]).expect("it fits");
    }
    let (warm_up, mut start, mut latency_ns, mut done) = (reads / 10, Time(0), 0, 0);
    let mut out: Vec<Completion> = Vec::new();
    while done < warm_up + reads {
        ssd.reap(1, Time::NEVER, &mut out).expect("nothing fails");
        for completion in out.drain(..) {
            done += 1;
            if done > warm_up {
                latency_ns += completion.completed.since(completion.submitted).0;
            } else {
                start = completion.completed;
            }
            ssd.submit(&[next(completion.tag)]).expect("it fits");
        }
    }
    let count = (done - warm_up) as f64;
    (count * 1e9 / ssd.now().since(start).0 as f64, latency_ns as f64 / count)
}

fn device(settings: &Settings) -> Device {
    let ns = |us: f64| (us * 1e3).round() as u64;
    Device {
        channels: settings.nand.channels as usize,
        dies: settings.nand.dies as usize,
        sensing_ns: ns(settings.nand.read_us[0]),
        transfer_ns: ns(settings.nand.transfer_us),
        command_ns: ns(settings.host.command_us),
        parallel_commands: settings.host.parallel_commands as usize,
        link_ns: (4096.0 * 1e3 / settings.host.mb_s).round() as u64,
    }
}

/// Six shapes of channels and dies, 27 points.
#[test]
fn random_reads_are_as_fast_as_a_plain_simulation_of_events_says() {
    let shapes: [(u32, u32, &[usize]); 6] = [
        (1, 1, &[1, 4, 64]),
        (1, 4, &[1, 4, 16, 64]),
        (2, 4, &[1, 8, 32, 128]),
        (4, 4, &[1, 8, 64, 256]),
        (8, 4, &[1, 8, 32, 64, 128, 256]),
        (8, 8, &[1, 8, 32, 64, 128, 256]),
    ];
    let mut points = 0;
    for (channels, dies, depths) in shapes {
        let settings = nvme(channels, dies);
        for &depth in depths {
            let mut ssd = Ssd::new("nvme", settings.clone(), 1).expect("a device");
            let found = random_reads(&mut ssd, depth, 60_000, 2);
            let expected = reference::random_reads(&device(&settings), depth, 60_000, 3);
            let off = [found.0 / expected.0, found.1 / expected.1].map(|ratio| 100.0 * (ratio - 1.0));
            let what = format!(
                "{channels} x {dies}, depth {depth}: {:.0} reads/s ({:+.2} %), {:.2} us ({:+.2} %)",
                found.0,
                off[0],
                found.1 / 1e3,
                off[1]
            );
            assert!(off.iter().all(|percent| percent.abs() < 2.0), "{what}; expected {expected:?}");
            points += 1;
        }
    }
    assert_eq!(points, 27);
}
