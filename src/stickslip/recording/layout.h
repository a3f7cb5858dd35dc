// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The arrays of a recording, in one list for writer and reader (what they mean: recorder.h). Each grows by rows; arrays
// of one group grow together. A new array is one line in layout.cpp, a name in ArrayName, and a push in Recorder.
#pragma once

#include "stickslip/recording/hdf5_file.h"

#include <cstddef>
#include <string>
#include <vector>

namespace stickslip::recording {

// The first arrays of every recording; the observables follow.
enum class ArrayName : std::size_t {
  Time,
  Position,
  Orientation,
  Angle,
  Velocity,
  AngularVelocity,
  First,
  Residual,
  ContactBodies,
  ContactFeatures,
  ContactMode,
  Gap,
  Point,
  Normal,
  Force,
  Slip,
  EventTime,
  EventBodies,
  EventMode,
  End,
  FirstObservable
};

enum class RowGroup : std::uint8_t { Frame, Contact, Event, EndText };

struct ArrayLayout {
  std::string path;
  ElementType type = ElementType::Double;
  std::vector<std::size_t> row_shape;  // empty: one number per row
  RowGroup group = RowGroup::Frame;
  std::size_t chunk_rows = 1;
};

// How many rows of each group count.
struct RowCounts {
  std::size_t frames = 0, contacts = 0, events = 0, end_bytes = 0;
  [[nodiscard]] std::size_t of(RowGroup group) const;
  bool operator==(const RowCounts&) const = default;
};

[[nodiscard]] std::vector<ArrayLayout> layout(std::size_t bodies, const std::vector<std::string>& observables);

}  // namespace stickslip::recording
