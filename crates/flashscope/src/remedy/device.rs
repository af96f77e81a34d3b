//! Of `flashscope-device`: targets that cannot be opened, refusals of the guard, what the doctor noticed.

use std::error::Error;

use flashscope_device::{DeviceError, Finding, Reason, Remedy};

use crate::shell::quoted;

/// The error with its cause and its way out.
pub fn worded(error: &(dyn Error + 'static)) -> Option<String> {
    let error = error.downcast_ref::<DeviceError>()?;
    if let DeviceError::Refused { path, reasons } = error {
        let reasons: Vec<String> =
            reasons.iter().map(|reason| format!("\n  - {}", refused(reason))).collect();
        return Some(format!("{} is refused:{}", path.display(), reasons.concat()));
    }
    let cause = error.source().map_or(String::new(), |cause| format!(": {cause}"));
    let remedy = error.remedy().map_or(String::new(), |remedy| format!("; {}", way_out(&remedy)));
    Some(format!("{error}{cause}{remedy}"))
}

/// What was found, and what to do.
pub fn refused(reason: &Reason) -> String {
    format!("{}; {}", reason.found(), way_out(&reason.remedy()))
}

/// What was found, and what to do.
pub fn finding(finding: &Finding) -> String {
    let remedy = finding.remedy().map_or(String::new(), |remedy| format!("; {}", way_out(&remedy)));
    finding.found() + &remedy
}

/// What to do, within a sentence.
pub fn way_out(remedy: &Remedy) -> String {
    match remedy {
        Remedy::CheckAgain => "run `flashscope check` again".into(),
        Remedy::CreateHere => "check the spelling, or create a file there with `flashscope create`".into(),
        Remedy::CreateElsewhere => "choose another disk, or a file made by `flashscope create`".into(),
        Remedy::OverwriteOrCreate => {
            "add --overwrite-existing-data if its data may be lost, or make a new file with `flashscope \
             create`"
                .into()
        }
        Remedy::CreateFull { .. } => "`flashscope create` makes a file that is written in full".into(),
        Remedy::CreateOnDisk | Remedy::CreateIn { .. } => format!("`{}`", command(remedy).0),
        Remedy::Command { .. } | Remedy::Words(_) => remedy.to_string(),
    }
}

/// What to do, on a line to be copied into a shell, and whether it is a command.
pub fn command(remedy: &Remedy) -> (String, bool) {
    let text = match remedy {
        Remedy::CreateOnDisk => "flashscope create FILE SIZE    # on a disk: `df -hT` lists them".into(),
        Remedy::CreateIn { folder, prepare } => {
            format!("{prepare} && flashscope create {} SIZE", quoted(&folder.join("FILE")))
        }
        Remedy::CreateFull { size_bytes: Some(size_bytes) } => {
            format!("flashscope create NEWFILE {size_bytes}    # written in full")
        }
        Remedy::Command { command, .. } => command.clone(),
        other => return (way_out(other), false),
    };
    (text, true)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_missing_file_may_be_created() {
        let error = flashscope_device::identify(Path::new("/nothing/here")).unwrap_err();
        let text = worded(&error).unwrap();
        for part in ["/nothing/here", "No such file", "`flashscope create`"] {
            assert!(text.contains(part), "'{part}' is missing in '{text}'");
        }
        assert!(!error.to_string().contains("flashscope create"), "the library knows no command");
    }

    #[test]
    fn a_refusal_names_the_flag_that_lifts_it() {
        let reasons = vec![Reason::NotOurs { changed: false }, Reason::RootDisk { disk: "sda".into() }];
        let error = DeviceError::Refused { path: "/x".into(), reasons };
        let text = worded(&error).unwrap();
        assert!(text.contains("\n  - flashscope did not create this file; add --overwrite-existing-data"));
        assert!(text.contains("\n  - the root filesystem is on the same disk (sda); choose another disk"));
        assert!(!error.to_string().contains("--"), "{error}");
    }

    #[test]
    fn a_command_stands_alone_on_its_line() {
        let of_the_system =
            Remedy::Command { command: "umount /a".into(), otherwise: Some("choose another") };
        assert_eq!(command(&of_the_system), ("umount /a".into(), true));
        assert_eq!(way_out(&of_the_system), "`umount /a` first, or choose another");
        let full = command(&Remedy::CreateFull { size_bytes: Some(4096) });
        assert_eq!(full, ("flashscope create NEWFILE 4096    # written in full".into(), true));
        assert!(!command(&Remedy::Words("plug it in".into())).1);
    }
}
