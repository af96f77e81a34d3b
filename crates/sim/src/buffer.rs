//! Write buffers: RAM before the flash, and who leaves it when it is full. One file and one line for each.
//!
//! A buffer knows pages and the blocks that they belong to, never where they are in flash. It is asked before
//! a page goes in, answers with the pages that must be written back first, and [`crate::Ssd`] writes them
//! through the FTL. So every buffer works with every FTL.

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
mod order;
mod pages;
mod queue;

use flashscope_core::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::SimError;
use crate::nand::{Lpn, NO_TOKEN, Token};
use crate::settings::Settings;

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
    /// Bytes that are read ahead of reads in order, while their data travel to the host; any write drops
    /// them.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evicted {
    /// The page.
    pub lpn: Lpn,
    /// What it carries. Of no meaning if `missing`.
    pub token: Token,
    /// It is not in the buffer: read it from flash and write it again (page padding).
    pub missing: bool,
}

/// What must be written back, in this order. Clean pages that are dropped do not appear.
#[derive(Clone, Debug, Default)]
pub struct Evictions {
    /// The pages.
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
/// Invariants, held by the conformance tests for every line of the registry: never more than
/// [`BufferSetup::pages`] pages (headers included where a policy counts them); every dirty page leaves
/// through
/// `Evictions` exactly once, with its newest token; a read returns the newest token or nothing.
pub trait WriteBuffer: Sized {
    /// An empty buffer.
    ///
    /// # Errors
    /// [`SimError::Setting`] if it cannot work with these settings.
    fn new(setup: &BufferSetup<'_>) -> Result<Self, SimError>;

    /// Puts a page in. What must leave first is in `out`, and has left the buffer. True if the page was
    /// there.
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
    ($($variant:ident, $name:literal, $module:ident :: $buffer:ident, $about:literal;)+) => {
        /// Names and descriptions of all buffers.
        pub const BUFFERS: &[(&str, &str)] =
            &[("none", "host writes go to the flash at once"), $(($name, $about)),+];

        /// Any buffer, or none.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub enum AnyBuffer {
            /// Host writes go to the flash at once.
            None,
            $(#[doc = $about] $variant($module::$buffer)),+
        }

        impl AnyBuffer {
            /// The buffer that the settings name.
            ///
            /// # Errors
            /// [`SimError::Setting`] if there is none of that name, or as [`WriteBuffer::new`].
            pub fn new(setup: &BufferSetup<'_>) -> Result<AnyBuffer, SimError> {
                match setup.settings.buffer.as_str() {
                    "none" => Ok(AnyBuffer::None),
                    $($name => Ok(AnyBuffer::$variant(<$module::$buffer as WriteBuffer>::new(setup)?)),)+
                    other => Err(SimError::unknown_choice("buffer", other, BUFFERS)),
                }
            }

            /// See [`WriteBuffer::write`].
            #[inline]
            pub fn write(&mut self, lpn: Lpn, token: Token, out: &mut Evictions) -> bool {
                match self {
                    AnyBuffer::None => false,
                    $(AnyBuffer::$variant(buffer) => buffer.write(lpn, token, out)),+
                }
            }

            /// See [`WriteBuffer::read`].
            #[inline]
            pub fn read(&mut self, lpn: Lpn) -> Option<Token> {
                match self { AnyBuffer::None => None, $(AnyBuffer::$variant(buffer) => buffer.read(lpn)),+ }
            }

            /// See [`WriteBuffer::offer`].
            pub fn offer(&mut self, lpn: Lpn, token: Token, out: &mut Evictions) {
                match self {
                    AnyBuffer::None => {}
                    $(AnyBuffer::$variant(buffer) => buffer.offer(lpn, token, out)),+
                }
            }

            /// See [`WriteBuffer::flush`].
            pub fn flush(&mut self, out: &mut Evictions) {
                match self { AnyBuffer::None => {} $(AnyBuffer::$variant(buffer) => buffer.flush(out)),+ }
            }

            /// See [`WriteBuffer::discard`].
            pub fn discard(&mut self, lpn: Lpn) {
                match self { AnyBuffer::None => {} $(AnyBuffer::$variant(buffer) => buffer.discard(lpn)),+ }
            }

            /// See [`WriteBuffer::dirty_pages`].
            pub fn dirty_pages(&self) -> u32 {
                match self { AnyBuffer::None => 0, $(AnyBuffer::$variant(buffer) => buffer.dirty_pages()),+ }
            }

            /// See [`WriteBuffer::prepare`].
            #[inline]
            pub fn prepare(&self, lpn: Lpn) {
                match self { AnyBuffer::None => {} $(AnyBuffer::$variant(buffer) => buffer.prepare(lpn)),+ }
            }
        }
    };
}

buffers! {
    Fifo, "fifo", fifo::Fifo, "pages, in the order in which they came";
    Lru, "lru", lru::Lru, "pages; the one not written for longest leaves";
    LruWsr, "lru-wsr", lru_wsr::LruWsr, "pages as in lru; a dirty one gets a second chance";
    Cflru, "cflru", cflru::Cflru, "pages as in lru; near the end of the list clean ones leave first";
    Arc, "arc", arc::Arc, "pages; adapts between recency and frequency";
    Lirs, "lirs", lirs::Lirs, "pages; those that come again soon stay";
    Batch, "batch", batch::Batch, "pages gather, and all but the newest leave at once, in order of address";
    Fab, "fab", fab::Fab, "blocks; the one with the most pages here leaves";
    BlockLru, "block-lru", block_lru::BlockLru, "blocks; the one not written for longest leaves";
    Bplru, "bplru", bplru::Bplru, "blocks; the one not written for longest leaves, padded to a whole block";
}
