//! Settings of suites, as anybody may write them: each is planned or refused, and no plan is without end.

use flashscope_bench::{Plan, Scope, Settings, Suites};
use flashscope_core::TargetInfo;
use flashscope_core::seed::{Random, derive};

const SEED: u64 = 0x7365_7473;
const PLANS: u64 = 3_000;
/// Runs that no suite comes near to with what it is meant for.
const STEPS_MAX: usize = 100_000;

const VALUES: &[&str] = &[
    "0",
    "1",
    "2",
    "-1",
    "0.5",
    "nan",
    "inf",
    "1e308",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "1ns",
    "1s",
    "24h",
    "99999999999h",
    "1B",
    "512B",
    "4KiB",
    "1MiB",
    "16EiB",
    "1,2,3",
    "1,1",
    ",",
    ",,,,",
    "all",
    "iops",
    "tail",
    "a=b",
    "",
    " ",
    "é",
    "\u{0}",
    "\u{202e}",
];

fn pick<'a>(random: &mut Random, from: &[&'a str]) -> &'a str {
    from[random.below(from.len() as u64) as usize]
}

fn value(random: &mut Random, default: &str) -> String {
    match random.below(8) {
        0 => default.into(),
        1 => random.next_u64().to_string(),
        2 => (1..=random.below(2_000)).map(|number| number.to_string()).collect::<Vec<_>>().join(","),
        3 => format!("{default},{}", pick(random, VALUES)),
        4 => pick(random, VALUES).repeat(1 + random.below(1_000) as usize),
        _ => pick(random, VALUES).into(),
    }
}

fn target(random: &mut Random) -> TargetInfo {
    TargetInfo {
        name: "test".into(),
        size_bytes: [1 << 20, 16 << 20, 1 << 30, 1 << 40, 1 << 62][random.below(5) as usize],
        logical_block_bytes: [512, 4096][random.below(2) as usize],
        virtual_time: true,
        engine: "test".into(),
        queue_depth_max: 1024,
        placements: 1,
        zones: None,
    }
}

/// Whether it was planned.
fn is_planned(random: &mut Random, suites: &Suites, what: &str) -> bool {
    let number = random.below(suites.iter().count() as u64) as usize;
    let suite = suites.iter().nth(number).expect("below their number");
    let mut values = Vec::new();
    for _ in 0..random.below(3) {
        let known = suite.settings.get(random.below(suite.settings.len() as u64 + 1) as usize);
        let (name, default) = known.map_or(("nosuch", "1"), |setting| (setting.name, setting.default));
        values.push((name.to_string(), value(random, default)));
    }
    let scope = [Scope::Quick, Scope::Table1][random.below(2) as usize];
    let (write, can_trim) = (random.below(2) == 0, random.below(2) == 0);
    let settings = Settings { write, can_trim, seed: random.next_u64(), ..Settings::of(suite, scope) };
    match Plan::of(suite, &values, &target(random), &settings) {
        Ok(plan) => {
            let steps = plan.steps.len();
            assert!(steps <= STEPS_MAX, "{what}, {}: {steps} runs of {values:.100?}", suite.name);
            assert!(plan.duration.as_s().is_finite(), "{what}, {}", suite.name);
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty(), "{what}, {}", suite.name);
            false
        }
    }
}

#[test]
fn settings_of_a_suite_are_planned_or_refused() {
    let suites = Suites::builtin();
    let seeds = (0..PLANS).map(|number| derive(SEED, number));
    let planned = seeds.filter(|seed| is_planned(&mut Random::new(*seed), &suites, &format!("seed {seed}")));
    let planned = planned.count() as u64;
    assert!((PLANS / 20..PLANS).contains(&planned), "{planned} of {PLANS} planned");
}
