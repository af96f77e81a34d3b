//! A pattern's settings as data: one row a key, used by the text form, TOML, the command line and the docs.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser::SerializeMap};

use super::{JobSpace, Location, Mix, Pattern, PatternError, Rw, Sizes, Turns, mix, order};
use crate::ParseError;
use crate::units::Bytes;

/// One setting of a pattern.
#[derive(Debug)]
pub struct Key {
    /// Its name: in text and TOML with `_`, on the command line with `-`.
    pub name: &'static str,
    /// What it means, with uFLIP's name for it.
    pub help: &'static str,
    /// What a value looks like.
    pub example: &'static str,
    set: fn(&mut Pattern, &str) -> Result<(), ParseError>,
    /// The value as text, or none where it is the default.
    get: fn(&Pattern) -> Option<String>,
}

impl Key {
    /// The key of that name, with `-` or `_`.
    fn find(name: &str) -> Result<&'static Key, PatternError> {
        let name = name.replace('-', "_");
        KEYS.iter().find(|key| key.name == name).ok_or_else(|| PatternError::unknown_key(&name))
    }

    /// A pattern in which the setting has an effect.
    fn place(&self) -> Pattern {
        let is_share = self.name.starts_with("rwmix");
        Pattern { mix: is_share.then(|| Mix::chance(Rw::Write, 50)), ..Pattern::default() }
    }

    fn apply(&self, pattern: &mut Pattern, value: &str) -> Result<(), PatternError> {
        (self.set)(pattern, value.trim()).map_err(|error| PatternError::new(self.name, error.to_string()))
    }
}

fn count<T: FromStr>(text: &str) -> Result<T, ParseError> {
    text.trim().parse().map_err(|_| ParseError::invalid(text, "not a count", "a whole number of 0 or more"))
}

fn unless<T: PartialEq + fmt::Display>(value: T, default: T) -> Option<String> {
    (value != default).then(|| value.to_string())
}

