//! Response times read back from a file of IOs, for pictures.

use crate::error::StoreError;
use crate::ios::IoFile;
use crate::result_file::ResultFile;

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
    pub fn read(file: &ResultFile, bins_max: u64) -> Result<Responses, StoreError> {
        let file = IoFile::open(file)?;
        let bin_ios = file.ios().div_ceil(bins_max.max(1)).max(1);
        let mut found = Responses { bin_ios, ..Responses::default() };
        let mut bin = Vec::with_capacity(bin_ios as usize);
        file.each_response_ns(|values_ns| {
            for value_ns in values_ns {
                bin.push(*value_ns);
                if bin.len() as u64 == bin_ios {
                    found.close(&mut bin);
                }
            }
        })?;
        found.close(&mut bin);
        Ok(found)
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
