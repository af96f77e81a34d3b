//! The footer of a file of IOs with other words: what it says of itself is replaced, its columns stay as they
//! are, byte for byte.

use std::fs::File;

use parquet::errors::ParquetError;
use parquet::file::metadata::{FileMetaData, FooterTail, KeyValue, ParquetMetaData, ParquetMetaDataWriter};
use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::error::StoreError;
use crate::ios::{damaged, guarded, refuse_others, wrong};
use crate::result_file::ResultFile;

/// A footer for the same columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Footer {
    /// Bytes from the file's beginning up to where its footer begins.
    pub columns_bytes: u64,
    /// What comes after them.
    pub bytes: Vec<u8>,
}

impl Footer {
    /// The footer of the file `stored`, with each of its texts as `word` gives it.
    ///
    /// # Errors
    /// It cannot be read, or is no complete file of IOs.
    pub fn reworded(stored: &ResultFile, word: &mut dyn FnMut(&str) -> String) -> Result<Footer, StoreError> {
        let (file, path) = (stored.open()?, stored.path());
        let length = file.metadata().map_err(|cause| StoreError::file("read", &path, cause))?.len();
        guarded(|| of_file(file, length, word)).map_err(|cause| damaged(&path, cause))
    }
}

fn of_file(file: File, length: u64, word: &mut dyn FnMut(&str) -> String) -> Result<Footer, ParquetError> {
    let end = file.try_clone()?;
    let reader = SerializedFileReader::new(file)?;
    let old = reader.metadata();
    let about = old.file_metadata();
    refuse_others(about.schema_descr())?;
    let key_values = about.key_value_metadata().map(|all| {
        let reworded = |one: &KeyValue| KeyValue::new(one.key.clone(), one.value.as_deref().map(&mut *word));
        all.iter().map(reworded).collect()
    });
    let made_by = about.created_by().map(|text| text.to_string());
    let fresh = FileMetaData::new(
        about.version(),
        about.num_rows(),
        made_by,
        key_values,
        about.schema_descr_ptr(),
        about.column_orders().cloned(),
    );
    let fresh = ParquetMetaData::new(fresh, old.row_groups().to_vec());
    let mut bytes = Vec::new();
    ParquetMetaDataWriter::new(&mut bytes, &fresh).finish()?;
    Ok(Footer { columns_bytes: length - old_footer_bytes(&end, length)?, bytes })
}

/// Bytes of the footer at the end of a file: what is said, its length, the magic.
fn old_footer_bytes(file: &File, length: u64) -> Result<u64, ParquetError> {
    use std::os::unix::fs::FileExt;
    let mut tail = [0; 8];
    file.read_exact_at(&mut tail, length.saturating_sub(8))?;
    let said = FooterTail::try_new(&tail)?.metadata_length() as u64 + 8;
    if said > length { Err(wrong("its footer is longer than the file")) } else { Ok(said) }
}
