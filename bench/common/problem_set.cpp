// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "bench/common/problem_set.h"

#include "stickslip/complementarity/corpus/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <string_view>

namespace stickslip::bench {
namespace {

using complementarity::CorpusKind;
using complementarity::CorpusProblem;
namespace fs = std::filesystem;

bool starts_with_any(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [name](std::string_view prefix) { return name.starts_with(prefix); });
}

bool is_corpus_file(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".json") || name.ends_with(".json.gz");
}

std::string spatial_class(Eigen::Index contacts) {
  return contacts <= 10   ? "spatial friction, up to 10 contacts"
         : contacts <= 60 ? "spatial friction, 11 to 60 contacts"
                          : "spatial friction, over 60 contacts";
}

std::string affine_class(const CorpusProblem& problem) {
  std::string_view name = problem.name;
  if (name.starts_with(kOwnPrefix)) name.remove_prefix(std::string_view(kOwnPrefix).size());
  const std::string form = problem.kind == CorpusKind::Mlcp ? "mixed" : "LCP";
  if (starts_with_any(name, {"painleve_acc"})) return "small LCP";
  if (starts_with_any(name, {"painleve_"})) return "contact " + form + ", one contact";
  if (starts_with_any(name, {"slide_", "table_", "rest_"})) return "contact " + form + ", sliding block";
  if (starts_with_any(name, {"stack"})) return "contact " + form + ", stacks";
  if (problem.kind == CorpusKind::Mlcp) return "mixed LCP, circuits";
  if (starts_with_any(name, {"murty", "fathi", "lcp_exp_murty"})) return "exponential for pivoting";
  if (starts_with_any(name, {"psd_", "mono_"})) return "degenerate monotone";
  if (starts_with_any(name, {"hp_", "pmat_"})) return "dense P-matrices";
  if (starts_with_any(name, {"mmat_", "obstacle"})) return "sparse M-matrices, obstacle";
  return "small LCP";
}

}  // namespace

std::optional<fs::path> find_open_corpus() {
  const char* named = std::getenv("STICKSLIP_PROBLEMS");
  const fs::path folder = named != nullptr ? fs::path(named) : fs::path(STICKSLIP_SOURCE_DIR) / "../shared/problems";
  for (const fs::path& candidate : {folder / "open", folder}) {
    std::error_code unreadable;
    fs::directory_iterator files(candidate, unreadable);
    if (!unreadable && std::any_of(begin(files), end(files), [](const auto& file) { return is_corpus_file(file); }))
      return candidate;
  }
  return std::nullopt;
}

std::vector<CorpusProblem> read_open_corpus(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (is_corpus_file(entry.path())) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<CorpusProblem> problems;
  problems.reserve(files.size());
  for (const fs::path& file : files) problems.push_back(complementarity::read_corpus_file(file));
  return problems;
}

std::string class_of(const CorpusProblem& problem) {
  switch (problem.kind) {
    case CorpusKind::Lcp:
    case CorpusKind::Mlcp: return affine_class(problem);
    case CorpusKind::BoxLcp: return "box LCP (relay)";
    case CorpusKind::Fc2d: return "planar friction";
    case CorpusKind::Fc3d: return spatial_class(problem.size());
    case CorpusKind::Gfc2d: return "global planar friction";
    case CorpusKind::Gfc3d: return "global spatial friction";
  }
  return "other";
}

const std::vector<std::string>& class_names() {
  static const std::vector<std::string> names{
      "small LCP",
      "exponential for pivoting",
      "dense P-matrices",
      "degenerate monotone",
      "sparse M-matrices, obstacle",
      "contact LCP, one contact",
      "contact LCP, sliding block",
      "contact LCP, stacks",
      "box LCP (relay)",
      "mixed LCP, circuits",
      "contact mixed, one contact",
      "contact mixed, sliding block",
      "contact mixed, stacks",
      "spatial friction, up to 10 contacts",
      "spatial friction, 11 to 60 contacts",
      "spatial friction, over 60 contacts",
      "planar friction",
      "global spatial friction",
      "global planar friction",
  };
  return names;
}

}  // namespace stickslip::bench
