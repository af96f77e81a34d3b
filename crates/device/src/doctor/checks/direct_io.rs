//! Whether IOs reach the target past the page cache (`O_DIRECT`), proved by reading one block.

use crate::doctor::scene::Scene;
use crate::doctor::{Check, Remark};
use crate::guard::Finding;

pub(super) const CHECK: Check =
    Check { name: "direct IO", about: "whether the target can be opened and read with O_DIRECT", examine };

fn examine(scene: &Scene) -> Vec<Remark> {
    let (Some(target), Some(read)) = (&scene.target, &scene.direct_read) else { return Vec::new() };
    let mut findings = scene.verdict.iter().flat_map(|verdict| &verdict.findings);
    if findings.any(|finding| matches!(finding, Finding::Memory { .. })) {
        // Accepted and not heeded; the filesystem's own check says so.
        return Vec::new();
    }
    match read {
        Ok(()) => vec![Remark::ok(format!(
            "O_DIRECT reads {}, in multiples of {} B",
            target.canonical_path.display(),
            target.logical_block_bytes
        ))],
        Err(why) => {
            let matters = "without direct IO only the page cache would be measured, so measuring is refused";
            vec![Remark::wrong(format!("a direct read fails: {why}"), matters)]
        }
    }
}
