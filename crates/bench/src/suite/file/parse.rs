//! A text in lines, or as TOML. Whatever is wrong is said with its line and the words that are known there.

use serde::Deserialize;
use toml::{Spanned, Value};

use super::{Line, Script, WORDS, Word, bare, keys};
use crate::error::{ScriptError, ScriptProblem};

/// Reads a suite. `file` is its name; one that ends in `.toml` is TOML.
///
/// # Errors
/// The first line that means nothing, with the words that are known there.
pub fn parse(file: &str, text: &str) -> Result<Script, ScriptError> {
    let wrong = |(line, problem)| ScriptError { file: file.into(), line, problem };
    let lines = if file.ends_with(".toml") { tables(text) } else { lines(text) }.map_err(wrong)?;
    if lines.is_empty() {
        return Err(wrong((1, ScriptProblem::Empty { example: EXAMPLE })));
    }
    Ok(Script { file: file.into(), lines })
}

const EXAMPLE: &str = "run reads rw=randread bs=4KiB runtime=30s";

/// A problem and its line.
type Wrong = (usize, ScriptProblem);

fn lines(text: &str) -> Result<Vec<Line>, Wrong> {
    let mut lines = Vec::new();
    for (number, text) in (1..).zip(text.lines()) {
        let text = text.split('#').next().unwrap_or_default();
        let mut words = text.split_whitespace();
        let Some(first) = words.next() else { continue };
        let word = word(first).map_err(|problem| (number, problem))?;
        let (mut name, mut pairs) = (None, Vec::new());
        for part in words {
            match part.split_once('=') {
                Some((key, value)) => pairs.push((key.to_string(), value.to_string())),
                None if name.is_none() => name = Some(part.to_string()),
                None => return Err((number, ScriptProblem::NotPair { text: part.into(), has_name: true })),
            }
        }
        lines.push(line(number, word, name, pairs).map_err(|problem| (number, problem))?);
    }
    Ok(lines)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    step: Vec<Spanned<toml::Table>>,
}

fn tables(text: &str) -> Result<Vec<Line>, Wrong> {
    let place = |at: usize| text[..at.min(text.len())].matches('\n').count() + 1;
    let file: File = toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| place(span.start));
        (line, ScriptProblem::Toml(error.message().into()))
    })?;
    let read = |step: Spanned<toml::Table>| {
        let number = place(step.span().start);
        table(number, step.into_inner()).map_err(|problem| (number, problem))
    };
    file.step.into_iter().map(read).collect()
}

fn table(number: usize, mut table: toml::Table) -> Result<Line, ScriptProblem> {
    let act = table.remove("do").ok_or(ScriptProblem::NoAct)?;
    let word = word(act.as_str().unwrap_or_default())?;
    let name = table.remove("name").map(|name| value("name", &name)).transpose()?;
    let pairs = table.iter().map(|(key, given)| Ok((key.clone(), value(key, given)?)));
    line(number, word, name, pairs.collect::<Result<_, ScriptProblem>>()?)
}

fn value(key: &str, value: &Value) -> Result<String, ScriptProblem> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        Value::Boolean(_) | Value::Datetime(_) | Value::Array(_) | Value::Table(_) => {
            Err(ScriptProblem::NotText { key: key.into() })
        }
    }
}

fn word(text: &str) -> Result<&'static Word, ScriptProblem> {
    WORDS.iter().find(|word| word.name == text).ok_or_else(|| {
        let known = WORDS.iter().map(|word| word.name).collect();
        ScriptProblem::UnknownAct { word: text.into(), known }
    })
}

/// A line from its parts: the keys of the word's own apart from those of the pattern.
fn line(
    number: usize,
    word: &'static Word,
    name: Option<String>,
    pairs: Vec<(String, String)>,
) -> Result<Line, ScriptProblem> {
    let mut own: Vec<(String, String)> = Vec::new();
    let mut of_pattern = Vec::new();
    for (key, value) in pairs {
        let key = key.replace('-', "_");
        if own.iter().any(|(seen, _)| *seen == key) {
            return Err(ScriptProblem::KeyTwice { key });
        }
        if word.keys.contains(&key.as_str()) {
            own.push((key, value));
        } else if word.has_pattern && keys(word).contains(&key.as_str()) {
            of_pattern.push((key, value));
        } else {
            return Err(ScriptProblem::UnknownKey { key, word: word.name, known: keys(word) });
        }
    }
    let name = match (word.name, name) {
        ("run" | "scale", Some(name)) => name,
        ("run" | "scale", None) => return Err(ScriptProblem::NoName { word: word.name }),
        ("idle", Some(span)) => {
            own.push(("for".into(), span));
            String::new()
        }
        (_, Some(extra)) => return Err(ScriptProblem::NotPair { text: extra, has_name: false }),
        (_, None) => String::new(),
    };
    let mut pattern = bare(word);
    let pairs = of_pattern.iter().map(|(key, value)| (key.as_str(), value.clone()));
    pattern.set_all(pairs)?;
    Ok(Line { number, word, name, own, pattern })
}
