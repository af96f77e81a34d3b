//! Numbers and fields out of bytes, without allocation.

use std::fmt;

use crate::record::Record;

/// Why a line or entry is bad: "the time is not a number of ms".
pub type Problem = &'static str;

/// What is left of a line.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a>(pub(crate) &'a [u8]);

impl<'a> Fields<'a> {
    /// Leaves out blanks and tabs.
    #[inline(always)]
    pub(crate) fn skip_blanks(&mut self) {
        while let [b' ' | b'\t', rest @ ..] = self.0 {
            self.0 = rest;
        }
    }

    /// Takes `expected` if it is next.
    #[inline]
    pub(crate) fn eat(&mut self, expected: u8) -> bool {
        match self.0.split_first() {
            Some((&c, rest)) if c == expected => {
                self.0 = rest;
                true
            }
            _ => false,
        }
    }

    /// Everything up to `end`, which is taken too; `None` if there is none.
    #[inline]
    pub(crate) fn until(&mut self, end: u8) -> Option<&'a [u8]> {
        let length = self.0.iter().position(|&c| c == end)?;
        let (field, rest) = self.0.split_at(length);
        self.0 = &rest[1..];
        Some(field)
    }

    /// Everything up to `end`, which is left, or up to the line's end.
    #[inline]
    pub(crate) fn skip_to(&mut self, end: u8) -> &'a [u8] {
        let length = self.0.iter().position(|&c| c == end).unwrap_or(self.0.len());
        let (field, rest) = self.0.split_at(length);
        self.0 = rest;
        field
    }

    /// Takes the comma behind a field; behind the last one there must be nothing.
    #[inline(always)]
    pub(crate) fn ends_field(&mut self, is_last: bool) -> bool {
        if is_last { self.0.is_empty() } else { self.eat(b',') }
    }

    /// A decimal number, `None` if there is none or it does not fit 64 bits.
    #[inline(always)]
    pub(crate) fn number(&mut self) -> Option<u64> {
        let (value, length) = digits(self.0, 19);
        self.0 = &self.0[length..];
        match self.0.first() {
            // 19 digits always fit; a longer number is rare and takes the careful way.
            Some(c) if length == 19 && c.is_ascii_digit() => self.long_number(value),
            _ => (length > 0).then_some(value),
        }
    }

    #[cold]
    fn long_number(&mut self, mut value: u64) -> Option<u64> {
        while let Some((&c, rest)) = self.0.split_first()
            && c.is_ascii_digit()
        {
            value = value.checked_mul(10)?.checked_add(u64::from(c - b'0'))?;
            self.0 = rest;
        }
        Some(value)
    }

    /// A number and the `end` behind it.
    #[inline(always)]
    pub(crate) fn number_to(&mut self, end: u8) -> Option<u64> {
        let value = self.number()?;
        self.eat(end).then_some(value)
    }

    /// The last number: nothing is left behind it.
    #[inline(always)]
    pub(crate) fn last_number(&mut self) -> Option<u64> {
        self.number().filter(|_| self.0.is_empty())
    }

    /// A decimal number and the `end` behind it, as it stands there.
    #[inline(always)]
    pub(crate) fn digits_to(&mut self, end: u8) -> Option<&'a [u8]> {
        let whole = self.0;
        self.number_to(end)?;
        Some(&whole[..whole.len() - self.0.len() - 1])
    }

    /// The next word and the blanks around it; empty at the end.
    #[inline(always)]
    pub(crate) fn word(&mut self) -> &'a [u8] {
        self.skip_blanks();
        let length = self.0.iter().take_while(|&&c| c != b' ' && c != b'\t').count();
        let (word, rest) = self.0.split_at(length);
        self.0 = rest;
        self.skip_blanks();
        word
    }

    /// What `take` takes, if a blank or the end is behind it, and the blanks behind it.
    #[inline(always)]
    pub(crate) fn word_of<T>(&mut self, take: impl Fn(&mut Self) -> Option<T>) -> Option<T> {
        let value = take(self)?;
        if !matches!(self.0.first(), None | Some(b' ' | b'\t')) {
            return None;
        }
        self.skip_blanks();
        Some(value)
    }

    /// Whether a word ends here; takes the blanks behind it.
    #[inline(always)]
    pub(crate) fn ends_word(&mut self) -> bool {
        match self.0 {
            [] => true,
            [b' ' | b'\t', rest @ ..] => {
                self.0 = rest;
                self.skip_blanks();
                true
            }
            _ => false,
        }
    }

    /// Seconds with or without a fraction, as nanoseconds; digits below one nanosecond are cut.
    #[inline(always)]
    pub(crate) fn seconds_ns(&mut self) -> Option<u64> {
        self.decimal_ns(9)
    }

    /// A time with or without a fraction, in units of 10^`places` ns (9: seconds, 6: ms, 3: us, 0: ns), as
    /// nanoseconds; digits below one nanosecond are cut.
    #[inline(always)]
    pub(crate) fn decimal_ns(&mut self, places: usize) -> Option<u64> {
        let whole_ns = self.number()?.checked_mul(POWERS[places])?;
        if !self.eat(b'.') {
            return Some(whole_ns);
        }
        let (fraction_ns, kept) = digits(self.0, places);
        let below = self.0[kept..].iter().take_while(|c| c.is_ascii_digit()).count();
        self.0 = &self.0[kept + below..];
        whole_ns.checked_add(fraction_ns * POWERS[places - kept]).filter(|_| kept + below > 0)
    }
}

