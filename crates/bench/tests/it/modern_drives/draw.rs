//! A random simulated drive, and the truth about it. Nothing of this is known to the code that reads.

use flashscope_core::seed::Random;
use flashscope_core::{Bytes, Control, Io, Limits, Nanos, Pattern, Rw, Target, drive as drive_it};
use flashscope_sim::buffer::BUFFERS;
use flashscope_sim::gc::POLICIES;
use flashscope_sim::nand::Cell;
use flashscope_sim::settings::{HostSettings, Initial, Settings};
use flashscope_sim::ssd::background::When;
use flashscope_sim::{Ssd, nand::NandSettings};

const MIB: u64 = 1 << 20;

/// What is asked of the suite.
#[derive(Clone, Copy, Debug)]
pub struct Truth {
    /// Queue depth at which reads fill the drive.
    pub knee: f64,
    /// MiB of the write buffer, if any.
    pub buffer_mib: Option<f64>,
    /// GiB of the cache in SLC mode, if any.
    pub cache_gib: Option<f64>,
    /// Spare flash in per cent of the capacity.
    pub over_provisioning: f64,
}

pub struct Draw(Random);

impl Draw {
    pub fn new(seed: u64) -> Draw {
        Draw(Random::new(seed))
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.0.below(of.len() as u64) as usize]
    }

    fn chance(&mut self, share: f64) -> bool {
        self.0.unit() < share
    }

    /// As likely between 1 and 2 as between 2 and 4.
    fn log(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.0.unit())
    }

    /// A drive that can be made, and its settings.
    pub fn drive(&mut self, capacity_mib: (f64, f64)) -> Settings {
        loop {
            let settings = self.settings(capacity_mib);
            let probe = Settings { initial: Initial::Empty, ..settings.clone() };
            if Ssd::new("drive", probe, 1).is_ok() {
                return settings;
            }
        }
    }

    fn settings(&mut self, (least, most): (f64, f64)) -> Settings {
        let mut device =
            Settings { capacity: Bytes(self.log(least, most) as u64 * MIB), ..Settings::default() };
        device.over_provisioning = self.log(0.06, 0.5);
        device.ftl = match self.0.below(10) {
            0..5 => "slc-cache",
            5..8 => "page",
            _ => self.one(&["hot-cold", "dftl", "fast", "log-block", "superblock", "hybrid"]),
        }
        .into();
        device.gc = if self.chance(0.5) { "greedy" } else { self.one(POLICIES).0 }.into();
        device.victim.choices = self.one(&[2, 5, 10, 30]);
        device.initial = self.one(&[Initial::Full, Initial::Random]);
        self.nand(&mut device.nand);
        device.host = self.host();
        self.buffer(&mut device);
        self.cache(&mut device);
        device.page.frontiers = self.one(&[1, 2]);
        device.page.idle_blocks = self.one(&[0, 0, 0, 4, 16]);
        device.background.when = if self.chance(0.8) { When::Idle } else { When::Never };
        device.background.after_us = self.one(&[0.0, 1e3, 1e5, 1e5, 1e5]);
        device.hot_cold.space = self.log(0.1, 0.6);
        device.hot_cold.spare = self.log(0.2, 0.8);
        device
    }

    fn nand(&mut self, nand: &mut NandSettings) {
        nand.channels = self.one(&[1, 2, 4, 8, 8, 16]);
        nand.dies = self.one(&[1, 2, 4, 8]);
        nand.planes = self.one(&[1, 2, 4]);
        nand.pages_per_block = self.one(&[32, 64, 128]);
        let (page_kib, per_program) = self.one(&[(4, 4), (4, 4), (4, 1), (8, 2), (16, 1)]);
        (nand.page, nand.pages_per_program) = (Bytes(page_kib << 10), per_program);
        nand.stripe = nand.channels * nand.dies * nand.planes / self.one(&[1, 1, 2, 4, 8]);
        nand.cell = self.one(&[Cell::Mlc, Cell::Tlc, Cell::Tlc, Cell::Qlc]);
        let (read, program) = match nand.cell {
            Cell::Slc | Cell::Mlc => ((40.0, 70.0), (450.0, 900.0)),
            Cell::Tlc => ((45.0, 90.0), (400.0, 900.0)),
            Cell::Qlc => ((80.0, 160.0), (1200.0, 2500.0)),
        };
        if self.chance(0.8) {
            nand.read_us = vec![self.log(read.0, read.1)];
        }
        nand.program_us = vec![self.log(program.0, program.1)];
        nand.transfer_us = self.log(2.5, 20.0) * page_kib as f64 / 4.0;
        let programs = f64::from(nand.pages_per_block / per_program);
        nand.erase_us = nand.program_us[0] * programs * self.one(&[0.005, 0.02, 0.1]);
        nand.endurance_erases = 1_000_000;
    }

    fn host(&mut self) -> HostSettings {
        HostSettings {
            command_us: self.log(2.0, 60.0),
            parallel_commands: self.one(&[1, 2, 4, 8, 16]),
            command_queue: self.chance(0.95),
            mb_s: self.one(&[0.0, 280.0, 550.0, 1500.0, 3500.0, 7000.0, 14000.0]),
            ignore_flush: self.chance(0.06),
            ..HostSettings::default()
        }
    }

    fn buffer(&mut self, device: &mut Settings) {
        device.buffer = self.one(BUFFERS).0.into();
        let ram = &mut device.ram;
        ram.size = Bytes(self.log(4.0, 800.0) as u64 * (64 << 10));
        ram.access_us = self.log(0.1, 2.0);
        ram.write_behind = Bytes(self.one(&[0, 0, 1, 4]) * MIB);
        ram.serve_reads = self.chance(0.94);
        ram.cache_reads = ram.serve_reads && self.chance(0.1);
        ram.read_ahead = Bytes(self.one(&[0, 0, 64 << 10]));
        device.bplru.padding = self.chance(0.5);
        device.bplru.header_nodes = self.one(&[0, 1]);
        device.batch.keep = self.one(&[0.0, 0.5, 0.9]);
    }

    fn cache(&mut self, device: &mut Settings) {
        let cache = &mut device.slc_cache;
        let share = self.log(0.02, 0.35);
        cache.size = Bytes((device.capacity.0 as f64 * share) as u64 / MIB * MIB);
        cache.read_us = self.log(18.0, 30.0);
        cache.program_us = self.log(90.0, 250.0);
    }
}

