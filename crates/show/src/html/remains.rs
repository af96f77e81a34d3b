//! What can be said of a result folder that cannot be read: what it is, why not, and which files it has.

use std::path::Path;

use serde_json::Value;

use super::document::{Block, Cell, Column, Document, Item, Section, Table};
use flashscope_store::{MANIFEST, ResultFile, entries};

/// The page of a folder whose content cannot be shown, for `problem`. None if nothing in it says that it is
/// a result of flashscope. Of a newer version no number is shown, for its meaning may have changed.
pub fn remains(folder: &Path, problem: &str) -> Option<Document> {
    let text = ResultFile::new(folder, MANIFEST).json().ok()?;
    if !text.contains("\"schema_version\"") {
        return None;
    }
    let manifest: Value = serde_json::from_str(&text).unwrap_or_default();
    let word = |pointer: &str| manifest.pointer(pointer).and_then(Value::as_str).map(String::from);
    let name =
        folder.file_name().map_or_else(|| folder.display().to_string(), |name| name.to_string_lossy().into());
    let known = [
        ("folder", Some(folder.display().to_string())),
        ("target", word("/target/name")),
        ("begun", word("/created")),
        ("made by", word("/flashscope_version").map(|version| format!("flashscope {version}"))),
        ("state", word("/state")),
        ("kernel", word("/kernel")),
    ];
    let rows = known.into_iter().filter_map(|(key, value)| Some([key.to_string(), value?])).collect();
    Some(Document::new(
        "remains",
        word("/target/name").unwrap_or(name),
        "unreadable result",
        vec![
            Section::new("problem", "Problem", vec![Block::items(vec![Item::alert(problem, "")])]),
            Section::new("known", "Known facts", vec![Block::Facts { rows }]),
            Section::new("files", "Files in the folder", vec![Block::Table(files(folder))]),
        ],
    ))
}

fn files(folder: &Path) -> Table {
    let mut found = Vec::new();
    for part in ["", "ios"] {
        let files = entries(folder, part).unwrap_or_default().into_iter().filter(|(_, is_file)| *is_file);
        found.extend(files.filter_map(|(name, _)| {
            let name = if part.is_empty() { name } else { format!("{part}/{name}") };
            let bytes = ResultFile::new(folder, &name).size_bytes()?;
            Some((name, bytes))
        }));
    }
    found.sort();
    let row = |(name, bytes): (String, u64)| vec![Cell::words(name), Cell::number(bytes as f64)];
    Table::new("files", "Files", "", vec![Column::words("file"), Column::number("size", "bytes")])
        .with_rows(found.into_iter().map(row))
}
