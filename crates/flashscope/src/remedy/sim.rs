//! Of `flashscope-sim`: settings that do not exist, or do not take what they were given.

use std::error::Error;

use flashscope_sim::{Remedy, SimError};

/// The error with its way out.
pub fn worded(error: &(dyn Error + 'static)) -> Option<String> {
    let error = error.downcast_ref::<SimError>()?;
    match error.remedy()? {
        Remedy::ListSettings => {
            Some(format!("{error}; `flashscope list settings` shows all settings and what each takes"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_setting_leads_to_the_list() {
        let keys = [("capacty".to_string(), "1GiB".to_string())];
        let error = flashscope_sim::Profile::find("x25m-2009", &keys).unwrap_err();
        let text = worded(&error).unwrap();
        assert!(text.contains("'capacty'; did you mean capacity?"), "{text}");
        assert!(text.contains("`flashscope list settings`"), "{text}");
        assert!(!error.to_string().contains("flashscope"), "the library knows no command");
    }
}
