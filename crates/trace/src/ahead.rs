//! Requests made ready by another thread, so that reading and uncompressing never hold up an IO.

use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;

use flashscope_core::{Request, RequestSource};

/// Requests handed over at once, and how many such batches wait at most: 8 MiB in all.
const BATCH: usize = 4096;
const BATCHES: usize = 64;

/// A source that runs ahead in a thread of its own.
pub struct Ahead<S> {
    batches: Option<Receiver<Vec<Request>>>,
    batch: Vec<Request>,
    next: usize,
    thread: Option<JoinHandle<S>>,
}

impl<S: RequestSource + Send + 'static> Ahead<S> {
    /// Starts the thread, and waits until it has the first requests.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(mut source: S) -> std::io::Result<Ahead<S>> {
        let (sender, batches) = sync_channel(BATCHES);
        let run = move || {
            loop {
                let mut batch = vec![Request::default(); BATCH];
                let count = source.fill(&mut batch);
                batch.truncate(count);
                // An empty batch is the end. Nobody listens once the drive was stopped.
                if sender.send(batch).is_err() || count == 0 {
                    return source;
                }
            }
        };
        let thread = std::thread::Builder::new().name("trace".into()).spawn(run)?;
        let batch = batches.recv().unwrap_or_default();
        Ok(Ahead { batches: Some(batches), batch, next: 0, thread: Some(thread) })
    }

    /// Stops the thread and gives the source back, for its errors and counts.
    ///
    /// # Panics
    /// If the source has panicked.
    pub fn finish(mut self) -> S {
        self.batches = None;
        let thread = self.thread.take().expect("only finish takes it");
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

impl<S: RequestSource> RequestSource for Ahead<S> {
    fn fill(&mut self, batch: &mut [Request]) -> usize {
        let mut filled = 0;
        while filled < batch.len() {
            if self.next == self.batch.len() {
                let Some(batches) = &self.batches else { break };
                match batches.recv() {
                    Ok(more) if !more.is_empty() => (self.batch, self.next) = (more, 0),
                    // The end; or it has panicked, which `finish` passes on.
                    _ => self.batches = None,
                }
                continue;
            }
            let count = (batch.len() - filled).min(self.batch.len() - self.next);
            batch[filled..filled + count].copy_from_slice(&self.batch[self.next..self.next + count]);
            filled += count;
            self.next += count;
        }
        filled
    }
}
