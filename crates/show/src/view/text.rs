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

/// Rows of cells in columns that are as wide as they must be; the tone is the row's.
pub(super) fn table(style: Style, rows: &[(Tone, Vec<String>)]) -> String {
    let widths = widths(rows);
    let mut out = String::new();
    for (tone, cells) in rows.iter().filter(|row| row.1.iter().any(|cell| !cell.is_empty())) {
        let padded = cells
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell}{}", " ".repeat(width - columns_of(cell))));
        let line = padded.collect::<Vec<_>>().join("  ");
        out.push_str(&format!("  {}\n", style.paint(*tone, line.trim_end())));
    }
    out
}

/// Columns that such a table takes.
pub(super) fn table_columns(rows: &[(Tone, Vec<String>)]) -> usize {
    let widths = widths(rows);
    2 + widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1)
}

fn widths(rows: &[(Tone, Vec<String>)]) -> Vec<usize> {
    let columns = rows.iter().map(|(_, cells)| cells.len()).max().unwrap_or(0);
    let cell =
        |row: &(Tone, Vec<String>), column: usize| row.1.get(column).map_or(0, |cell| columns_of(cell));
    (0..columns).map(|column| rows.iter().map(|row| cell(row, column)).max().unwrap_or(0)).collect()
}
