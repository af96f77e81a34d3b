//! What every page must hold: a plain list beside the model, which every read is checked against, and what a
//! loss of power may take.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::power::PowerLoss;
use crate::ftl::Tombstone;
use crate::nand::{Lpn, NO_TOKEN, Token};

/// A read that returned something else than the last write.
#[allow(missing_docs)] // names that say it need no more
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[error("logical page {lpn} returned the data of write {found}, but write {expected} was the last one to it")]
pub struct Corruption {
    pub lpn: Lpn,
    /// The number of the last write to it; 0 for none.
    pub expected: Token,
    /// The number of the write whose data came back.
    pub found: Token,
}

/// A write or a trim of a page, and its place in the order of both.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Event {
    number: Token,
    trim: bool,
}

impl Event {
    /// What a read must return after it.
    fn token(self) -> Token {
        if self.trim { NO_TOKEN } else { self.number }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Oracle {
    last: Vec<Event>,
    /// The last event of each page that a flush, or the way of the write itself, made durable.
    durable: Vec<Event>,
    /// Pages whose last event is not durable yet.
    pending: Vec<Lpn>,
    corruption: Option<Corruption>,
}

impl Oracle {
    pub(super) fn new(logical_pages: u32) -> Oracle {
        let none = vec![Event::default(); logical_pages as usize];
        Oracle { last: none.clone(), durable: none, pending: Vec::new(), corruption: None }
    }

    /// A write was acknowledged.
    pub(super) fn wrote(&mut self, lpn: Lpn, token: Token, durable: bool) {
        let page = lpn as usize;
        let was_pending = self.last[page].number > self.durable[page].number;
        self.last[page] = Event { number: token, trim: false };
        if durable {
            self.durable[page] = self.last[page];
        } else if !was_pending {
            self.pending.push(lpn);
        }
    }

    /// A trim was acknowledged. The device keeps a journal of trims, so it is durable at once.
    pub(super) fn trimmed(&mut self, lpn: Lpn, number: Token) {
        self.last[lpn as usize] = Event { number, trim: true };
        self.durable[lpn as usize] = self.last[lpn as usize];
    }

    /// A flush was acknowledged.
    pub(super) fn flushed(&mut self) {
        for lpn in self.pending.drain(..) {
            self.durable[lpn as usize] = self.last[lpn as usize];
        }
    }

    /// The trims that are the last event of their page.
    pub(super) fn trims(&self) -> Vec<Tombstone> {
        let events = (0..).zip(&self.durable).filter(|(_, event)| event.trim);
        events.map(|(lpn, event)| Tombstone { lpn, token: event.number }).collect()
    }

    pub(super) fn read(&mut self, lpn: Lpn, found: Token) {
        let expected = self.last[lpn as usize].token();
        if expected != found {
            self.corruption.get_or_insert(Corruption { lpn, expected, found });
        }
    }

    /// After a loss of power, `lpn` holds `found`: judges it, and believes it from now on.
    pub(super) fn recovered(&mut self, lpn: Lpn, found: Token, loss: &mut PowerLoss) {
        let page = lpn as usize;
        let (last, durable) = (self.last[page], self.durable[page]);
        let flushed_lost = found == NO_TOKEN && durable.token() != NO_TOKEN;
        let stale = found != NO_TOKEN && found < durable.number;
        let lost = found < last.token();
        loss.flushed_pages_lost += u64::from(flushed_lost);
        loss.stale_pages += u64::from(stale);
        loss.acknowledged_pages_lost += u64::from(lost && !flushed_lost && !stale);
        if found != NO_TOKEN {
            self.durable[page] = Event { number: found, trim: false };
        } else if !durable.trim {
            self.durable[page] = Event::default();
        }
        self.last[page] = self.durable[page];
    }

    /// Nothing waits for a flush any more.
    pub(super) fn recovered_all(&mut self) {
        self.pending.clear();
    }

    pub(super) fn corruption(&self) -> Option<&Corruption> {
        self.corruption.as_ref()
    }
}
