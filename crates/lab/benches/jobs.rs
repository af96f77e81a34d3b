//! What more jobs bring, each on a thread of its own: IOs a second and processor time with 1, 2 and 4, in
//! turns, on `null:` and on compressed memory (needs root); fio's own beside it where it is installed.
//!
//! Nothing is recorded: how many IOs a second can be kept is another matter. On `null:` an IO is nothing but
//! flashscope's own work, and to merge it costs about as much as to drive it: with no cores but those of the
//! jobs more of them bring nothing there. The processor time of an IO says what more cores would bring; the
//! goal is one for IOs that a device does.

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::process::{Command, ExitCode};
use std::sync::atomic::AtomicBool;

use flashscope_analysis::Stop;
use flashscope_bench::{Measurement, Unrecorded, measure_on};
use flashscope_core::{Nanos, Pattern};
use flashscope_lab::{Interrupt, OpenOptions, OpenTarget, TargetSpec};
use rustix::time::{ClockId, clock_gettime};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const JOBS: [u32; 3] = [1, 2, 4];
const ROUNDS: usize = 7;
const RUNTIME: Nanos = Nanos::from_ms(400);
const SIZE_BYTES: u64 = 256 << 20;
/// What two jobs on two cores have to bring.
const GOAL: f64 = 1.6;

/// One run.
#[derive(Clone, Copy)]
struct Speed {
    iops: f64,
    /// Processor time of an IO, of the whole process and of its driving threads.
    cpu_ns: f64,
    driving_ns: Option<f64>,
}

fn main() -> Result<ExitCode> {
    let mut out = io::stdout().lock();
    let cores = std::thread::available_parallelism()?;
    writeln!(out, "{cores} cores; medians of {ROUNDS} rounds in turns [least to most]\n")?;
    scaling("null:", false, &mut out)?;
    let held = match Zram::new() {
        Ok(zram) => scaling(&zram.device, true, &mut out)?,
        Err(error) => {
            writeln!(out, "zram: skipped, {error}")?;
            true
        }
    };
    Ok(ExitCode::from(u8::from(!held)))
}

/// Prints a line for each number of jobs; whether two bring what they have to.
fn scaling(name: &str, is_device: bool, out: &mut impl Write) -> Result<bool> {
    let mut ours: [Vec<Speed>; 3] = Default::default();
    let mut fio: [Vec<f64>; 3] = Default::default();
    for _ in 0..ROUNDS {
        for ((jobs, ours), fio) in JOBS.into_iter().zip(&mut ours).zip(&mut fio) {
            ours.push(flashscope(name, jobs)?);
            fio.extend(is_device.then(|| fio_iops(name, jobs)).flatten());
        }
    }
    let one = median(ours[0].iter().map(|speed| speed.iops));
    let fio_one = median(fio[0].iter().copied());
    let mut held = true;
    for ((jobs, ours), fio) in JOBS.into_iter().zip(&ours).zip(&fio) {
        let of = |value: fn(&Speed) -> f64| ours.iter().map(value);
        let ratio = median(of(|speed| speed.iops)) / one;
        let (least, most) = of(|speed| speed.iops / 1e6)
            .fold((f64::MAX, 0.0), |(least, most), iops| (f64::min(least, iops), f64::max(most, iops)));
        write!(
            out,
            "{name:<12} {jobs} jobs {:>7.3} [{least:.3} to {most:.3}] M IO/s, {ratio:.2}x; \
             CPU per IO {:.0} ns",
            median(of(|speed| speed.iops / 1e6)),
            median(of(|speed| speed.cpu_ns)),
        )?;
        let driving_ns = median(ours.iter().filter_map(|speed| speed.driving_ns));
        if driving_ns.is_finite() {
            write!(out, ", {driving_ns:.0} of them driving")?;
        }
        if !fio.is_empty() {
            let iops = median(fio.iter().copied());
            write!(out, "; fio {:.3} M IO/s, {:.2}x", iops / 1e6, iops / fio_one)?;
        }
        if jobs == 2 && is_device {
            held = ratio >= GOAL;
            write!(out, "   {GOAL}x {}", if held { "held" } else { "MISSED" })?;
        }
        writeln!(out)?;
    }
    Ok(held)
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

fn flashscope(name: &str, jobs: u32) -> Result<Speed> {
    static NEVER: AtomicBool = AtomicBool::new(false);
    let options = OpenOptions { io_bytes_max: 4096, depth_max: jobs, seed: 1, ..OpenOptions::default() };
    let mut target = OpenTarget::open(&TargetSpec::from(name), options, &Interrupt::new())?;
    let text = format!("rw=randread bs=4k size={SIZE_BYTES} numjobs={jobs} job_space=shared");
    let pattern: Pattern = text.parse()?;
    let request =
        Measurement { runtime: Some((RUNTIME, Stop::Runtime)), ..Measurement::new(&pattern, &NEVER) };
    let before = process_ns();
    let done = measure_on(&mut target, &request, &mut Unrecorded, &mut |_, _, _| {})?;
    let cpu_ns = process_ns() - before;
    done.error.map_or(Ok(()), Err)?;
    let (ios, elapsed_ns) = (done.run.ios as f64, done.run.elapsed_ns as f64);
    // That of the busiest thread is known.
    let driving_ns = done.run.cpu_ns.map(|ns| ns as f64 * f64::from(jobs) / ios);
    Ok(Speed { iops: ios / elapsed_ns * 1e9, cpu_ns: cpu_ns / ios, driving_ns })
}

fn process_ns() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// None where there is no fio.
fn fio_iops(device: &str, jobs: u32) -> Option<f64> {
    let fixed = "--name=a --bs=4k --rw=randread --norandommap --randrepeat=0 --thread --ioengine=psync \
                 --direct=1 --time_based --group_reporting --output-format=terse --terse-version=3";
    let mut command = Command::new("fio");
    command.args(fixed.split_whitespace()).arg(format!("--filename={device}"));
    command.arg(format!("--runtime={}ms", RUNTIME.0 / 1_000_000)).arg(format!("--numjobs={jobs}"));
    let output = command.arg(format!("--size={SIZE_BYTES}")).output().ok()?;
    // The eighth field of a line of version 3 is the rate of reads.
    String::from_utf8(output.stdout).ok()?.split(';').nth(7)?.parse().ok()
}

/// A disk of compressed memory of our own.
struct Zram {
    device: String,
    number: String,
}

impl Zram {
    fn new() -> Result<Zram> {
        let number = fs::read_to_string("/sys/class/zram-control/hot_add")?.trim().to_string();
        let zram = Zram { device: format!("/dev/zram{number}"), number };
        fs::write(format!("/sys/block/zram{}/disksize", zram.number), SIZE_BYTES.to_string())?;
        let mut device = File::options().write(true).open(&zram.device)?;
        io::copy(&mut File::open("/dev/urandom")?.take(SIZE_BYTES), &mut device)?;
        device.sync_all()?;
        Ok(zram)
    }
}

impl Drop for Zram {
    fn drop(&mut self) {
        let _ = fs::write("/sys/class/zram-control/hot_remove", &self.number);
    }
}
