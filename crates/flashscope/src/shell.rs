//! Commands that are printed to be copied into a shell.

use std::path::Path;

/// A path as one word of a shell's command line, that flashscope takes for a path.
pub fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    // Neither a flag nor a virtual device.
    let is_other = ["-", "rig:", "sim:"].iter().any(|begin| text.starts_with(begin)) || text == "null:";
    let text = if is_other { format!("./{text}") } else { text };
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:,@%=".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The command that finishes the run in a folder; `writes` if that takes leave to write.
pub fn resume(folder: &Path, writes: bool) -> String {
    let write = if writes { " --write" } else { "" };
    format!("flashscope run --resume {}{write}", quoted(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_path_is_one_word_and_a_path() {
        let quoted = |text: &str| quoted(Path::new(text));
        assert_eq!(quoted("/tmp/a-1.img"), "/tmp/a-1.img");
        assert_eq!(quoted("my disk.img"), "'my disk.img'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted("$(rm -r ~)"), "'$(rm -r ~)'");
        assert_eq!([quoted("-x"), quoted("null:"), quoted("sim:x")], ["./-x", "./null:", "./sim:x"]);
    }
}
