//! Places in papers, as studies write them: "section 3.1 and table 1", "figures C.1, C.2 and C.3".

/// Whether a study's place names a part of the paper, such as `figure C.3`. "5.1 to 5.3" names both ends.
pub fn names(place: &str, part: &str) -> bool {
    named(place).iter().any(|named| named == part)
}

/// All parts that a place names, each as a kind and a number.
fn named(place: &str) -> Vec<String> {
    const KINDS: [&str; 7] = ["chapter", "part", "section", "table", "figure", "picture", "appendix"];
    let mut kind = None;
    let mut parts = Vec::new();
    for word in place.split([' ', ',', ';', ':']).filter(|word| !word.is_empty()) {
        let singular = if word == "appendices" { "appendix" } else { word.strip_suffix('s').unwrap_or(word) };
        if let Some(found) = KINDS.iter().find(|kind| **kind == singular) {
            kind = Some(*found);
        } else if let Some(kind) = kind
            && is_number(word)
        {
            parts.push(format!("{kind} {word}"));
        } else if !["and", "to"].contains(&word) {
            kind = None;
        }
    }
    parts
}

/// 3.3.1, 3.4a, C.2, II.B, 20, A.
fn is_number(word: &str) -> bool {
    let is_roman = word.chars().all(|c| "IVX.AB".contains(c));
    let starts = word.starts_with(|c: char| c.is_ascii_digit());
    starts || is_roman || word.len() == 1 || (word.len() > 2 && word.as_bytes()[1] == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_names_its_sections_tables_and_figures() {
        let place = "figures C.1, C.2 and C.3; section 3.3.1, comparison to 2 disks; tables I and 3.1";
        let parts = ["figure C.1", "figure C.2", "figure C.3", "section 3.3.1", "table I", "table 3.1"];
        assert_eq!(named(place), parts);
        assert!(!names("figure 1 and section 2", "figure 2"));
        assert!(names("appendices A and B", "appendix B"));
    }
}
