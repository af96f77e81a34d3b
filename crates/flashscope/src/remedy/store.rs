//! Of `flashscope-store`: folders are named with `-o`, packs are made by `flashscope pack`.

use std::error::Error;

use flashscope_store::{Remedy, StoreError};

/// The error with its way out; none of another library's.
pub fn worded(error: &(dyn Error + 'static)) -> Option<String> {
    let error = error.downcast_ref::<StoreError>()?;
    let remedy = error.remedy().map_or(String::new(), |remedy| format!("; {}", way_out(remedy)));
    Some(error.problem() + &remedy)
}

/// What to do, within a sentence.
pub fn way_out(remedy: Remedy) -> String {
    match remedy {
        Remedy::FreeSpace
        | Remedy::WritableFolder
        | Remedy::OtherThanFile
        | Remedy::CheckFileSystem
        | Remedy::NewFolder
        | Remedy::WaitOrOtherFolder => format!("{remedy} with -o"),
        Remedy::NameResult => "name the folder shown as 'results in' by a run".into(),
        Remedy::ExportCsv => "export it with --to csv".into(),
        Remedy::MakePack => "`flashscope pack DIR` makes one".into(),
        Remedy::KeepIdentity => "--identify packs it unchanged".into(),
        Remedy::SingleIos => "every IO with --ios".into(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use flashscope_store::Stored;

    use super::*;

    #[test]
    fn what_is_no_result_is_named_with_what_would_be_one() {
        let error = Stored::read(Path::new("/proc")).unwrap_err();
        assert!(worded(&error).unwrap().ends_with("name the folder shown as 'results in' by a run"));
        let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
        let error = StoreError::File { path: "/x".into(), doing: "write", source: full };
        assert!(worded(&error).unwrap().ends_with("write the results elsewhere with -o"));
        assert!(!error.to_string().contains("-o"), "the library knows no flag");
    }
}
