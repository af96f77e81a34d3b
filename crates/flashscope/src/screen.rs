//! Standard output is the result, standard error is progress and warnings.

use std::borrow::Cow;
use std::fmt;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use anyhow::Result;
use flashscope_core::plain::{plain, plain_json};
use flashscope_show::Style;
use flashscope_store::{Alias, Opened};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::args::{Global, When};
use crate::signal;

/// How often time that passes is shown.
pub const TICK: Duration = Duration::from_secs(1);

/// What is done before anything is measured.
pub const OPENING: &str = "opening the target";
/// What is done right before the first IO.
pub const EXAMINING: &str = "examining the machine";

/// What the person's terminal can show, and how much they want to see.
pub struct Screen {
    quiet: bool,
    /// More detail on standard error.
    pub verbose: bool,
    out_is_terminal: bool,
    /// Whether progress can be redrawn there.
    err_is_live: bool,
    out_is_painted: bool,
    err_is_painted: bool,
    /// Folders that exist only meanwhile, and what they are called instead.
    names: RwLock<Vec<Alias>>,
    /// The line that says what goes on, while it does.
    line: Mutex<Option<ProgressBar>>,
}

impl Screen {
    /// Looks at the terminal once.
    pub fn new(global: &Global) -> Screen {
        let is_dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let [out, err] = [std::io::stdout().is_terminal(), std::io::stderr().is_terminal()];
        let is_painted = |is_terminal: bool| match global.color.unwrap_or_default() {
            When::Auto => is_terminal && !is_dumb && !no_color,
            When::Always => true,
            When::Never => false,
        };
        Screen {
            quiet: global.quiet,
            verbose: global.verbose,
            out_is_terminal: out,
            err_is_live: err && !is_dumb,
            out_is_painted: is_painted(out),
            err_is_painted: is_painted(err),
            names: RwLock::default(),
            line: Mutex::default(),
        }
    }

    /// Does what may take seconds and has no progress of its own; from the first second on a line says what
    /// it is, and for how long.
    pub fn during<T>(&self, what: &str, work: impl FnOnce() -> T) -> T {
        let is_said = self.line().is_some();
        if is_said || !self.is_live() {
            return work();
        }
        *self.line() = Some(self.working(what));
        let done = work();
        if let Some(line) = self.line().take() {
            line.finish_and_clear();
        }
        done
    }

