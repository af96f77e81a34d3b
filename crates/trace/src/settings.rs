//! Settings of a generator: keys with defaults, and values as the caller gives them.

use flashscope_core::{Bytes, Nanos, Share};

use crate::error::{Remedy, TraceError};
use crate::model::{Style, Volume};

/// Something that can be set.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What it is unless set, as it would be written.
    pub default: &'static str,
    /// What it means, in a line of help.
    pub about: &'static str,
}

/// A row of a generator's keys.
pub(crate) const fn key(name: &'static str, default: &'static str, about: &'static str) -> Key {
    Key { name, default, about }
}

/// The values that a generator is made with.
pub struct Settings {
    keys: &'static [Key],
    set: Vec<(String, String)>,
    /// Bytes of the device.
    pub size_bytes: u64,
    /// Seed of everything random.
    pub seed: u64,
}

impl Settings {
    pub(crate) fn new(
        keys: &'static [Key],
        set: &[(String, String)],
        size_bytes: u64,
        seed: u64,
    ) -> Result<Settings, TraceError> {
        if let Some((key, value)) = set.iter().find(|(key, _)| keys.iter().all(|k| k.name != key)) {
            let known: Vec<_> = keys.iter().map(|key| key.name).collect();
            return Err(bad(key, value, "unknown key", &format!("set {}", known.join(", "))));
        }
        Ok(Settings { keys, set: set.to_vec(), size_bytes, seed })
    }

    /// The value of this key: the last one that was set, or the default.
    ///
    /// # Panics
    /// If the generator has no such key.
    pub fn text(&self, key: &str) -> &str {
        let set = self.set.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value.as_str());
        let default = || self.keys.iter().find(|row| row.name == key).map(|row| row.default);
        set.or_else(default).expect("a generator uses its own keys")
    }

    /// One of these words.
    ///
    /// # Errors
    /// Another word.
    pub fn choice(&self, key: &str, words: &[&'static str]) -> Result<&'static str, TraceError> {
        let value = self.text(key);
        let word = words.iter().find(|word| **word == value).copied();
        word.ok_or_else(|| bad(key, value, "unknown value", &format!("choose one of {}", words.join(", "))))
    }

    /// A whole number from 1 on.
    ///
    /// # Errors
    /// Anything else, or more than 2^40.
    pub fn number(&self, key: &str) -> Result<u64, TraceError> {
        let value = self.text(key);
        let number = value.parse::<u64>().ok().filter(|number| (1..=1 << 40).contains(number));
        number.ok_or_else(|| bad(key, value, "not a count", "write a whole number from 1 to 2^40"))
    }

    /// A number above 0.
    ///
    /// # Errors
    /// Anything else, or more than `max`.
    pub fn real(&self, key: &str, max: f64) -> Result<f64, TraceError> {
        let value = self.text(key);
        let number = value.parse::<f64>().ok().filter(|&number| number > 0.0 && number <= max);
        number.ok_or_else(|| bad(key, value, "out of range", &format!("write one above 0, up to {max}")))
    }

    /// A share from 0 to 1.
    ///
    /// # Errors
    /// Anything else.
    pub fn share(&self, key: &str) -> Result<f64, TraceError> {
        let value = self.text(key);
        value.parse::<Share>().map(|share| share.0).map_err(|error| bad(key, value, &error.to_string(), ""))
    }

    /// A span of time.
    ///
    /// # Errors
    /// Anything else.
    pub fn time_ns(&self, key: &str) -> Result<u64, TraceError> {
        let value = self.text(key);
        value.parse::<Nanos>().map(|time| time.0).map_err(|error| bad(key, value, &error.to_string(), ""))
    }

    /// Whole sectors of 512 bytes, at least one, and no more than a request can be long.
    ///
    /// # Errors
    /// Anything else, or more than 1 GiB.
    pub fn request_bytes(&self, key: &str) -> Result<u64, TraceError> {
        let value = self.text(key);
        let bytes = value.parse::<Bytes>().map_err(|error| bad(key, value, &error.to_string(), ""))?.0;
        match bytes > 0 && bytes.is_multiple_of(512) && bytes <= 1 << 30 {
            true => Ok(bytes),
            false => Err(bad(key, value, "not a size of a request", "write a multiple of 512, up to 1GiB")),
        }
    }

    /// A size of at least a byte.
    ///
    /// # Errors
    /// Anything else.
    pub fn size_bytes(&self, key: &str) -> Result<u64, TraceError> {
        let value = self.text(key);
        let bytes = value.parse::<Bytes>().map_err(|error| bad(key, value, &error.to_string(), ""))?.0;
        if bytes == 0 { Err(bad(key, value, "too small", "write at least 1")) } else { Ok(bytes) }
    }

    /// Whether it is `yes`; else it must be `no`.
    ///
    /// # Errors
    /// Another word.
    pub fn is_yes(&self, key: &str) -> Result<bool, TraceError> {
        Ok(self.choice(key, &["no", "yes"])? == "yes")
    }

    /// The mean time between two arrivals, of which there are so many a second.
    pub(crate) fn gap_ns(&self, key: &str) -> Result<u64, TraceError> {
        Ok((1e9 / self.real(key, 1e9)?) as u64)
    }

    /// A file system.
    pub(crate) fn style(&self, key: &str) -> Result<Style, TraceError> {
        Ok(Style::of(self.choice(key, &Style::NAMES)?))
    }

    /// An empty volume on the device, with room for so many bytes and a tenth more.
    pub(crate) fn volume(&self, style: Style, bytes: u64, flushes: bool) -> Result<Volume, TraceError> {
        self.at_least(style.bytes_min())?;
        let refused = |problem: String, remedy| bad("size", &self.size_bytes.to_string(), &problem, remedy);
        if self.size_bytes > style.bytes_max() {
            let problem = format!("the file system supports at most {} bytes", style.bytes_max());
            return Err(refused(problem, "use a smaller device"));
        }
        let volume = Volume::new(style, self.size_bytes, flushes);
        let (wanted_bytes, free_bytes) = (bytes.saturating_add(bytes / 10), volume.free_bytes());
        if free_bytes < wanted_bytes {
            let problem = format!("the files need {wanted_bytes} bytes, and {free_bytes} are free");
            return Err(refused(problem, "use a larger device or fewer files"));
        }
        Ok(volume)
    }

    /// Refuses a device of less than this.
    ///
    /// # Errors
    /// It is less.
    pub fn at_least(&self, bytes: u64) -> Result<(), TraceError> {
        if self.size_bytes >= bytes {
            return Ok(());
        }
        let problem = format!("the workload needs a device of at least {bytes} bytes");
        Err(bad("size", &self.size_bytes.to_string(), &problem, "use a larger one"))
    }
}

pub(crate) fn bad(key: &str, value: &str, problem: &str, remedy: &str) -> TraceError {
    TraceError::Setting {
        key: key.into(),
        value: value.into(),
        problem: problem.into(),
        remedy: if remedy.is_empty() { Remedy::GeneratorSettings } else { Remedy::Other(remedy.into()) },
    }
}
