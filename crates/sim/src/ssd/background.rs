//! What a device does for itself between commands. Nothing happens by itself in virtual time: when a request
//! comes, the work that could have begun since the flash fell idle is done first, unit by unit, and the last
//! unit begun is waited for. What the units are is the FTL's business: [`Ftl::tend`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ftl::Ftl;
use crate::nand::{Moment, Nand};
use crate::settings::Settings;

/// When a device reclaims space that nothing waits for yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum When {
    /// Only when a write needs the space.
    #[default]
    Never,
    /// Whenever the flash is idle.
    Idle,
}

/// The table `[background]` of a profile.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BackgroundSettings {
    /// Background reclamation: `never`, or `idle` (whenever the flash is idle). Supported by the FTLs `page`,
    /// `hot-cold`, `slc-cache` and `banked-log`.
    pub when: When,
    /// Idle time of the flash before background reclamation begins, in microseconds.
    pub after_us: f64,
    /// Do one unit of background work in each bank before every read. Reclamation then continues under
    /// back-to-back reads, which wait for it.
    pub beside_reads: bool,
}

/// When the flash may be used in the background.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Background {
    when: When,
    after_ns: u64,
    beside_reads: bool,
}

impl Background {
    pub(super) fn new(settings: &Settings) -> Background {
        let BackgroundSettings { when, after_us, beside_reads } = settings.background;
        Background { when, after_ns: (after_us * 1e3).round() as u64, beside_reads }
    }

    #[inline]
    pub(super) fn is_on(&self) -> bool {
        self.when != When::Never
    }

    /// What could begin before a command that comes at `at`, bank by bank; `reads` says whether it reads.
    pub(super) fn catch_up<F: Ftl>(&self, ftl: &mut F, nand: &mut Nand, reads: bool, at: u64) {
        let banks = ftl.banks();
        for bank in 0..banks {
            let mut idle_from = nand.timing().bank_idle_from(bank, banks).map(|ns| ns + self.after_ns);
            while let Some(ns) = idle_from
                && ns < at
                && let Some(done) = ftl.tend(nand, bank, Moment::at(ns))
            {
                // What is not known by then ends later, and is waited for.
                nand.timing_mut().run_until(at);
                idle_from = nand.timing().known_ns(done);
            }
            if reads && self.beside_reads {
                let idle_from = nand.timing().bank_idle_from(bank, banks).unwrap_or(at);
                ftl.tend(nand, bank, Moment::at(idle_from.max(at)));
            }
        }
    }
}
