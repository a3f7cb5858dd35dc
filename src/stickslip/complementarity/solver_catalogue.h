// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The names of the algorithms of a solver: ours, then those that plug-ins register (external_solver.h).
#pragma once

#include "stickslip/complementarity/algorithm_info.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace stickslip::complementarity {

template <class Factory>
class SolverCatalogue {
 public:
  explicit SolverCatalogue(std::span<const AlgorithmInfo> ours)
      : ours_(ours.size()), infos_(ours.begin(), ours.end()) {}

  void add(AlgorithmInfo info, Factory factory) {
    infos_.push_back(info);
    external_.push_back(factory);
  }
  [[nodiscard]] const std::vector<AlgorithmInfo>& infos() const { return infos_; }
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const {
    for (std::size_t k = 0; k < infos_.size(); ++k)
      if (name == infos_[k].name) return k;
    return std::nullopt;
  }
  // Of a plug-in's algorithm, by its place in infos(); null for ours.
  [[nodiscard]] Factory factory(std::size_t place) const {
    return place < ours_ ? Factory{} : external_[place - ours_];
  }

 private:
  std::size_t ours_;
  std::vector<AlgorithmInfo> infos_;
  std::vector<Factory> external_;
};

}  // namespace stickslip::complementarity
