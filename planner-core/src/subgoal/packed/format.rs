//! Offsets and sizes of the format, in bytes.

use crc::{CRC_32_ISO_HDLC, Crc, Table};

/// The checksum, also that of Ethernet: finds every error of up to three bits in the lengths used here.
pub(super) const CRC: Crc<u32, Table<1>> = Crc::<u32, Table<1>>::new(&CRC_32_ISO_HDLC);

pub(super) const MAGIC: [u8; 4] = *b"tsub";
pub(super) const VERSION: u16 = 1;

pub(super) const VERSION_AT: usize = 4;
pub(super) const COVER_AT: usize = 6;
pub(super) const LENGTH_AT: usize = 8;
pub(super) const FINGERPRINT_AT: usize = 12;
pub(super) const WIDTH_AT: usize = 16;
pub(super) const HEIGHT_AT: usize = 18;
pub(super) const TREES_AT: usize = 20;

/// Bytes before the list of goals.
pub(super) const HEADER: usize = 24;
/// Bytes of a goal: column, row, where its tree begins.
pub(super) const GOAL: usize = 8;
/// Bytes of a subgoal: column, row, parent.
pub(super) const SUBGOAL: usize = 6;
/// Bytes of a subgoal's number.
pub(super) const NUMBER: usize = 2;
/// Bytes of the number of runs before a row.
pub(super) const ROW: usize = 4;
/// Bytes of a run: first column, subgoal.
pub(super) const RUN: usize = 4;
/// Bytes of the checksum.
pub(super) const CHECKSUM: usize = 4;

/// The subgoal of cells from which there is no path.
pub(super) const NO_PATH: u16 = u16::MAX;

fn bytes_at<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}

pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes_at(bytes, at).map(u16::from_le_bytes)
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes_at(bytes, at).map(u32::from_le_bytes)
}
