//! The devices that flashscope can simulate out of the box, and how a description becomes [`Settings`]: a
//! profile's TOML, and dotted overrides on top. One file in `profiles/` and one line here for each.

use serde::de::DeserializeOwned;
use toml::{Table, Value};

use crate::disk::DiskSettings;
use crate::error::{LETTERS_MAX, SimError, toml_message};
use crate::settings::Settings;

/// Every built-in profile: its name and its text.
const LIST: &[(&str, &str)] = &[
    ("bplru-board", include_str!("../profiles/bplru-board.toml")),
    ("x25m-2009", include_str!("../profiles/x25m-2009.toml")),
    ("slc-sata-2009", include_str!("../profiles/slc-sata-2009.toml")),
    ("usb-stick-2009", include_str!("../profiles/usb-stick-2009.toml")),
    ("memoright-2009", include_str!("../profiles/memoright-2009.toml")),
    ("mtron-2009", include_str!("../profiles/mtron-2009.toml")),
    ("samsung-2009", include_str!("../profiles/samsung-2009.toml")),
    ("transcend-module-2009", include_str!("../profiles/transcend-module-2009.toml")),
    ("transcend-mlc-2009", include_str!("../profiles/transcend-mlc-2009.toml")),
    ("kingston-dthx-2009", include_str!("../profiles/kingston-dthx-2009.toml")),
    ("kingston-dti-2009", include_str!("../profiles/kingston-dti-2009.toml")),
    ("sata-tlc-2021", include_str!("../profiles/sata-tlc-2021.toml")),
    ("nvme-qlc-2018", include_str!("../profiles/nvme-qlc-2018.toml")),
    ("nvme-tlc-2024", include_str!("../profiles/nvme-tlc-2024.toml")),
    ("nvme-fdp-2024", include_str!("../profiles/nvme-fdp-2024.toml")),
    ("zns-2024", include_str!("../profiles/zns-2024.toml")),
    ("hdd-7200", include_str!("../profiles/hdd-7200.toml")),
];

/// The names of all built-in profiles, in the order of the list.
pub const NAMES: [&str; LIST.len()] = {
    let mut names = [""; LIST.len()];
    let mut i = 0;
    while i < LIST.len() {
        names[i] = LIST[i].0;
        i += 1;
    }
    names
};

/// The text of a built-in profile, a model for one's own.
pub fn text(name: &str) -> Option<&'static str> {
    LIST.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// A device, described.
#[derive(Clone, Debug)]
pub enum Profile {
    /// A solid-state drive.
    Ssd(Box<Settings>),
    /// A hard disk.
    Disk(DiskSettings),
}

impl Profile {
    /// Reads a profile and puts `overrides` (dotted key and value) on top.
    ///
    /// # Errors
    /// [`SimError::Profile`] with line, column and the names that are valid there, or
    /// [`SimError::Setting`] for an override.
    pub fn parse(name: &str, text: &str, overrides: &[(String, String)]) -> Result<Profile, SimError> {
        let table: Table = text.parse().map_err(|error| syntax(name, &error))?;
        if table.contains_key("disk") {
            let plain: DiskProfile = read(name, text)?;
            let mut table = Table::new();
            table.insert("disk".into(), Value::try_from(&plain.disk).map_err(|e| syntax_of(name, &e))?);
            return Ok(Profile::Disk(override_with::<DiskProfile>(name, table, overrides)?.disk));
        }
        let plain: Settings = read(name, text)?;
        let table = Table::try_from(&plain).map_err(|error| syntax_of(name, &error))?;
        Ok(Profile::Ssd(Box::new(override_with(name, table, overrides)?)))
    }

    /// The built-in profile of this name.
    ///
    /// # Errors
    /// [`SimError::UnknownProfile`] lists the names there are; or as [`Profile::parse`].
    pub fn find(name: &str, overrides: &[(String, String)]) -> Result<Profile, SimError> {
        let unknown = || SimError::UnknownProfile { name: name.into(), known: NAMES.join(", ") };
        Profile::parse(name, text(name).ok_or_else(unknown)?, overrides)
    }

