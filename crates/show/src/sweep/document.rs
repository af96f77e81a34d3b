//! What a program reads of a sweep.

use flashscope_lab::sweep::Entry;
use flashscope_store::SCHEMA_VERSION;
use serde::Serialize;

/// A sweep as one document.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Document<'a> {
    /// Version of its keys.
    pub schema_version: u32,
    /// One entry for each device, in the order of the lists.
    pub devices: &'a [Entry],
}

impl<'a> From<&'a [Entry]> for Document<'a> {
    fn from(devices: &'a [Entry]) -> Document<'a> {
        Document { schema_version: SCHEMA_VERSION, devices }
    }
}
