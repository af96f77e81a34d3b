//! Jobs made of options at their limits, and good jobs that were damaged: none ends the program, each refusal
//! has a line of the file, and the command that is printed for a job means its pattern.

use clap::FromArgMatches as _;
use flashscope_core::seed::{Random, derive};
use flashscope_core::{Bytes, Pattern, TargetInfo};
use flashscope_lab::fio_job::TAKEN;

use super::*;
use crate::cli::{self, Cli, Command};

const SEED: u64 = 0x6669_6f6a;
const JOBS: u64 = 4_000;

/// Beside those that are taken over: other names of theirs, without an effect, refused, unknown.
const OTHER_OPTIONS: &[&str] =
    &["readwrite", "blocksize", "io_limit", "stonewall", "bssplit", "nosuch", "", "é"];

const VALUES: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "7",
    "99",
    "100",
    "512",
    "1000",
    "1024",
    "4096",
    "4k",
    "4KiB",
    "1m",
    "1g",
    "64t",
    "4x",
    "-1",
    "1.5",
    "18446744073709551615",
    "18446744073709551616",
    "99999999t",
    "9223372036854775807",
    "10s",
    "500us",
    "2m",
    "99999999999d",
    "read",
    "write",
    "randread",
    "randwrite",
    "trim",
    "randtrim",
    "rw",
    "randrw",
    "psync",
    "libaio",
    "io_uring",
    "mmap",
    "zipf:1.2",
    "zipf:nan",
    "zipf:-1",
    "zipf:1e300",
    "zipf:0",
    "zoned:90/10:10/90",
    "zoned:50/5:30/15:20/",
    "strided",
    "4k-16k",
    "zoned:-10/50:110/50",
    "zoned:nan/1:1/1",
    "zoned:0/0:100/100",
    "random",
    "pareto:0.9",
    "poisson",
    "linear",
    "/dev/sdz",
    "-x",
    "--json",
    "a b",
    "it's",
    "a:b",
    "\"\"",
    "$x",
    "",
    "é",
    "1,2",
    "50%",
    "=",
];

const GOOD: &[&str] = &[
    "[global]\nbs=4k\nsize=256k\n[a]\nrw=randrw\n\
     rwmixread=75\nfilename=/tmp/a b\n[b]\nstonewall\nrw=write\nfsync=8\n",
    "[x]\nrw=randwrite\nbs=4k\nsize=256k\n\
     offset=256k\nnorandommap\nioengine=libaio\niodepth=8\nruntime=10s\n",
    "[x]\nrw=randread\nbs=8kB\nsize=1m\n\
     numjobs=4\noffset_increment=1m\nrandom_distribution=zipf:1.2\nrandseed=7\n",
    "[x]\nrw=read\nsize=128k\nthinktime=100\n\
     thinktime_blocks=4\n[y]\nstonewall\nrate_iops=100\nrate_process=poisson\n",
    "[x]\nrw=randread\nsize=1m\n\
     random_distribution=zoned:90/10:10/90\nloops=3\nfilename=it's; a comment\n",
];

fn pick<'a>(random: &mut Random, from: &[&'a str]) -> &'a str {
    from[random.below(from.len() as u64) as usize]
}

/// A section of some options; most are those of a job that can be.
fn section(number: u64, random: &mut Random) -> String {
    let mut text = format!("[job{number}]\nstonewall\nsize=1m\n");
    let options: Vec<&str> = TAKEN.split_whitespace().chain(OTHER_OPTIONS.iter().copied()).collect();
    for _ in 0..random.below(5) {
        text += &format!("{}={}\n", pick(random, &options), pick(random, VALUES));
    }
    text
}

