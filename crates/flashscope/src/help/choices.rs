//! Shell completions, with the names that values are chosen from. They are given to the completions alone:
//! the parser goes on taking files and lists, and its errors name what there is.

use clap::Command;
use clap::ValueHint;
use clap::builder::PossibleValuesParser;
use clap_complete::{Shell, generate};
use flashscope_bench::{Micros, Suites};
use flashscope_sim::buffer::BUFFERS;
use flashscope_sim::ftl::FTLS;
use flashscope_sim::gc::POLICIES;
use flashscope_sim::{profiles, rigs};
use flashscope_trace::FORMATS;
use flashscope_trace::generate::GENERATORS;

use crate::commands::list;
use crate::schemas::SCHEMAS;

/// A command's path, its argument, and what there is to choose from.
type Choice = (&'static str, &'static str, fn() -> Vec<String>);

const CHOICES: &[Choice] = &[
    ("run", "only", || Micros::builtin().iter().map(|micro| micro.name.to_string()).collect()),
    ("run", "suite", || Suites::builtin().iter().map(|suite| suite.name.to_string()).collect()),
    ("sim", "profile", || profiles::NAMES.map(str::to_string).to_vec()),
    ("sim", "ftl", || names(FTLS)),
    ("sim", "gc", || names(POLICIES)),
    ("sim", "buffer", || names(BUFFERS)),
    ("sim", "set", || profiles::keys().iter().map(|key| format!("{}=", key.name)).collect()),
    ("sim", "from", formats),
    ("replay", "from", formats),
    ("trace stats", "from", formats),
    ("trace convert", "from", formats),
    ("trace convert", "to", written_formats),
    ("trace cut", "from", formats),
    ("trace cut", "to", written_formats),
    ("trace merge", "from", formats),
    ("trace merge", "to", written_formats),
    ("trace generate", "to", written_formats),
    ("trace capture", "to", written_formats),
    ("trace generate", "name", || GENERATORS.iter().map(|generator| generator.name.to_string()).collect()),
    ("export", "to", || ["fio", "uflip", "csv"].map(str::to_string).to_vec()),
    ("list", "schema", || SCHEMAS.iter().map(|schema| schema.name.to_string()).collect()),
    ("list", "what", || list::PARTS.iter().map(|(name, _)| name.to_string()).collect()),
];

/// Commands whose TARGET may be virtual.
const WITH_TARGET: &[&str] = &["run", "measure", "doctor", "check", "replay"];

fn names(list: &[(&'static str, &'static str)]) -> Vec<String> {
    list.iter().map(|(name, _)| name.to_string()).collect()
}

/// clap keeps names for as long as the program runs, and this happens once.
fn kept(names: Vec<String>) -> impl Iterator<Item = &'static str> {
    names.into_iter().map(|name| &*name.leak())
}

fn formats() -> Vec<String> {
    FORMATS.iter().map(|format| format.name.to_string()).collect()
}

fn written_formats() -> Vec<String> {
    FORMATS.iter().filter(|format| format.is_written()).map(|format| format.name.to_string()).collect()
}

/// All targets that are no devices and have names.
fn virtual_targets() -> Vec<String> {
    let rigs = rigs::NAMES.iter().map(|name| format!("rig:{name}"));
    let sims = profiles::NAMES.iter().map(|name| format!("sim:{name}"));
    rigs.chain(sims).chain(["null:".into()]).collect()
}

/// The completion script of a shell.
pub fn complete(shell: Shell) -> String {
    let mut command = WITH_TARGET.iter().fold(super::command(), |command, name| {
        command.mut_subcommand(name, |sub| sub.mut_arg("target", |arg| arg.value_hint(ValueHint::AnyPath)))
    });
    for (path, argument, choices) in CHOICES {
        command = with(command, path, &|sub: Command| {
            sub.mut_arg(argument, |arg| arg.value_parser(PossibleValuesParser::new(kept(choices()))))
        });
    }
    let mut script = Vec::new();
    generate(shell, &mut command, "flashscope", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    match shell {
        Shell::Bash => script + &bash_targets(),
        Shell::Fish => script + &fish_targets(),
        Shell::Zsh => zsh_targets(&script),
        _ => script,
    }
}

/// Changes the command at a path.
fn with(command: Command, path: &str, change: &dyn Fn(Command) -> Command) -> Command {
    match path.split_once(' ') {
        None => command.mut_subcommand(path, change),
        Some((first, rest)) => command.mut_subcommand(first, |sub| with(sub, rest, change)),
    }
}

/// Bash takes the colon of rig:NAME for the end of a word, so that such words are looked at as a whole.
fn bash_targets() -> String {
    let targets = virtual_targets().join(" ");
    format!(
        r#"
_flashscope_targets() {{
    local word=${{COMP_LINE:0:COMP_POINT}}
    word=${{word##*[[:space:]]}}
    case $word in
        rig*|sim:*|nu*)
            COMPREPLY=($(compgen -W "{targets}" -- "$word"))
            if [[ $word == *:* && $COMP_WORDBREAKS == *:* ]]; then
                COMPREPLY=("${{COMPREPLY[@]#"${{word%%:*}}:"}}")
            fi
            ;;
        *) _flashscope "$@" ;;
    esac
}}
complete -F _flashscope_targets -o bashdefault -o default flashscope
"#
    )
}

fn fish_targets() -> String {
    let (commands, targets) = (WITH_TARGET.join(" "), virtual_targets().join(" "));
    format!("complete -c flashscope -n \"__fish_seen_subcommand_from {commands}\" -a \"{targets}\"\n")
}

/// Completion of targets: virtual devices and files.
fn zsh_targets(script: &str) -> String {
    let targets = virtual_targets().join(" ").replace(':', "\\:");
    let is_target = |line: &str| {
        let line = line.trim_start();
        line.starts_with("':target -- ") || line.starts_with("'::target -- ")
    };
    let lines = script.lines().map(|line| match is_target(line) {
        true => line.replace(":_files'", ":_flashscope_targets'"),
        false => line.to_string(),
    });
    let mut lines: Vec<String> = lines.collect();
    let function = format!(
        "\n_flashscope_targets() {{\n    _alternative 'virtual:virtual device:({targets})' \
         'files:file:_files'\n}}\n"
    );
    lines.insert(1, function);
    lines.join("\n") + "\n"
}
