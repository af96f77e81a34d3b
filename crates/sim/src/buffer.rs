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
    /// Bytes of RAM for the buffer, its headers included where the policy has any.
    #[schemars(with = "String")]
    pub size: Bytes,
    /// Reads of pages in the buffer are answered from it.
    pub serve_reads: bool,
    /// Pages that are read from flash are kept too, by the policies that can.
    pub cache_reads: bool,
    /// Time to put a page in or take it out, in microseconds.
    pub access_us: f64,
    /// Bytes that may be on their way from the buffer to the flash while others take their room; 0: a write
    /// that needs room waits until what leaves is in the flash. At most the capacity.
    #[schemars(with = "String")]
    pub write_behind: Bytes,
    /// Bytes that are read ahead of reads in order, while their data travel to the host; any write
    /// drops them.
    #[schemars(with = "String")]
    pub read_ahead: Bytes,
    /// A capacitor saves the buffer when the power fails.
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
    None, none::NoBuffer, "host writes go to the flash at once";
    Fifo, fifo::Fifo, "pages, in the order in which they came";
    Lru, lru::Lru, "pages; the one not written for longest leaves";
    LruWsr, lru_wsr::LruWsr, "pages as in lru; a dirty one gets a second chance";
    Cflru, cflru::Cflru, "pages as in lru; near the end of the list clean ones leave first";
    Arc, arc::Arc, "pages; adapts between recency and frequency";
    Lirs, lirs::Lirs, "pages; those that come again soon stay";
    Batch, batch::Batch, "pages gather, and all but the newest leave at once, in order of address";
    Fab, fab::Fab, "blocks; the one with the most pages here leaves";
    BlockLru, block_lru::BlockLru, "blocks; the one not written for longest leaves";
    Bplru, bplru::Bplru, "blocks; the one not written for longest leaves, padded to a whole block";
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
