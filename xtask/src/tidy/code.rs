//! Rust text with its parts told apart: code, comments, and what is compiled for tests only. Not a parser; it
//! knows strings, comments, characters and braces.

/// One Rust file.
pub struct Source {
    /// From the root of the workspace, with `/`.
    pub path: String,
    pub text: String,
    /// The text with comments and the contents of strings blanked, line by line in the same place.
    pub code: String,
    /// The text with all but comments blanked.
    pub comments: String,
    /// For each line, whether it belongs to an item under `#[cfg(test)]`.
    pub is_test: Vec<bool>,
}

impl Source {
    pub fn new(path: &str, text: &str) -> Source {
        let kinds = kinds(text);
        let only = |kind: Kind| -> String {
            let keep = |(c, k): (char, &Kind)| if c == '\n' || *k == kind { c } else { ' ' };
            text.chars().zip(&kinds).map(keep).collect()
        };
        let code = only(Kind::Code);
        let is_test = test_lines(&code);
        Source { path: path.into(), text: text.into(), comments: only(Kind::Comment), code, is_test }
    }

    /// The crate's folder: `core` of `crates/core/src/lib.rs`, or `xtask`.
    pub fn folder(&self) -> &str {
        let mut parts = self.path.split('/');
        match parts.next() {
            Some("crates") => parts.next().unwrap_or_default(),
            first => first.unwrap_or_default(),
        }
    }

    /// Whether it is part of the crate itself, not an example, a test or a benchmark. A
    /// `tests.rs` is declared under `#[cfg(test)]`.
    pub fn is_product(&self) -> bool {
        self.path.contains("/src/") && !self.path.ends_with("/tests.rs")
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Code,
    Comment,
    Literal,
}

/// What each character belongs to.
fn kinds(text: &str) -> Vec<Kind> {
    let chars: Vec<char> = text.chars().collect();
    let mut kinds = Vec::with_capacity(chars.len());
    while kinds.len() < chars.len() {
        let rest = &chars[kinds.len()..];
        let after_word = !kinds.is_empty() && is_word(chars[kinds.len() - 1]);
        let (length, kind) = match rest {
            ['/', '/', ..] => (until(rest, |i| rest[i] == '\n'), Kind::Comment),
            ['/', '*', ..] => (block_comment(rest), Kind::Comment),
            ['"', ..] => (string(rest), Kind::Literal),
            ['r', ..] | ['b' | 'c', 'r', ..] if !after_word => match raw_string(rest) {
                Some(length) => (length, Kind::Literal),
                None => (1, Kind::Code),
            },
            ['\'', '\\', ..] => (3 + until(&rest[3..], |i| rest[3 + i] == '\'') + 1, Kind::Literal),
            ['\'', _, '\'', ..] => (3, Kind::Literal),
            _ => (1, Kind::Code),
        };
        let end = (kinds.len() + length).min(chars.len());
        kinds.resize(end, kind);
    }
    kinds
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The first index that satisfies `stop`, or the length.
fn until(chars: &[char], stop: impl Fn(usize) -> bool) -> usize {
    (0..chars.len()).find(|&i| stop(i)).unwrap_or(chars.len())
}

fn block_comment(chars: &[char]) -> usize {
    let (mut depth, mut i) = (0, 0);
    while i < chars.len() {
        match &chars[i..] {
            ['/', '*', ..] => (depth, i) = (depth + 1, i + 2),
            ['*', '/', ..] => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
        if depth == 0 {
            break;
        }
    }
    i
}

fn string(chars: &[char]) -> usize {
    let mut i = 1;
    while i < chars.len() && chars[i] != '"' {
        i += if chars[i] == '\\' { 2 } else { 1 };
    }
    i + 1
}

/// The length of a raw string, if one begins here.
fn raw_string(chars: &[char]) -> Option<usize> {
    let letters = 1 + usize::from(chars[0] != 'r');
    let hashes = chars[letters..].iter().take_while(|&&c| c == '#').count();
    let open = letters + hashes;
    if chars.get(open) != Some(&'"') {
        return None;
    }
    let closes =
        |i: usize| chars[i] == '"' && chars[i + 1..].iter().take_while(|&&c| c == '#').count() >= hashes;
    let end = (open + 1..chars.len()).find(|&i| closes(i))?;
    Some(end + 1 + hashes)
}

/// The lines of items under `#[cfg(test)]`.
fn test_lines(code: &str) -> Vec<bool> {
    let mut lines = vec![false; code.lines().count()];
    for (at, _) in code.match_indices("#[cfg(test)]") {
        let first = line_of(code, at);
        let last = line_of(code, item_end(code, at + "#[cfg(test)]".len()));
        lines[first - 1..last].fill(true);
    }
    lines
}

/// The number, from 1, of the line that holds byte `at`.
pub fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// Where the item from byte `from` ends: at its closing brace or, if none opens before, at its semicolon.
pub fn item_end(code: &str, from: usize) -> usize {
    let (mut braces, mut others) = (0i32, 0i32);
    for (i, byte) in code.bytes().enumerate().skip(from) {
        match byte {
            b'{' => braces += 1,
            b'(' | b'[' => others += 1,
            b')' | b']' => others -= 1,
            b'}' => {
                braces -= 1;
                if braces == 0 && others == 0 {
                    return i;
                }
            }
            b';' if braces == 0 && others == 0 => return i,
            _ => {}
        }
    }
    code.len().saturating_sub(1)
}

/// The byte positions of `word` in `code` where it stands alone. A word may be a path such as `std::fs`.
pub fn positions<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    code.match_indices(word).map(|(at, _)| at).filter(move |&at| {
        let before = code[..at].chars().next_back();
        let after = code[at + word.len()..].chars().next();
        !before.is_some_and(is_word) && (word.ends_with('!') || !after.is_some_and(is_word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> String {
        Source::new("a.rs", text).code
    }

    #[test]
    fn comments_and_strings_are_no_code() {
        for text in [
            "// unsafe",
            "/* a /* unsafe */ unsafe */",
            "\"unsafe\"",
            "\"\\\" unsafe\"",
            "r#\"\" unsafe\"#",
            "br\"unsafe\"",
        ] {
            assert!(code(text).trim().is_empty() || !code(text).contains("unsafe"), "{text}");
            assert!(code(&format!("{text}\nunsafe")).ends_with("unsafe"), "{text} swallows what follows");
        }
    }

    #[test]
    fn characters_and_lifetimes_are_told_apart() {
        assert_eq!(code("a('\"') b"), "a(   ) b");
        assert_eq!(code("'\\'' b"), "     b");
        assert_eq!(code("'\\u{22}' b"), "         b");
        assert_eq!(code("fn a<'a>(b: &'a str)"), "fn a<'a>(b: &'a str)");
        assert_eq!(code("for var\"x\" in"), "for var    in");
    }

    #[test]
    fn test_items_are_marked_to_their_closing_brace() {
        let source = Source::new("a.rs", "a\n#[cfg(test)]\nmod t {\n  {}\n}\nb\n#[cfg(test)]\nmod c;\nd\n");
        assert_eq!(source.is_test, [false, true, true, true, true, false, true, true, false]);
    }

    #[test]
    fn words_stand_alone() {
        assert_eq!(positions("unsafe_op unsafe un_unsafe", "unsafe").collect::<Vec<_>>(), [10]);
        assert_eq!(positions("eprintln!(); println!()", "println!").collect::<Vec<_>>(), [13]);
    }
}
