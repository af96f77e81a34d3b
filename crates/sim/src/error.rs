//! What can be wrong with the description of a simulated device.

use thiserror::Error;

/// A description that is no device, with the place and the way out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SimError {
    /// The text is not TOML, has an unknown key, or a value of the wrong kind.
    #[error("rig:{name}: {message}")]
    Syntax {
        /// The rig.
        name: String,
        /// Line, column and what was expected there.
        message: String,
    },
    /// A value, or two values together, that cannot be.
    #[error("rig:{name}: {key} {problem}; {remedy}")]
    Value {
        /// The rig.
        name: String,
        /// The key, with its table: `cycle.random_write.dear`.
        key: String,
        /// What is wrong with it.
        problem: String,
        /// What to write instead.
        remedy: String,
    },
    /// A profile's text is not TOML, has an unknown key, or a value of the wrong kind.
    #[error("profile {name}: {message}")]
    Profile {
        /// The profile.
        name: String,
        /// Line, column and what was expected there.
        message: String,
    },
    /// No profile of that name is built in.
    #[error("there is no profile '{name}'; choose one of {known}, or name a .toml file")]
    UnknownProfile {
        /// The name that was asked for.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// A saved device that cannot be used.
    #[error("the saved device {problem}; save it again with this version of flashscope")]
    State {
        /// What is wrong with it.
        problem: String,
    },
    /// A setting of a simulated SSD, or two together, that cannot be.
    #[error("{key} {problem}; {remedy}")]
    Setting {
        /// The dotted key, as in a profile and after `--set`.
        key: String,
        /// What is wrong with it.
        problem: String,
        /// What to write instead.
        remedy: String,
    },
    /// No rig of that name is built in.
    #[error("rig:{name}: there is no rig of this name; choose one of {known}, or name a .toml file")]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The names that exist.
        known: String,
    },
}

impl SimError {
    /// A setting that cannot be.
    pub fn setting(key: &str, problem: &str, remedy: &str) -> SimError {
        SimError::Setting { key: key.into(), problem: problem.into(), remedy: remedy.into() }
    }

    /// An error unless the name is one of `known`.
    ///
    /// # Errors
    /// [`SimError::Setting`] lists the names that are.
    pub(crate) fn check_choice(key: &str, given: &str, known: &[(&str, &str)]) -> Result<(), SimError> {
        let is_known = known.iter().any(|(name, _)| *name == given);
        if is_known { Ok(()) } else { Err(SimError::unknown_choice(key, given, known)) }
    }

    /// A name that is in no registry.
    pub fn unknown_choice(key: &str, given: &str, known: &[(&str, &str)]) -> SimError {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        SimError::Setting {
            key: key.into(),
            problem: format!("is '{given}', which there is not"),
            remedy: format!("choose one of {}", names.join(", ")),
        }
    }
}
