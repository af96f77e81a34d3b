//! Targets by name.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::AtomicBool;

use flashscope_device::{DataPattern, Engine};
use flashscope_sim::settings::Initial;
use flashscope_sim::{Disk, Profile, Rig, RigSpec, Settings, Ssd, profiles, rigs};

use super::AnyTarget;
use crate::description::read_description;
use crate::error::{Error, Remedy, Result};

/// A target as a person names it. [`fmt::Display`] gives the name back.
///
/// ```
/// use flashscope_lab::TargetSpec;
///
/// let spec: TargetSpec = "sim:x25m-2009?ftl=page".parse()?;
/// assert!(spec.is_virtual());
/// assert_eq!(TargetSpec::from("/dev/sdz"), TargetSpec::Path("/dev/sdz".into()));
/// # Ok::<(), std::convert::Infallible>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetSpec {
    /// `rig:NAME` or `rig:FILE.toml`: a virtual device of known truth.
    Rig(String),
    /// `sim:PROFILE` or `sim:FILE.toml`, with `?key=value&key=value`: a simulated drive.
    Sim(String),
    /// `null:`, which completes at once.
    Null,
    /// A block device or a file.
    Path(PathBuf),
}

impl From<&str> for TargetSpec {
    fn from(text: &str) -> TargetSpec {
        match text.split_once(':') {
            Some(("rig", name)) => TargetSpec::Rig(name.into()),
            Some(("sim", name)) => TargetSpec::Sim(name.into()),
            Some(("null", "")) => TargetSpec::Null,
            _ => TargetSpec::Path(text.into()),
        }
    }
}

impl FromStr for TargetSpec {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<TargetSpec, Self::Err> {
        Ok(text.into())
    }
}

impl fmt::Display for TargetSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TargetSpec::Rig(name) => write!(f, "rig:{name}"),
            TargetSpec::Sim(name) => write!(f, "sim:{name}"),
            TargetSpec::Null => f.write_str("null:"),
            TargetSpec::Path(path) => write!(f, "{}", path.display()),
        }
    }
}

impl TargetSpec {
    /// Whether it is no device at all, so that writing to it needs no leave.
    pub fn is_virtual(&self) -> bool {
        !matches!(self, TargetSpec::Path(_))
    }

    /// Refuses a path whose name, as results keep it, would be another target's: bytes that are no text, or
    /// a file called as a virtual target is.
    pub(crate) fn check_name(&self) -> Result<()> {
        if TargetSpec::from(self.to_string().as_str()) == *self {
            return Ok(());
        }
        let problem = format!("the name of {self} cannot be kept in a result; rename it, or link to it");
        Err(Error::setting("target", problem))
    }

    /// Checks that a virtual target exists and can be made, without filling it.
    ///
    /// # Errors
    /// An unknown name, an unreadable file, settings that cannot be.
    pub fn check(&self) -> Result<()> {
        match self {
            TargetSpec::Rig(name) => rig_spec(name).map(drop),
            TargetSpec::Sim(text) => {
                let (name, overrides) = split_overrides(text)?;
                if let Profile::Ssd(settings) = profile(name, &overrides)? {
                    let empty = Settings { initial: Initial::Empty, ..*settings };
                    Ssd::new(name, empty, 0)?;
                }
                Ok(())
            }
            TargetSpec::Null | TargetSpec::Path(_) => Ok(()),
        }
    }

    /// Refuses settings that would have no effect on it.
    ///
    /// # Errors
    /// An engine or contents that a virtual target does not use.
    pub fn refuse_ignored(&self, engine: Option<Engine>, data: DataPattern) -> Result<()> {
        let setting = match (engine, data) {
            _ if !self.is_virtual() => return Ok(()),
            (Some(_), _) => "engine",
            (None, DataPattern::Random) => return Ok(()),
            (None, _) => "data",
        };
        let problem = format!("has no effect on {self}, which is not a real device");
        Err(Error::setting(setting, problem).with(Remedy::LeaveOut(setting)))
    }

    /// A short name for folders: letters, digits and `._-`.
    pub fn short_name(&self) -> String {
        let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = match self {
            TargetSpec::Rig(name) => stem(Path::new(name)),
            TargetSpec::Sim(name) => stem(Path::new(name.split('?').next().unwrap_or_default())),
            TargetSpec::Null => "null".into(),
            TargetSpec::Path(path) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        };
        let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
        text.chars().map(plain).collect()
    }
}

/// A virtual device by name or file.
pub(super) fn rig(name: &str, seed: u64) -> Result<AnyTarget> {
    Ok(AnyTarget::Rig(Box::new(Rig::new(rig_spec(name)?, seed))))
}

fn rig_spec(name: &str) -> Result<RigSpec> {
    if !name.ends_with(".toml") {
        return Ok(rigs::find(name)?);
    }
    let text = read_description("rig", Path::new(name))?;
    Ok(RigSpec::parse(name, &text)?)
}

/// A simulated device by profile and overrides. Filling a large one takes a while; `interrupted` ends that.
pub(super) fn simulated(text: &str, seed: u64, interrupted: &AtomicBool) -> Result<AnyTarget> {
    let (name, overrides) = split_overrides(text)?;
    Ok(match profile(name, &overrides)? {
        Profile::Ssd(settings) => {
            let ssd = Ssd::new_unless(interrupted, name, *settings, seed)?;
            AnyTarget::Ssd(Box::new(ssd.ok_or_else(Error::interrupted)?))
        }
        Profile::Disk(settings) => AnyTarget::Disk(Box::new(Disk::new(name, &settings)?)),
    })
}

/// Splits `PROFILE?key=value&key=value`.
///
/// # Errors
/// A part that is no `key=value`.
pub fn split_overrides(text: &str) -> Result<(&str, Vec<(String, String)>)> {
    let (name, query) = text.split_once('?').unwrap_or((text, ""));
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    Ok((name, pairs.map(override_pair).collect::<Result<_>>()?))
}

/// Splits `key=value`.
///
/// # Errors
/// It has no `=`, or its value has several lines.
pub fn override_pair(text: &str) -> Result<(String, String)> {
    let Some((key, value)) = text.split_once('=') else {
        let example = "nand.pages_per_block=64";
        return Err(Error::usage(format!("'{text}' is not KEY=VALUE, for example {example}")));
    };
    let (key, value) = (key.trim(), value.trim());
    if value.contains(['\n', '\r']) {
        let lines = value.lines().count();
        return Err(Error::usage(format!("{key} has a value of {lines} lines; give each setting its own")));
    }
    Ok((key.into(), value.into()))
}

/// A profile by name or file, with settings of one's own.
///
/// # Errors
/// An unknown name, an unreadable file, a key or value that the settings do not have.
pub fn profile(name: &str, overrides: &[(String, String)]) -> Result<Profile> {
    let parsed = if profiles::text(name).is_none() && name.ends_with(".toml") {
        let text = read_description("profile", Path::new(name))?;
        Profile::parse(name, &text, overrides)
    } else {
        Profile::find(name, overrides)
    };
    Ok(parsed?)
}