/// Every setting, in the order in which a pattern prints itself.
pub const KEYS: &[Key] = &[
    Key {
        name: "rw",
        help: "read, write, randread or randwrite (uFLIP: SR, SW, RR, RW); rw or randrw for reads and writes \
               by chance; trim or randtrim for discards, trimwrite or randtrimwrite to write what was \
               discarded",
        example: "randwrite",
        set: |p, text| {
            mix::set_rw(p, text)?;
            // Only where no other key chose a location function already.
            if matches!(p.location, Location::Sequential | Location::Random) {
                p.location = if p.rw.is_random() { Location::Random } else { Location::Sequential };
            }
            Ok(())
        },
        get: |p| Some(p.mixed_word().unwrap_or(p.rw.name()).into()),
    },
    Key {
        name: "rwmixread",
        help: "percentage of reads of rw=rw and rw=randrw [default: 50]",
        example: "70",
        set: |p, text| mix::set_reads(p, mix::percent(text)?),
        get: |p| p.percent_read().filter(|reads| *reads != 50).map(|reads| reads.to_string()),
    },
    Key {
        name: "rwmixwrite",
        help: "percentage of writes of rw=rw and rw=randrw, instead of rwmixread",
        example: "30",
        set: |p, text| mix::set_reads(p, 100 - mix::percent(text)?),
        // As `rwmixread`.
        get: |_| None,
    },
    Key {
        name: "bs",
        help: "IO size (uFLIP: IOSize)",
        example: "32KiB",
        set: |p, text| text.parse().map(|v| p.bs = v),
        get: |p| Some(p.bs.to_string()),
    },
    Key {
        name: "bssplit",
        help: "sizes of IOs with their percentages, at multiples of bs, which is the smallest unless given; \
               behind a comma those of writes",
        example: "4KiB/60:64KiB/40",
        set: |p, text| {
            let sizes: Sizes = text.parse()?;
            p.bs = sizes.least();
            p.sizes = Some(sizes);
            Ok(())
        },
        get: |p| p.sizes.as_ref().map(Sizes::to_string),
    },
    Key {
        name: "offset",
        help: "start of the working set (uFLIP: TargetOffset)",
        example: "1GiB",
        set: |p, text| text.parse().map(|v| p.offset = v),
        get: |p| unless(p.offset, Bytes(0)),
    },
    Key {
        name: "size",
        help: "size of the working set (uFLIP: TargetSize); default: the whole target",
        example: "64MiB",
        set: |p, text| match text.parse()? {
            Bytes(0) => {
                Err(ParseError::invalid(text, "empty", "more than 0, or leave it out for the whole target"))
            }
            size => {
                p.size = size;
                Ok(())
            }
        },
        get: |p| unless(p.size, Bytes(0)),
    },
    Key {
        name: "shift",
        help: "offset from alignment, added to every address (uFLIP: IOShift)",
        example: "512",
        set: |p, text| text.parse().map(|v| p.shift = v),
        get: |p| unless(p.shift, Bytes(0)),
    },
    Key {
        name: "stride",
        help: "stride in IOs (uFLIP: Incr): -1 for descending addresses, 0 to rewrite one address",
        example: "-1",
        set: |p, text| {
            let stride = text.trim().parse::<i64>();
            let stride = stride.map_err(|_| {
                ParseError::invalid(text, "not a stride", "a whole number, such as -1, 0 or 8")
            })?;
            p.location = Location::Ordered { stride };
            Ok(())
        },
        get: |p| match p.location {
            Location::Ordered { stride } => Some(stride.to_string()),
            _ => None,
        },
    },
    Key {
        name: "partitions",
        help: "concurrent sequential streams, round robin (uFLIP: Partitions)",
        example: "4",
        set: |p, text| count(text).map(|partitions| p.location = Location::Partitioned { partitions }),
        get: |p| match p.location {
            Location::Partitioned { partitions } => Some(partitions.to_string()),
            _ => None,
        },
    },
    Key {
        name: "gap",
        help: "skip this many bytes after each IO; random:SIZE skips them with probability 1/2; SIZE/ZONE \
               after every ZONE bytes",
        example: "random:64KiB",
        set: order::set_gap,
        get: order::gap_of,
    },
    Key {
        name: "random",
        help: "order: draws, permutation, repeated, zipf:THETA, hot:SPACE:IOS, zones:IOS/SPACE:IOS/SPACE \
               (percent), streams:COUNT[:THETA] (sequential each, the next one drawn), \
               levels:COUNT:FANOUT:SEGMENT (a log-structured engine: writes and discards), \
               sequence:SLOT,SLOT[:strided]",
        example: "permutation",
        set: order::set_random,
        get: order::random_of,
    },
    Key {
        name: "mix",
        help: "RW:RATIO mixes in a second pattern, one IO after every RATIO of the first, in the other half \
               of the space (uFLIP: Ratio); RW:SHARE%, such as randtrim:20%, by chance in the same space",
        example: "randwrite:4",
        set: mix::set_mix,
        get: |p| match (p.mix, p.mixed_word()) {
            (Some(Mix { rw, turns: Turns::Ratio(ratio) }), _) => Some(format!("{rw}:{ratio}")),
            (Some(Mix { rw, turns: Turns::Chance(percent) }), None) => Some(format!("{rw}:{percent}%")),
            _ => None,
        },
    },
    Key {
        name: "numjobs",
        help: "parallel processes, each with its own part of the space (uFLIP: ParallelDegree) and, on real \
               targets, its own thread",
        example: "4",
        set: |p, text| count(text).map(|v| p.numjobs = v),
        get: |p| unless(p.numjobs, 1),
    },
    Key {
        name: "job_space",
        help: "space of each process: parts (uFLIP), shared (fio), or SIZE behind the one before it, with \
               size bytes each, or up to the end of the target with SIZE:end",
        example: "shared",
        set: |p, text| text.parse().map(|v| p.job_space = v),
        get: |p| unless(p.job_space, JobSpace::Parts),
    },
    Key {
        name: "iodepth",
        help: "queue depth of each process",
        example: "32",
        set: |p, text| count(text).map(|v| p.iodepth = v),
        get: |p| unless(p.iodepth, 1),
    },
    Key {
        name: "thinktime",
        help: "idle time between IOs (uFLIP: Pause)",
        example: "100us",
        set: |p, text| text.parse().map(|v| p.thinktime = v),
        get: |p| unless(p.thinktime, crate::Nanos::ZERO),
    },
    Key {
        name: "thinktime_blocks",
        help: "IOs between two idle times (uFLIP: Burst)",
        example: "10",
        set: |p, text| count(text).map(|v| p.thinktime_blocks = v),
        get: |p| unless(p.thinktime_blocks, 1),
    },
    Key {
        name: "rate_iops",
        help: "open loop: arrivals a second, whether or not the target keeps up; READ,WRITE are rates of \
               their own, which decide over rwmixread",
        example: "5000",
        set: |p, text| text.parse().map(|rate| p.rate_iops = Some(rate)),
        get: |p| p.rate_iops.map(|rate| rate.to_string()),
    },
    Key {
        name: "arrivals",
        help: "distribution of open-loop arrivals: fixed or poisson",
        example: "poisson",
        set: |p, text| text.parse().map(|v| p.arrivals = v),
        get: |p| unless(p.arrivals, crate::Arrivals::Fixed),
    },
    Key {
        name: "sync",
        help: "dsync: each write is durable when it is acknowledged; none",
        example: "dsync",
        set: |p, text| match text {
            "dsync" | "none" => {
                p.is_dsync = text == "dsync";
                Ok(())
            }
            _ => Err(ParseError::unknown("sync", text, ["dsync", "none"])),
        },
        get: |p| p.is_dsync.then(|| "dsync".into()),
    },
    Key {
        name: "atomic",
        help: "1: each write is stored as a whole or not at all, whatever happens (Linux' RWF_ATOMIC)",
        example: "1",
        set: |p, text| match text {
            "0" | "1" => {
                p.is_atomic = text == "1";
                Ok(())
            }
            _ => Err(ParseError::unknown("value", text, ["0", "1"])),
        },
        get: |p| p.is_atomic.then(|| "1".into()),
    },
    Key {
        name: "priority",
        help: "share of the IOs with an IO priority of their own, its class (1 real time, 2 best effort, 3 \
               idle) and level (0 to 7); read:, write: and @SIZE: before it choose some, and commas separate",
        example: "20%/1/0",
        set: |p, text| text.parse().map(|v| p.priorities = Some(v)),
        get: |p| p.priorities.as_ref().map(ToString::to_string),
    },
    Key {
        name: "placement",
        help: "placement handle of writes: a number, job, or part (stream, zone, ..)",
        example: "3",
        set: |p, text| text.parse().map(|v| p.placement = Some(v)),
        get: |p| p.placement.map(|v| v.to_string()),
    },
    Key {
        name: "fsync",
        help: "flush after this many IOs; the flush counts as an IO",
        example: "1",
        set: |p, text| count(text).map(|v| p.fsync = Some(v)),
        get: |p| p.fsync.map(|v| v.to_string()),
    },
    Key {
        name: "number_ios",
        help: "stop each process after this many IOs (uFLIP: IOCount)",
        example: "1024",
        set: |p, text| count(text).map(|v| p.number_ios = Some(v)),
        get: |p| p.number_ios.map(|v| v.to_string()),
    },
    Key {
        name: "ignore_ios",
        help: "minimum warm-up: IOs at the start excluded from every summary (uFLIP: IOIgnore)",
        example: "128",
        set: |p, text| count(text).map(|v| p.ignore_ios = v),
        get: |p| unless(p.ignore_ios, 0),
    },
];

