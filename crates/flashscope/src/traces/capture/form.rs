//! What the trace is written as.

use std::path::Path;

use anyhow::Result;
use flashscope_trace::Compress;

use crate::exit::Usage;
use crate::traces::convert::output_format;

/// How the trace is written.
pub enum Form {
    /// The kernel's own text.
    Verbatim(Compress),
    /// Another format.
    Written(String, Compress),
}

impl Form {
    /// As asked, or as the output's name ends; standard output is the kernel's text.
    pub fn of(output: &Path, asked: Option<&str>) -> Result<Form> {
        let (name, compress) = Compress::of_name(output.to_str().unwrap_or_default());
        let is_text = match asked {
            Some(asked) => asked == TEXT,
            None => name == "-" || Path::new(name).extension().is_some_and(|extension| extension == TEXT),
        };
        if is_text {
            return Ok(Form::Verbatim(compress));
        }
        let format = output_format(output, asked).map_err(|error| Usage(format!("{error}, {TEXT}")))?;
        Ok(Form::Written(format.to_string(), compress))
    }

    /// Name of the format.
    pub fn name(&self) -> &str {
        match self {
            Form::Verbatim(_) => TEXT,
            Form::Written(name, _) => name,
        }
    }
}

const TEXT: &str = "tracefs";
