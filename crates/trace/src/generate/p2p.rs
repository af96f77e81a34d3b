//! A model of W6 of paper 002: a film downloaded by a peer-to-peer program.
//!
//! From the paper: eMule, a file of 634 MB, FAT16; small parts of the file are written almost randomly, as
//! different parts come from numerous concurrent peers. Known of eMule: a file has parts of 9,728,000
//! bytes, asked for in blocks of 184,320 bytes, which arrive in pieces of 10,240 bytes; the state is kept
//! in a small second file. Assumed: ten peers, each with a part of its own in random order, blocks within a
//! part in random order, each peer as fast as the others, 500 KB/s in all; the file is allocated at its
//! full size first, without being written; the state is saved every 10 s.

use std::collections::VecDeque;

use flashscope_core::permutation::Permutation;
use flashscope_core::seed::derive;

use super::{Generator, Settings, Workload};
use crate::error::TraceError;
use crate::model::{Emit, FileId, Volume};
use crate::settings::key;

/// The registry's line.
pub(crate) const GENERATOR: Generator = Generator {
    name: "p2p",
    paper: "W6",
    about: "a 634 MB file received in pieces, from many peers in random order",
    keys: &[
        key("file", "634MB", "size of the file"),
        key("part", "9728000", "piece that one peer sends, in bytes"),
        key("block", "184320", "piece that is requested at once, in bytes"),
        key("piece", "10240", "block that arrives at once, in bytes"),
        key("peers", "10", "concurrent peers"),
        key("rate", "500000", "bytes a second, all peers together"),
        key("fs", "fat16", "file system: ext3, fat16 or ntfs"),
    ],
    make: |settings| Ok(Box::new(P2p::new(settings)?)),
};

const STATE_NS: u64 = 10_000_000_000;
const STATE_BYTES: u64 = 4096;

struct P2p {
    volume: Volume,
    file: Option<(FileId, FileId)>,
    file_bytes: u64,
    part_bytes: u64,
    block_bytes: u64,
    piece_bytes: u64,
    ns_per_byte: f64,
    parts: Permutation,
    next_part: u64,
    seed: u64,
    peers: u64,
    /// What each peer is at.
    active: VecDeque<Peer>,
    next_state_ns: u64,
}

struct Peer {
    part: u64,
    blocks: Permutation,
    next_block: u64,
    /// Within the block.
    done_bytes: u64,
}

impl P2p {
    fn new(settings: &Settings) -> Result<P2p, TraceError> {
        let file_bytes = settings.size_bytes("file")?;
        let part_bytes = settings.size_bytes("part")?;
        let parts = file_bytes.div_ceil(part_bytes);
        Ok(P2p {
            volume: settings.volume(settings.style("fs")?, file_bytes, false)?,
            file: None,
            file_bytes,
            part_bytes,
            block_bytes: settings.size_bytes("block")?.min(part_bytes),
            piece_bytes: settings.size_bytes("piece")?,
            ns_per_byte: 1e9 / settings.real("rate", 1e12)?,
            parts: Permutation::new(parts, derive(settings.seed, 1)),
            next_part: 0,
            seed: settings.seed,
            peers: settings.number("peers")?.min(10_000),
            active: VecDeque::new(),
            next_state_ns: STATE_NS,
        })
    }

    /// The files: the one that comes, at its full size, and the one with its state.
    fn files(&mut self, emit: &mut Emit) -> (FileId, FileId) {
        if let Some(files) = self.file {
            return files;
        }
        let (file, state) = (self.volume.create(0, emit.now_ns), self.volume.create(0, emit.now_ns));
        self.volume.allocate(file, self.file_bytes, emit.now_ns);
        self.file = Some((file, state));
        (file, state)
    }

    fn part_length(&self, part: u64) -> u64 {
        self.part_bytes.min(self.file_bytes - part * self.part_bytes)
    }

    /// Gives free peers a part to send.
    fn ask(&mut self) {
        while (self.active.len() as u64) < self.peers && self.next_part < self.parts.len() {
            let part = self.parts.at(self.next_part);
            let blocks = self.part_length(part).div_ceil(self.block_bytes);
            let blocks = Permutation::new(blocks, derive(self.seed, 2 + part));
            self.active.push_back(Peer { part, blocks, next_block: 0, done_bytes: 0 });
            self.next_part += 1;
        }
    }

    /// A piece of one peer, as a range of the file.
    fn piece(&mut self, emit: &mut Emit) -> Option<(u64, u64)> {
        self.ask();
        if self.active.is_empty() {
            return None;
        }
        let at = emit.random.below(self.active.len() as u64) as usize;
        let part_length = self.part_length(self.active[at].part);
        let peer = &mut self.active[at];
        let block_start = peer.blocks.at(peer.next_block) * self.block_bytes;
        let block_length = self.block_bytes.min(part_length - block_start);
        let bytes = self.piece_bytes.min(block_length - peer.done_bytes);
        let offset_bytes = peer.part * self.part_bytes + block_start + peer.done_bytes;
        peer.done_bytes += bytes;
        if peer.done_bytes == block_length {
            (peer.next_block, peer.done_bytes) = (peer.next_block + 1, 0);
        }
        if peer.next_block == peer.blocks.len() {
            self.active.remove(at);
        }
        Some((offset_bytes, bytes))
    }
}

impl Workload for P2p {
    fn step(&mut self, emit: &mut Emit) -> bool {
        let (file, state) = self.files(emit);
        let Some((offset_bytes, bytes)) = self.piece(emit) else {
            self.volume.sync(emit);
            return false;
        };
        self.volume.write(file, offset_bytes, bytes, emit.now_ns);
        if emit.now_ns >= self.next_state_ns {
            self.volume.write(state, 0, STATE_BYTES, emit.now_ns);
            self.next_state_ns = emit.now_ns + STATE_NS;
        }
        emit.pass_about((bytes as f64 * self.ns_per_byte) as u64);
        self.volume.tick(emit);
        true
    }
}
