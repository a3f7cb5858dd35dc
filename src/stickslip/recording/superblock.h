// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// HDF5 marks a file that is being written, and refuses to open a marked file after its writer was killed. In
// single-writer mode the file is consistent at every moment, so the mark protects nothing and only stands in the way:
// it is taken off on disk after every flush.
//
// The mark is byte 11 of the 48-byte superblock, version 3, of the HDF5 file format specification (section II.A); the
// last four bytes are Jenkins' lookup3 checksum of the first 44.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace stickslip::recording {

// Clears the mark of the file at `path`; does nothing where the file has another superblock version.
void clear_open_mark(const std::string& path);

// Jenkins' lookup3 of little-endian bytes, start value 0: HDF5's metadata checksum.
[[nodiscard]] std::uint32_t lookup3(const std::uint8_t* bytes, std::size_t count);

}  // namespace stickslip::recording
