//! Which block is collected next: the victim policies of the page-mapped FTLs. One file and one line for
//! each.
//!
//! A policy sees blocks close, lose valid pages, and must name one to collect. It never moves a page.

pub mod closed;
pub mod cost_benefit;
pub mod d_choices;
pub mod fifo;
pub mod greedy;
pub mod random;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::nand::Block;

/// The table `[victim]` of a profile: what victim policies can be told.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GcSettings {
    /// `d-choices`: blocks drawn, with replacement, of which the emptiest is collected.
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
    /// What it can be told.
    pub settings: &'a GcSettings,
}

/// Chooses the victim among closed blocks.
pub trait VictimPolicy: Sized {
    /// No block is closed yet.
    fn new(setup: &PolicySetup<'_>) -> Self;

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
    ($($variant:ident, $name:literal, $module:ident :: $policy:ident, $about:literal;)+) => {
        /// Names and descriptions of all victim policies.
        pub const POLICIES: &[(&str, &str)] = &[$(($name, $about)),+];

        /// Any victim policy.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub enum AnyPolicy {
            $(#[doc = $about] $variant($module::$policy)),+
        }

        impl AnyPolicy {
            /// The policy of this name, if there is one.
            pub fn named(name: &str, setup: &PolicySetup<'_>) -> Option<AnyPolicy> {
                match name {
                    $($name => Some(AnyPolicy::$variant($module::$policy::new(setup))),)+
                    _ => None,
                }
            }

            /// See [`VictimPolicy::closed`].
            #[inline]
            pub fn closed(&mut self, block: Block, valid: u32, host_writes: u64) {
                match self { $(AnyPolicy::$variant(policy) => policy.closed(block, valid, host_writes)),+ }
            }

            /// See [`VictimPolicy::invalidated`].
            #[inline]
            pub fn invalidated(&mut self, block: Block, valid: u32) {
                match self { $(AnyPolicy::$variant(policy) => policy.invalidated(block, valid)),+ }
            }

            /// See [`VictimPolicy::prepare`].
            #[inline]
            pub fn prepare(&self, block: Block) {
                match self { $(AnyPolicy::$variant(policy) => policy.prepare(block)),+ }
            }

            /// See [`VictimPolicy::pick`].
            #[inline]
            pub fn pick(&mut self, valid: &[u32], host_writes: u64) -> Option<Block> {
                match self { $(AnyPolicy::$variant(policy) => policy.pick(valid, host_writes)),+ }
            }

            /// See [`VictimPolicy::remove`].
            pub fn remove(&mut self, block: Block) {
                match self { $(AnyPolicy::$variant(policy) => policy.remove(block)),+ }
            }
        }
    };
}

policies! {
    Greedy, "greedy", greedy::Greedy, "the block with the fewest valid pages";
    Fifo, "fifo", fifo::Fifo, "the block that was closed first";
    DChoices, "d-choices", d_choices::DChoices, "the emptiest of victim.choices blocks drawn at random";
    CostBenefit, "cost-benefit", cost_benefit::CostBenefit, "much garbage, and not written for long";
    Random, "random", random::Uniform, "any block";
}
