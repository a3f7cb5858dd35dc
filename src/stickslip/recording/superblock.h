// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// HDF5 marks a file that is being written, and refuses to open a marked file after its writer was killed. In
// single-writer mode the file is consistent at every moment, so the mark protects nothing and only stands in the way:
// it is taken off on disk after every flush.
//
// The mark is byte 11 of the 48-byte superblock, version 3, of the HDF5 file format specification (section II.A); bytes
// 28 to 35 are the end of the file; the last four bytes are Jenkins' lookup3 checksum of the first 44.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace stickslip::recording {

// Clears the mark of the file at `path`, whose superblock lies behind `user_block` bytes; does nothing where the file
// has another superblock version.
void clear_open_mark(const std::string& path, std::size_t user_block);

// After a write that failed: also where HDF5 noted an end beyond that of the file, which it refuses to open, the file's
// own end is noted.
void shorten_to_file(const std::string& path, std::size_t user_block);

// Jenkins' lookup3 of little-endian bytes, start value 0: HDF5's metadata checksum.
[[nodiscard]] std::uint32_t lookup3(const std::uint8_t* bytes, std::size_t count);

}  // namespace stickslip::recording
