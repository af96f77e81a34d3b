//! What an engine costs: drives it for a number of random IOs, with the drive loop and a record of each IO as
//! a run has it, and prints the processor time per IO.
//!
//! `floor (null | sync | io_uring) PATH [rw=randread] [bs=4096] [iodepth=1] [ios=100000] [raw]`
//!
//! Writing takes `rw=randwrite` and passes the guard. `raw` leaves out drive loop and recording.

use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use flashscope_core::{
    Bytes, Completion, Control, Io, Limits, Op, Pattern, PatternSource, Record, Request, Rw, Stream, Target,
    Time, drive,
};
use flashscope_device::{
    Clock, DeviceTarget, Engine, EngineSpec, Handle, Intent, NullTarget, SyncTarget, UringTarget, overhead,
};
use rustix::time::{ClockId, clock_gettime};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [engine, path, options @ ..] = arguments.as_slice() else {
        return Err("usage: floor (null | sync | io_uring) PATH [rw= bs= iodepth= ios= raw]".into());
    };
    let value = |key: &str| options.iter().find_map(|option| option.strip_prefix(key));
    let number = |key: &str, default: u64| value(key).map_or(Ok(default), str::parse);
    let rw = if value("rw=") == Some("randwrite") { Rw::RandWrite } else { Rw::RandRead };
    let job = Job {
        rw,
        bs: number("bs=", 4096)?,
        iodepth: number("iodepth=", 1)? as u32,
        ios: number("ios=", 100_000)?,
        raw: options.iter().any(|option| option == "raw"),
    };
    let mut out = std::io::stdout().lock();
    let start = wall_ns();
    let report = match engine.as_str() {
        "null" => job.run(NullTarget::new(1 << 40, job.iodepth))?,
        name => {
            let target = job.open(name.parse()?, Path::new(path))?;
            writeln!(out, "set up within {:.2} ms", (wall_ns() - start) as f64 / 1e6)?;
            match target {
                DeviceTarget::Sync(target) => job.run(target)?,
                DeviceTarget::IoUring(target) => job.run(*target)?,
                DeviceTarget::Null(target) => job.run(target)?,
            }
        }
    };
    writeln!(out, "{report}")?;
    writeln!(out, "clock {:?}", Clock::info())?;
    writeln!(out, "limit {:?}", overhead())?;
    Ok(())
}

struct Job {
    rw: Rw,
    bs: u64,
    iodepth: u32,
    ios: u64,
    raw: bool,
}

impl Job {
    fn open(&self, engine: Engine, path: &Path) -> Result<DeviceTarget, Box<dyn Error>> {
        let write = self.rw == Rw::RandWrite;
        let handle = Arc::new(Handle::open(path, &Intent { write, ..Intent::READ })?);
        let spec =
            EngineSpec { queue_depth: self.iodepth, io_bytes_max: self.bs as u32, ..EngineSpec::default() };
        let clock = Clock::start();
        Ok(match engine {
            Engine::Sync => DeviceTarget::Sync(SyncTarget::new(handle, &spec, clock)),
            Engine::IoUring => DeviceTarget::IoUring(Box::new(UringTarget::new(handle, &spec, clock)?)),
        })
    }

    fn run<T: Target>(&self, mut target: T) -> Result<String, Box<dyn Error>> {
        let start = (wall_ns(), cpu_ns());
        match self.raw {
            true => self.run_raw(&mut target)?,
            false => self.run_driven(&mut target)?,
        }
        let per_io = |ns: u64| ns as f64 / self.ios as f64;
        let (wall, cpu) = (per_io(wall_ns() - start.0), per_io(cpu_ns() - start.1));
        Ok(format!("{} {wall:.1} ns wall, {cpu:.1} ns cpu per IO", target.info().engine))
    }

    fn run_driven<T: Target>(&self, target: &mut T) -> Result<(), Box<dyn Error>> {
        let size = target.info().size_bytes / self.bs * self.bs;
        let mut pattern = Pattern::baseline(self.rw, Bytes(0), Bytes(size));
        pattern.bs = Bytes(self.bs);
        pattern.iodepth = self.iodepth;
        pattern.number_ios = Some(self.ios);
        let mut streams = [Stream { source: PatternSource::new(&pattern, 0, 1), pacing: pattern.pacing() }];
        let mut records = vec![Record::default(); 1 << 16];
        let mut observer = |io: &Io| {
            let place = io.index as usize & 0xffff;
            records[place] = Record::new(io.submitted, io.response, io.stream, io.index);
            Control::Continue
        };
        drive(target, &mut streams, Limits::default(), &mut observer)?;
        Ok(())
    }

    fn run_raw<T: Target>(&self, target: &mut T) -> Result<(), Box<dyn Error>> {
        let slots = target.info().size_bytes / self.bs;
        let op = if self.rw == Rw::RandWrite { Op::Write } else { Op::Read };
        let request = |index: u64, tag: u32| Request {
            offset_bytes: index.wrapping_mul(0x9E37_79B9_7F4A_7C15) % slots * self.bs,
            length_bytes: self.bs as u32,
            tag,
            op,
            ..Request::default()
        };
        let mut done: Vec<Completion> = Vec::with_capacity(self.iodepth as usize);
        let mut batch: Vec<Request> = (0..self.iodepth).map(|tag| request(tag.into(), tag)).collect();
        let (mut submitted, mut completed) = (u64::from(self.iodepth), 0);
        while completed < self.ios {
            target.submit(&batch)?;
            batch.clear();
            target.reap(1, Time::NEVER, &mut done)?;
            completed += done.len() as u64;
            for completion in done.drain(..) {
                batch.push(request(submitted, completion.tag));
                submitted += 1;
            }
        }
        Ok(())
    }
}

fn wall_ns() -> u64 {
    nanoseconds(ClockId::Monotonic)
}

/// All threads of this process, the kernel's workers for its io_uring included.
fn cpu_ns() -> u64 {
    nanoseconds(ClockId::ProcessCPUTime)
}

fn nanoseconds(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
