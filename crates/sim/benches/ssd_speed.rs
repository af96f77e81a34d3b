//! How fast a simulated SSD is, on one core, in processor time: the anchors of docs/performance.md.
//!
//! `cargo bench -p flashscope-sim --bench ssd_speed [-- NAME]` runs those whose name contains NAME.
#![allow(clippy::print_stdout)]

use flashscope_core::seed::Random;
use flashscope_core::{
    Bytes, Control, Io, Limits, Op, Pattern, PatternSource, Request, RequestSource, Stream, Target, Time,
    drive,
};
use flashscope_sim::buffer::{AnyBuffer, BufferSetup, Evictions, WriteBuffer};
use flashscope_sim::settings::Initial;
use flashscope_sim::{Profile, Settings, Ssd};
use rustix::time::{ClockId, clock_gettime};

/// Requests that a batch shows to the device ahead of time.
const BATCH: usize = 64;
/// The best of so many rounds counts: other processes only ever slow one down.
const ROUNDS: usize = 5;

/// What is measured, and how much of it a second is enough.
struct Anchor {
    name: &'static str,
    unit: &'static str,
    least_millions: f64,
    /// The best rate of the rounds, in units a second.
    measure: fn() -> f64,
}

const ANCHORS: &[Anchor] = &[
    Anchor {
        name: "random-8g",
        unit: "host writes",
        least_millions: 15.0,
        measure: || random(8 << 30, "greedy"),
    },
    Anchor {
        name: "random-64g",
        unit: "host writes",
        least_millions: 8.0,
        measure: || random(64 << 30, "greedy"),
    },
    Anchor {
        name: "cost-benefit",
        unit: "host writes",
        least_millions: 8.0,
        measure: || random(8 << 30, "cost-benefit"),
    },
    Anchor { name: "sequential", unit: "host writes", least_millions: 50.0, measure: sequential },
    Anchor { name: "driven", unit: "host writes", least_millions: 50.0, measure: driven },
    Anchor { name: "lru-buffer", unit: "requests", least_millions: 30.0, measure: lru_buffer },
    Anchor { name: "bplru-trace", unit: "page writes", least_millions: 10.0, measure: bplru_trace },
    Anchor { name: "load-reads", unit: "host reads", least_millions: 8.0, measure: || under_load(1.0) },
    Anchor { name: "load-writes", unit: "host writes", least_millions: 3.5, measure: || under_load(0.0) },
    Anchor { name: "load-mixed", unit: "host IOs", least_millions: 4.5, measure: || under_load(0.7) },
    Anchor { name: "programs", unit: "page programs", least_millions: 60.0, measure: programs },
];

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let wanted = |anchor: &&Anchor| wanted.iter().all(|word| anchor.name.contains(word.as_str()));
    for Anchor { name, unit, least_millions, measure } in ANCHORS.iter().filter(wanted) {
        let millions = measure() / 1e6;
        let verdict = if millions >= *least_millions { "held" } else { "missed" };
        println!("{name:<12} {millions:6.1} M {unit}/s, at least {least_millions:4.1}: {verdict}");
    }
}

/// Processor time of this process so far.
fn cpu_s() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn page_ssd(capacity_bytes: u64, over_provisioning: f64, gc: &str) -> Ssd {
    let mut settings = Settings {
        gc: gc.into(),
        capacity: Bytes(capacity_bytes),
        over_provisioning,
        initial: Initial::Random,
        ..Settings::default()
    };
    settings.nand.pages_per_block = 256;
    Ssd::new("speed", settings, 1).expect("the settings are right")
}

/// Serves `count` page writes, in batches.
fn write_pages(ssd: &mut Ssd, count: u64, mut next: impl FnMut() -> u64) {
    let mut batch = [Request { length_bytes: 4096, op: Op::Write, ..Request::default() }; BATCH];
    let mut out = Vec::with_capacity(BATCH);
    for _ in 0..count / BATCH as u64 {
        for request in &mut batch {
            request.offset_bytes = next() * 4096;
        }
        ssd.prepare(&batch);
        ssd.serve_in_turn(&batch, &mut out).expect("served");
        out.clear();
    }
}

/// The best rate of the rounds. A round does what it does and says how much that was.
fn best(mut round: impl FnMut() -> u64) -> f64 {
    let rate = |_| {
        let start_s = cpu_s();
        let units = round();
        units as f64 / (cpu_s() - start_s)
    };
    (0..ROUNDS).map(rate).fold(0.0, f64::max)
}

/// Uniform random page writes in steady state, 28 % over-provisioning.
fn random(capacity_bytes: u64, gc: &str) -> f64 {
    let mut ssd = page_ssd(capacity_bytes, 0.28, gc);
    let pages = u64::from(ssd.logical_pages());
    let mut random = Random::new(2);
    write_pages(&mut ssd, pages, || random.below(pages));
    best(|| {
        write_pages(&mut ssd, 4_000_000, || random.below(pages));
        4_000_000
    })
}

