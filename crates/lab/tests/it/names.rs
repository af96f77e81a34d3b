//! Names of virtual targets, as anybody may write them: each is a device that serves or an error that says
//! why, and none takes memory for what it only says.

use flashscope_core::seed::{Random, derive};
use flashscope_core::{Op, Request, Target};
use flashscope_lab::{
    Interrupt, Lab as _, OpenOptions, OpenTarget, TargetSpec, override_pair, split_overrides,
};
use flashscope_sim::{profiles, rigs};

const SEED: u64 = 0x6e61_6d65;
const NAMES: u64 = 3_000;
/// So much room is taken by the program itself, a small device and the threads of the tests.
const MEMORY_KIB_MAX: u64 = 2 << 20;

const VALUES: &[&str] = &[
    "0",
    "1",
    "2",
    "-1",
    "0.5",
    "1e308",
    "-1e308",
    "nan",
    "inf",
    "65536",
    "4294967295",
    "4294967296",
    "18446744073709551616",
    "1B",
    "512B",
    "4KiB",
    "64MiB",
    "99999999999TiB",
    "true",
    "\"\"",
    "\"",
    "[]",
    "[[[[[[]]]]]]",
    "{}",
    "{a={b={c=1}}}",
    "[1,2",
    "page",
    "none",
    "\u{0}",
    "\u{202e}",
    "日本",
    "a=b",
    "'",
    "\\",
    "#",
    "",
    " ",
];

fn pick<'a>(random: &mut Random, from: &[&'a str]) -> &'a str {
    from[random.below(from.len() as u64) as usize]
}

/// A text that means nothing, sometimes a long one.
fn noise(random: &mut Random) -> String {
    let piece =
        pick(random, &[".", "a", "&", "?", "=", "é", "[", "{", "\u{1f4a5}", "/", "..", "%", "\n", "\""]);
    piece.repeat([1, 3, 100, 20_000][random.below(4) as usize])
}

/// A setting: one that is known, one that is deeply dotted, or noise.
fn key(random: &mut Random, known: &[String]) -> String {
    match random.below(8) {
        0 => noise(random),
        1 => "nand.".repeat(1 + random.below(3_000) as usize) + "page",
        _ => known[random.below(known.len() as u64) as usize].clone(),
    }
}

fn value(random: &mut Random) -> String {
    match random.below(8) {
        0 => noise(random),
        1 => "[".repeat(1 + random.below(5_000) as usize),
        2 => random.next_u64().to_string(),
        _ => pick(random, VALUES).into(),
    }
}

fn name(random: &mut Random, known: &[String]) -> String {
    let scheme = pick(random, &["sim:", "sim:", "sim:", "rig:", "rig:", "null:", "SIM:", ""]);
    let built_in = if scheme == "rig:" { &rigs::NAMES[..] } else { &profiles::NAMES[..] };
    let name = match random.below(6) {
        0 => noise(random),
        1 => "missing.toml".into(),
        _ => pick(random, built_in).to_string(),
    };
    let mut text = format!("{scheme}{name}?capacity=64MiB");
    if scheme == "rig:" && random.below(4) > 0 {
        text = format!("{scheme}{name}");
    }
    for _ in 0..random.below(3) {
        let equals = pick(random, &["=", "=", "=", "", "=="]);
        text += &format!("&{}{equals}{}", key(random, known), value(random));
    }
    text
}

fn serve(open: &mut OpenTarget, what: &str) {
    let length_bytes = open.info().logical_block_bytes;
    let target = open.target(1).unwrap_or_else(|error| panic!("{what}: {error}"));
    let request = Request { op: Op::Read, offset_bytes: 0, length_bytes, ..Request::default() };
    target.serve(&request).unwrap_or_else(|error| panic!("{what}: {error}"));
}

/// Memory that this program has had at most, in KiB.
fn memory_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a line of it");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// Whether it was a device.
fn is_device(text: &str, what: &str) -> bool {
    let spec = TargetSpec::from(text);
    assert_eq!(spec.to_string(), text, "{what}: it gives its name back");
    if !spec.is_virtual() {
        return false;
    }
    let short = spec.short_name();
    assert!(!short.contains(['/', '\n', ' ']), "{what}: {short}");
    // A capacity other than the small one of all names may be as large as it says.
    let is_large = text.matches("capacity=").count() > 1;
    if let Err(error) = if is_large { Ok(()) } else { spec.check() } {
        assert!(!error.to_string().is_empty(), "{what}");
        return false;
    }
    let options = OpenOptions { seed: 1, ..OpenOptions::default() };
    let Ok(mut open) = OpenTarget::open(&spec, options, &Interrupt::new()) else { return false };
    serve(&mut open, what);
    true
}

#[test]
fn a_name_is_a_device_that_serves_or_an_error() {
    let known: Vec<String> = profiles::keys().into_iter().map(|key| key.name).collect();
    let mut devices = 0;
    for number in 0..NAMES {
        let seed = derive(SEED, number);
        let text = name(&mut Random::new(seed), &known);
        let what = format!("seed {seed}, {:.200}", text.escape_debug().to_string());
        devices += u64::from(is_device(&text, &what));
        assert!(memory_kib() < MEMORY_KIB_MAX, "{what}: {} KiB", memory_kib());
    }
    assert!((NAMES / 20..NAMES / 2).contains(&devices), "{devices} devices of {NAMES} names");
}

#[test]
fn a_setting_is_a_key_and_a_value_in_one_line_or_an_error() {
    for number in 0..NAMES {
        let seed = derive(SEED, NAMES + number);
        let random = &mut Random::new(seed);
        let (key, value) = (noise(random), value(random));
        match override_pair(&format!("{key}={value}")) {
            Ok((found, value)) => assert!(!found.contains('=') && !value.contains('\n'), "seed {seed}"),
            Err(error) => assert!(!error.to_string().is_empty(), "seed {seed}"),
        }
        let text = format!("p?{key}&{value}");
        assert!(split_overrides(&text).is_ok_and(|(name, _)| name == "p") || text.len() > 2, "seed {seed}");
    }
}
