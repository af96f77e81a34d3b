//! What a study was run on, in few words: TARGETs of one name in one, with the settings in which they differ.

/// Values of a setting that are named.
const VALUES_MAX: usize = 8;

/// TARGETs as Markdown; empty if there are none.
pub fn described(targets: &[String]) -> String {
    let mut groups: Vec<(&str, Vec<Settings<'_>>)> = Vec::new();
    for target in targets {
        let (name, settings) = target.split_once('?').unwrap_or((target, ""));
        let settings = settings.split('&').filter_map(|setting| setting.split_once('=')).collect();
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, of_name)) => of_name.push(settings),
            None => groups.push((name, vec![settings])),
        }
    }
    groups.iter().map(|(name, of_name)| group(name, of_name)).collect::<Vec<_>>().join("; ")
}

/// The same for what shows no Markdown.
pub fn plain(targets: &[String]) -> String {
    described(targets).replace('`', "")
}

/// The settings of one TARGET. The last of a name holds.
type Settings<'a> = Vec<(&'a str, &'a str)>;

fn group(name: &str, of_name: &[Settings<'_>]) -> String {
    let (fixed, varied): (Vec<_>, Vec<_>) =
        keys(of_name).into_iter().map(|key| (key, values(of_name, key))).partition(|(_, v)| v.len() == 1);
    let fixed: Vec<String> =
        fixed.iter().map(|(key, values)| format!("{key}={}", values[0].unwrap_or_default())).collect();
    let target = if fixed.is_empty() { name.into() } else { format!("{name}?{}", fixed.join("&")) };
    let varied: Vec<String> = varied.iter().map(|(key, values)| one_of(key, values)).collect();
    let with = if varied.is_empty() { String::new() } else { format!(" with {}", varied.join(", ")) };
    format!("`{target}`{with}")
}

/// The keys of the settings, each once.
fn keys<'a>(of_name: &[Settings<'a>]) -> Vec<&'a str> {
    let mut keys = Vec::new();
    for (key, _) in of_name.iter().flatten() {
        if !keys.contains(key) {
            keys.push(*key);
        }
    }
    keys
}

/// The values of a setting, each once; none for a TARGET that leaves it as its profile has it.
fn values<'a>(of_name: &[Settings<'a>], key: &str) -> Vec<Option<&'a str>> {
    let mut values = Vec::new();
    for settings in of_name {
        let value = settings.iter().rev().find(|(known, _)| *known == key).map(|(_, value)| *value);
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values
}

fn one_of(key: &str, values: &[Option<&str>]) -> String {
    let shown = values.iter().take(VALUES_MAX).map(|value| value.unwrap_or("the profile's"));
    let more = values.len().saturating_sub(VALUES_MAX);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("`{key}` ({}{more})", shown.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_of_one_name_are_told_in_one() {
        let targets = [
            "sim:a?size=1&kind=x&kind=y".to_string(),
            "sim:a?size=1&kind=z".into(),
            "sim:a?size=1".into(),
            "rig:b".into(),
        ];
        assert_eq!(described(&targets), "`sim:a?size=1` with `kind` (y, z, the profile's); `rig:b`");
        assert_eq!(described(&[]), "");
    }
}
