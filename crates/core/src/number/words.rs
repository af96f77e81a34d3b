//! Numbers in sentences: counts with their nouns, lists.

use super::count;

/// So many of one thing or of many: `1 request is left out`, `2,304 requests are left out`.
pub fn plural(things: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(things), if things == 1 { one } else { many })
}

/// A number of things whose name takes an `s`: `1 run`, `2,304 IOs`.
pub fn counted(things: u64, noun: &str) -> String {
    plural(things, noun, &format!("{noun}s"))
}

/// `a, b and c`.
pub fn list<T: AsRef<str>>(names: &[T]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.as_slice() {
        [most @ .., last] if !most.is_empty() => format!("{} and {last}", most.join(", ")),
        _ => names.concat(),
    }
}

/// The first five, and how many more.
pub fn some<T: AsRef<str>>(names: &[T]) -> String {
    const SHOWN: usize = 5;
    let shown: Vec<&str> = names.iter().take(SHOWN).map(AsRef::as_ref).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_agree_with_their_nouns() {
        assert_eq!(
            [counted(0, "run"), counted(1, "run"), counted(2304, "IO")],
            ["0 runs", "1 run", "2,304 IOs"]
        );
        assert_eq!(plural(1, "flush is left out", "flushes are left out"), "1 flush is left out");
        assert_eq!(plural(0, "flush is left out", "flushes are left out"), "0 flushes are left out");
    }

    #[test]
    fn names_are_listed_as_in_a_sentence() {
        assert_eq!([list(&["a"]), list(&["a", "b"]), list(&["a", "b", "c"])], ["a", "a and b", "a, b and c"]);
        assert_eq!(some(&["a", "b"]), "a, b");
        assert_eq!(some(&["a", "b", "c", "d", "e", "f", "g"]), "a, b, c, d, e and 2 more");
    }
}
