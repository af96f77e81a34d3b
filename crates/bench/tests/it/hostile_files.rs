//! Files of suites made of pieces of good ones, of words at their limits and of noise: each is planned or
//! refused with its line, and none ends the program.

use flashscope_bench::{BenchError, Plan, Scope, ScriptError, Settings, Suite, SuiteError, suite::file};
use flashscope_core::TargetInfo;
use flashscope_core::seed::{Random, derive};

/// Inputs in a test; the long form has fifty times as many.
const INPUTS: u64 = 4_000;

const WORDS: &[&str] =
    &["fill", "trim", "enforce", "burst", "idle", "run", "scale", "a", "b", "#", "=", "do", "[[step]]", "é"];

const KEYS: &[&str] = &[
    "rw",
    "bs",
    "size",
    "offset",
    "shift",
    "numjobs",
    "iodepth",
    "number_ios",
    "ios",
    "runtime",
    "bytes",
    "repeats",
    "window",
    "keep",
    "times",
    "to",
    "for",
    "state",
    "thinktime",
    "thinktime_blocks",
    "rate_iops",
    "fsync",
    "location",
    "ignore_ios",
    "partitions",
    "seed",
    "mix",
    "do",
    "name",
    "",
];

const VALUES: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "512",
    "4096",
    "4KiB",
    "32k",
    "1MiB",
    "1GiB",
    "64MiB",
    "16EiB",
    "-1",
    "1.5",
    "1e9",
    "18446744073709551615",
    "18446744073709551616",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "nan",
    "inf",
    "read",
    "write",
    "randread",
    "randwrite",
    "trim",
    "1ns",
    "1s",
    "24h",
    "99999999999h",
    "0s",
    "1ios",
    "0ios",
    "18446744073709551615ios",
    "random",
    "sequential",
    "nothing",
    "",
    "=",
    "\u{7f}",
    "ü",
];

fn pick<'a>(random: &mut Random, from: &[&'a str]) -> &'a str {
    from[random.below(from.len() as u64) as usize]
}

/// A line of words; most begin with one that means something.
fn line(random: &mut Random) -> String {
    let from = if random.below(8) == 0 { KEYS } else { WORDS };
    let mut text = pick(random, from).to_string();
    if random.below(3) == 0 {
        // Something that is right, for what follows.
        text = format!("run r{} rw=randread ios=9", random.below(1_000));
    }
    if random.below(4) > 0 && !text.contains(' ') {
        text += &format!(" {}{}", pick(random, &["a", "b", "30s", "c/d"]), random.below(3));
    }
    for _ in 0..random.below(4) {
        text += &format!(" {}={}", pick(random, KEYS), pick(random, VALUES));
    }
    text
}

/// The same as a table.
fn table(random: &mut Random) -> String {
    let mut text = format!("[[step]]\ndo = \"{}\"\nname = \"n{}\"\n", pick(random, WORDS), random.below(9));
    for _ in 0..random.below(5) {
        let quote = if random.below(2) == 0 { "\"" } else { "" };
        text += &format!("{} = {quote}{}{quote}\n", pick(random, KEYS), pick(random, VALUES));
    }
    text
}

/// One character of many lost, doubled or changed.
fn damaged(random: &mut Random, text: &str) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for _ in 0..random.below(8).saturating_sub(4) {
        let at = random.below(characters.len().max(1) as u64) as usize;
        match random.below(3) {
            0 if at < characters.len() => drop(characters.remove(at)),
            1 if at < characters.len() => characters[at] = char::from(random.below(128) as u8),
            _ => characters.insert(at, '\u{fffd}'),
        }
    }
    characters.into_iter().collect()
}

fn input(random: &mut Random) -> (&'static str, String) {
    let piece = if random.below(3) == 0 { table } else { line };
    let pieces: Vec<String> = (0..=random.below(5)).map(|_| piece(random)).collect();
    let name = if pieces[0].starts_with("[[") { "hostile.toml" } else { "hostile.suite" };
    (name, damaged(random, &pieces.join("\n")))
}

/// Whether it was planned.
fn plan(name: &str, text: &str, size_bytes: u64) -> bool {
    let target = TargetInfo {
        name: "test".into(),
        size_bytes,
        logical_block_bytes: 512,
        virtual_time: true,
        engine: "test".into(),
        queue_depth_max: 128,
        placements: 1,
        zones: None,
    };
    let lines = text.lines().count().max(1);
    let in_the_file = |error: &ScriptError| assert!((1..=lines).contains(&error.line), "{error}\n{text}");
    let script = match file::parse(name, text) {
        Ok(script) => script,
        Err(error) => {
            in_the_file(&error);
            return false;
        }
    };
    let settings = Settings { scope: Scope::Quick, write: true, repeats: 1, ..Settings::default() };
    match Plan::of(&Suite::from(script), &[], &target, &settings) {
        Ok(plan) => {
            for step in &plan.steps {
                assert!(step.experiment.pattern.end_bytes() <= plan.frame.span.0, "{text}");
            }
            true
        }
        Err(BenchError::Suite(SuiteError::Script(error))) => {
            in_the_file(&error);
            false
        }
        Err(_) => false,
    }
}

fn try_many(inputs: u64) {
    let mut planned = 0;
    for number in 0..inputs {
        let mut random = Random::new(derive(1, number));
        let (name, text) = input(&mut random);
        let size = [16 << 20, 1 << 30, 1 << 40][random.below(3) as usize];
        let outcome = std::panic::catch_unwind(|| plan(name, &text, size));
        planned += u64::from(outcome.unwrap_or_else(|_| panic!("input {number} of seed 1:\n{text}")));
    }
    assert!(planned > inputs / 100, "{planned} of {inputs} were good: the others try too little");
}

#[test]
fn what_is_hostile_is_refused_with_its_line_and_what_is_planned_fits() {
    try_many(INPUTS);
}

#[test]
#[ignore = "long: fifty times as many"]
fn many_more_hostile_files() {
    try_many(50 * INPUTS);
}
