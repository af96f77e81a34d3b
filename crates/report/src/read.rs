//! Response times read back from a file of IOs, for pictures.

use std::fs::File;
use std::path::Path;

use parquet::column::reader::{ColumnReader, get_typed_column_reader};
use parquet::data_type::Int64Type;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::error::ReportError;

/// Column of `response_ns` in the schema.
const RESPONSE: usize = 1;
const BATCH: usize = 1 << 14;

/// Response times in the order of completion, in no more bins than were asked for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Responses {
    /// IOs in a bin; 1 if every IO has its own. The last bin may hold fewer.
    pub bin_ios: u64,
    /// Mean of each bin.
    pub mean_ns: Vec<f64>,
    /// Least of each bin.
    pub min_ns: Vec<f64>,
    /// Greatest of each bin.
    pub max_ns: Vec<f64>,
}

impl Responses {
    /// From single response times.
    pub fn of(values_ns: &[f64]) -> Responses {
        let [mean_ns, min_ns, max_ns] = [(); 3].map(|()| values_ns.to_vec());
        Responses { bin_ios: 1, mean_ns, min_ns, max_ns }
    }

    /// From a file of IOs.
    ///
    /// # Errors
    /// It cannot be read, or is no such file.
    pub fn read(path: &Path, bins_max: u64) -> Result<Responses, ReportError> {
        let file = File::open(path).map_err(|cause| ReportError::file("read", path, cause))?;
        Responses::of_file(file, bins_max).map_err(|cause| ReportError::Content {
            path: path.to_path_buf(),
            line: None,
            cause: cause.to_string(),
            remedy: "it is not a complete file of IOs; measure that experiment again",
        })
    }

    fn of_file(file: File, bins_max: u64) -> Result<Responses, ParquetError> {
        let reader = SerializedFileReader::new(file)?;
        let meta = reader.metadata().file_metadata();
        let is_response = |name: &str| name == "response_ns";
        let known = meta.schema_descr().columns().get(RESPONSE).is_some_and(|c| is_response(c.name()));
        if !known {
            return Err(ParquetError::General("it has no column response_ns".into()));
        }
        let bin_ios = (meta.num_rows() as u64).div_ceil(bins_max.max(1)).max(1);
        let mut found = Responses { bin_ios, ..Responses::default() };
        let mut bin = Vec::with_capacity(bin_ios as usize);
        for group in 0..reader.num_row_groups() {
            let column = reader.get_row_group(group)?.get_column_reader(RESPONSE)?;
            found.add(column, &mut bin)?;
        }
        found.close(&mut bin);
        Ok(found)
    }

    fn add(&mut self, column: ColumnReader, bin: &mut Vec<i64>) -> Result<(), ParquetError> {
        let mut column = get_typed_column_reader::<Int64Type>(column);
        let mut values = Vec::with_capacity(BATCH);
        loop {
            values.clear();
            let (rows, _, _) = column.read_records(BATCH, None, None, &mut values)?;
            if rows == 0 {
                return Ok(());
            }
            for value in &values {
                bin.push(*value);
                if bin.len() as u64 == self.bin_ios {
                    self.close(bin);
                }
            }
        }
    }

    fn close(&mut self, bin: &mut Vec<i64>) {
        if let (Some(min), Some(max)) = (bin.iter().min(), bin.iter().max()) {
            self.mean_ns.push(bin.iter().sum::<i64>() as f64 / bin.len() as f64);
            self.min_ns.push(*min as f64);
            self.max_ns.push(*max as f64);
        }
        bin.clear();
    }
}
