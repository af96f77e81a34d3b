//! fio's names of options that were given as flags: which flag of `measure` says the same.

use flashscope_core::pattern::KEYS;
use flashscope_lab::fio_job::TAKEN;

/// fio's name, and what to write.
const WORDS: &[(&str, &str)] = &[
    ("ba", "write --bs ALIGN --bssplit SIZE/100"),
    ("blockalign", "write --bs ALIGN --bssplit SIZE/100"),
    ("blocksize", "write --bs"),
    ("bsrange", "write --bssplit with the sizes and their percentages, such as 4k/50:8k/50"),
    ("cmdprio_percentage", "write --priority, such as 20%/1/0"),
    ("continue_on_error", "write --on-error continue"),
    ("direct", "leave it out: IOs go past the page cache, and through it with --buffered"),
    ("end_fsync", "leave it out: nothing is flushed after the last IO"),
    ("exitall", "write it into --job, such as 'log: rw=write bs=4k exitall=1'"),
    ("fdatasync", "write --fsync"),
    ("filename", "the target is the word behind `measure`"),
    ("flow", "write it into --job, such as 'log: rw=write bs=4k flow=8'"),
    ("group_reporting", "leave it out: all processes are one result"),
    ("io_size", "write --number-ios: the bytes divided by --bs"),
    ("ioengine", "write --engine: sync or io_uring"),
    ("loops", "write --number-ios"),
    ("name", "write --job 'NAME: rw=read bs=4k' for each of several jobs"),
    ("norandommap", "leave it out: addresses are drawn; fio's default is --random permutation"),
    ("offset_increment", "write --job-space"),
    ("output-format", "write --json"),
    ("percentile_list", "leave it out: p50 to p99.99 are shown"),
    ("ramp_time", "leave it out: the warm-up is found from the data"),
    ("random_distribution", "write --random"),
    ("randseed", "write --seed"),
    ("rate", "write --rate-iops: bytes a second divided by --bs"),
    ("rate_process", "write --arrivals poisson"),
    ("readwrite", "write --rw"),
    ("startdelay", "write it into --job, such as 'log: rw=write bs=4k startdelay=5s'"),
    ("steadystate", "write --precision"),
    ("stonewall", "write one command after the other"),
    ("time_based", "leave it out: --runtime alone is the length"),
    ("verify", "write a trace and `flashscope replay --verify`"),
    ("zero_buffers", "write --data zeros"),
    ("zonemode", "write --gap SKIP/ZONE"),
];

/// What to say of an unknown flag of `measure` that is an option of fio.
pub fn hint(arguments: &[String], unknown: &str) -> Option<String> {
    arguments.iter().any(|argument| argument == "measure").then_some(())?;
    let name = unknown.strip_prefix("--")?.split('=').next()?;
    let fios = name.replace('-', "_");
    let found = WORDS.iter().find(|(word, _)| [name, &fios].contains(word)).map(|(_, what)| (*what).into());
    let is_key = || KEYS.iter().any(|key| key.name == fios) || OTHERS.contains(&fios.as_str());
    let what: String = match found {
        Some(what) => what,
        None if name != fios.replace('_', "-") && is_key() => format!("write --{}", fios.replace('_', "-")),
        None if TAKEN.split_whitespace().any(|option| option == fios) => {
            "has no flag of its own; write it into a job file for `flashscope import`".into()
        }
        None => return None,
    };
    Some(format!("{unknown} is fio's: {what}"))
}

/// Flags of `measure` that are options of fio too, beside the settings of a pattern.
const OTHERS: &[&str] = &["latency_target", "latency_window", "latency_percentile"];

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    /// Names of the flags of `measure`.
    fn flags() -> Vec<String> {
        let command = Cli::command();
        let measure = command.find_subcommand("measure").expect("a command");
        measure.get_arguments().filter_map(|flag| flag.get_long().map(ToString::to_string)).collect()
    }

    #[test]
    fn each_word_is_no_flag_and_names_flags_that_there_are() {
        let flags = flags();
        for (word, what) in WORDS {
            assert!(!flags.contains(&word.replace('_', "-")), "--{word} is a flag itself");
            let named = what.split(|c: char| !(c.is_ascii_lowercase() || c == '-'));
            for flag in named.filter_map(|name| name.strip_prefix("--")).filter(|flag| *flag != "verify") {
                assert!(flags.iter().any(|known| known == flag), "{word}: --{flag}");
            }
        }
        assert!(WORDS.is_sorted_by_key(|(word, _)| word));
    }

    #[test]
    fn an_option_of_fio_is_told_in_the_words_of_measure() {
        let hint = |flag: &str| hint(&["measure".into(), "null:".into(), flag.into()], flag);
        for (flag, word) in [
            ("--blocksize", "write --bs"),
            ("--rate_iops", "write --rate-iops"),
            ("--random-distribution", "write --random"),
            ("--latency_target", "write --latency-target"),
            ("--numa_cpu_nodes", "flashscope import"),
        ] {
            assert!(hint(flag).is_some_and(|hint| hint.contains(word)), "{flag}: {:?}", hint(flag));
        }
        assert_eq!(hint("--bogus"), None);
    }
}
