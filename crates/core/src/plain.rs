//! Text from outside, as it may be shown. A name in a trace, a result of somebody else or a drive's model may
//! hold characters that steer a terminal, or turn the order in which a line is read, on a page as well. Each
//! of them gives way to U+FFFD before it is shown.
//!
//! ```
//! use flashscope_core::plain::plain;
//!
//! assert_eq!(plain("disk\u{1b}[2J"), "disk\u{fffd}[2J");
//! assert_eq!(plain("a\nb\tc"), "a\nb\tc");
//! ```

use std::borrow::Cow;

const REPLACED: char = '\u{fffd}';

/// Whether a character does something else than stand there: a control character, except for the end of a
/// line and a tab, or one that turns the order of reading (Unicode's bidirectional controls).
pub fn is_steering(c: char) -> bool {
    let is_control = c.is_control() && c != '\n' && c != '\t';
    let turns = matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    is_control || turns
}

/// The text with U+FFFD for each character that steers.
pub fn plain(text: &str) -> Cow<'_, str> {
    if text.contains(is_steering) { text.replace(is_steering, "\u{fffd}").into() } else { text.into() }
}

/// The same of a text of JSON, where such a character may also be written `\u001b` or `\b`.
pub fn plain_json(json: &str) -> Cow<'_, str> {
    // Where lines end so, it stands between values.
    let is_steering = |c: char| is_steering(c) && c != '\r';
    if !json.contains(|c| is_steering(c) || c == '\\') {
        return json.into();
    }
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(c) = rest.chars().next() {
        let taken = match escaped(rest) {
            Some((code, bytes)) if self::is_steering(code) => {
                out.push_str("\\ufffd");
                bytes
            }
            Some((_, bytes)) => {
                out.push_str(&rest[..bytes]);
                bytes
            }
            None => {
                out.push(if is_steering(c) { REPLACED } else { c });
                c.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    out.into()
}

/// The character that is written with a backslash at the beginning, and in how many bytes.
fn escaped(json: &str) -> Option<(char, usize)> {
    let behind = json.strip_prefix('\\')?;
    let letter = behind.chars().next()?;
    match letter {
        'b' => Some(('\u{8}', 2)),
        'f' => Some(('\u{c}', 2)),
        'r' => Some(('\r', 2)),
        'u' => {
            let digits = behind.get(1..5)?;
            Some((char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, 6))
        }
        other => Some((other, 1 + other.len_utf8())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_steers_neither_a_terminal_nor_the_order_of_reading() {
        for c in ['\0', '\u{1b}', '\r', '\u{7f}', '\u{9b}', '\u{61c}', '\u{200f}', '\u{202e}', '\u{2066}'] {
            assert_eq!(plain(&format!("a{c}b")), "a\u{fffd}b", "{c:?}");
            let raw = serde_json::json!({ "name": format!("a{c}b") }).to_string();
            let written = format!("{{\"name\": \"a\\u{:04x}b\"}}", c as u32);
            for json in [raw, written] {
                let read: serde_json::Value = serde_json::from_str(&plain_json(&json)).expect("still JSON");
                assert_eq!(read["name"], "a\u{fffd}b", "{json:?}");
            }
        }
    }

    #[test]
    fn other_text_stays_as_it_is() {
        for text in ["", "a\nb\tc", "µs ± 5 %", "\u{5d0}\u{5d1} \u{1f600}", "a\\b"] {
            assert_eq!(plain(text), text);
        }
        for json in
            [r#""C:\\u001b""#, r#""a\nb \u00fc \u12""#, "{}\r\n", r#""\ud83d\ude00 \/ \"""#, "\\", "\\u"]
        {
            assert_eq!(plain_json(json), json);
        }
    }

    #[test]
    fn short_escapes_are_seen_too() {
        assert_eq!(plain_json(r#""a\bb\fc\rd\\b""#), r#""a\ufffdb\ufffdc\ufffdd\\b""#);
    }
}
