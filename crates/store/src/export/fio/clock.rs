//! Dates as fio writes them.

/// Seconds since 1970 of `2026-11-20T17:03:59Z`; none if it is something else.
pub(super) fn seconds(rfc3339: &str) -> Option<i64> {
    let at = |from: usize, to: usize| rfc3339.get(from..to)?.parse::<i64>().ok();
    let (year, month, day) = (at(0, 4)?, at(5, 7)?, at(8, 10)?);
    let (hour, minute, second) = (at(11, 13)?, at(14, 16)?, at(17, 19)?);
    let is_date = (1..=12).contains(&month) && (1..=31).contains(&day) && rfc3339.ends_with('Z');
    is_date.then(|| ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second)
}

/// Days since 1970-01-01 in the Gregorian calendar; the year is counted from March, so that the leap day is
/// its last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// `Sat Nov 21 11:12:27 2026`.
pub(super) fn text(seconds: i64) -> String {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    let (day, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let year = (1970 + day / 366..).find(|year| days(year + 1, 1, 1) > day).unwrap_or(1970);
    let month = (1..=12).rev().find(|month| days(year, *month, 1) <= day).unwrap_or(1);
    format!(
        "{} {} {:2} {:02}:{:02}:{:02} {year}",
        WEEKDAYS[day.rem_euclid(7) as usize],
        MONTHS[month as usize - 1],
        day - days(year, month, 1) + 1,
        rest / 3600,
        rest / 60 % 60,
        rest % 60,
    )
}

#[cfg(test)]
mod tests {
    use super::{seconds, text};

    /// Values of `date -u -d @N`.
    #[test]
    fn dates_are_those_of_the_calendar() {
        for (date, expected, said) in [
            ("1970-01-01T00:00:00Z", 0, "Thu Jan  1 00:00:00 1970"),
            ("2024-02-29T23:59:59Z", 1_709_251_199, "Thu Feb 29 23:59:59 2024"),
            ("2026-11-21T11:12:27Z", 1_795_259_547, "Sat Nov 21 11:12:27 2026"),
            ("2100-03-01T00:00:00Z", 4_107_542_400, "Mon Mar  1 00:00:00 2100"),
        ] {
            assert_eq!(seconds(date), Some(expected));
            assert_eq!(text(expected), said);
        }
        assert_eq!(seconds("yesterday"), None);
    }
}
