//! What every page must hold: a plain list beside the model, which every read is checked against.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::nand::{Lpn, NO_TOKEN, Token};

/// A read that returned something else than the last write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[error("logical page {lpn} returned the data of write {found}, but write {expected} was the last one to it")]
pub struct Corruption {
    /// The page.
    pub lpn: Lpn,
    /// The number of the last write to it; 0 for none.
    pub expected: Token,
    /// The number of the write whose data came back.
    pub found: Token,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Oracle {
    last: Vec<Token>,
    corruption: Option<Corruption>,
}

impl Oracle {
    pub(super) fn new(logical_pages: u32) -> Oracle {
        Oracle { last: vec![NO_TOKEN; logical_pages as usize], corruption: None }
    }

    pub(super) fn wrote(&mut self, lpn: Lpn, token: Token) {
        self.last[lpn as usize] = token;
    }

    pub(super) fn read(&mut self, lpn: Lpn, found: Token) {
        let expected = self.last[lpn as usize];
        if expected != found {
            self.corruption.get_or_insert(Corruption { lpn, expected, found });
        }
    }

    pub(super) fn corruption(&self) -> Option<&Corruption> {
        self.corruption.as_ref()
    }
}
