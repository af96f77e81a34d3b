//! The person's word before the first write to a device.

use std::io::{BufRead, Write};

use anyhow::Result;
use flashscope_device::Identity;

use crate::exit::Unconfirmed;

/// Shows what will be destroyed and has it confirmed by the serial, typed or given. The same with and without
/// a terminal; regular files need none, their owner is known.
pub fn confirm(identity: &Identity, given: Option<&str>, what: &str) -> Result<()> {
    let Some(expected) = identity.confirmation() else { return Ok(()) };
    let typed = match given {
        Some(given) => given.to_string(),
        None => {
            let mut err = std::io::stderr();
            writeln!(err, "{}\nType {expected} to go on:", warning(identity, what))?;
            let mut line = String::new();
            std::io::stdin().lock().read_line(&mut line)?;
            line.trim().to_string()
        }
    };
    if identity.confirms(&typed) {
        return Ok(());
    }
    let got = if typed.is_empty() { "nothing was typed".into() } else { format!("'{typed}' is not it") };
    let path = identity.canonical_path.display();
    Err(Unconfirmed(format!(
        "{path} is not confirmed: {got}; pass --confirm {expected}, nothing was written"
    ))
    .into())
}

fn warning(identity: &Identity, what: &str) -> String {
    let hardware = identity.hardware.as_ref();
    let model =
        hardware.and_then(|hardware| hardware.model.clone()).unwrap_or_else(|| "unknown model".into());
    format!(
        "\n  {} ({model}, {}) will be OVERWRITTEN.\n  {what}",
        identity.canonical_path.display(),
        flashscope_core::number::size(identity.size_bytes as f64)
    )
}
