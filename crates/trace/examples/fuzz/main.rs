//! Damaged traces, many of them, for every format of the registry: no reader may panic, hang, or read other
//! records than the bytes say. Inputs are pieces of the samples, changed at random; each depends on seed,
//! format and its number alone.
//!
//! ```text
//! alias fuzz='cargo run --release -p flashscope-trace --example fuzz --'
//! fuzz [--inputs N | --seconds S] [--seed N] [FORMAT ..]
//! fuzz --seed N --only NUMBER FORMAT
//! ```
//!
//! `--seconds` is the time for all formats together. The second form runs one input again and keeps its bytes
//! in a file.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod inputs;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use flashscope_trace::format::{FORMATS, Format, Formats};
use flashscope_trace::kit::{Failure, Seen, check_input};

use inputs::inputs;

/// An input that takes longer hangs.
const HANG: Duration = Duration::from_secs(30);

/// What was asked for.
struct Options {
    inputs: u64,
    time: Duration,
    seed: u64,
    only: Option<u64>,
    formats: Vec<&'static Format>,
}

fn options() -> Result<Options, String> {
    let mut options =
        Options { inputs: u64::MAX, time: Duration::MAX, seed: 1, only: None, formats: Vec::new() };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || {
            let value = words.next().and_then(|value| value.replace('_', "").parse().ok());
            value.ok_or(format!("{word} takes a number"))
        };
        match word.as_str() {
            "--inputs" => options.inputs = number()?,
            "--seconds" => options.time = Duration::from_secs(number()?),
            "--seed" => options.seed = number()?,
            "--only" => options.only = Some(number()?),
            name => {
                let format = FORMATS.iter().find(|format| format.name == name);
                options.formats.push(format.ok_or(format!("there is no format {name}"))?);
            }
        }
    }
    if options.formats.is_empty() {
        options.formats = FORMATS.iter().collect();
    }
    if options.inputs == u64::MAX && options.time == Duration::MAX {
        options.inputs = 10_000;
    }
    Ok(options)
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    watch();
    let each = options.time / options.formats.len() as u32;
    let failed = options.formats.iter().filter(|format| !fuzz(format, each, &options)).count();
    ExitCode::from(u8::from(failed > 0))
}

/// Inputs done, of all formats: what the watch looks at.
static DONE: AtomicU64 = AtomicU64::new(0);

/// Ends the program if an input hangs.
fn watch() {
    std::thread::spawn(|| {
        let mut last = u64::MAX;
        loop {
            let done = DONE.load(Ordering::Relaxed);
            if done == last {
                eprintln!("HANGS for {} s: the input after the last one that is counted", HANG.as_secs());
                std::process::exit(1);
            }
            last = done;
            std::thread::sleep(HANG);
        }
    });
}

/// Whether all inputs of this format are in order.
fn fuzz(format: &'static Format, time: Duration, options: &Options) -> bool {
    let inputs = inputs(format.name, options.seed);
    let formats = Formats::builtin();
    // A reader's panic is told with its input; one of the fuzzer itself is not to be silent.
    std::panic::set_hook(Box::new(|_| {}));
    let start = Instant::now();
    let numbers = options.only.map_or(0..options.inputs, |only| only..only.saturating_add(1));
    let mut totals = Seen::default();
    for number in numbers {
        if start.elapsed() >= time {
            break;
        }
        let (bytes, mut random) = inputs.input(number);
        if options.only.is_some() {
            keep(format.name, number, &bytes);
        }
        let check =
            || check_input(&formats, format, &bytes, &mut random).map_err(|Failure { what, .. }| what);
        let result = catch_unwind(AssertUnwindSafe(check));
        let result = result.unwrap_or_else(|panic| Err(panic_message(&*panic)));
        match result {
            Ok(seen) => totals.add(&seen),
            Err(message) => {
                println!("{}: input {number}, seed {}: {message}", format.name, options.seed);
                keep(format.name, number, &bytes);
                drop(std::panic::take_hook());
                return false;
            }
        }
        DONE.fetch_add(1, Ordering::Relaxed);
    }
    drop(std::panic::take_hook());
    let seconds = start.elapsed().as_secs_f64();
    println!("{:<18} {}, {:.0} a second", format.name, totals, totals.inputs as f64 / seconds);
    true
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    format!("it panicked: {text}")
}

fn keep(format: &str, number: u64, bytes: &[u8]) {
    let path = std::env::temp_dir().join(format!("fuzz-{format}-{number}"));
    match std::fs::write(&path, bytes) {
        Ok(()) => println!("the input is in {}", path.display()),
        Err(error) => eprintln!("{}: {error}", path.display()),
    }
}
