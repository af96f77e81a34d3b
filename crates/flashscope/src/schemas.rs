//! JSON Schemas of all that `--json` prints: the files of docs/schemas, of which the program has a copy.

/// What documents of one kind have in them.
pub struct Schema {
    /// Its name, which is that of its file.
    pub name: &'static str,
    /// The commands that print such documents.
    pub commands: &'static [&'static str],
    /// The schema.
    pub text: &'static str,
}

macro_rules! schema {
    ($name:literal, $($command:literal),+) => {
        Schema {
            name: $name,
            commands: &[$($command),+],
            text: include_str!(concat!("../../../docs/schemas/", $name, ".json")),
        }
    };
}

/// All of them.
pub const SCHEMAS: &[Schema] = &[
    schema!("run", "run", "show"),
    schema!("suite", "run", "show"),
    schema!("plan", "run"),
    schema!("measure", "measure", "show"),
    schema!("measure-jobs", "measure"),
    schema!("sim", "sim", "show"),
    schema!("replay", "replay", "show"),
    schema!("trace-stats", "trace stats", "show"),
    schema!("trace-sniff", "trace sniff"),
    schema!("trace-capture", "trace capture"),
    schema!("compare", "compare"),
    schema!("compare-sim", "compare"),
    schema!("reproduce", "reproduce"),
    schema!("reproduce-sensitivity", "reproduce"),
    schema!("check", "check"),
    schema!("doctor", "doctor"),
    schema!("report", "report"),
];

impl Schema {
    /// Which documents it is of.
    pub fn about(&self) -> String {
        let schema: serde_json::Value = serde_json::from_str(self.text).unwrap_or_default();
        let about = schema["description"].as_str().unwrap_or_default();
        about.split_inclusive(". ").next().unwrap_or_default().trim_end().to_string()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use clap::Command;

    use super::SCHEMAS;
    use crate::cli;

    /// The commands below `command` that have `--json`, by their paths.
    fn with_json(command: &Command, path: &str) -> BTreeSet<String> {
        let below = command.get_subcommands().flat_map(|sub| {
            let path = format!("{path} {}", sub.get_name()).trim_start().to_string();
            let own = sub.get_arguments().any(|arg| arg.get_id() == "json").then(|| path.clone());
            own.into_iter().chain(with_json(sub, &path))
        });
        below.collect()
    }

    #[test]
    fn every_json_has_a_schema_and_every_schema_a_command() {
        let named: BTreeSet<String> =
            SCHEMAS.iter().flat_map(|schema| schema.commands).map(ToString::to_string).collect();
        assert_eq!(with_json(&cli::command(), ""), named, "add the schema to SCHEMAS of schemas.rs");
    }

    #[test]
    fn the_list_is_the_folder() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas");
        let name = |entry: fs::DirEntry| entry.path().file_stem().map(|name| name.to_string_lossy().into());
        let files: BTreeSet<String> =
            fs::read_dir(folder).unwrap().filter_map(|entry| name(entry.unwrap())).collect();
        assert_eq!(files, SCHEMAS.iter().map(|schema| schema.name.to_string()).collect());
    }
}
