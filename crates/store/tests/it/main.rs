//! What is kept on disk, and what is read of it again.

mod common;
mod folder;
mod footer;
mod hostile;
mod promise;
mod recorder;
