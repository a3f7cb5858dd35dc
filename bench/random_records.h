// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What random runs (random_runs.h) came to, one record each: kept in a file as one line per run, so that batches add up,
// and printed as a table by family and stepper with the seeds of everything that went wrong.
//
//     line     seed, family, stepper, dimension, states, gain, depth, outside, overlap, why it was refused; tabs between
//     again    a seed that stands in the file twice counts as its last line tells
#pragma once

#include "bench/random_runs.h"

#include <fmt/format.h>

#include <cctype>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip::bench {

struct RandomRecord {
  std::uint64_t seed = 0;
  int family = 0, stepper = 0, dimension = 3;
  std::int64_t states = 0;
  double gain = 0, depth = 0;
  bool outside = false, overlap = false;
  std::string refused;

  [[nodiscard]] bool gained() const { return gain > kGainedAtMost; }
  [[nodiscard]] bool wrong() const { return gained() || outside || overlap; }
};

inline RandomRecord record_of(std::uint64_t seed, const RandomRun& run) {
  RandomRecord record{seed,
                      static_cast<int>(run.scene.family),
                      run.scene.stepper,
                      run.scene.dimension,
                      run.states,
                      run.gain,
                      run.depth,
                      run.outside,
                      run.overlap,
                      run.refused};
  for (char& c : record.refused)
    if (c == '\t' || c == '\n') c = ' ';
  return record;
}

inline std::string to_line(const RandomRecord& r) {
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{:.17g}\t{:.17g}\t{:d}\t{:d}\t{}\n", r.seed, r.family, r.stepper, r.dimension,
                     r.states, r.gain, r.depth, r.outside, r.overlap, r.refused);
}

// False for a line that is none, as the last one of a batch that was ended may be.
inline bool from_line(const std::string& line, RandomRecord& r) {
  std::istringstream in(line);
  if (!(in >> r.seed >> r.family >> r.stepper >> r.dimension >> r.states >> r.gain >> r.depth >> r.outside >>
        r.overlap))
    return false;
  in.ignore(1);
  std::getline(in, r.refused);
  return r.family >= 0 && r.family < static_cast<int>(kFamilies.size()) && r.stepper >= 0 &&
         r.stepper < static_cast<int>(kSteppers.size());
}

// Reasons without their numbers and names, so that they can be counted.
inline std::string kind_of(const std::string& reason) {
  std::string kind;
  for (const char c : reason.substr(0, 90))
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) kind += c;
  for (const std::string_view cut : {" overlap by", "bodies overlap", " is not finite", " changed by"})
    if (const auto at = kind.find(cut); at != std::string::npos)
      return (kind.starts_with("audit") ? "audit:" : "") + std::string(cut);
  return kind.substr(0, kind.find("energy in one step"));
}

inline std::string seeds_of(const std::map<std::uint64_t, RandomRecord>& records) {
  std::string text;
  for (auto it = records.begin(); it != records.end();) {
    const std::uint64_t first = it->first;
    std::uint64_t last = first;
    for (++it; it != records.end() && it->first == last + 1; ++it) last = it->first;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", first);
    if (last > first) text += fmt::format("-{}", last);
  }
  return text;
}

// The number of runs that were wrong.
inline int print_records(const std::map<std::uint64_t, RandomRecord>& records) {
  struct Row {
    int runs = 0, gained = 0, outside = 0, overlap = 0, refused = 0;
    std::int64_t states = 0;
  };
  const auto print = [](const std::string& name, const Row& row) {
    fmt::print("{:<26} {:>8} {:>10} {:>8} {:>8} {:>8} {:>8}\n", name, row.runs, row.states, row.gained, row.outside,
               row.overlap, row.refused);
  };
  std::map<std::string, Row> rows;
  std::map<std::string, std::vector<std::uint64_t>> reasons;
  Row all;
  int wrong = 0;
  for (const auto& [seed, record] : records) {
    const std::string family = kFamilies[static_cast<std::size_t>(record.family)];
    const std::string stepper = kSteppers[static_cast<std::size_t>(record.stepper)];
    for (Row* row : {&rows[family + " " + stepper], &all}) {
      ++row->runs;
      row->states += record.states;
      row->gained += record.gained();
      row->outside += record.outside;
      row->overlap += record.overlap;
      row->refused += record.refused.empty() ? 0 : 1;
    }
    if (!record.refused.empty()) reasons[kind_of(record.refused)].push_back(seed);
    if (!record.wrong()) continue;
    ++wrong;
    fmt::print("seed {}: {} {} {}D{}{}{}{}\n", seed, family, stepper,
               record.dimension == 25 ? "2.5" : std::to_string(record.dimension),
               record.gained() ? fmt::format(", energy gained {:.2g} of the start's", record.gain) : "",
               record.outside ? ", outside" : "",
               record.overlap ? fmt::format(", overlap {:.2g} of the thickness too deep", record.depth) : "",
               record.refused.empty() ? "" : " (" + record.refused + ")");
  }
  fmt::print("\n{:<26} {:>8} {:>10} {:>8} {:>8} {:>8} {:>8}\n", "", "runs", "states", "gained", "outside", "overlap",
             "refused");
  for (const auto& [name, row] : rows) print(name, row);
  print("all", all);
  fmt::print("seeds {}\n", seeds_of(records));
  if (!reasons.empty()) fmt::print("\nrefused:\n");
  for (const auto& [reason, seeds] : reasons) {
    std::string list;
    for (std::size_t i = 0; i < seeds.size() && i < 8; ++i) list += fmt::format(" {}", seeds[i]);
    fmt::print("{:>8}  {} (seeds{}{})\n", seeds.size(), reason, list, seeds.size() > 8 ? " ..." : "");
  }
  return wrong;
}

}  // namespace stickslip::bench