impl FromStr for Rw {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Rw, ParseError> {
        let found = Rw::EVERY.into_iter().find(|rw| [rw.name(), rw.short_name()].contains(&text));
        let known = || Rw::EVERY.map(Rw::name).into_iter().chain(mix::words()).collect::<Vec<_>>();
        found.ok_or_else(|| ParseError::unknown("pattern", text, known()))
    }
}

impl Pattern {
    /// Sets one key from text. A key that chooses a location function overrides `rw`'s default, so `rw` comes
    /// before `random=draws`; [`Pattern::set_all`] sees to that itself.
    ///
    /// # Errors
    /// An unknown key (the message lists the known ones) or a value that the key cannot take.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), PatternError> {
        Key::find(name)?.apply(self, value)
    }

    /// The settings that differ from the default, in a fixed order.
    pub fn settings(&self) -> impl Iterator<Item = (&'static str, String)> + '_ {
        KEYS.iter().filter_map(|key| Some((key.name, (key.get)(self)?)))
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, value)) in self.settings().enumerate() {
            write!(f, "{}{name}={value}", if i > 0 { " " } else { "" })?;
        }
        Ok(())
    }
}

impl FromStr for Pattern {
    type Err = PatternError;

    /// Reads `key=value` words in any order.
    fn from_str(text: &str) -> Result<Pattern, PatternError> {
        let mut pattern = Pattern::default();
        let words: Vec<_> = text.split_whitespace().collect();
        let mut pairs = Vec::with_capacity(words.len());
        for word in &words {
            let pair = word.split_once('=');
            pairs.push(
                pair.ok_or_else(|| PatternError::new(word, "is not a setting; write key=value".into()))?,
            );
        }
        pattern.set_all(pairs.into_iter().map(|(name, value)| (name, value.to_string())))?;
        Ok(pattern)
    }
}