    /// A line that says what goes on once it has taken a second; invisible where nobody looks.
    pub fn working(&self, what: &str) -> ProgressBar {
        if !self.is_live() {
            return ProgressBar::hidden();
        }
        let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(8));
        let what = plain(&self.named(what)).into_owned();
        let text = move |state: &ProgressState, out: &mut dyn fmt::Write| {
            if state.elapsed() >= TICK {
                let _ = write!(out, "  {what} · {} s", state.elapsed().as_secs());
            }
        };
        let style = ProgressStyle::with_template("{working}").expect("a fixed template");
        line.set_style(style.with_key("working", text));
        line.enable_steady_tick(TICK);
        line
    }

    fn line(&self) -> MutexGuard<'_, Option<ProgressBar>> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes where the line would be in the way.
    fn beside_line<T>(&self, write: impl FnOnce() -> T) -> T {
        let line = self.line().clone();
        match line {
            Some(line) => line.suspend(write),
            None => write(),
        }
    }

    /// Columns of the terminal that progress is drawn on.
    pub fn live_columns(&self) -> usize {
        let found = terminal_size::terminal_size_of(std::io::stderr());
        found.map_or(80, |(width, _)| usize::from(width.0)).clamp(40, 140)
    }

    /// How a result is laid out on standard output.
    pub fn style(&self) -> Style {
        let terminal = terminal_size::terminal_size().filter(|_| self.out_is_terminal);
        let terminal = terminal.map(|(width, _)| usize::from(width.0)).filter(|width| *width > 0);
        let asked = || std::env::var("COLUMNS").ok()?.trim().parse().ok().filter(|width| *width > 0);
        // A terminal that does not know its width is rather a narrow one.
        let unknown = if self.out_is_terminal { 100 } else { 110 };
        let width = terminal.or_else(asked).unwrap_or(unknown).clamp(40, 140);
        Style { width, colour: self.out_is_painted }
    }

    /// Whether progress is drawn and redrawn.
    pub fn is_live(&self) -> bool {
        self.err_is_live && !self.quiet
    }

    /// A result that the person named: a folder, or a pack, whose folder is shown by the pack's name from now
    /// on.
    ///
    /// # Errors
    /// It is a file and no pack; it cannot be unpacked; the person stopped it.
    pub fn open(&self, path: &Path) -> Result<Opened> {
        let opened =
            self.during(&format!("reading {}", path.display()), || Opened::of(path, signal::flag()))?;
        self.names.write().unwrap_or_else(PoisonError::into_inner).extend(opened.alias());
        Ok(opened)
    }

    /// A text with the names that folders are shown by.
    pub fn named<'a>(&self, text: &'a str) -> Cow<'a, str> {
        Alias::replace_all(&self.names.read().unwrap_or_else(PoisonError::into_inner), text)
    }

    /// The result.
    pub fn print(&self, text: &str) -> Result<()> {
        let text = self.named(text);
        let text = shown(&text, self.out_is_painted);
        self.beside_line(|| {
            let mut out = std::io::stdout().lock();
            out.write_all(text.as_bytes())?;
            if !text.ends_with('\n') {
                out.write_all(b"\n")?;
            }
            Ok(out.flush()?)
        })
    }

    /// A remark beside the result; nobody minds if it cannot be shown.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            let text = self.named(text);
            let text = shown(&text, self.err_is_painted);
            let _ = self.beside_line(|| writeln!(std::io::stderr(), "{text}"));
        }
    }

    /// A remark for those who asked for more.
    pub fn detail(&self, text: &str) {
        if self.verbose {
            self.note(text);
        }
    }

    /// Why the command failed.
    pub fn error(&self, text: &str) {
        let (on, off) = if self.err_is_painted { ("\x1b[1;31m", "\x1b[0m") } else { ("", "") };
        let _ = writeln!(std::io::stderr(), "{on}error:{off} {}", plain(&self.named(text)));
    }
}

/// All that flashscope paints with.
const PAINTS: [&str; 8] = ["[0m", "[1m", "[2m", "[1;4m", "[32m", "[33m", "[1;31m", "[1;33m"];

/// What may reach a terminal: of all that steers it, flashscope's own paint alone. Names in it may come from
/// anywhere. In JSON it may also be written as an escape, which whoever reads that would undo.
fn shown(text: &str, is_painted: bool) -> Cow<'_, str> {
    if text.starts_with(['{', '[']) {
        return plain_json(text);
    }
    if !is_painted || !text.contains('\x1b') {
        return plain(text);
    }
    let mut parts = text.split('\x1b');
    let mut out = plain(parts.next().unwrap_or_default()).into_owned();
    for part in parts {
        let is_paint = PAINTS.iter().any(|paint| part.starts_with(paint));
        out.push(if is_paint { '\x1b' } else { '\u{fffd}' });
        out.push_str(&plain(part));
    }
    out.into()
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn of_what_steers_a_terminal_only_the_own_paint_is_left() {
        let text = "\x1b[1mbold\x1b[0m evil\x1b[2J\u{9b}2J\u{202e}\rname\x1b";
        assert_eq!(
            shown(text, true),
            "\x1b[1mbold\x1b[0m evil\u{fffd}[2J\u{fffd}2J\u{fffd}\u{fffd}name\u{fffd}"
        );
        assert!(!shown(text, false).contains('\x1b'));
        assert_eq!(shown("as it is\n\tµs", true), "as it is\n\tµs");
        assert_eq!(shown(r#"{"name": "a\u001b[2J"}"#, true), r#"{"name": "a\ufffd[2J"}"#);
    }
}
