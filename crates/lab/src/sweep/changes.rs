//! What was set about a device: the settings in which it differs from its profile, or from another device.

use std::collections::BTreeMap;

use flashscope_sim::Settings;
use serde_json::Value;

/// Settings by their dotted keys: `log_block.log_blocks`.
pub type Changes = BTreeMap<String, Value>;

/// The settings in which a device differs from its profile.
pub fn changes(profile: &Settings, device: &Settings) -> Changes {
    let [plain, mut own] =
        [profile, device].map(|settings| flat(&serde_json::to_value(settings).unwrap_or_default()));
    own.retain(|key, value| plain.get(key) != Some(value));
    own
}

/// All settings of one document; what it says about itself is none.
pub fn flat(settings: &Value) -> Changes {
    let mut all = Changes::new();
    gather(settings, "", &mut all);
    all.remove("about");
    all
}

fn gather(value: &Value, prefix: &str, all: &mut Changes) {
    let Value::Object(parts) = value else { return };
    for (key, value) in parts {
        match value {
            Value::Object(_) => gather(value, &format!("{prefix}{key}."), all),
            _ => drop(all.insert(format!("{prefix}{key}"), value.clone())),
        }
    }
}

/// What all have alike.
pub fn shared<'a>(mut all: impl Iterator<Item = &'a Changes>) -> Changes {
    let mut shared = all.next().cloned().unwrap_or_default();
    all.for_each(|changes| shared.retain(|key, value| changes.get(key) == Some(value)));
    shared
}

/// The settings in which two devices differ, with the value of each; null where one has no such setting.
pub fn between(a: &Changes, b: &Changes) -> BTreeMap<String, [Value; 2]> {
    let value = |of: &Changes, key: &str| of.get(key).cloned().unwrap_or_default();
    let keys = a.keys().chain(b.keys());
    keys.map(|key| (key.clone(), [value(a, key), value(b, key)])).filter(|(_, [a, b])| a != b).collect()
}

/// A value without the quotes of a text.
pub fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}
