//! What of `banked-log` does not change at work: its settings, its numbers, and where pages lie.

use flashscope_core::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::SimError;
use crate::ftl::Setup;
use crate::nand::Lpn;
use crate::nand::divide::Divisor;

/// The table `[banked_log]` of a profile.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BankedLogSettings {
    /// Parts of the flash with separate logs. They work in parallel if their number divides the number of die
    /// sets that a block is striped over (`nand.stripe`).
    pub banks: u32,
    /// Bank interleaving: consecutive logical bytes in one bank.
    #[schemars(with = "String")]
    pub interleave: Bytes,
    /// Log blocks of each bank.
    pub log_blocks: u32,
    /// Merges, and as many erases, that each bank may defer to idle time; limited by its spare blocks.
    pub put_off: u32,
    /// Allow a switch merge for a log block that holds every page of its logical block once, in any order;
    /// otherwise only in ascending order.
    pub any_order: bool,
    /// Pages that a log block takes before a non-consecutive page closes it; 0 for all.
    pub random_pages: u32,
    /// Pages that a merge copies in parallel; 0 for one on each plane of the bank.
    pub copy_pages: u32,
    /// Bytes of logs with deferred merges in each bank; 0 for no limit.
    #[schemars(with = "String")]
    pub put_off_bytes: Bytes,
    /// Logical blocks that share a log block when there are more of them than log blocks. A sequentially
    /// written block (from its first page on, directly after its predecessor or after another block was
    /// written so to its end) has a log block to itself.
    pub sharers: u32,
    /// While a write waits for merges in its bank, the other banks merge too.
    pub together: bool,
}

impl Default for BankedLogSettings {
    fn default() -> BankedLogSettings {
        BankedLogSettings {
            banks: 1,
            interleave: Bytes(32 << 10),
            log_blocks: 4,
            put_off: 4,
            any_order: false,
            random_pages: 0,
            copy_pages: 0,
            put_off_bytes: Bytes(0),
            sharers: 1,
            together: false,
        }
    }
}

/// Where logical pages lie when pieces of them are dealt out to banks in turn. The FTL numbers pages so that
/// those of one logical block follow each other; what is over at the end is not dealt out.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Deal {
    banks: u32,
    pub(super) pages_per_block: u32,
    piece: Divisor,
    piece_pages: u32,
    row: Divisor,
    per_bank: Divisor,
    /// Pages before this one are dealt out.
    end: Lpn,
}

impl Deal {
    pub(super) fn new(setup: &Setup<'_>) -> Deal {
        let BankedLogSettings { banks, interleave: Bytes(interleave), .. } = setup.settings.banked_log;
        let pages_per_block = setup.geometry.pages_per_block;
        let piece_pages = (interleave / u64::from(setup.geometry.page_bytes)).max(1) as u32;
        let row_pages = pages_per_block * banks;
        Deal {
            banks,
            pages_per_block,
            piece: Divisor::new(piece_pages),
            piece_pages,
            row: Divisor::new(row_pages),
            per_bank: Divisor::new(banks),
            end: setup.logical_pages / row_pages * row_pages,
        }
    }

    #[inline]
    pub(super) fn inner(&self, lpn: Lpn) -> Lpn {
        if self.banks == 1 || lpn >= self.end {
            return lpn;
        }
        let in_row = self.row.remainder(lpn);
        let piece = self.piece.quotient(in_row);
        let (turn, bank) = (self.per_bank.quotient(piece), self.per_bank.remainder(piece));
        let within = self.piece.remainder(in_row);
        lpn - in_row + bank * self.pages_per_block + turn * self.piece_pages + within
    }
}

/// What of the settings is needed at work.
impl BankedLogSettings {
    /// The most that `put_off` can be, with the spare blocks of each bank.
    pub(crate) fn put_off_max(&self, setup: &Setup<'_>) -> u32 {
        let kept = self.log_blocks.saturating_add(2);
        (setup.spare_blocks() / self.banks.max(1)).saturating_sub(kept)
    }
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Rules {
    pub(super) banks: u32,
    pub(super) log_blocks: u32,
    pub(super) put_off: u32,
    /// Pages in logs whose merges are put off.
    pub(super) put_off_pages: u32,
    pub(super) sharers: u32,
    pub(super) any_order: bool,
    pub(super) together: bool,
    /// Pages that a log takes if they do not follow each other.
    pub(super) random_pages: u32,
    /// Pages that a merge copies at the same time.
    pub(super) copy_pages: u32,
}

impl Rules {
    pub(super) fn new(setup: &Setup<'_>) -> Result<Rules, SimError> {
        check_shape(setup, &setup.settings.banked_log)?;
        let BankedLogSettings { banks, log_blocks, put_off, any_order, together, .. } =
            setup.settings.banked_log;
        let least = log_blocks.saturating_add(2);
        setup.need_spare_blocks(least.saturating_mul(banks))?;
        let or_else = |given: u32, otherwise: u32| if given == 0 { otherwise } else { given };
        let per_block = setup.geometry.pages_per_block;
        let on_each_plane = setup.geometry.stripe * setup.settings.nand.pages_per_program;
        let Bytes(put_off_bytes) = setup.settings.banked_log.put_off_bytes;
        let put_off_pages = (put_off_bytes / u64::from(setup.geometry.page_bytes)).min(u64::from(u32::MAX));
        Ok(Rules {
            put_off_pages: or_else(put_off_pages as u32, u32::MAX),
            sharers: setup.settings.banked_log.sharers,
            banks,
            log_blocks,
            put_off: put_off.min(setup.settings.banked_log.put_off_max(setup)),
            any_order,
            together,
            random_pages: or_else(setup.settings.banked_log.random_pages, per_block).min(per_block),
            copy_pages: or_else(setup.settings.banked_log.copy_pages, on_each_plane).min(per_block),
        })
    }
}

impl Rules {
    /// Logs that may be in use at the same time.
    pub(super) fn logs_max(&self) -> u32 {
        ((self.log_blocks + 3) * self.sharers + self.put_off + 1) * self.banks
    }
}

fn check_shape(setup: &Setup<'_>, settings: &BankedLogSettings) -> Result<(), SimError> {
    let block_bytes = setup.geometry.block_bytes();
    let Bytes(piece) = settings.interleave;
    let page_bytes = u64::from(setup.geometry.page_bytes);
    let wrong = |key: &str, problem: String, remedy: &str| {
        Err(SimError::Setting { key: format!("banked_log.{key}"), problem, remedy: remedy.into() })
    };
    if settings.banks == 0 || settings.banks > setup.geometry.blocks {
        let problem = format!("is {}, and the flash has {} blocks", settings.banks, setup.geometry.blocks);
        return wrong("banks", problem, "use at least one, and fewer than there are blocks");
    }
    if settings.log_blocks == 0 {
        return wrong("log_blocks", "is 0".into(), "use at least one");
    }
    if settings.sharers == 0 || settings.sharers > setup.geometry.pages_per_block {
        let problem =
            format!("is {}, and a block has {} pages", settings.sharers, setup.geometry.pages_per_block);
        return wrong("sharers", problem, "use at least one, and at most as many as a block has pages");
    }
    let fits = piece > 0 && piece.is_multiple_of(page_bytes) && block_bytes.is_multiple_of(piece);
    if settings.banks > 1 && !fits {
        let problem = format!("is {}, and a block has {}", settings.interleave, Bytes(block_bytes));
        return wrong("interleave", problem, "use whole pages that divide a block");
    }
    Ok(())
}
