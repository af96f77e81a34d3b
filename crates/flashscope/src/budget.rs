//! `--budget`: the longest that something may take, the most that it may write, or both.

use std::str::FromStr;

use flashscope_core::{Bytes, Nanos, ParseError};

use crate::exit::{Usage, not_zero};

/// One of several budgets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// It ends after this long.
    Time(Nanos),
    /// It writes so many bytes at most.
    Written(Bytes),
}

impl FromStr for Budget {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Budget, ParseError> {
        if let Ok(time) = text.parse() {
            return Ok(Budget::Time(time));
        }
        // `10m` is a time, so that `10g` had better say what it is.
        match text.parse() {
            Ok(bytes) if text.trim_end().ends_with('B') => Ok(Budget::Written(bytes)),
            _ => {
                let allowed = "a time, such as 10min, or a size with its unit, such as 10GiB";
                Err(ParseError::invalid(text, "neither a time nor a size of bytes written", allowed))
            }
        }
    }
}

/// The time and the bytes, each given once at most.
pub fn budgets(given: &[Budget]) -> Result<(Option<Nanos>, Option<Bytes>), Usage> {
    let (mut time, mut bytes) = (None, None);
    for budget in given {
        let before = match budget {
            Budget::Time(span) => time.replace(*span).is_some(),
            Budget::Written(written) => bytes.replace(*written).is_some(),
        };
        if before {
            return Err(Usage("--budget takes one time and one size".into()));
        }
    }
    not_zero("--budget", time)?;
    not_zero("--budget", bytes)?;
    Ok((time, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_a_time_or_a_size_with_its_whole_unit() {
        assert_eq!("10min".parse(), Ok(Budget::Time(Nanos::from_s(600))));
        assert_eq!("1.5GiB".parse(), Ok(Budget::Written(Bytes(3 << 29))));
        assert_eq!("10 GB".parse(), Ok(Budget::Written(Bytes(10_000_000_000))));
        for text in ["10g", "4096", "GiB", "1d", "-1h", "-5GiB"] {
            let error = text.parse::<Budget>().unwrap_err().to_string();
            assert!(error.contains("10min") && error.contains("10GiB"), "{error}");
        }
    }

    #[test]
    fn there_is_one_budget_of_each_kind() {
        let (hour, gib) = (Budget::Time(Nanos::from_s(3600)), Budget::Written(Bytes(1 << 30)));
        let both = budgets(&[gib, hour]).unwrap();
        assert_eq!(both, (Some(Nanos::from_s(3600)), Some(Bytes(1 << 30))));
        assert!(budgets(&[hour, hour]).is_err() && budgets(&[gib, gib]).is_err());
        assert!(budgets(&[Budget::Time(Nanos::ZERO)]).is_err());
        assert!(budgets(&[Budget::Written(Bytes(0))]).is_err());
    }
}
