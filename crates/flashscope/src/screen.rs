//! Standard output is the result, standard error is progress and warnings.

use std::borrow::Cow;
use std::cell::RefCell;
use std::io::{IsTerminal, Write};
use std::path::Path;

use anyhow::Result;
use flashscope_show::Style;
use flashscope_store::{Alias, Opened};

use crate::args::Global;
use crate::signal;

/// What the person's terminal can show, and how much they want to see.
pub struct Screen {
    quiet: bool,
    /// More detail on standard error.
    pub verbose: bool,
    out_is_terminal: bool,
    err_is_terminal: bool,
    no_color: bool,
    /// Folders that exist only meanwhile, and what they are called instead.
    names: RefCell<Vec<Alias>>,
}

impl Screen {
    /// Looks at the terminal once.
    pub fn new(global: &Global) -> Screen {
        Screen {
            quiet: global.quiet,
            verbose: global.verbose,
            out_is_terminal: std::io::stdout().is_terminal(),
            err_is_terminal: std::io::stderr().is_terminal(),
            no_color: std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()),
            names: RefCell::default(),
        }
    }

    /// How a result is laid out on standard output.
    pub fn style(&self) -> Style {
        let terminal = terminal_size::terminal_size().filter(|_| self.out_is_terminal);
        let terminal = terminal.map(|(width, _)| usize::from(width.0)).filter(|width| *width > 0);
        let asked = || std::env::var("COLUMNS").ok()?.trim().parse().ok().filter(|width| *width > 0);
        // A terminal that does not know its width is rather a narrow one.
        let unknown = if self.out_is_terminal { 100 } else { 110 };
        let width = terminal.or_else(asked).unwrap_or(unknown).clamp(60, 140);
        Style { width, colour: self.out_is_terminal && !self.no_color }
    }

    /// Whether progress is drawn and redrawn.
    pub fn is_live(&self) -> bool {
        self.err_is_terminal && !self.quiet
    }

    /// A result that the person named: a folder, or a pack, whose folder is shown by the pack's name from now
    /// on.
    ///
    /// # Errors
    /// It is a file and no pack; it cannot be unpacked; the person stopped it.
    pub fn open(&self, path: &Path) -> Result<Opened> {
        let opened = Opened::of(path, signal::flag())?;
        self.names.borrow_mut().extend(opened.alias());
        Ok(opened)
    }

    /// A text with the names that folders are shown by.
    pub fn named<'a>(&self, text: &'a str) -> Cow<'a, str> {
        Alias::replace_all(&self.names.borrow(), text)
    }

    /// The result.
    pub fn print(&self, text: &str) -> Result<()> {
        let text = self.named(text);
        let mut out = std::io::stdout().lock();
        out.write_all(text.as_bytes())?;
        if !text.ends_with('\n') {
            out.write_all(b"\n")?;
        }
        Ok(out.flush()?)
    }

    /// A remark beside the result; nobody minds if it cannot be shown.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            let _ = writeln!(std::io::stderr(), "{}", self.named(text));
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
        let (on, off) =
            if self.err_is_terminal && !self.no_color { ("\x1b[1;31m", "\x1b[0m") } else { ("", "") };
        let _ = writeln!(std::io::stderr(), "{on}error:{off} {}", self.named(text));
    }
}
