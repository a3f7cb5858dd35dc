// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/scene/body_packing.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>

namespace stickslip::scene {
namespace {

enum class Arrangement { Grid, Random };

struct Region {
  Vec3 low, high;
  int dimension = 3;
  double distance = 0;
};

std::vector<Vec3> on_a_grid(const Region& region, std::size_t count) {
  std::size_t side[3] = {1, 1, 1};
  // A side of n distances takes n + 1 places, rounding allowed for.
  for (int k = 0; k < region.dimension; ++k)
    side[k] = 1 + static_cast<std::size_t>(
                      std::min(1e6, std::floor((region.high[k] - region.low[k]) / region.distance * (1 + 1e-12))));
  std::vector<Vec3> places;
  for (std::size_t n = 0; n < count && n < side[0] * side[1] * side[2]; ++n) {
    const std::size_t cell[3] = {n % side[0], n / side[0] % side[1], n / (side[0] * side[1])};
    Vec3 place = region.low;
    for (int k = 0; k < region.dimension; ++k) place[k] += region.distance * static_cast<double>(cell[k]);
    places.push_back(place);
  }
  return places;
}

// SplitMix64: a counter, mixed. Uniform in [0, 1).
double next_random(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

std::vector<Vec3> at_random(const Region& region, std::size_t count, std::uint64_t seed) {
  constexpr int kTries = 20000;  // for one place: then the box is full
  using Cell = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
  std::map<Cell, std::vector<std::size_t>> cells;  // of side `distance`: neighbours are in the cells around
  const auto cell_of = [&](const Vec3& x, int k) {
    return static_cast<std::int64_t>(std::floor((x[k] - region.low[k]) / region.distance));
  };
  std::vector<Vec3> places;
  std::uint64_t state = seed * 0x2545f4914f6cdd1du + 1;
  const auto is_free = [&](const Vec3& x) {
    const int flat = region.dimension == 2 ? 0 : 1;
    for (int i = -1; i <= 1; ++i)
      for (int j = -1; j <= 1; ++j)
        for (int k = -flat; k <= flat; ++k) {
          const auto found = cells.find({cell_of(x, 0) + i, cell_of(x, 1) + j, cell_of(x, 2) + k});
          if (found == cells.end()) continue;
          for (const std::size_t n : found->second)
            if ((places[n] - x).squaredNorm() < region.distance * region.distance) return false;
        }
    return true;
  };
  while (places.size() < count) {
    bool placed = false;
    for (int attempt = 0; attempt < kTries && !placed; ++attempt) {
      Vec3 x = region.low;
      for (int k = 0; k < region.dimension; ++k) x[k] += next_random(state) * (region.high[k] - region.low[k]);
      placed = is_free(x);
      if (!placed) continue;
      cells[{cell_of(x, 0), cell_of(x, 1), cell_of(x, 2)}].push_back(places.size());
      places.push_back(x);
    }
    if (!placed) break;
  }
  return places;
}

}  // namespace

std::vector<Vec3> read_packing(const Value& packing, const expression::Scope& constants, const std::string& body,
                               std::size_t count) {
  const TableReader table(packing, keys_of("packing"), constants, fmt::format("packing of body '{}'", body));
  const Arrangement kind = table.choice("kind", Arrangement::Random);
  const Value& low = table.require("low");
  Region region;
  region.dimension = low.kind == Value::Kind::Array && low.items.size() == 2 ? 2 : 3;
  region.low = read_vector(low, constants, table.what("low"), region.dimension);
  region.high = read_vector(table.require("high"), constants, table.what("high"), region.dimension);
  region.distance = table.positive("distance");
  for (int k = 0; k < region.dimension; ++k)
    if (region.high[k] < region.low[k])
      throw SceneError(packing.place, fmt::format("{}: 'high' is below 'low'", table.name()));
  const auto seed = static_cast<std::uint64_t>(table.integer("seed", 1, 0, 9e15));
  std::vector<Vec3> places = kind == Arrangement::Grid ? on_a_grid(region, count) : at_random(region, count, seed);
  if (places.size() < count)
    throw SceneError(packing.place, fmt::format("{}: {} of {} copies fit", table.name(), places.size(), count),
                     "widen 'low' to 'high', or shorten 'distance'");
  return places;
}

}  // namespace stickslip::scene
