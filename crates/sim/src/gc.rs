//! Victim policies of the page-mapped FTLs: which block is collected next. One file and one line for each.
//!
//! A policy sees blocks close and lose valid pages, and names one to collect. It never moves a page. One of
//! your own is [`VictimPolicy`], put in as `PageFtl<Own>`: see [`crate::ftl::page::PageFtl`].

mod closed;
pub mod cost_benefit;
pub mod d_choices;
pub mod fifo;
pub mod greedy;
pub mod random;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::SimError;
use crate::nand::Block;
use crate::settings::Settings;

pub use closed::{ClosedBlocks, Draws};

/// The table `[victim]` of a profile: settings of victim policies.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GcSettings {
    /// `d-choices`: number of random blocks (with replacement) from which the one with the fewest valid pages
    /// is collected.
    pub choices: u32,
}

impl Default for GcSettings {
    fn default() -> GcSettings {
        GcSettings { choices: 10 }
    }
}

/// What a policy is made for.
#[derive(Clone, Copy, Debug)]
pub struct PolicySetup<'a> {
    /// Blocks of the device.
    pub blocks: u32,
    /// Pages of each.
    pub pages_per_block: u32,
    /// Seed of everything random.
    pub seed: u64,
    /// Everything that can be set.
    pub settings: &'a Settings,
}

/// Chooses the victim among closed blocks.
pub trait VictimPolicy: Sized {
    /// What reports and saved states call it.
    const NAME: &'static str;

    /// Settings of its own, besides [`PolicySetup::settings`]; `()` for none.
    type Options: Clone;

    /// No block is closed yet.
    ///
    /// # Errors
    /// [`SimError::Setting`] if it cannot work with these settings.
    fn new(setup: &PolicySetup<'_>, options: &Self::Options) -> Result<Self, SimError>;

    /// Puts its name into `settings`, where reports look for it. A choice of several looks there which
    /// one it is.
    ///
    /// # Errors
    /// [`SimError::Setting`] if a choice of several has none of that name.
    fn name_in(settings: &mut Settings) -> Result<(), SimError> {
        settings.gc = Self::NAME.into();
        Ok(())
    }

    /// `block` is full, with `valid` valid pages, after `host_writes` pages that the host wrote.
    fn closed(&mut self, block: Block, valid: u32, host_writes: u64);

    /// A page of `block` is valid no more; `valid` are left. The block need not be closed.
    fn invalidated(&mut self, block: Block, valid: u32);

    /// A hint that `block` will lose a page soon.
    #[inline]
    fn prepare(&self, block: Block) {
        let _ = block;
    }

    /// The block to collect, which is closed no more; none if no block is closed. `valid` are the valid pages
    /// of every block.
    fn pick(&mut self, valid: &[u32], host_writes: u64) -> Option<Block>;

    /// `block`, which is closed, is taken for another reason (wear levelling).
    fn remove(&mut self, block: Block);
}

/// The registry: a line makes a policy known to the settings, the command line, its help and the tests.
macro_rules! policies {
    ($($variant:ident, $module:ident :: $policy:ident, $about:literal;)+) => {
        /// Names and descriptions of all victim policies.
        pub const POLICIES: &[(&str, &str)] =
            &[$((<$module::$policy as VictimPolicy>::NAME, $about)),+];

        /// The victim policy that `gc` names, one of [`POLICIES`].
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub enum AnyPolicy {
            $(#[doc = $about] $variant($module::$policy)),+
        }

        impl AnyPolicy {
            fn named(name: &str, setup: &PolicySetup<'_>) -> Result<AnyPolicy, SimError> {
                match name {
                    $(<$module::$policy as VictimPolicy>::NAME => {
                        Ok(AnyPolicy::$variant(VictimPolicy::new(setup, &())?))
                    })+
                    other => Err(SimError::unknown_choice("gc", other, POLICIES)),
                }
            }
        }

        macro_rules! with_policy {
            ($any:expr, $each:ident => $body:expr) => {
                match $any { $(AnyPolicy::$variant($each) => $body),+ }
            };
        }
    };
}

policies! {
    Greedy, greedy::Greedy, "the block with the fewest valid pages";
    Fifo, fifo::Fifo, "the block closed first";
    DChoices, d_choices::DChoices, "the block with the fewest valid pages among victim.choices random ones";
    CostBenefit, cost_benefit::CostBenefit, "the block with the highest benefit/cost, (1 - u) / 2u x age";
    Random, random::Uniform, "a random block";
}

impl VictimPolicy for AnyPolicy {
    const NAME: &'static str = "any";
    type Options = ();

    fn new(setup: &PolicySetup<'_>, _: &()) -> Result<AnyPolicy, SimError> {
        AnyPolicy::named(&setup.settings.gc, setup)
    }

    fn name_in(settings: &mut Settings) -> Result<(), SimError> {
        SimError::check_choice("gc", &settings.gc, POLICIES)
    }

    #[inline]
    fn closed(&mut self, block: Block, valid: u32, host_writes: u64) {
        with_policy!(self, policy => policy.closed(block, valid, host_writes));
    }

    #[inline]
    fn invalidated(&mut self, block: Block, valid: u32) {
        with_policy!(self, policy => policy.invalidated(block, valid));
    }

    #[inline]
    fn prepare(&self, block: Block) {
        with_policy!(self, policy => policy.prepare(block));
    }

    #[inline]
    fn pick(&mut self, valid: &[u32], host_writes: u64) -> Option<Block> {
        with_policy!(self, policy => policy.pick(valid, host_writes))
    }

    fn remove(&mut self, block: Block) {
        with_policy!(self, policy => policy.remove(block));
    }
}