/// A good job with some characters lost, doubled or changed, or a value replaced.
fn damaged(random: &mut Random) -> String {
    let mut text: Vec<char> = pick(random, GOOD).chars().collect();
    for _ in 0..=random.below(3) {
        let at = random.below(text.len().max(1) as u64) as usize;
        match random.below(4) {
            0 if at < text.len() => drop(text.remove(at)),
            1 if at < text.len() => text[at] = char::from(random.below(128) as u8),
            2 => text.truncate(at),
            _ => {
                let start =
                    text[at..].iter().position(|c| *c == '=').map_or(text.len(), |next| at + next + 1);
                let end =
                    text[start..].iter().position(|c| *c == '\n').map_or(text.len(), |next| start + next);
                text.splice(start..end, pick(random, VALUES).chars());
            }
        }
    }
    text.into_iter().collect()
}

fn job(random: &mut Random) -> String {
    match random.below(2) {
        0 => damaged(random),
        _ => (0..=random.below(2)).map(|number| section(number, random)).collect(),
    }
}

/// Words as a shell has them, of a line in which only single quotes and `\'` are special.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut is_quoted, mut is_word) = (Vec::new(), String::new(), false, false);
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => (is_quoted, is_word) = (!is_quoted, true),
            '\\' if !is_quoted => word.extend(letters.next()),
            ' ' if !is_quoted => {
                if is_word || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                is_word = false;
            }
            other => word.push(other),
        }
    }
    if is_word || !word.is_empty() {
        words.push(word);
    }
    words
}

/// The pattern of a command as it is printed.
fn measured(line: &str) -> Result<Pattern, String> {
    let matches = cli::command().try_get_matches_from(words(line)).map_err(|error| error.to_string())?;
    let parsed = Cli::from_arg_matches(&matches).map_err(|error| error.to_string())?;
    let Command::Measure(args) = parsed.command else { return Err("it does not measure".into()) };
    args.pattern.pattern().map_err(|error| format!("{error:#}"))
}

/// What is wrong with the command of a job: it is another pattern, or one that no target takes.
fn fault(job: &Job) -> Option<String> {
    let line = line(job, &settings(job));
    let found = match measured(&line) {
        Ok(pattern) => pattern,
        Err(error) => return Some(format!("{line}\n{error}")),
    };
    let table = toml::to_string(&job.pattern).expect("a pattern is a table");
    let is_same = found == job.pattern && toml::from_str::<Pattern>(&table).is_ok_and(|of| of == found);
    let largest = TargetInfo {
        name: "largest".into(),
        size_bytes: 1 << 62,
        logical_block_bytes: 1,
        virtual_time: true,
        engine: "test".into(),
        queue_depth_max: u32::MAX,
        placements: 1,
        zones: None,
    };
    let mut fitted = job.pattern.clone();
    if fitted.size.0 == 0 {
        // The whole target.
        fitted.size = Bytes(1 << 60);
    }
    let is_taken = fitted.validate(&largest);
    let taken = is_taken.as_ref().map_or_else(ToString::to_string, |()| String::new());
    (!is_same || is_taken.is_err()).then(|| format!("{line}\n{table}\nthe same: {is_same}; {taken}"))
}

#[test]
fn a_job_is_refused_with_its_line_or_its_command_means_its_pattern() {
    let (mut imported, mut refused, mut faults) = (0, 0, Vec::new());
    for number in 0..JOBS {
        let seed = derive(SEED, number);
        let text = job(&mut Random::new(seed));
        let variable = |name: &str| (name == "x").then(|| "4k".into()).ok_or_else(|| "it is not set".into());
        match import(&text, &variable, &|_| Some(5 << 20)) {
            Ok(jobs) => {
                let found = jobs.iter().filter_map(fault).next();
                faults.extend(found.map(|fault| format!("seed {seed}\n{text}\n{fault}")));
                imported += 1;
            }
            Err(refusals) => {
                let lines = 1..=text.lines().count().max(1);
                let is_said =
                    |refusal: &Refusal| lines.contains(&refusal.line) && !refusal.why.text.is_empty();
                let is_well = !refusals.is_empty() && refusals.iter().all(is_said);
                faults.extend((!is_well).then(|| format!("seed {seed}\n{text}\n{refusals:?}")));
                refused += 1;
            }
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n\n"));
    assert!(imported > JOBS / 20 && refused > JOBS / 20, "{imported} imported, {refused} refused");
}
