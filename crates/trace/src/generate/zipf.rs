//! Addresses after Zipf's law: the block of rank k is asked for in proportion to k^-theta. Ranks are
//! scattered over the device by a random permutation, so that hot blocks are no neighbours.

use flashscope_core::permutation::Permutation;
use flashscope_core::seed::derive;
use flashscope_core::zipf::Zipf;

use super::uniform::{BS, IOS, Law, RATE, Random, WRITES};
use super::{Generator, Key};
use crate::settings::key;

/// The registry's line.
pub(crate) const GENERATOR: Generator = Generator {
    name: "zipf",
    paper: "",
    about: "Zipf-distributed reads and writes, scattered over the device",
    keys: KEYS,
    make: |settings| {
        let random = Random::new(settings, |settings, blocks| {
            let zipf = Zipf::new(blocks, settings.real("theta", 10.0)?);
            Ok(Law::Zipf(zipf, Permutation::new(blocks, derive(settings.seed, 1))))
        });
        Ok(Box::new(random?))
    },
};

const KEYS: &[Key] = &[IOS, BS, WRITES, RATE, key("theta", "0.99", "the skew")];
