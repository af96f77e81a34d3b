//! What a run did to the device, as numbers: the operation counts, wear and write amplification of `sim`.
