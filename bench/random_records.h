// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What random runs (random_runs.h) came to, one record each: kept in a file as one line per run, so that batches add up,
// and printed as a table by family, and by family and stepper, with the seeds of everything that went wrong.
//
//     line     seed, family, stepper, dimension, steps, states, gain, depth, outside, overlap, touched, cut, seconds,
//              those of the judge, why it was refused; tabs between
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
  std::int64_t steps = 0, states = 0;
  double gain = 0, depth = 0, seconds = 0, of_oracle = 0;
  bool outside = false, overlap = false, touched = false, cut = false;
  std::string refused;

  [[nodiscard]] bool gained() const { return gain > gained_at_most(stepper); }
  [[nodiscard]] bool wrong() const { return gained() || outside || overlap; }
};

inline RandomRecord record_of(std::uint64_t seed, const RandomRun& run) {
  RandomRecord record;
  record.seed = seed;
  record.family = static_cast<int>(run.scene.family);
  record.stepper = run.scene.stepper;
  record.dimension = run.scene.dimension;
  record.steps = run.steps;
  record.states = run.states;
  record.gain = run.gain;
  record.depth = run.depth;
  record.seconds = run.seconds;
  record.of_oracle = run.of_oracle;
  record.outside = run.outside;
  record.overlap = run.overlap;
  record.touched = run.touched;
  record.cut = run.cut;
  record.refused = run.refused;
  for (char& c : record.refused)
    if (c == '\t' || c == '\n') c = ' ';
  return record;
}

inline std::string to_line(const RandomRecord& r) {
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{:.17g}\t{:.17g}\t{:d}\t{:d}\t{:d}\t{:d}\t{:.4g}\t{:.4g}\t{}\n", r.seed,
                     r.family, r.stepper, r.dimension, r.steps, r.states, r.gain, r.depth, r.outside, r.overlap,
                     r.touched, r.cut, r.seconds, r.of_oracle, r.refused);
}

// False for a line that is none, as the last one of a batch that was ended may be.
inline bool from_line(const std::string& line, RandomRecord& r) {
  std::istringstream in(line);
  if (!(in >> r.seed >> r.family >> r.stepper >> r.dimension >> r.steps >> r.states >> r.gain >> r.depth >> r.outside >>
        r.overlap >> r.touched >> r.cut >> r.seconds >> r.of_oracle))
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

inline std::string name_of(const RandomRecord& r) {
  return fmt::format("{} {} {}D", kFamilies[static_cast<std::size_t>(r.family)],
                     kSteppers[static_cast<std::size_t>(r.stepper)],
                     r.dimension == 25 ? "2.5" : std::to_string(r.dimension));
}

inline void print_table(const std::map<std::uint64_t, RandomRecord>& records) {
  struct Row {
    int runs = 0, touched = 0, gained = 0, outside = 0, overlap = 0, refused = 0, cut = 0;
    std::int64_t steps = 0, states = 0;
    double seconds = 0;
  };
  std::map<std::string, Row> rows;
  Row all;
  for (const auto& [seed, record] : records) {
    const std::string family = kFamilies[static_cast<std::size_t>(record.family)];
    const std::string name = fmt::format("{} {}", family, kSteppers[static_cast<std::size_t>(record.stepper)]);
    for (Row* row : {&rows[name], &rows[family], &all}) {
      ++row->runs;
      row->touched += record.touched;
      row->steps += record.steps;
      row->states += record.states;
      row->gained += record.gained();
      row->outside += record.outside;
      row->overlap += record.overlap;
      row->refused += record.refused.empty() ? 0 : 1;
      row->cut += record.cut;
      row->seconds += record.seconds;
    }
  }
  fmt::print("\n{:<22} {:>7} {:>8} {:>9} {:>9} {:>7} {:>8} {:>8} {:>8} {:>6} {:>7}\n", "", "runs", "touched", "steps",
             "states", "gained", "outside", "overlap", "refused", "cut", "ms/run");
  const auto print = [](const std::string& name, const Row& row) {
    fmt::print("{:<22} {:>7} {:>8} {:>9} {:>9} {:>7} {:>8} {:>8} {:>8} {:>6} {:>7.1f}\n", name, row.runs, row.touched,
               row.steps, row.states, row.gained, row.outside, row.overlap, row.refused, row.cut,
               1e3 * row.seconds / row.runs);
  };
  for (const auto& [name, row] : rows) print(name, row);
  if (all.runs > 0) print("all", all);
}

// Where the time went.
inline void print_slowest(const std::map<std::uint64_t, RandomRecord>& records) {
  std::vector<const RandomRecord*> slowest;
  double seconds = 0, of_oracle = 0;
  for (const auto& [seed, record] : records) {
    slowest.push_back(&record);
    seconds += record.seconds;
    of_oracle += record.of_oracle;
  }
  std::ranges::sort(slowest, [](const RandomRecord* a, const RandomRecord* b) { return a->seconds > b->seconds; });
  if (slowest.size() > 20) slowest.resize(20);
  fmt::print("\n{:.0f} s of the processor, {:.0f} s of them for judging; the slowest:\n", seconds, of_oracle);
  for (const RandomRecord* r : slowest)
    fmt::print("{:>8.2f} s  seed {}: {}, {} steps\n", r->seconds, r->seed, name_of(*r), r->steps);
}

// The number of runs that were wrong.
inline int print_records(const std::map<std::uint64_t, RandomRecord>& records) {
  std::map<std::string, std::vector<std::uint64_t>> reasons;
  int wrong = 0;
  for (const auto& [seed, record] : records) {
    if (!record.refused.empty()) reasons[kind_of(record.refused)].push_back(seed);
    if (!record.wrong()) continue;
    ++wrong;
    fmt::print("seed {}: {}{}{}{}{}\n", seed, name_of(record),
               record.gained() ? fmt::format(", energy gained {:.2g} of the start's", record.gain) : "",
               record.outside ? ", outside" : "",
               record.overlap ? fmt::format(", overlap {:.2g} of the thickness too deep", record.depth) : "",
               record.refused.empty() ? "" : " (" + record.refused + ")");
  }
  print_table(records);
  fmt::print("seeds {}\n", seeds_of(records));
  if (!reasons.empty()) fmt::print("\nrefused:\n");
  for (const auto& [reason, seeds] : reasons) {
    std::string list;
    for (std::size_t i = 0; i < seeds.size() && i < 8; ++i) list += fmt::format(" {}", seeds[i]);
    fmt::print("{:>8}  {} (seeds{}{})\n", seeds.size(), reason, list, seeds.size() > 8 ? " ..." : "");
  }
  print_slowest(records);
  return wrong;
}

}  // namespace stickslip::bench
