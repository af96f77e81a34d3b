//! What can be wrong with the description of a simulated device.

use thiserror::Error;

/// A description that is no device: what is wrong with it, and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)] // the fields' names say it; `problem` and `remedy` are the halves of a sentence
pub enum SimError {
    /// A rig's text is not TOML, has an unknown key, or a value of the wrong kind. The message gives line,
    /// column and what was expected there.
    #[error("rig:{name}: {message}")]
    Syntax { name: String, message: String },
    /// A value of a rig, or two values together, that cannot be. The key comes with its
    /// table: `cycle.random_write.dear`.
    #[error("rig:{name}: {key} {problem}; {remedy}")]
    Value { name: String, key: String, problem: String, remedy: String },
    /// A profile's text is not TOML, has an unknown key, or a value of the wrong kind. The message gives
    /// line, column and what was expected there.
    #[error("profile {name}: {message}")]
    Profile { name: String, message: String },
    /// No profile of that name is built in.
    #[error("unknown profile '{name}'{} choose one of {known}, or name a .toml file", meant(name, known))]
    UnknownProfile { name: String, known: String },
    /// No rig of that name is built in.
    #[error("unknown rig '{name}'{} choose one of {known}, or name a .toml file", meant(name, known))]
    Unknown { name: String, known: String },
    /// A saved device that cannot be used.
    #[error("the saved device {problem}; save it again with this version")]
    State { problem: String },
    /// A setting of a simulated device, or two together, that cannot be. The key is dotted, as in a profile.
    #[error("{key} {problem}; {remedy}")]
    Setting { key: String, problem: String, remedy: String },
    /// A name that is in no registry.
    #[error("unknown {key} '{given}'{} choose one of {known}", meant(given, known))]
    UnknownChoice { key: String, given: String, known: String },
    /// No setting has this key; those in `near` are spelled alike.
    #[error("unknown setting '{key}'{}", did_you_mean(near))]
    UnknownSetting { key: String, near: Vec<String> },
    /// A text that is no value of this setting.
    #[error("{key} cannot be '{value}': {problem}")]
    SettingValue { key: String, value: String, problem: String },
}

/// Letters by which a name may differ from the one that was meant.
pub(crate) const LETTERS_MAX: usize = 2;

fn did_you_mean(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) }
}

/// The name of a list that is spelled almost like the one that was given.
fn meant(given: &str, known: &str) -> String {
    let letters = |name: &&str| strsim::levenshtein(given, name);
    let nearest = known.split(", ").min_by_key(letters).filter(|name| letters(name) <= LETTERS_MAX);
    nearest.map_or(";".into(), |name| format!("; did you mean {name}? Otherwise"))
}

/// What a person may do about an error, where a program has a way of its own to say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Look up the settings and what they take: [`crate::profiles::keys`].
    ListSettings,
}

impl SimError {
    /// A setting that cannot be.
    pub fn setting(key: &str, problem: &str, remedy: &str) -> SimError {
        SimError::Setting { key: key.into(), problem: problem.into(), remedy: remedy.into() }
    }

    /// What to do, where the message does not say it.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            SimError::UnknownSetting { .. } | SimError::SettingValue { .. } => Some(Remedy::ListSettings),
            _ => None,
        }
    }

    /// An error unless the name is one of `known`.
    ///
    /// # Errors
    /// [`SimError::UnknownChoice`] lists the names that are.
    pub(crate) fn check_choice(key: &str, given: &str, known: &[(&str, &str)]) -> Result<(), SimError> {
        let is_known = known.iter().any(|(name, _)| *name == given);
        if is_known { Ok(()) } else { Err(SimError::unknown_choice(key, given, known)) }
    }

    /// A name that is in no registry.
    pub(crate) fn unknown_choice(key: &str, given: &str, known: &[(&str, &str)]) -> SimError {
        let known: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        SimError::UnknownChoice { key: key.into(), given: given.into(), known: known.join(", ") }
    }
}

/// What is wrong and where, with the line in which it is, unless that is too long to be looked at.
pub(crate) fn toml_message(error: &toml::de::Error) -> String {
    const LINE_CHARACTERS_MAX: usize = 200;
    let whole = error.to_string();
    let is_long =
        whole.lines().any(|line| line.contains(" | ") && line.chars().count() > LINE_CHARACTERS_MAX);
    let place = whole.lines().next().filter(|_| is_long);
    place.map_or_else(|| whole.trim_end().into(), |place| format!("{place}: {}", error.message()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;

    #[test]
    fn an_unknown_name_comes_with_those_that_are() {
        let settings = Settings { gc: "nosuch".into(), ftl: "block".into(), ..Settings::default() };
        let error = settings.check().expect_err("no policy is called so");
        let text = "unknown gc 'nosuch'; choose one of greedy, fifo, d-choices, cost-benefit, random";
        assert_eq!(error.to_string(), text);
    }

    #[test]
    fn sizes_are_those_a_person_reads() {
        let capacity = "160GB".parse().expect("a size");
        let mut settings = Settings { buffer: "fab".into(), capacity, ..Settings::default() };
        settings.ram.size = flashscope_core::Bytes(1);
        let text = "ram.size is 1 B; choose between one page (4 KiB) and the device's capacity (149 GiB)";
        assert_eq!(settings.check().expect_err("less than a page").to_string(), text);
    }

    #[test]
    fn a_misspelt_key_suggests_the_right_one() {
        let error = |key: &str| {
            let keys = [(key.to_string(), "1".to_string())];
            crate::Profile::find("x25m-2009", &keys).expect_err("no such setting")
        };
        assert_eq!(error("capacty").to_string(), "unknown setting 'capacty'; did you mean capacity?");
        assert_eq!(error("zzzzzz").to_string(), "unknown setting 'zzzzzz'");
        assert_eq!(error("zzzzzz").remedy(), Some(Remedy::ListSettings));
    }
}
