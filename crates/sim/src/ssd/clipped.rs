//! Settings of which a device can use no more than a part. They are reported, so that nobody takes a
//! result for that of what was asked.

use serde::{Deserialize, Serialize};

use crate::ftl::Setup;
use crate::ftl::banked_log::BankedLogSettings;

/// A setting that is larger than the device can use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clipped {
    /// Its dotted key.
    pub key: String,
    /// What was asked for.
    pub asked: String,
    /// What is used.
    pub used: String,
}

impl Clipped {
    /// Those of the FTL in use.
    pub(super) fn of(setup: &Setup<'_>) -> Vec<Clipped> {
        let settings = setup.settings;
        let per_block = setup.geometry.pages_per_block;
        let pages = |key: &str, asked: u32, most: u32| {
            (asked > most).then(|| Clipped {
                key: key.into(),
                asked: asked.to_string(),
                used: most.to_string(),
            })
        };
        let all = match settings.ftl.as_str() {
            "slc-cache" => {
                let cache = &settings.slc_cache;
                let sizes = [("slc_cache.size", cache.size), ("slc_cache.dynamic_size", cache.dynamic_size)];
                let clipped = sizes.into_iter().map(|(key, size)| {
                    (size > settings.capacity).then(|| Clipped {
                        key: key.into(),
                        asked: size.to_string(),
                        used: settings.capacity.to_string(),
                    })
                });
                clipped.collect()
            }
            "dftl" => vec![pages("dftl.cached_entries", settings.dftl.cached_entries, setup.logical_pages)],
            "banked-log" => {
                let BankedLogSettings { put_off, random_pages, copy_pages, .. } = settings.banked_log;
                vec![
                    pages("banked_log.put_off", put_off, settings.banked_log.put_off_max(setup)),
                    pages("banked_log.random_pages", random_pages, per_block),
                    pages("banked_log.copy_pages", copy_pages, per_block),
                ]
            }
            _ => Vec::new(),
        };
        all.into_iter().flatten().collect()
    }
}
