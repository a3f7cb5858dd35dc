// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The first 512 bytes of a recording (HDF5's user block): what the file is, how much of it counts, and checksums by
// which a reader knows that nothing has changed. Text, a line each, filled up with spaces:
//
//     stickslip recording 2
//     state open                 or closed
//     frames N                   rows that count, of each group of arrays (layout.h)
//     contacts N
//     events N
//     end N
//     content HEX                checksum of all texts and of all rows that count
//     bytes N                    closed: size of the file
//     file HEX                   closed: checksum of everything behind these 512 bytes
//     seal HEX                   of the lines above
//
// A closed file is compared as a whole before HDF5 sees any of it, because HDF5 1.10 may hang or crash on damaged
// metadata. The file of a run that goes on, was killed or filled the disk is open: HDF5 reads it (its metadata have
// checksums of their own), and the rows that count are compared with `content`. They were complete on disk when the
// seal was written, and they are not changed later: what was begun behind them is ignored.
#pragma once

#include "stickslip/recording/layout.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace stickslip::recording {

constexpr std::size_t kSealBytes = 512;

struct Seal {
  bool closed = false;
  RowCounts counts;
  std::uint64_t content = 0;
  std::uint64_t bytes = 0, file = 0;  // closed only
};

[[nodiscard]] std::string to_text(const Seal& seal);  // kSealBytes long
// Throws RecordingError that names `path` when the text is not exactly what to_text() writes.
[[nodiscard]] Seal seal_from_text(std::string_view text, const std::string& path);

void write_seal(const std::string& path, const Seal& seal);
// Reads the seal and, of a closed file, compares everything with it. Throws RecordingError.
[[nodiscard]] Seal read_seal(const std::string& path);
// Closes the seal: notes size and checksum of the file as it is now.
void close_seal(const std::string& path, Seal seal);

}  // namespace stickslip::recording