impl Truth {
    pub fn of(device: &Settings) -> Truth {
        let buffer_mib = device.ram.size.0 as f64 / MIB as f64;
        Truth {
            knee: knee(device),
            buffer_mib: (device.buffer != "none").then_some(buffer_mib),
            cache_gib: (device.ftl == "slc-cache").then(|| cache_bytes(device) / (1024.0 * MIB as f64)),
            over_provisioning: 100.0 * device.over_provisioning,
        }
    }
}

/// The size in whole blocks: a cell that holds one bit holds so much less.
fn cache_bytes(device: &Settings) -> f64 {
    let nand = &device.nand;
    let bits = match nand.cell {
        Cell::Slc => 1,
        Cell::Mlc => 2,
        Cell::Tlc => 3,
        Cell::Qlc => 4,
    };
    let program = nand.pages_per_program * nand.planes;
    let pages = nand.pages_per_block * nand.stripe;
    let pages = (pages / bits / program * program).max(program);
    let block = u64::from(pages) * nand.page.0;
    (device.slc_cache.size.0.div_ceil(block).max(2) * block) as f64
}

/// By its definition, on another drive of the same kind, rested after it was written in order: what it serves
/// with many more reads in flight than it has parts, in the time that one alone takes.
fn knee(device: &Settings) -> f64 {
    let mut drive = Ssd::new("another", device.clone(), 7).expect("a drive");
    run(&mut drive, Rw::Write, MIB, 1, device.capacity.0 / MIB);
    drive.flush().expect("a flush");
    let rested = drive.now() + Nanos::from_s(60);
    drive.wait_until(rested);
    run(&mut drive, Rw::RandRead, 4096, 1, 1_000);
    let alone = run(&mut drive, Rw::RandRead, 4096, 1, 4_000);
    run(&mut drive, Rw::RandRead, 4096, 16_384, 400_000) / alone
}

/// IOs in a nanosecond.
fn run(drive: &mut Ssd, rw: Rw, bs: u64, depth: u32, count: u64) -> f64 {
    // No run comes to the addresses of another.
    let seed = drive.now().0;
    let size = Bytes(drive.info().size_bytes);
    let baseline = Pattern::baseline(rw, Bytes(0), size);
    let pattern = Pattern { bs: Bytes(bs), iodepth: depth, number_ios: Some(count), ..baseline };
    let begin = drive.now();
    let mut streams: Vec<_> = pattern.streams(seed).collect();
    drive_it(drive, &mut streams, Limits::default(), &mut |_: &Io| Control::Continue).expect("IOs");
    count as f64 / (drive.now().0 - begin.0) as f64
}
