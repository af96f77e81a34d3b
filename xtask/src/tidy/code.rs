//! Rust text as tokens: what is code, what is a literal, and what is compiled for tests only.

use anyhow::anyhow;
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// One Rust file.
pub struct Source {
    /// From the root of the workspace, with `/`.
    pub path: String,
    pub text: String,
    /// All tokens but comments and docs, in order; a group is its brackets and what is between them.
    pub tokens: Vec<Token>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// As written; of a literal, with its quotes.
    pub text: String,
    pub line: usize,
    /// Whether it belongs to an item under `#[cfg(test)]`.
    pub is_test: bool,
}

impl Source {
    pub fn new(path: &str, text: &str) -> anyhow::Result<Source> {
        let stream: TokenStream = text.parse().map_err(|error| anyhow!("{path}: {error}"))?;
        let mut tokens = Vec::new();
        flatten(stream, false, &mut tokens);
        Ok(Source { path: path.into(), text: text.into(), tokens })
    }

    /// The crate's folder: `crates/core` of `crates/core/src/lib.rs`, or `xtask`.
    pub fn folder(&self) -> &str {
        let parts = if self.path.starts_with("crates/") { 2 } else { 1 };
        self.path.match_indices('/').nth(parts - 1).map_or(&self.path, |(end, _)| &self.path[..end])
    }

    /// Whether it is part of the crate itself, not an example, a test or a benchmark. A `tests.rs` is
    /// declared under `#[cfg(test)]`.
    pub fn is_product(&self) -> bool {
        self.path.contains("/src/") && !self.path.ends_with("/tests.rs")
    }

    /// The tokens that are compiled into the product.
    pub fn product_tokens(&self) -> impl Iterator<Item = &Token> {
        self.tokens.iter().filter(|token| self.is_product() && !token.is_test)
    }

    /// What is compiled for tests only, line by line.
    pub fn test_text(&self) -> String {
        if !self.is_product() {
            return self.text.clone();
        }
        let lines: Vec<usize> =
            self.tokens.iter().filter(|token| token.is_test).map(|token| token.line).collect();
        let is_test = |line: &usize| lines.binary_search(line).is_ok();
        let text = (1..).zip(self.text.lines()).filter(|(line, _)| is_test(line));
        text.map(|(_, text)| format!("{text}\n")).collect()
    }
}

fn flatten(stream: TokenStream, is_test: bool, tokens: &mut Vec<Token>) {
    // Whether the item under an attribute `#[cfg(test)]` is still open.
    let mut in_test_item = false;
    let mut trees = stream.into_iter().peekable();
    while let Some(tree) = trees.next() {
        if matches!(&tree, TokenTree::Punct(punct) if punct.as_char() == '#') {
            trees.next_if(|next| matches!(next, TokenTree::Punct(punct) if punct.as_char() == '!'));
            if let Some(TokenTree::Group(attribute)) = trees.next_if(is_attribute) {
                let words = attribute.stream().to_string();
                in_test_item |= words.replace(' ', "") == "cfg(test)";
                if !words.starts_with("doc") {
                    flatten(attribute.stream(), is_test || in_test_item, tokens);
                }
                continue;
            }
        }
        let is_test = is_test || in_test_item;
        in_test_item &= !ends_item(&tree);
        push(tree, is_test, tokens);
    }
}

fn is_attribute(tree: &TokenTree) -> bool {
    matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket)
}

fn ends_item(tree: &TokenTree) -> bool {
    match tree {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(punct) => punct.as_char() == ';',
        _ => false,
    }
}

fn push(tree: TokenTree, is_test: bool, tokens: &mut Vec<Token>) {
    let token = |text: &str, line: usize| Token { text: text.into(), line, is_test };
    let TokenTree::Group(group) = tree else {
        tokens.push(token(&tree.to_string(), tree.span().start().line));
        return;
    };
    let (open, close) = match group.delimiter() {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Brace => ("{", "}"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::None => ("", ""),
    };
    tokens.push(token(open, group.span_open().start().line));
    flatten(group.stream(), is_test, tokens);
    tokens.push(token(close, group.span_close().start().line));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let source = Source::new("crates/a/src/b.rs", text).unwrap();
        source.product_tokens().map(|token| token.text.clone()).collect()
    }

    #[test]
    fn comments_and_docs_are_no_tokens_and_literals_are_whole() {
        assert_eq!(words("//! a\n/// b\n// c\n/* d */ e"), ["e"]);
        assert_eq!(words("a!(\"// b\", r#\"c\"#)"), ["a", "!", "(", "\"// b\"", ",", "r#\"c\"#", ")"]);
        assert_eq!(words("#[error(\"a\")] b"), ["error", "(", "\"a\"", ")", "b"]);
    }

    #[test]
    fn items_for_tests_are_told_apart_to_their_end() {
        assert_eq!(words("a #[cfg(test)] #[x] mod t { b {} c } d"), ["a", "d"]);
        assert_eq!(words("#[cfg(test)] mod t; a"), ["a"]);
        assert_eq!(words("#[cfg(not(test))] a"), ["cfg", "(", "not", "(", "test", ")", ")", "a"]);
    }

    #[test]
    fn only_test_code_counts_as_a_test() {
        let text = "fn a() { b() }\n#[cfg(test)]\nmod tests {\n  c();\n}\n";
        let of = |path: &str| Source::new(path, text).unwrap().test_text();
        assert!(!of("crates/sim/src/a.rs").contains("b()") && of("crates/sim/src/a.rs").contains("c()"));
        assert!(of("crates/sim/tests/a.rs").contains("b()"));
    }

    #[test]
    fn a_file_belongs_to_its_crate() {
        let folder = |path: &str| Source::new(path, "").unwrap().folder().to_string();
        assert_eq!(folder("crates/core/src/a/b.rs"), "crates/core");
        assert_eq!(folder("xtask/src/main.rs"), "xtask");
    }
}
