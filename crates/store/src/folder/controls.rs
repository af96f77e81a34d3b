//! A result may come from somebody else: what it calls itself must not steer the terminal that shows it.

/// JSON with a replacement character for each control character, written out or as `\u001b`. Line ends and
/// tabs stay; nothing gets another place.
pub(super) fn without_controls(json: &str) -> String {
    let is_control = |c: char| c.is_control() && !"\n\r\t".contains(c);
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(c) = rest.chars().next() {
        let escape = escaped(rest);
        let (taken, plain) = match escape {
            Some(code) if is_control(code) => (6, "\\ufffd"),
            _ if rest.starts_with("\\\\") => (2, "\\\\"),
            _ if is_control(c) => (c.len_utf8(), "\u{fffd}"),
            _ => (c.len_utf8(), &rest[..c.len_utf8()]),
        };
        out.push_str(plain);
        rest = &rest[taken..];
    }
    out
}

/// The character of `\u001b` at the beginning.
fn escaped(text: &str) -> Option<char> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    char::from_u32(u32::from_str_radix(digits, 16).ok()?)
}

#[cfg(test)]
mod tests {
    use super::without_controls;

    #[test]
    fn a_name_cannot_steer_a_terminal() {
        for (json, expected) in [
            (r#"{"name": "\u001b[2Jgone"}"#, r#"{"name": "\ufffd[2Jgone"}"#),
            (r#""\u009b31m \u0007""#, r#""\ufffd31m \ufffd""#),
            ("\"\u{9b}31m\"\n", "\"\u{fffd}31m\"\n"),
            // A backslash, and then letters.
            (r#""C:\\u001b""#, r#""C:\\u001b""#),
            (r#""a\nb \u00fc \u12""#, r#""a\nb \u00fc \u12""#),
        ] {
            assert_eq!(without_controls(json), expected);
        }
    }
}
