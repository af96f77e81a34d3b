//! The IOs of a file in the order of their submission. The file has them in the order of completion.

use flashscope_store::StoreError;
use flashscope_store::ios::{BATCH_IOS, Io, IoFile, Parts};

/// Gives the first `ios_max` IOs of a file, many at a time, in the order of submission. An IO that more than
/// [`BATCH_IOS`] others overtook comes late.
///
/// # Errors
/// The file is damaged.
pub(super) fn in_order(file: &IoFile, ios_max: u64, mut take: impl FnMut(&[Io])) -> Result<(), StoreError> {
    let mut waiting: Vec<Io> = Vec::with_capacity(2 * BATCH_IOS);
    let mut left = usize::try_from(ios_max).unwrap_or(usize::MAX);
    let mut batches = file.batches(Parts::All);
    while left > 0
        && let Some(batch) = batches.next_batch()?
    {
        let batch = &batch[..batch.len().min(left)];
        left -= batch.len();
        // Every batch is sorted together with the later half of what came before.
        waiting.extend_from_slice(batch);
        waiting.sort_by_key(|io| io.submit_ns);
        let done = waiting.len().saturating_sub(BATCH_IOS);
        take(&waiting[..done]);
        waiting.drain(..done);
    }
    take(&waiting);
    Ok(())
}
