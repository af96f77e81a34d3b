//! Counts in words: "1 request is left out", "2 requests are left out".

/// `count` of what `about` says in the plural: things first, and behind them what became of them.
pub fn told(count: u64, about: &str) -> String {
    if count != 1 {
        return format!("{count} {about}");
    }
    let (things, rest) = about.split_once(' ').unwrap_or((about, ""));
    let thing = match things.strip_suffix("hes") {
        Some(_) => &things[..things.len() - 2],
        None => things.strip_suffix('s').unwrap_or(things),
    };
    let words = rest.split(' ').map(singular);
    let words: Vec<&str> = [thing].into_iter().chain(words).filter(|word| !word.is_empty()).collect();
    format!("1 {}", words.join(" "))
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
    use super::told;

    #[test]
    fn one_thing_is_told_in_the_singular() {
        for (count, about, text) in [
            (1, "requests of other devices are left out", "1 request of other devices is left out"),
            (0, "requests are left out", "0 requests are left out"),
            (1, "flushes are left out", "1 flush is left out"),
            (1, "trims", "1 trim"),
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
