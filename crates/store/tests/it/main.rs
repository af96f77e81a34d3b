//! What is kept on disk, and what is read of it again.

mod common;
mod folder;
mod footer;
mod hands;
mod hostile;
mod promise;
mod recorder;