impl Pattern {
    /// Sets several keys.
    ///
    /// # Errors
    /// As [`Pattern::set`]; a key twice; two keys that both choose the location function.
    pub fn set_all<'a>(
        &mut self,
        pairs: impl Iterator<Item = (&'a str, String)>,
    ) -> Result<(), PatternError> {
        /// Of each row one alone, and what the row chooses.
        const EXCLUSIVE: [(&[&str], &str); 2] = [
            (&["stride", "partitions", "gap", "random"], "the addresses"),
            (&["rwmixread", "rwmixwrite"], "the share of reads"),
        ];
        let mut seen: Vec<(&Key, String)> = Vec::new();
        for (name, value) in pairs {
            let key = Key::find(name)?;
            if seen.iter().any(|(other, _)| other.name == key.name) {
                return Err(PatternError::new(key.name, "is set twice; write it once".into()));
            }
            let row = EXCLUSIVE.iter().find(|(names, _)| names.contains(&key.name));
            if let Some((names, what)) = row
                && let Some((other, _)) = seen.iter().find(|(other, _)| names.contains(&other.name))
            {
                let problem = format!("excludes {}: both choose {what}; give one of them", other.name);
                return Err(PatternError::new(key.name, problem));
            }
            seen.push((key, value));
        }
        // These first: they set defaults that another key may override.
        let order = |name: &str| ["rw", "bssplit"].iter().position(|first| *first == name).unwrap_or(2);
        seen.sort_by_key(|(key, _)| order(key.name));
        seen.iter().try_for_each(|(key, value)| key.apply(self, value))
    }
}

impl Serialize for Pattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let settings: Vec<_> = self.settings().collect();
        let mut map = serializer.serialize_map(Some(settings.len()))?;
        for (name, value) in settings {
            map.serialize_entry(name, &value)?;
        }
        map.end()
    }
}

/// A TOML value of a setting: a text, or a bare number or boolean meaning the same text.
struct Setting(String);

impl<'de> Deserialize<'de> for Setting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Setting, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Setting;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a text or a number")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Setting, E> {
                Ok(Setting(text.into()))
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Setting, E> {
                Ok(Setting(number.to_string()))
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Setting, E> {
                Ok(Setting(number.to_string()))
            }
            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Setting, E> {
                Ok(Setting(number.to_string()))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// The name of a setting.
struct Name(&'static Key);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Name, D::Error> {
        let name = String::deserialize(deserializer)?;
        Key::find(&name).map(Name).map_err(de::Error::custom)
    }
}

/// Reads a value that this key can take.
struct ValueOf(&'static Key);

impl<'de> de::DeserializeSeed<'de> for ValueOf {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        let Setting(value) = Setting::deserialize(deserializer)?;
        self.0.apply(&mut self.0.place(), &value).map_err(de::Error::custom)?;
        Ok(value)
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Pattern, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Pattern;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a table of pattern settings")
            }
            fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Pattern, A::Error> {
                let mut pairs = Vec::new();
                // Names and values are refused by their own readers: the error points at their line.
                while let Some(Name(key)) = map.next_key()? {
                    pairs.push((key.name, map.next_value_seed(ValueOf(key))?));
                }
                let mut pattern = Pattern::default();
                pattern.set_all(pairs.into_iter()).map_err(de::Error::custom)?;
                Ok(pattern)
            }
        }
        deserializer.deserialize_map(Visitor)
    }
}
