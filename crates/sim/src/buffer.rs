//! Write buffers: RAM before the flash, and who leaves it when it is full. One file and one line for each.
//!
//! A buffer knows pages and the blocks that they belong to, never where they are in flash. It is asked before
//! a page goes in, answers with the pages that must be written back first, and [`crate::Ssd`] writes them
//! through the FTL. So every buffer works with every FTL. One of your own implements [`WriteBuffer`] and is
//! put into a device by [`crate::SsdBuilder::buffer`].

pub mod arc;
pub mod batch;
pub mod block_lru;
mod blocks;
pub mod bplru;
pub mod cflru;
pub mod fab;
pub mod fifo;
pub mod lirs;
mod list;
pub mod lru;
pub mod lru_wsr;
mod none;
mod order;
mod pages;
mod queue;
mod recency;

use flashscope_core::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::SimError;
use crate::nand::{Lpn, NO_TOKEN, Token};
use crate::settings::Settings;

pub use none::NoBuffer;

/// The table `[ram]` of a profile: what all buffers have in common.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BufferSettings {
    /// RAM of the buffer, including headers where the policy has any.
    #[schemars(with = "String")]
    pub size: Bytes,
    /// Serve reads of buffered pages from the buffer.
    pub serve_reads: bool,
    /// Cache pages read from flash too, if the policy supports it.
    pub cache_reads: bool,
    /// Time of one page access in RAM, in microseconds.
    pub access_us: f64,
    /// Evicted bytes that may be in flight to the flash while their room is reused; 0: a write that needs
    /// room waits until the evicted pages are programmed. At most the capacity.
    #[schemars(with = "String")]
    pub write_behind: Bytes,
    /// Read-ahead of sequential reads during the transfer to the host, in bytes; any write drops it.
    #[schemars(with = "String")]
    pub read_ahead: Bytes,
    /// The buffer survives a power loss (capacitor).
    pub survives_power_loss: bool,
}

impl Default for BufferSettings {
    fn default() -> BufferSettings {
        BufferSettings {
            size: Bytes(8 << 20),
            serve_reads: true,
            cache_reads: false,
            access_us: 0.0,
            write_behind: Bytes(0),
            read_ahead: Bytes(0),
            survives_power_loss: false,
        }
    }
}

/// What a buffer is made for.
#[derive(Clone, Copy, Debug)]
pub struct BufferSetup<'a> {
    /// Pages that it holds at most.
    pub pages: u32,
    /// Pages of an erase block: logical block = lpn / pages_per_block.
    pub pages_per_block: u32,
    /// Pages that the host sees.
    pub logical_pages: u32,
    /// Everything that can be set.
    pub settings: &'a Settings,
}

/// A page that leaves the buffer for the flash.
#[allow(missing_docs)] // names that say it need no more
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evicted {
    pub lpn: Lpn,
    /// What it carries. Of no meaning if `missing`.
    pub token: Token,
    /// It is not in the buffer: read it from flash and write it again (page padding).
    pub missing: bool,
}

/// What must be written back, in this order. Clean pages that are dropped do not appear.
#[allow(missing_docs)] // names that say it need no more
#[derive(Clone, Debug, Default)]
pub struct Evictions {
    pub pages: Vec<Evicted>,
    /// Victims chosen so far, pages or blocks, as the policy thinks.
    pub victims: u64,
}

impl Evictions {
    /// A dirty page.
    #[inline]
    pub fn write(&mut self, lpn: Lpn, token: Token) {
        self.pages.push(Evicted { lpn, token, missing: false });
    }

    /// A page to read from flash and write again.
    #[inline]
    pub fn pad(&mut self, lpn: Lpn) {
        self.pages.push(Evicted { lpn, token: NO_TOKEN, missing: true });
    }
}

/// A write buffer.
///
/// Invariants, which the test kit (`testing`, with the feature of that name) holds: never more than
/// [`BufferSetup::pages`] pages (headers included where a policy counts them); every dirty page leaves
/// through `Evictions` exactly once, with its newest token; a read returns the newest token or nothing.
pub trait WriteBuffer: Sized {
    /// What reports and saved states call it.
    const NAME: &'static str;

    /// Settings of its own, besides [`BufferSetup::settings`]; `()` for none.
    type Options: Clone;

