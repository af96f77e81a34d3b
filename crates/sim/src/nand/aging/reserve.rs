//! Blocks that fail, and those that replace them.
//!
//! Every plane has some physical blocks more than the FTL knows. One that is bad from the factory, or fails
//! at an erase after as many as it is good for, is replaced by one of its own plane, so that nothing of a
//! superblock's place or shape changes.

use std::collections::BTreeMap;

use flashscope_core::seed::{Random, derive};
use serde::{Deserialize, Serialize};

use super::super::{Block, Geometry};
use super::{AgingSettings, Shape};
use crate::error::SimError;

/// Blocks that replace bad ones, in numbers. Blocks are physical ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReserveUse {
    /// Blocks that replace bad ones, or did.
    pub blocks: u64,
    /// Blocks that were bad from the factory.
    pub factory_bad: u64,
    /// Blocks that failed since.
    pub grown_bad: u64,
    /// What is left of the plane that has the fewest.
    pub left_min: u32,
    /// Whether a plane has none left: the device is read-only.
    pub is_used_up: bool,
}

/// A physical block that replaced another one.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Replacement {
    /// Erases of the superblock when it came.
    since_erases: u32,
    /// How many were there before it.
    generation: u32,
}

/// The blocks that replace bad ones.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Reserve {
    seed: u64,
    endurance_erases: f64,
    spread_erases: f64,
    /// Physical blocks of a superblock.
    stripe: u32,
    planes: u32,
    /// What is left, by plane.
    left: Vec<u32>,
    /// Erases of each superblock at which one of its blocks fails next.
    fails_at: Vec<u32>,
    /// By superblock and number within it.
    replaced: BTreeMap<(Block, u32), Replacement>,
    used: ReserveUse,
}

impl Reserve {
    /// None if nothing is replaced.
    pub(super) fn new(
        settings: &AgingSettings,
        geometry: &Geometry,
        shape: Shape,
        seed: u64,
    ) -> Result<Option<Reserve>, SimError> {
        if settings.spare_blocks == 0.0 {
            return Ok(None);
        }
        let endurance_erases = f64::from(geometry.endurance_erases);
        let mut reserve = Reserve {
            seed: derive(seed, 0x7370_6172),
            endurance_erases,
            spread_erases: settings.endurance_spread * endurance_erases,
            stripe: geometry.stripe,
            planes: shape.planes,
            left: Vec::new(),
            fails_at: Vec::new(),
            replaced: BTreeMap::new(),
            used: ReserveUse::default(),
        };
        reserve.fill(settings, geometry)?;
        reserve.fails_at = (0..geometry.blocks).map(|block| reserve.next_failure(block).0).collect();
        Ok(Some(reserve))
    }

    /// Gives each plane its blocks, without those that replace what is bad from the factory.
    fn fill(&mut self, settings: &AgingSettings, geometry: &Geometry) -> Result<(), SimError> {
        let physical = u64::from(geometry.blocks) * u64::from(geometry.stripe);
        let in_plane = physical.div_ceil(u64::from(self.planes));
        let spare = (settings.spare_blocks * in_plane as f64).ceil() as u32;
        for plane in 0..self.planes {
            let mut random = Random::new(derive(derive(self.seed, 1), plane.into()));
            let bad = (0..in_plane).filter(|_| random.unit() < settings.bad_blocks).count() as u32;
            if bad >= spare {
                let problem = format!("leaves plane {plane} without a spare block: {bad} of {spare} taken");
                let remedy = "give fewer, or more aging.spare_blocks";
                return Err(SimError::setting("aging.bad_blocks", &problem, remedy));
            }
            self.used.factory_bad += u64::from(bad);
            self.left.push(spare - bad);
        }
        self.used.blocks = u64::from(spare) * u64::from(self.planes);
        Ok(())
    }

    /// Erases of a superblock at which one of its blocks fails next, and which.
    fn next_failure(&self, block: Block) -> (u32, u32) {
        let fails_at = |member: u32| {
            let there = self.replaced.get(&(block, member)).copied().unwrap_or_default();
            there.since_erases.saturating_add(self.endurance(block, member, there.generation))
        };
        (0..self.stripe).map(|member| (fails_at(member), member)).min().unwrap_or((u32::MAX, 0))
    }

    /// Erases that one physical block is good for: normal, by the sum of twelve draws.
    fn endurance(&self, block: Block, member: u32, generation: u32) -> u32 {
        if self.spread_erases == 0.0 {
            return self.endurance_erases as u32;
        }
        let place = u64::from(block) << 32 | u64::from(member);
        let mut random = Random::new(derive(derive(self.seed, place), u64::from(generation) + 2));
        let normal = (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
        (self.endurance_erases + normal * self.spread_erases).max(1.0) as u32
    }

    /// A superblock was erased for the `erases`-th time; blocks of it that failed are replaced.
    pub(super) fn erased(&mut self, block: Block, erases: u32) {
        while erases > self.fails_at[block as usize] {
            let (_, member) = self.next_failure(block);
            let there = self.replaced.entry((block, member)).or_default();
            *there = Replacement { since_erases: erases, generation: there.generation + 1 };
            self.fails_at[block as usize] = self.next_failure(block).0;
            let sets = self.planes / self.stripe.min(self.planes);
            let plane = (block % sets) * self.stripe + member;
            let left = &mut self.left[plane as usize % self.planes as usize];
            *left = left.saturating_sub(1);
            self.used.grown_bad += 1;
            self.used.is_used_up |= *left == 0;
        }
    }

    pub(super) fn is_used_up(&self) -> bool {
        self.used.is_used_up
    }

    pub(super) fn used(&self) -> ReserveUse {
        ReserveUse { left_min: self.left.iter().copied().min().unwrap_or(0), ..self.used }
    }
}
