//! The person's word before the first write to a device.

use std::io::{BufRead, Write};

use anyhow::Result;
use flashscope_core::number::size;
use flashscope_core::plain::plain;
use flashscope_device::Identity;
use flashscope_lab::OpenTarget;

/// Shows what will be destroyed and has it confirmed by the serial, typed or given. The same with and without
/// a terminal; regular files need none, their owner is known.
pub fn confirm(target: &OpenTarget, given: Option<&str>, what: &str) -> Result<()> {
    let asks = target.handle().filter(|_| target.is_written());
    let asked = asks.and_then(|handle| Some((handle.identity(), handle.identity().confirmation()?)));
    let (Some((identity, expected)), None) = (asked, given) else {
        return Ok(target.confirm(given)?);
    };
    let mut err = std::io::stderr();
    let text = format!("{}\nType {expected} to continue:", warning(identity, what));
    writeln!(err, "{}", plain(&text))?;
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(target.confirm(Some(line.trim()))?)
}

fn warning(identity: &Identity, what: &str) -> String {
    let hardware = identity.hardware.as_ref();
    let model =
        hardware.and_then(|hardware| hardware.model.clone()).unwrap_or_else(|| "unknown model".into());
    format!(
        "\n  {} ({model}, {}) will be OVERWRITTEN.\n  {what}",
        identity.canonical_path.display(),
        size(identity.size_bytes as f64)
    )
}
