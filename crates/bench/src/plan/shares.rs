//! What of the bytes that a plan may write belongs to each of its steps, so that none takes what others need.

use crate::step::Cost;

/// Bytes of each step, with its preparations, and of the interference experiment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shares {
    steps: Vec<Share>,
    interference: Share,
    /// Of the whole plan: what the shares add up to.
    whole_bytes: u64,
}

/// Bytes that something needs at least, and those that it may have.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    least: u64,
    most: u64,
}

impl From<Cost> for Share {
    fn from(cost: Cost) -> Share {
        Share { least: cost.min_bytes, most: cost.share_bytes }
    }
}

impl Shares {
    pub(super) fn new(steps: &[Cost], interference: Cost, whole_bytes: u64) -> Shares {
        let steps = steps.iter().map(|cost| Share::from(*cost)).collect();
        Shares { steps, interference: interference.into(), whole_bytes }
    }

    /// Bytes that are kept back for the least of all steps to do from number `next` on, and of the
    /// interference experiment if it is still to come: all else is for what comes before them.
    pub fn least_from(&self, next: usize, todo: &[bool], is_learning_left: bool) -> u64 {
        let steps = self.to_do(next, todo).map(|share| share.least);
        let interference = if is_learning_left { self.interference.least } else { 0 };
        steps.fold(interference, u64::saturating_add)
    }

    /// Bytes that are kept back while step `number` runs: the shares of all behind it, as large as the bound
    /// allows. What earlier steps left over is its own, and of `left` bytes its least in any case.
    pub fn behind(
        &self,
        number: usize,
        todo: &[bool],
        is_learning_left: bool,
        bound_bytes: u64,
        left_bytes: u64,
    ) -> u64 {
        let interference = if is_learning_left { self.interference.most } else { 0 };
        let shares = self.to_do(number + 1, todo).map(|share| share.most);
        let most = shares.fold(interference, u64::saturating_add);
        let scale = bound_bytes as f64 / self.whole_bytes.max(1) as f64;
        let own_least = self.steps.get(number).map_or(0, |share| share.least).min(left_bytes);
        ((most as f64 * scale) as u64).min(left_bytes - own_least)
    }

    /// Bytes that the interference experiment may have.
    pub fn of_interference(&self) -> u64 {
        self.interference.most
    }

    fn to_do<'a>(&'a self, from: usize, todo: &'a [bool]) -> impl Iterator<Item = &'a Share> {
        self.steps.iter().zip(todo).skip(from).filter(|(_, is_to_do)| **is_to_do).map(|(share, _)| share)
    }
}
