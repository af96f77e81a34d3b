//! Sentences with their evidence.

use serde::Serialize;

/// How an item is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// Something to use.
    Good,
    /// Something to beware of.
    Alert,
    /// Neither.
    Plain,
}

/// A sentence with its evidence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Item {
    /// How it is meant.
    pub tone: Tone,
    /// One or two short sentences.
    pub text: String,
    /// Why it is so, where it is seen, or how it was computed; may be empty.
    pub detail: String,
    /// Where that is seen.
    pub links: Vec<Link>,
}

impl Item {
    /// Something to use.
    pub fn good(text: impl Into<String>, detail: impl Into<String>) -> Item {
        Item { tone: Tone::Good, text: text.into(), detail: detail.into(), links: Vec::new() }
    }

    /// Something to beware of.
    pub fn alert(text: impl Into<String>, detail: impl Into<String>) -> Item {
        Item { tone: Tone::Alert, ..Item::good(text, detail) }
    }

    /// Something to know.
    pub fn plain(text: impl Into<String>) -> Item {
        Item { tone: Tone::Plain, ..Item::good(text, "") }
    }
}

/// A way to a block of the same page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Link {
    /// What is seen there.
    pub label: String,
    /// The block's `id`.
    pub to: String,
}

impl Link {
    /// A way to the block of this `id`.
    pub fn to(id: impl Into<String>, label: impl Into<String>) -> Link {
        Link { label: label.into(), to: id.into() }
    }
}
