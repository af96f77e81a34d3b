//! Numbers as fio reads them.

/// Bytes. With `kb_base` 1024, which is fio's default, `4k` and `4kB` are 4096 and `4KiB` is 4000; with 1000
/// it is the other way round.
///
/// # Errors
/// It is none; the text says what to write.
pub fn bytes(text: &str, kb_base: u64) -> Result<u64, String> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: u64 = text[..end].parse().map_err(|_| format!("'{text}' is not a size; write 4096 or 4k"))?;
    let unit = text[end..].to_ascii_lowercase();
    let (letter, base) = match (unit.strip_suffix("ib"), kb_base) {
        (Some(letter), 1000) => (letter.to_string(), 1024),
        (Some(letter), _) => (letter.to_string(), 1000),
        (None, base) => (unit.strip_suffix('b').unwrap_or(&unit).to_string(), base),
    };
    let power = ["", "k", "m", "g", "t"].iter().position(|known| *known == letter);
    let power = power.ok_or_else(|| format!("'{text}' has an unknown unit; write k, m, g or t"))?;
    let factor = (0..power).try_fold(1u64, |factor, _| factor.checked_mul(base));
    factor.and_then(|factor| number.checked_mul(factor)).ok_or_else(|| format!("'{text}' is too large"))
}

/// A span of time in ns; a bare number is in `unit_ns`.
///
/// # Errors
/// It is none; the text says what to write.
pub fn nanos(text: &str, unit_ns: u64) -> Result<u64, String> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: u64 =
        text[..end].parse().map_err(|_| format!("'{text}' is not a time; write 10s or 500us"))?;
    let factor = match text[end..].to_ascii_lowercase().as_str() {
        "" => unit_ns,
        "us" | "usec" => 1_000,
        "ms" | "msec" => 1_000_000,
        "s" | "sec" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        "d" => 86_400_000_000_000,
        unit => return Err(format!("unknown unit '{unit}'; write us, ms, s, m, h or d")),
    };
    number.checked_mul(factor).ok_or_else(|| format!("'{text}' is too large"))
}

/// A whole number.
///
/// # Errors
/// It is none; the text says what to write.
pub fn count(text: &str) -> Result<u64, String> {
    text.trim().parse().map_err(|_| format!("'{text}' is not a whole number"))
}

/// Numbers and ranges of them, as of processors: `0,2-3`.
///
/// # Errors
/// It is none; the text says what to write.
pub fn list(text: &str) -> Result<String, String> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_part =
        |part: &str| part.split_once('-').map_or(is_number(part), |(a, b)| is_number(a) && is_number(b));
    let is_list = text.split(',').all(is_part);
    is_list.then(|| text.into()).ok_or_else(|| "is no list of numbers; write 0,2-3, for example".into())
}

/// Values of reads, writes and trims: one for all, or `READ,WRITE,TRIM`, where trims have the writes' if
/// there are two and an empty one is `default`.
///
/// # Errors
/// One of them is none, or there are more; the text says what to write.
pub fn directions<T: Copy>(
    text: &str,
    default: T,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<[T; 3], String> {
    if !text.contains(',') {
        return read(text).map(|all| [all; 3]);
    }
    let part = |part: &str| if part.is_empty() { Ok(default) } else { read(part) };
    match text.split(',').map(part).collect::<Result<Vec<T>, _>>()?[..] {
        [reads, writes] => Ok([reads, writes, writes]),
        [reads, writes, trims] => Ok([reads, writes, trims]),
        _ => Err("has more than three values; write READ,WRITE,TRIM".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of fio 3.33: `fio --bs=... --number_ios=1` and its `io_bytes`.
    #[test]
    fn sizes_are_fios() {
        for (text, expected) in [("4k", 4096), ("4K", 4096), ("4kB", 4096), ("4KiB", 4000), ("2m", 2 << 20)] {
            assert_eq!(bytes(text, 1024), Ok(expected), "{text}");
        }
        assert_eq!((bytes("4kB", 1000), bytes("4KiB", 1000)), (Ok(4000), Ok(4096)));
        assert!(bytes("4x", 1024).is_err() && bytes("", 1024).is_err() && bytes("99999999t", 1024).is_err());
    }

    #[test]
    fn times_are_fios() {
        assert_eq!((nanos("10", 1_000_000_000), nanos("2m", 1)), (Ok(10_000_000_000), Ok(120_000_000_000)));
        assert_eq!(nanos("500us", 1_000_000_000), Ok(500_000));
        assert!(nanos("soon", 1).is_err());
    }

    #[test]
    fn directions_are_fios() {
        for (text, expected) in
            [("5", [5, 5, 5]), ("5,", [5, 0, 0]), (",5", [0, 5, 5]), ("5,6,7", [5, 6, 7]), (",5,", [0, 5, 0])]
        {
            assert_eq!(directions(text, 0, count), Ok(expected), "{text}");
        }
        assert!(directions("1,2,3,4", 0, count).is_err() && directions("", 0, count).is_err());
    }
}
