//! The open blocks of a page-mapped FTL: which page goes to which.

use serde::{Deserialize, Serialize};

use crate::error::SimError;
use crate::nand::Tag;
use crate::settings::Settings;

/// Where a collection moves pages to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Moved {
    /// Behind what the host writes with the same handle.
    WithHost,
    /// To an open block for the pages of all handles.
    Together,
    /// To an open block for each handle.
    Apart,
}

/// What a block's tag says of its pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The host wrote them, and a collection may have.
    Host = 1,
    /// A collection moved them there.
    Moved,
}

/// Open blocks: first one for each placement handle of the host, then those for moved pages.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Frontiers {
    pub handles: u16,
    pub moved: Moved,
}

/// The most placement handles of a simulated drive; FDP's limit for a namespace (NVM Command Set 1.1, 5.1).
const HANDLES_MAX: u32 = 128;

impl Frontiers {
    /// Those of the `page` FTL.
    pub fn of_page(settings: &Settings) -> Frontiers {
        let moved = if settings.page.frontiers > 1 { Moved::Together } else { Moved::WithHost };
        Frontiers { handles: 1, moved }
    }

    /// Those of an FTL that keeps the data of each handle apart: while the host writes them, and if
    /// `is_persistent` for ever.
    ///
    /// # Errors
    /// [`SimError::Setting`] for `key` unless there are 1 to 128 handles.
    pub fn of_handles(
        settings: &Settings,
        (key, handles): (&str, u32),
        is_persistent: bool,
    ) -> Result<Frontiers, SimError> {
        if !(1..=HANDLES_MAX).contains(&handles) {
            let problem = format!("is {handles}, not from 1 to {HANDLES_MAX}");
            return Err(SimError::setting(key, &problem, "choose one in that range"));
        }
        let moved = match (is_persistent, settings.page.frontiers) {
            (false, _) => Moved::Together,
            (true, 1) => Moved::WithHost,
            (true, _) => Moved::Apart,
        };
        Ok(Frontiers { handles: handles as u16, moved })
    }

    /// Open blocks at most.
    pub fn count(self) -> u32 {
        let handles = u32::from(self.handles);
        handles
            + match self.moved {
                Moved::WithHost => 0,
                Moved::Together => 1,
                Moved::Apart => handles,
            }
    }

    /// Free blocks that a collection needs: one for what it moves, and where handles are many, one more for
    /// the host, whose block may be another than the collection filled.
    pub fn reserve_blocks(self, settings: &Settings) -> u32 {
        let least = if self.handles == 1 { self.count() } else { 2 };
        settings.page.reserve_blocks.max(least)
    }

    /// Blocks that it needs besides those that hold data.
    pub fn spare_blocks(self, settings: &Settings) -> u32 {
        self.reserve_blocks(settings).saturating_add(self.count())
    }

    /// The frontier of pages that are moved from a block with this tag.
    pub fn for_moved(self, tag: Tag) -> usize {
        match self.moved {
            Moved::WithHost => tag.owner as usize,
            Moved::Together => usize::from(self.handles),
            Moved::Apart => usize::from(self.handles) + tag.owner as usize,
        }
    }

    /// What a block says once a frontier takes it; nothing where handles need no distinction.
    pub fn tag(self, frontier: usize) -> Option<Tag> {
        let handles = usize::from(self.handles);
        let role = if frontier < handles { Role::Host } else { Role::Moved };
        (handles > 1).then_some(Tag { kind: role as u32, owner: (frontier % handles) as u32 })
    }
}