/// Random pages, so many of them read, 64 in flight, of 8 GiB in steady state on 8 channels with 8 dies each.
/// Where both are there, reads go first.
fn under_load(reads: f64) -> f64 {
    const DEPTH: usize = 64;
    let mut settings = Settings {
        capacity: Bytes(8 << 30),
        over_provisioning: 0.28,
        initial: Initial::Random,
        ..Settings::default()
    };
    settings.scheduler.read_priority = reads > 0.0 && reads < 1.0;
    (settings.nand.channels, settings.nand.dies) = (8, 8);
    settings.nand.pages_per_block = 64;
    (settings.nand.read_us, settings.nand.program_us) = (vec![50.0], vec![600.0]);
    (settings.nand.erase_us, settings.nand.transfer_us) = (3_000.0, 2.5);
    let mut ssd = Ssd::new("speed", settings, 1).expect("the settings are right");
    let pages = u64::from(ssd.logical_pages());
    let mut random = Random::new(7);
    let (mut coming, mut out) = (Vec::with_capacity(BATCH), Vec::with_capacity(DEPTH));
    let mut in_flight = 0;
    let mut serve = |count: usize| {
        let mut left = count;
        while left > 0 {
            if coming.is_empty() {
                let mut next = |_| {
                    let offset_bytes = random.below(pages) * 4096;
                    let op = if random.unit() < reads { Op::Read } else { Op::Write };
                    Request { offset_bytes, length_bytes: 4096, op, ..Request::default() }
                };
                coming.extend((0..BATCH).map(&mut next));
                ssd.prepare(&coming);
            }
            let now = coming.len().min(DEPTH - in_flight).min(left);
            ssd.submit(&coming[coming.len() - now..]).expect("served");
            coming.truncate(coming.len() - now);
            ssd.reap(1, Time::NEVER, &mut out).expect("served");
            in_flight = in_flight + now - out.len();
            left -= now;
            out.clear();
        }
    };
    if reads < 1.0 {
        serve((2.0 * pages as f64 / (1.0 - reads)) as usize);
    }
    best(|| {
        serve(2_000_000);
        2_000_000
    })
}

/// Page writes in order.
fn sequential() -> f64 {
    let mut ssd = page_ssd(8 << 30, 0.28, "greedy");
    let pages = u64::from(ssd.logical_pages());
    let mut page = 0;
    let mut next = || {
        page = if page + 1 == pages { 0 } else { page + 1 };
        page
    };
    write_pages(&mut ssd, 2 * pages, &mut next);
    best(|| {
        write_pages(&mut ssd, 10_000_000, &mut next);
        10_000_000
    })
}

/// Page writes in order, from the pattern's text through the drive loop to an observer.
fn driven() -> f64 {
    let mut ssd = page_ssd(8 << 30, 0.28, "greedy");
    let pattern: Pattern = "rw=write bs=4KiB size=8GiB number_ios=10000000".parse().expect("a pattern");
    best(|| {
        let mut streams = [Stream { source: PatternSource::new(&pattern, 0, 1), pacing: pattern.pacing() }];
        let (mut ios, mut response_ns) = (0, 0);
        let mut observer = |io: &Io| {
            (ios, response_ns) = (ios + 1, response_ns + io.response.0);
            Control::Continue
        };
        drive(&mut ssd, &mut streams, Limits::default(), &mut observer).expect("served");
        assert!(response_ns > 0);
        ios
    })
}

/// The LRU buffer by itself: uniform writes to 1 GiB through 16 MiB.
fn lru_buffer() -> f64 {
    let settings = Settings { buffer: "lru".into(), ..Settings::default() };
    let logical_pages = 1 << 18;
    let setup = BufferSetup { pages: 4096, pages_per_block: 128, logical_pages, settings: &settings };
    let mut buffer = AnyBuffer::new(&setup, &()).expect("the settings are right");
    let mut random = Random::new(4);
    let lpns: Vec<u32> = (0..1 << 22).map(|_| random.below(u64::from(logical_pages)) as u32).collect();
    let mut out = Evictions::default();
    best(|| {
        for lpn in &lpns {
            buffer.write(*lpn, 1, &mut out);
            out.pages.clear();
        }
        lpns.len() as u64
    })
}

/// Host pages of a file tree's installation on ext3, through BPLRU and log blocks, parsing left out.
fn bplru_trace() -> f64 {
    let Ok(Profile::Ssd(mut settings)) = Profile::find("bplru-board", &[]) else { panic!("it is built in") };
    settings.buffer = "bplru".into();
    settings.ram.size = Bytes(16 << 20);
    let mut ssd = Ssd::new("bplru-board", *settings, 1).expect("the settings are right");
    let trace = concat!(env!("CARGO_MANIFEST_DIR"), "/../trace/samples/install-ext3.tracefs.gz");
    let file = std::fs::File::open(trace).expect("the sample is in the repository");
    let reader = flashscope_trace::open(file, None, false).expect("a trace");
    let mut source = flashscope_trace::TraceSource::new(reader, ssd.info(), None);
    let mut requests = vec![Request::default(); 1 << 15];
    let filled = source.fill(&mut requests);
    requests.truncate(filled);
    requests.retain(|request| request.op == Op::Write);
    let mut out = Vec::with_capacity(requests.len());
    best(|| {
        let before = ssd.report().host_written_bytes;
        for batch in requests.chunks(BATCH) {
            ssd.prepare(batch);
            ssd.serve_in_turn(batch, &mut out).expect("served");
        }
        out.clear();
        (ssd.report().host_written_bytes - before) / 2048
    })
}

/// Page programs, copies included, where collection copies most.
fn programs() -> f64 {
    let mut ssd = page_ssd(3_481 << 20, 0.143, "greedy");
    let pages = u64::from(ssd.logical_pages());
    let mut random = Random::new(3);
    write_pages(&mut ssd, pages, || random.below(pages));
    best(|| {
        let before = ssd.nand().counts().programs();
        write_pages(&mut ssd, 2_000_000, || random.below(pages));
        ssd.nand().counts().programs() - before
    })
}