    /// One sentence about it.
    pub fn about(&self) -> &str {
        match self {
            Profile::Ssd(settings) => &settings.about,
            Profile::Disk(disk) => &disk.about,
        }
    }
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct DiskProfile {
    disk: DiskSettings,
}

fn read<T: DeserializeOwned>(name: &str, text: &str) -> Result<T, SimError> {
    toml::from_str(text).map_err(|error| syntax(name, &error))
}

fn syntax(name: &str, error: &toml::de::Error) -> SimError {
    syntax_of(name, &toml_message(error))
}

fn syntax_of(name: &str, error: &dyn std::fmt::Display) -> SimError {
    SimError::Profile { name: name.into(), message: error.to_string().trim_end().into() }
}

/// Puts each value at its dotted key, which must exist, and reads the whole again.
fn override_with<T: DeserializeOwned>(
    name: &str,
    mut table: Table,
    overrides: &[(String, String)],
) -> Result<T, SimError> {
    for (key, text) in overrides {
        *slot(&mut table, key)? = value(text);
        let tried: Result<T, _> = table.clone().try_into();
        if let Err(error) = tried {
            let (key, value, problem) = (key.clone(), text.clone(), error.message().into());
            return Err(SimError::SettingValue { key, value, problem });
        }
    }
    table.try_into().map_err(|error| syntax(name, &error))
}

fn slot<'a>(table: &'a mut Table, key: &str) -> Result<&'a mut Value, SimError> {
    let known = dotted(table, "");
    if !known.iter().any(|name| name == key) {
        if let Some(problem) = of_the_other_kind(table, key) {
            let remedy = "leave it out, or choose another profile".into();
            return Err(SimError::Setting { key: key.into(), problem: problem.into(), remedy });
        }
        let near = known.iter().filter(|name| close(name, key)).cloned().collect();
        return Err(SimError::UnknownSetting { key: key.into(), near });
    }
    let mut parts = key.split('.');
    let first = parts.next().unwrap_or_default();
    let mut slot = &mut table[first];
    for part in parts {
        slot = &mut slot[part];
    }
    Ok(slot)
}

/// What is wrong with a setting that another kind of device has.
fn of_the_other_kind(table: &Table, key: &str) -> Option<&'static str> {
    let is_of = |device: Table, key: &str| dotted(&device, "").iter().any(|name| name == key);
    if table.contains_key("disk") {
        let drive = Table::try_from(Settings::default()).unwrap_or_default();
        return is_of(drive, key).then_some("is for an SSD, not for a hard disk");
    }
    let disk = Table::try_from(DiskSettings::default()).unwrap_or_default();
    is_of(disk, key.strip_prefix("disk.")?).then_some("is for a hard disk only")
}

/// All leaves of a table by their dotted keys.
fn dotted(table: &Table, prefix: &str) -> Vec<String> {
    let mut keys = Vec::new();
    for (key, value) in table {
        match value {
            Value::Table(inner) => keys.extend(dotted(inner, &format!("{prefix}{key}."))),
            _ => keys.push(format!("{prefix}{key}")),
        }
    }
    keys
}

/// Whether a person may have meant `name`: the same last word, or few letters apart.
fn close(name: &str, key: &str) -> bool {
    let last = |text: &str| text.rsplit('.').next().unwrap_or_default().to_string();
    last(name) == last(key) || strsim::levenshtein(name, key) <= LETTERS_MAX
}

/// TOML if it is one value of TOML, otherwise a bare word: `fifo`, `8MiB`.
fn value(text: &str) -> Value {
    let table: Result<Table, _> = format!("value = {text}").parse();
    let single = table.ok().filter(|table| table.len() == 1);
    single.and_then(|mut table| table.remove("value")).unwrap_or_else(|| Value::String(text.into()))
}

/// A key that can be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// Dotted: `nand.pages_per_block`.
    pub name: String,
    /// What it means, its unit and its values.
    pub about: String,
    /// What it is when nobody says anything, as TOML.
    pub default: String,
}

/// Every key of a profile, of `--set` and of `sim:PROFILE?key=value`, for a drive and then for a disk.
pub fn keys() -> Vec<Key> {
    let drive = Table::try_from(Settings::default()).unwrap_or_default();
    let mut keys = described(&drive, &schemars::schema_for!(Settings).to_value(), "");
    let disk = Table::try_from(DiskSettings::default()).unwrap_or_default();
    keys.extend(described(&disk, &schemars::schema_for!(DiskSettings).to_value(), "disk."));
    keys
}

fn described(defaults: &Table, schema: &serde_json::Value, prefix: &str) -> Vec<Key> {
    dotted(defaults, "")
        .into_iter()
        .map(|name| Key {
            about: about(schema, &name),
            default: name.split('.').fold(&Value::Table(defaults.clone()), |at, part| &at[part]).to_string(),
            name: format!("{prefix}{name}"),
        })
        .collect()
}

/// The doc comment at a dotted key of a JSON schema.
fn about(schema: &serde_json::Value, key: &str) -> String {
    let mut at = schema;
    for part in key.split('.') {
        at = &resolve(schema, at)["properties"][part];
    }
    let text = at["description"].as_str().or_else(|| resolve(schema, at)["description"].as_str());
    text.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Follows `$ref`, also where it is wrapped for the sake of a description.
fn resolve<'a>(schema: &'a serde_json::Value, at: &'a serde_json::Value) -> &'a serde_json::Value {
    let reference = at["$ref"].as_str().or_else(|| at["allOf"][0]["$ref"].as_str());
    match reference.and_then(|path| path.strip_prefix("#/$defs/")) {
        Some(name) => &schema["$defs"][name],
        None => at,
    }
}

#[cfg(test)]
mod tests;