    /// An empty buffer.
    ///
    /// # Errors
    /// [`SimError::Setting`] if it cannot work with these settings.
    fn new(setup: &BufferSetup<'_>, options: &Self::Options) -> Result<Self, SimError>;

    /// Puts its name into `settings`, where reports look for it. A choice of several looks there which
    /// one it is.
    ///
    /// # Errors
    /// [`SimError::Setting`] if a choice of several has none of that name.
    fn name_in(settings: &mut Settings) -> Result<(), SimError> {
        settings.buffer = Self::NAME.into();
        Ok(())
    }

    /// Whether host writes go through it. Where not, there is no buffer: [`NoBuffer`].
    #[inline]
    fn takes_writes(&self) -> bool {
        true
    }

    /// Puts a page in. What must leave first is in `out`, and has left the buffer. True if the page
    /// was there.
    fn write(&mut self, lpn: Lpn, token: Token, out: &mut Evictions) -> bool;

    /// The token of a page that is here.
    fn read(&mut self, lpn: Lpn) -> Option<Token>;

    /// Offers a page that was read from flash. Policies without a read cache leave it.
    fn offer(&mut self, lpn: Lpn, token: Token, out: &mut Evictions) {
        let _ = (lpn, token, out);
    }

    /// Empties the buffer of dirty pages in the order of the policy.
    fn flush(&mut self, out: &mut Evictions);

    /// Forgets a page: it was trimmed, or is written past the buffer.
    fn discard(&mut self, lpn: Lpn);

    /// Dirty pages in it.
    fn dirty_pages(&self) -> u32;

    /// A hint that `lpn` will be asked for soon.
    #[inline]
    fn prepare(&self, lpn: Lpn) {
        let _ = lpn;
    }
}

/// The registry: a line makes a buffer known to the settings, the command line, its help and the tests.
macro_rules! buffers {
    ($($variant:ident, $module:ident :: $buffer:ident, $about:literal;)+) => {
        /// Names and descriptions of all buffers.
        pub const BUFFERS: &[(&str, &str)] =
            &[$((<$module::$buffer as WriteBuffer>::NAME, $about)),+];

        /// The buffer that `buffer` names, one of [`BUFFERS`].
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub enum AnyBuffer {
            $(#[doc = $about] $variant($module::$buffer)),+
        }

        impl AnyBuffer {
            fn named(setup: &BufferSetup<'_>) -> Result<AnyBuffer, SimError> {
                match setup.settings.buffer.as_str() {
                    $(<$module::$buffer as WriteBuffer>::NAME => {
                        Ok(AnyBuffer::$variant(WriteBuffer::new(setup, &())?))
                    })+
                    other => Err(SimError::unknown_choice("buffer", other, BUFFERS)),
                }
            }
        }

        macro_rules! with_buffer {
            ($any:expr, $each:ident => $body:expr) => {
                match $any { $(AnyBuffer::$variant($each) => $body),+ }
            };
        }
    };
}

buffers! {
    None, none::NoBuffer, "no buffer: host writes go straight to flash";
    Fifo, fifo::Fifo, "pages; evicts the oldest (FIFO)";
    Lru, lru::Lru, "pages; evicts the least recently written (LRU)";
    LruWsr, lru_wsr::LruWsr, "pages; LRU with a second chance for dirty pages";
    Cflru, cflru::Cflru, "pages; LRU that evicts clean pages first near the end of the list";
    Arc, arc::Arc, "pages; adapts between recency and frequency (ARC)";
    Lirs, lirs::Lirs, "pages; keeps those with a low inter-reference recency (LIRS)";
    Batch, batch::Batch, "pages; evicts all but the newest at once, in address order";
    Fab, fab::Fab, "blocks; evicts the one with the most buffered pages (FAB)";
    BlockLru, block_lru::BlockLru, "blocks; evicts the least recently written (block LRU)";
    Bplru, bplru::Bplru, "blocks; block LRU, pads the victim to a whole block (BPLRU)";
}

impl WriteBuffer for AnyBuffer {
    const NAME: &'static str = "any";
    type Options = ();

    fn new(setup: &BufferSetup<'_>, _: &()) -> Result<AnyBuffer, SimError> {
        AnyBuffer::named(setup)
    }

    fn name_in(settings: &mut Settings) -> Result<(), SimError> {
        SimError::check_choice("buffer", &settings.buffer, BUFFERS)
    }

    #[inline]
    fn takes_writes(&self) -> bool {
        !matches!(self, AnyBuffer::None(_))
    }

    #[inline]
    fn write(&mut self, lpn: Lpn, token: Token, out: &mut Evictions) -> bool {
        with_buffer!(self, buffer => buffer.write(lpn, token, out))
    }

    #[inline]
    fn read(&mut self, lpn: Lpn) -> Option<Token> {
        with_buffer!(self, buffer => buffer.read(lpn))
    }

    fn offer(&mut self, lpn: Lpn, token: Token, out: &mut Evictions) {
        with_buffer!(self, buffer => buffer.offer(lpn, token, out));
    }

    fn flush(&mut self, out: &mut Evictions) {
        with_buffer!(self, buffer => buffer.flush(out));
    }

    fn discard(&mut self, lpn: Lpn) {
        with_buffer!(self, buffer => buffer.discard(lpn));
    }

    fn dirty_pages(&self) -> u32 {
        with_buffer!(self, buffer => buffer.dirty_pages())
    }

    #[inline]
    fn prepare(&self, lpn: Lpn) {
        with_buffer!(self, buffer => buffer.prepare(lpn));
    }
}
