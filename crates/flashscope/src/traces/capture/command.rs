//! The command that is watched, and how long to watch.

use std::io::IsTerminal;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use rustix::process::{Pid, Signal, kill_process_group};

use crate::screen::Screen;

/// How often is looked whether it is over.
const POLL: Duration = Duration::from_millis(5);

/// Why recording ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// The command ended.
    Ended(ExitStatus),
    /// The time was over.
    TimeOver,
    /// Somebody asked for it; the command, if there was one, ended so.
    Interrupted(Option<ExitStatus>),
    /// The trace could not be written.
    Failed,
}

/// A command that runs in a shell, in a process group of its own, so that all of it can be stopped.
pub struct Command(Child);

impl Command {
    /// Starts it. Its output goes to standard error, its input is ours unless that is a terminal.
    pub fn start(text: &str) -> Result<Command> {
        let stdin = std::io::stdin();
        let stdin = if stdin.is_terminal() { Stdio::null() } else { Stdio::inherit() };
        let stderr =
            std::io::stderr().as_fd().try_clone_to_owned().context("cannot pass on standard error")?;
        let mut command = std::process::Command::new("sh");
        command.args(["-c", text]).stdin(stdin).stdout(stderr).process_group(0);
        Ok(Command(command.spawn().context("cannot start a shell for the command")?))
    }

    fn signal(&self, signal: Signal) {
        if let Some(pid) = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw) {
            // It may be over by now.
            let _ = kill_process_group(pid, signal);
        }
    }
}

impl Drop for Command {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(None)) {
            self.signal(Signal::TERM);
        }
    }
}

/// Waits until the command or the time is over, or until somebody interrupts: once ends the command, twice
/// kills it. If the capture `has_failed`, that is said at once; the command goes on, for it may be of use.
pub fn until(
    mut command: Option<Command>,
    deadline: Option<Instant>,
    [interrupted, again]: [&AtomicBool; 2],
    has_failed: impl Fn() -> bool,
    screen: &Screen,
) -> Result<How> {
    let (mut is_interrupted, mut is_killed, mut is_failed) = (false, false, false);
    loop {
        if interrupted.load(Ordering::Relaxed) && !is_interrupted {
            is_interrupted = true;
            command.iter().for_each(|command| command.signal(Signal::TERM));
        }
        if again.load(Ordering::Relaxed) && !is_killed {
            is_killed = true;
            command.iter().for_each(|command| command.signal(Signal::KILL));
        }
        if has_failed() && !is_failed {
            is_failed = true;
            if command.is_some() {
                screen.note("warning: recording failed; the command is still running, Ctrl-C ends it");
            }
        }
        let status = command.as_mut().map(|command| command.0.try_wait()).transpose()?.flatten();
        match status {
            _ if is_interrupted && (status.is_some() || command.is_none()) => {
                return Ok(How::Interrupted(status));
            }
            Some(status) => return Ok(How::Ended(status)),
            None if is_failed && command.is_none() => return Ok(How::Failed),
            None if deadline.is_some_and(|deadline| Instant::now() >= deadline) => return Ok(How::TimeOver),
            None => std::thread::sleep(POLL),
        }
    }
}
