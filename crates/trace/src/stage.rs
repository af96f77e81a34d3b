//! The actions of the block layer that stand for a request, shared by text (blkparse) and binary (blktrace).

/// A kind of action that stands for a request, the earliest first. A request passes through several and
/// counts once: taken are actions of the earliest stage that the trace has held so far, or an earlier one.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// Q: before merging and splitting.
    Queued,
    /// I.
    Inserted,
    /// D: behind merging and splitting.
    #[default]
    Issued,
}
