//! Sentences with their evidence.

use serde::Serialize;

use crate::conclusion::Support;

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
    /// How well the measurements carry it; none where that is no question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Support>,
}

impl Item {
    /// Something to use.
    pub fn good(text: impl Into<String>, detail: impl Into<String>) -> Item {
        Item { tone: Tone::Good, text: text.into(), detail: detail.into(), links: Vec::new(), state: None }
    }

    /// Something to beware of.
    pub fn alert(text: impl Into<String>, detail: impl Into<String>) -> Item {
        Item { tone: Tone::Alert, ..Item::good(text, detail) }
    }

    /// Something to know.
    pub fn plain(text: impl Into<String>) -> Item {
        Item { tone: Tone::Plain, ..Item::good(text, "") }
    }

    /// Of this state: something to use only if it is supported, something to beware of if it is unknown.
    pub fn of_state(state: Support, text: impl Into<String>, detail: impl Into<String>) -> Item {
        let tone = match state {
            Support::Supported => Tone::Good,
            Support::Weak => Tone::Plain,
            Support::Unknown | Support::NotApplicable => Tone::Alert,
        };
        Item { tone, ..Item::good(text, detail) }.weighed(state)
    }

    /// The state of its own, or what its tone says: what stands out no more is weak.
    pub fn support(&self) -> Support {
        self.state.unwrap_or(if self.tone == Tone::Plain { Support::Weak } else { Support::Supported })
    }

    /// The same with how well it is carried.
    pub fn weighed(self, state: Support) -> Item {
        Item { state: Some(state), ..self }
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