/// The number that the first digits make, at most `most` (19 fit), and how many digits it has.
#[inline(always)]
fn digits(text: &[u8], most: usize) -> (u64, usize) {
    let (mut value, mut length) = match text.first_chunk() {
        Some(eight) => eight_digits(*eight, most),
        None => (0, 0),
    };
    if length == 8 || text.len() < 8 {
        for &c in text[length..].iter().take(most - length) {
            let digit = c.wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            value = value * 10 + u64::from(digit);
            length += 1;
        }
    }
    (value, length)
}

/// The same of eight bytes, all at once: most fields are shorter, and of a length that no branch foresees.
#[inline(always)]
fn eight_digits(eight: [u8; 8], most: usize) -> (u64, usize) {
    const ALL: u64 = 0x0101_0101_0101_0101;
    // The first character is the lowest byte; digits become 0 to 9.
    let bytes = u64::from_le_bytes(eight) ^ (ALL * 0x30);
    // The highest bit of each byte that is more. A carry only reaches those behind it.
    let others = (bytes.wrapping_add(ALL * 0x76) | bytes) & (ALL * 0x80);
    let length = (others.trailing_zeros() as usize / 8).min(most);
    if length == 0 {
        return (0, 0);
    }
    // Zeros in front. Then pairs, fours and eights of digits: ten times one, and the other.
    let digits = bytes << (64 - 8 * length);
    let pairs = (digits.wrapping_mul(10 << 8 | 1) >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100 << 16 | 1) >> 16) & 0x0000_ffff_0000_ffff;
    (fours.wrapping_mul(10_000 << 32 | 1) >> 32, length)
}

const POWERS: [u64; 10] =
    [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000];

/// A range in 512-byte sectors as bytes: offset and length.
#[inline]
pub(crate) fn sectors(first: u64, count: u64) -> Result<(u64, u64), Problem> {
    let range = || {
        let (offset, length) = (first.checked_mul(512)?, count.checked_mul(512)?);
        offset.checked_add(length)?;
        Some((offset, length))
    };
    range().ok_or("the range does not fit 64 bits")
}

/// A range in bytes: offset and length, which is not zero and ends within 64 bits.
#[inline]
pub(crate) fn bytes(offset: u64, length: u64) -> Result<(u64, u64), Problem> {
    if length == 0 {
        return Err("the length is zero");
    }
    let end = offset.checked_add(length);
    end.map(|_| (offset, length)).ok_or("the range does not fit 64 bits")
}

/// A range in 512-byte sectors as bytes, which is not empty.
#[inline]
pub(crate) fn some_sectors(first: u64, count: u64) -> Result<(u64, u64), Problem> {
    if count == 0 { Err("the length is zero") } else { sectors(first, count) }
}

/// Refuses what is no device as the kernel names them: `major,minor`.
#[inline(always)]
pub(crate) fn check_device(device: &[u8]) -> Result<(), Problem> {
    let mut fields = Fields(device);
    let is_device = fields.number_to(b',').is_some() && fields.number().is_some();
    if is_device && fields.0.is_empty() { Ok(()) } else { Err("the device is not major,minor") }
}

/// The range of a record in 512-byte sectors, first and number; none if it is not whole sectors.
#[inline]
pub(crate) fn whole_sectors(record: &Record) -> Option<(u64, u64)> {
    let Record { offset_bytes, length_bytes, .. } = *record;
    (offset_bytes | length_bytes).is_multiple_of(512).then_some((offset_bytes / 512, length_bytes / 512))
}

