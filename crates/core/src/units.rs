//! Sizes and shares as a person writes them, and counts added up. Spans of time are in [`crate::time`].

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::ParseError;

impl ParseError {
    pub(crate) fn no_unit(text: &str) -> ParseError {
        ParseError::invalid(text, "a time without a unit", format!("{text}us, {text}ms or {text}s"))
    }

    pub(crate) fn unknown_unit(text: &str, unit: &str, known: &str) -> ParseError {
        ParseError::invalid(text, format!("in the unknown unit '{unit}'"), format!("one of: {known}"))
    }

    pub(crate) fn too_large(text: &str) -> ParseError {
        ParseError::invalid(text, "too large", "a smaller one")
    }
}

/// Splits `1.5 MiB` into its non-negative number and its unit.
pub(crate) fn split_number<'a>(text: &'a str, expected: &str) -> Result<(f64, &'a str), ParseError> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number = text[..end].parse::<f64>();
    let problem = if text.starts_with('-') { "negative" } else { "not a number with a unit" };
    let number = number.map_err(|_| ParseError::invalid(text, problem, expected))?;
    Ok((number, text[end..].trim()))
}

/// A size or an offset in bytes. A bare number is bytes; `k m g t` and `KiB MiB GiB TiB` are powers of 1024,
/// `kB MB GB TB` powers of 1000.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

const BINARY: [(&str, u64); 4] = [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];

fn byte_unit(unit: &str) -> Option<u64> {
    Some(match unit {
        "" | "B" => 1,
        "kB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "TB" => 1_000_000_000_000,
        _ => match unit.to_ascii_lowercase().as_str() {
            "k" | "kib" => 1 << 10,
            "m" | "mib" => 1 << 20,
            "g" | "gib" => 1 << 30,
            "t" | "tib" => 1 << 40,
            _ => return None,
        },
    })
}

impl fmt::Display for Bytes {
    /// Exact: the largest binary unit of which the size is a whole multiple, so that it reads back unchanged.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = BINARY.iter().find(|(_, size)| self.0 != 0 && self.0.is_multiple_of(*size));
        match unit {
            Some((name, size)) => write!(f, "{}{name}", self.0 / size),
            None => write!(f, "{}B", self.0),
        }
    }
}

impl FromStr for Bytes {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Bytes, ParseError> {
        let (number, unit) = split_number(text, "a size, such as 4096, 32KiB or 1.5g")?;
        let size = byte_unit(unit)
            .ok_or_else(|| ParseError::unknown_unit(text, unit, "k m g t, KiB MiB GiB TiB, kB MB GB TB"))?;
        let bytes = number * size as f64;
        if bytes > (1u64 << 62) as f64 {
            return Err(ParseError::too_large(text));
        }
        if bytes.fract() != 0.0 {
            return Err(ParseError::invalid(text, "not a whole number of bytes", "a multiple of one byte"));
        }
        // A plain integer beyond 2^53 would lose bits on its way through a float.
        let text = text.trim();
        let exact = text.strip_suffix('B').unwrap_or(text).trim_end().parse::<u64>();
        Ok(Bytes(exact.unwrap_or(bytes as u64)))
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

struct BytesVisitor;

impl de::Visitor<'_> for BytesVisitor {
    type Value = Bytes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a size: a number of bytes, or a text such as \"32KiB\"")
    }

    fn visit_i64<E: de::Error>(self, bytes: i64) -> Result<Bytes, E> {
        u64::try_from(bytes).map(Bytes).map_err(|_| E::custom(format!("the size {bytes} is negative")))
    }

    fn visit_u64<E: de::Error>(self, bytes: u64) -> Result<Bytes, E> {
        Ok(Bytes(bytes))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Bytes, E> {
        text.parse().map_err(E::custom)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        deserializer.deserialize_any(BytesVisitor)
    }
}

/// A share between 0 and 1, written `5%` or `0.05`; a number above 1 is in per cent, as in `5`.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Share(pub f64);

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl FromStr for Share {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Share, ParseError> {
        let (number, unit) = split_number(text, "a share, such as 5% or 0.05")?;
        let share = match unit {
            "%" => number / 100.0,
            "" if number > 1.0 => number / 100.0,
            "" => number,
            _ => return Err(ParseError::unknown_unit(text, unit, "%")),
        };
        if share > 1.0 {
            return Err(ParseError::invalid(text, "more than the whole", "a share from 0% to 100%"));
        }
        Ok(Share(share))
    }
}

impl Serialize for Share {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

struct ShareVisitor;

impl de::Visitor<'_> for ShareVisitor {
    type Value = Share;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a share: a number from 0 to 1, or a text such as \"5%\"")
    }

    fn visit_f64<E: de::Error>(self, share: f64) -> Result<Share, E> {
        self.visit_str(&share.to_string())
    }

    fn visit_i64<E: de::Error>(self, share: i64) -> Result<Share, E> {
        self.visit_str(&share.to_string())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Share, E> {
        text.parse().map_err(E::custom)
    }
}

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Share, D::Error> {
        deserializer.deserialize_any(ShareVisitor)
    }
}

/// The sum of counts read from a file, where one may be damaged or made up: no larger than the largest count.
pub fn total(counts: impl IntoIterator<Item = u64>) -> u64 {
    counts.into_iter().fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_and_decimal_units_are_kept_apart() {
        let size = |text: &str| text.parse::<Bytes>().map(|b| b.0);
        assert_eq!(size("4096"), Ok(4096));
        assert_eq!(size("32k"), Ok(32 << 10));
        assert_eq!(size("1.5 MiB"), Ok(3 << 19));
        assert_eq!(size("1G"), Ok(1 << 30));
        assert_eq!(size("1GB"), Ok(1_000_000_000));
        assert_eq!(size("18014398509481985"), Ok(18_014_398_509_481_985));
    }

    #[test]
    fn a_bad_size_says_what_is_wrong_and_what_to_write() {
        let message = |text: &str| text.parse::<Bytes>().unwrap_err().to_string();
        assert!(message("-4k").contains("negative"));
        assert!(message("4 kilos").contains("KiB"));
        assert!(message("0.3").contains("whole number"));
        assert!(message("").contains("32KiB"));
        assert!("9999999T".parse::<Bytes>().is_err());
    }

    #[test]
    fn printed_sizes_read_back_unchanged() {
        for bytes in [0, 1, 511, 512, 1024, 32 << 10, 3 << 19, 1 << 30, (1 << 30) + 512] {
            assert_eq!(Bytes(bytes).to_string().parse(), Ok(Bytes(bytes)));
        }
    }

    #[test]
    fn shares_are_between_nothing_and_the_whole() {
        assert_eq!("5%".parse(), Ok(Share(0.05)));
        assert_eq!("0.5".parse(), Ok(Share(0.5)));
        assert_eq!("5".parse(), Ok(Share(0.05)), "what is above the whole is in per cent");
        assert!("130".parse::<Share>().is_err() && "130%".parse::<Share>().is_err());
    }
}
