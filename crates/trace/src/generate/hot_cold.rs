//! Hot and cold data: a share of the addresses, at the start of the device, gets most of the requests;
//! uniformly within both (Rosenblum and Ousterhout 1992 take 10 % and 90 %; here 20 % and 80 % unless set).

use super::uniform::{BS, IOS, Law, RATE, Random, WRITES};
use super::{Generator, Key};
use crate::settings::{bad, key};

/// The registry's line.
pub(crate) const GENERATOR: Generator = Generator {
    name: "hot-cold",
    paper: "",
    about: "most requests go to a small hot part of the device, uniformly within each part",
    keys: KEYS,
    make: |settings| {
        let random = Random::new(settings, |settings, blocks| {
            let hot_blocks = (settings.share("hot_space")? * blocks as f64) as u64;
            if !(1..blocks).contains(&hot_blocks) {
                let text = settings.text("hot_space");
                return Err(bad("hot_space", text, "one part has no block", "leave a block to each"));
            }
            Ok(Law::HotCold { hot_blocks, hot_share: settings.share("hot_requests")? })
        });
        Ok(Box::new(random?))
    },
};

const KEYS: &[Key] = &[
    IOS,
    BS,
    WRITES,
    RATE,
    key("hot_space", "20%", "share of the addresses that is hot"),
    key("hot_requests", "80%", "share of the requests to the hot part"),
];
