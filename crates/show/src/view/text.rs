//! Lines, columns and colours.

use super::Style;

/// What a piece of text is, to be shown by a colour.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    Plain,
    Bold,
    Faint,
    Good,
    Alert,
}

impl Style {
    pub(super) fn paint(self, tone: Tone, text: &str) -> String {
        let code = match tone {
            Tone::Plain => "",
            Tone::Bold => "1",
            Tone::Faint => "2",
            Tone::Good => "32",
            Tone::Alert => "33",
        };
        if !self.colour || code.is_empty() || text.trim().is_empty() {
            return text.to_string();
        }
        format!("\x1b[{code}m{text}\x1b[0m")
    }

    pub(super) fn columns(self) -> usize {
        self.width.max(40)
    }
}

/// Columns that a text takes.
pub(super) fn columns_of(text: &str) -> usize {
    text.chars().count()
}

/// A text in lines of at most `columns`; a longer word has a line of its own.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is always one");
        if !line.is_empty() && columns_of(line) + 1 + columns_of(word) > columns {
            lines.push(word.to_string());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

/// A text in `room` columns: cut behind a sentence, a part of one, or else a word, where it is longer. What
/// stands before a colon says nothing yet.
pub(super) fn cut(text: &str, room: usize) -> String {
    if columns_of(text) <= room {
        return text.to_string();
    }
    let head: String = text.chars().take(room.saturating_sub(2)).collect();
    let last = |ends: &[&str]| ends.iter().filter_map(|end| head.rfind(end)).max();
    let says_enough = |at: &usize| *at >= head.len() / 2;
    let whole = last(&[". ", "; "]).filter(says_enough);
    let part = || last(&[", ", " ("]).filter(says_enough);
    let end = whole.or_else(part).or_else(|| head.rfind(' ')).unwrap_or(head.len());
    format!("{} …", &head[..end])
}

/// A paragraph behind a mark: `  · text`, its later lines below the first.
pub(super) fn item(style: Style, mark: &str, tone: Tone, text: &str) -> String {
    let room = style.columns().saturating_sub(2 + columns_of(mark) + 1);
    let mut out = String::new();
    for (i, line) in wrap(text, room).iter().enumerate() {
        let mark = if i == 0 { mark.to_string() } else { " ".repeat(columns_of(mark)) };
        out.push_str(&format!("  {} {line}\n", style.paint(tone, &mark)));
    }
    out
}

/// A line for each row, in columns that are as wide as they must be; `is_right` says which stand at the
/// right.
pub fn columns(rows: &[impl AsRef<[String]>], is_right: impl Fn(usize) -> bool) -> Vec<String> {
    let cell = |row: usize, column: usize| rows[row].as_ref().get(column).map_or("", String::as_str);
    let count = rows.iter().map(|row| row.as_ref().len()).max().unwrap_or(0);
    let width = |column| (0..rows.len()).map(|row| columns_of(cell(row, column))).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(width).collect();
    let line = |row| {
        let cells = widths.iter().enumerate().map(|(column, &width)| match is_right(column) {
            true => format!("{:>width$}", cell(row, column)),
            false => format!("{:<width$}", cell(row, column)),
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_string()
    };
    (0..rows.len()).map(line).collect()
}

/// Columns that such a table takes.
pub(super) fn table_columns(rows: &[(Tone, Vec<String>)]) -> usize {
    let cells: Vec<&Vec<String>> = rows.iter().map(|row| &row.1).collect();
    2 + columns(&cells, |_| false).iter().map(|line| columns_of(line)).max().unwrap_or(0)
}

/// Rows of cells, all at the left; the tone is the row's.
pub(super) fn table(style: Style, rows: &[(Tone, Vec<String>)]) -> String {
    let cells: Vec<&Vec<String>> = rows.iter().map(|row| &row.1).collect();
    let lines = columns(&cells, |_| false).into_iter().zip(rows).filter(|(line, _)| !line.is_empty());
    lines.map(|(line, (tone, _))| format!("  {}\n", style.paint(*tone, &line))).collect()
}
