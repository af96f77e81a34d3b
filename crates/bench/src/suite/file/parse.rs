//! A text in lines, or as TOML. Whatever is wrong is said with its line and the words that are known there.

use serde::Deserialize;
use toml::{Spanned, Value};

use super::{Line, Script, WORDS, Word, bare, keys};
use crate::error::BenchError;

/// Reads a suite. `file` is its name; one that ends in `.toml` is TOML.
///
/// # Errors
/// The first line that means nothing, with the words that are known there.
pub fn parse(file: &str, text: &str) -> Result<Script, BenchError> {
    let wrong =
        |(number, problem): (usize, String)| BenchError::Suite(format!("{file}, line {number}: {problem}"));
    let lines = if file.ends_with(".toml") { tables(text) } else { lines(text) }.map_err(wrong)?;
    if lines.is_empty() {
        return Err(BenchError::Suite(format!(
            "{file} is empty: write at least one line such as\n  {EXAMPLE}"
        )));
    }
    Ok(Script { file: file.into(), lines })
}

const EXAMPLE: &str = "run reads rw=randread bs=4KiB runtime=30s";

type Wrong = (usize, String);

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
                None => return Err((number, format!("'{part}' is not KEY=VALUE, and a name is one word"))),
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
    let file: File = toml::from_str(text)
        .map_err(|error| (error.span().map_or(1, |span| place(span.start)), error.message().to_string()))?;
    let read = |step: Spanned<toml::Table>| {
        let number = place(step.span().start);
        table(number, step.into_inner()).map_err(|problem| (number, problem))
    };
    file.step.into_iter().map(read).collect()
}

fn table(number: usize, mut table: toml::Table) -> Result<Line, String> {
    let act = table.remove("do").ok_or("a step says what it does: do = \"run\"")?;
    let word = word(act.as_str().unwrap_or_default())?;
    let name = table.remove("name").map(|name| value("name", &name)).transpose()?;
    let pairs = table.iter().map(|(key, given)| Ok((key.clone(), value(key, given)?)));
    line(number, word, name, pairs.collect::<Result<_, String>>()?)
}

fn value(key: &str, value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        Value::Boolean(_) | Value::Datetime(_) | Value::Array(_) | Value::Table(_) => {
            Err(format!("{key} is a text or a number"))
        }
    }
}

fn word(text: &str) -> Result<&'static Word, String> {
    WORDS.iter().find(|word| word.name == text).ok_or_else(|| {
        let known: Vec<&str> = WORDS.iter().map(|word| word.name).collect();
        format!("'{text}' is no act; write one of: {}", known.join(", "))
    })
}

/// A line from its parts: the keys of the word's own apart from those of the pattern.
fn line(
    number: usize,
    word: &'static Word,
    name: Option<String>,
    pairs: Vec<(String, String)>,
) -> Result<Line, String> {
    let mut own: Vec<(String, String)> = Vec::new();
    let mut of_pattern = Vec::new();
    for (key, value) in pairs {
        let key = key.replace('-', "_");
        if own.iter().any(|(seen, _)| *seen == key) {
            return Err(format!("{key} is set twice; write it once"));
        }
        if word.keys.contains(&key.as_str()) {
            own.push((key, value));
        } else if word.has_pattern && keys(word).contains(&key.as_str()) {
            of_pattern.push((key, value));
        } else {
            return Err(match keys(word)[..] {
                [] => format!("{key}: {} has no keys", word.name),
                _ => format!("'{key}' is no key of {}; it has: {}", word.name, keys(word).join(", ")),
            });
        }
    }
    let name = match (word.name, name) {
        ("run" | "scale", Some(name)) => name,
        ("run" | "scale", None) => return Err(format!("give it a name: {} NAME ...", word.name)),
        ("idle", Some(span)) => {
            own.push(("for".into(), span));
            String::new()
        }
        (_, Some(extra)) => return Err(format!("'{extra}' is not KEY=VALUE")),
        (_, None) => String::new(),
    };
    let mut pattern = bare(word);
    let pairs = of_pattern.iter().map(|(key, value)| (key.as_str(), value.clone()));
    pattern.set_all(pairs).map_err(|error| error.to_string())?;
    Ok(Line { number, word, name, own, pattern })
}
