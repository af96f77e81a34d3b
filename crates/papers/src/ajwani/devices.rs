//! The devices of paper 000 that several studies use, each as settings of a simulated one.

use crate::stage::Set;

/// Toshiba TransMemory of 1 GB.
pub(super) const TOSHIBA: [Set<'static>; 2] = [("capacity", "1GiB"), ("host.command_us", "560")];
/// An SSD behind IDE, of the class of the Hama of 32 GB: reads at 28 MB/s, superblocks of 4 MiB, and a little
/// RAM that joins small writes in order.
pub(super) const HAMA: [Set<'static>; 7] = [
    ("capacity", "4GiB"),
    ("host.mb_s", "30"),
    ("host.command_us", "130"),
    ("nand.read_us", "[60]"),
    ("nand.pages_per_block", "128"),
    ("buffer", "fifo"),
    ("ram.size", "64KiB"),
];
/// A card that reads more slowly than it writes, and maps pages: the times of its chips are set from its row.
pub(super) const CARD: [Set<'static>; 9] = [
    ("capacity", "256MiB"),
    ("ftl", "page"),
    ("over_provisioning", "0.08"),
    ("nand.planes", "1"),
    ("nand.read_us", "[515]"),
    ("nand.program_us", "[390]"),
    ("nand.transfer_us", "60"),
    ("host.command_us", "280"),
    ("host.mb_s", "0"),
];
/// Page mapping with few spare blocks: what is fast after order and slow after disorder.
pub(super) const PAGES: [Set<'static>; 3] =
    [("capacity", "512MiB"), ("ftl", "page"), ("over_provisioning", "0.04")];
