// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/recording/layout.h"

#include <algorithm>

namespace stickslip::recording {
namespace {

constexpr std::size_t kChunkRows = 512, kEndBytes = 256;

}  // namespace

std::size_t RowCounts::of(RowGroup group) const {
  switch (group) {
    case RowGroup::Frame: return frames;
    case RowGroup::Contact: return contacts;
    case RowGroup::Event: return events;
    case RowGroup::EndText: return end_bytes;
  }
  return 0;
}

std::vector<ArrayLayout> layout(std::size_t bodies, const std::vector<std::string>& observables) {
  using enum ElementType;
  // Chunks of about 64 kB, so that scenes with many bodies do not buffer without end.
  const std::size_t rows = std::clamp<std::size_t>(8192 / std::max<std::size_t>(3 * bodies, 1), 1, kChunkRows);
  std::vector<ArrayLayout> arrays{
      {"/time", Double, {}, RowGroup::Frame, kChunkRows},
      {"/state/position", Double, {bodies, 3}, RowGroup::Frame, rows},
      {"/state/orientation", Double, {bodies, 4}, RowGroup::Frame, rows},
      {"/state/angle", Double, {bodies}, RowGroup::Frame, rows},
      {"/state/velocity", Double, {bodies, 3}, RowGroup::Frame, rows},
      {"/state/angular_velocity", Double, {bodies, 3}, RowGroup::Frame, rows},
      {"/contacts/first", Int64, {}, RowGroup::Frame, kChunkRows},
      {"/certificate/residual", Double, {}, RowGroup::Frame, kChunkRows},
      {"/contacts/bodies", Int32, {2}, RowGroup::Contact, kChunkRows},
      {"/contacts/features", Int32, {4}, RowGroup::Contact, kChunkRows},
      {"/contacts/mode", UInt8, {}, RowGroup::Contact, kChunkRows},
      {"/contacts/gap", Double, {}, RowGroup::Contact, kChunkRows},
      {"/contacts/point", Double, {3}, RowGroup::Contact, kChunkRows},
      {"/contacts/normal", Double, {3}, RowGroup::Contact, kChunkRows},
      {"/contacts/force", Double, {3}, RowGroup::Contact, kChunkRows},
      {"/contacts/slip", Double, {3}, RowGroup::Contact, kChunkRows},
      {"/events/time", Double, {}, RowGroup::Event, kChunkRows},
      {"/events/bodies", Int32, {2}, RowGroup::Event, kChunkRows},
      {"/events/mode", UInt8, {2}, RowGroup::Event, kChunkRows},
      {"/end", UInt8, {}, RowGroup::EndText, kEndBytes},
  };
  for (const std::string& name : observables)
    arrays.push_back({"/observe/" + name, Double, {}, RowGroup::Frame, kChunkRows});
  return arrays;
}

}  // namespace stickslip::recording