/// Nanoseconds, shown as seconds with all nine digits.
pub(crate) struct Seconds(pub(crate) u64);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:09}", self.0 / 1_000_000_000, self.0 % 1_000_000_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_up_to_the_last_that_fits() {
        let number = |text: &str| Fields(text.as_bytes()).number();
        assert_eq!(number("0"), Some(0));
        assert_eq!(number("007x"), Some(7));
        assert_eq!(number("18446744073709551615 "), Some(u64::MAX));
        assert_eq!(number("00018446744073709551615"), Some(u64::MAX));
        for bad in ["", "-1", "+1", " 1", "18446744073709551616", "99999999999999999999999"] {
            assert_eq!(number(bad), None, "{bad}");
        }
    }

    #[test]
    fn seconds_are_exact_to_the_nanosecond() {
        let seconds = |text: &str| Fields(text.as_bytes()).seconds_ns();
        assert_eq!(seconds("1746.135525:"), Some(1_746_135_525_000));
        assert_eq!(seconds("0.000000001"), Some(1));
        assert_eq!(seconds("0.0000000019"), Some(1));
        assert_eq!(seconds("3599.890074831"), Some(3_599_890_074_831));
        assert_eq!(seconds("7"), Some(7_000_000_000));
        assert_eq!(seconds("18446744073.709551615"), Some(u64::MAX));
        for bad in [".5", "1.", "18446744073.709551616", "18446744074", "-1.0", "nan"] {
            assert_eq!(seconds(bad), None, "{bad}");
        }
    }

    #[test]
    fn times_in_all_units_are_exact() {
        let time = |text: &str, places| Fields(text.as_bytes()).decimal_ns(places);
        assert_eq!(time("7.25", 6), Some(7_250_000));
        assert_eq!(time("7.0000019", 6), Some(7_000_001));
        assert_eq!(time("18446744073709551.615", 3), Some(u64::MAX));
        assert_eq!(time("18446744073709551.616", 3), None);
        assert_eq!(time("12.9", 0), Some(12));
        assert_eq!(time("12.", 0), None);
        assert_eq!(time("18446744073709551615", 0), Some(u64::MAX));
    }

    #[test]
    fn digits_are_those_of_the_slow_way() {
        let slow = |text: &[u8], most: usize| {
            let length = text.iter().take(most).take_while(|c| c.is_ascii_digit()).count();
            let number = std::str::from_utf8(&text[..length]).unwrap();
            (number.parse().unwrap_or(0), length)
        };
        let numbers =
            ["", "0", "7", "42", "999", "0001", "12345", "999999", "1234567", "00000000", "99999999"];
        let longer =
            ["123456789", "9999999999999999", "12345678901234567", "9999999999999999999", "007007007"];
        for number in numbers.iter().chain(&longer) {
            // Every byte behind it, and what a carry could spoil.
            for behind in (0..=255).filter(|c: &u8| !c.is_ascii_digit()) {
                for tail in [&b""[..], b"0", b"9999999", b"\xff\x39\xff\x30\xb0\xb9\x3a\x2f", b"12345678"] {
                    let text = [number.as_bytes(), &[behind], tail].concat();
                    for most in [0, 3, 6, 7, 8, 9, 19] {
                        assert_eq!(digits(&text, most), slow(&text, most), "{text:?}, {most}");
                    }
                }
            }
            assert_eq!(digits(number.as_bytes(), 19), slow(number.as_bytes(), 19));
        }
    }

    #[test]
    fn words_end_at_blanks() {
        let mut fields = Fields(b"12\t ab 3x");
        assert_eq!(fields.word_of(Fields::number), Some(12));
        assert_eq!(fields.word(), b"ab");
        assert_eq!(fields.word_of(Fields::number), None);
        assert_eq!(Fields(b"").word(), b"");
    }

    #[test]
    fn ranges_end_within_64_bits() {
        assert_eq!(bytes(u64::MAX - 5, 5), Ok((u64::MAX - 5, 5)));
        assert!(bytes(u64::MAX - 5, 6).is_err() && bytes(3, 0).is_err() && some_sectors(3, 0).is_err());
        assert_eq!(sectors(2, 3), Ok((1024, 1536)));
        let last = u64::MAX / 512;
        assert!(sectors(last, 0).is_ok());
        assert!(sectors(last, 1).is_err() && sectors(last + 1, 0).is_err() && sectors(0, last + 1).is_err());
    }
}
