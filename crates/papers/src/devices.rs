//! The devices of the papers, each as the simulated one that stands for it: chosen here and nowhere else.
//! What a study sets on top of one is with the study.

/// Memoright MR25.2-032S. This and the next six are made of mechanisms, and scaled down, with no fewer spare
/// blocks than they need: nothing that they show depends on their size.
pub const MEMORIGHT: &str = "sim:memoright-2009?capacity=1GiB";
/// Mtron SATA7035-016.
pub const MTRON: &str = "sim:mtron-2009?capacity=1GiB&over_provisioning=0.24";
/// Samsung MCBQE32G5MPP.
pub const SAMSUNG: &str = "sim:samsung-2009?capacity=1GiB";
/// Transcend TS4GDOM40V-S.
pub const TRANSCEND_MODULE: &str = "sim:transcend-module-2009?capacity=1GiB";
/// Transcend TS32GSSD25S-M.
pub const TRANSCEND_MLC: &str = "sim:transcend-mlc-2009?capacity=1GiB";
/// Kingston DT hyper X.
pub const KINGSTON_DTHX: &str = "sim:kingston-dthx-2009?capacity=1GiB";
/// Kingston DTI.
pub const KINGSTON_DTI: &str = "sim:kingston-dti-2009?capacity=1GiB";

/// The seven of paper 001's table 3, in its order: the first two are the high end.
pub const TABLE_3: [&str; 7] =
    [MEMORIGHT, MTRON, SAMSUNG, TRANSCEND_MODULE, TRANSCEND_MLC, KINGSTON_DTHX, KINGSTON_DTI];
/// How many of them are the high end.
pub const HIGH_END: usize = 2;

/// Devices that were built from the paper's figures, for studies of the method: whether it finds what is
/// there.
pub mod rigs {
    /// Mtron SATA7035-016.
    pub const MTRON: &str = "rig:mtron";
    /// Memoright MR25.2-032S.
    pub const MEMORIGHT: &str = "rig:memoright";
    /// The seven of paper 001's table 3, in its order.
    pub const TABLE_3: [&str; 7] = [
        MEMORIGHT,
        MTRON,
        "rig:samsung",
        "rig:transcend-module",
        "rig:transcend-mlc",
        "rig:kingston-dthx",
        "rig:kingston-dti",
    ];
}

/// An SSD of their time and class whose flash is simulated: what a device holds matters to it.
pub const SLC_SSD: &str = "sim:slc-sata-2009";
/// An MLC stick whose FTL rewrites whole blocks: most devices of paper 000, and as paper 003 has a drive.
pub const MLC_LOG_BLOCKS: &str = "sim:usb-stick-2009";
/// The prototype of paper 002, and its simulation.
pub const BOARD: &str = "sim:bplru-board";
/// A page-mapped MLC drive of 2009: that of paper 004, and of paper 003's Intel B.
pub const MLC_SSD: &str = "sim:x25m-2009";

/// A hard disk of their time, to compare with.
pub const DISK: &str = "sim:hdd-7200";
