//! Counts in words: "1 request is left out", "2 requests are left out".

use crate::units::Bytes;

/// A size in the largest unit that it is a whole multiple of: `1 GiB`, `4000 bytes`.
pub fn exact_size(bytes: u64) -> String {
    let text = Bytes(bytes).to_string();
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    match &text[number.len()..] {
        "B" => format!("{number} bytes"),
        unit => format!("{number} {unit}"),
    }
}

/// `count` of what `about` says in the plural: things first, and behind them what became of them. What comes
/// after a colon says why, and keeps its verbs. A count of bytes is a size.
pub fn told(count: u64, about: &str) -> String {
    if let Some(rest) = about.strip_prefix("bytes ").filter(|_| count != 1) {
        return format!("{} {rest}", exact_size(count));
    }
    if count != 1 {
        return format!("{count} {about}");
    }
    let (things, rest) = about.split_once(' ').unwrap_or((about, ""));
    let thing = match things.strip_suffix("es") {
        Some(thing) if thing.ends_with("sh") || thing.ends_with('x') => thing,
        _ => things.strip_suffix('s').unwrap_or(things),
    };
    let (what, why) = rest.split_at(rest.find(':').unwrap_or(rest.len()));
    let what = what.split(' ').map(|word| its(singular(word)));
    let words: Vec<&str> = [thing].into_iter().chain(what).filter(|word| !word.is_empty()).collect();
    let why: Vec<&str> = why.split(' ').map(its).collect();
    format!("1 {}{}", words.join(" "), why.join(" "))
}

fn its(word: &str) -> &str {
    if word == "their" { "its" } else { word }
}

/// The verb as it is of one thing; any other word stays.
fn singular(word: &str) -> &str {
    const VERBS: [(&str, &str); 10] = [
        ("are", "is"),
        ("lie", "lies"),
        ("begin", "begins"),
        ("have", "has"),
        ("go", "goes"),
        ("come", "comes"),
        ("lose", "loses"),
        ("stand", "stands"),
        ("tell", "tells"),
        ("change", "changes"),
    ];
    VERBS.iter().find(|(many, _)| *many == word).map_or(word, |(_, one)| one)
}

#[cfg(test)]
mod tests {
    use super::{exact_size, told};

    #[test]
    fn sizes_are_exact_and_short() {
        let sizes = [0, 1000, 1024, 4000, 1 << 30, (1 << 30) + 512, 3 << 40].map(exact_size);
        let words = ["0 bytes", "1000 bytes", "1 KiB", "4000 bytes", "1 GiB", "1073742336 bytes", "3 TiB"];
        assert_eq!(sizes, words);
        assert_eq!(told(1 << 30, "bytes are written"), "1 GiB are written");
    }

    #[test]
    fn one_thing_is_told_in_the_singular() {
        for (count, about, text) in [
            (1, "requests of other devices are left out", "1 request of other devices is left out"),
            (0, "requests are left out", "0 requests are left out"),
            (1, "flushes are left out", "1 flush is left out"),
            (1, "trims", "1 trim"),
            (1, "mixes lose their turns: a share", "1 mix loses its turns: a share"),
            (
                1,
                "runs are left out: their IOs are missing, and numbers are made of them",
                "1 run is left out: its IOs are missing, and numbers are made of them",
            ),
            (1, "writes are written as requests", "1 write is written as requests"),
            (
                1,
                "of 7 blocks of 512 bytes in use stand for several places",
                "1 of 7 blocks of 512 bytes in use \
              stands for several places",
            ),
            (
                2,
                "requests would end behind it, and are moved",
                "2 requests would end behind it, and are moved",
            ),
        ] {
            assert_eq!(told(count, about), text);
        }
    }
}
