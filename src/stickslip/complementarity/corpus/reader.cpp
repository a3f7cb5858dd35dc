// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/corpus/reader.h"

#include "stickslip/complementarity/corpus/gzip.h"
#include "stickslip/complementarity/corpus/problem_document.h"
#include "stickslip/files/regular_file.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace stickslip::complementarity {
namespace {

using Index = Eigen::Index;
using Sparse = Eigen::SparseMatrix<double>;

template <typename... Args>
[[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) {
  throw CorpusError(fmt::format(text, std::forward<Args>(args)...));
}

// ---- second stage: a document of the right types -> a problem of the right sizes ----
//
// Every size a problem declares is compared with the vectors that are really there before anything of that size is
// allocated.

std::vector<double>& need_vector(CorpusDocument& document, const char* key) {
  const auto found = document.vector.find(key);
  if (found == document.vector.end()) fail("\"{}\" is missing", key);
  return found->second;
}

Index need_integer(const CorpusDocument& document, const char* key) {
  const auto found = document.integer.find(key);
  if (found == document.integer.end()) fail("\"{}\" is missing", key);
  return found->second;
}

std::vector<double>& need_vector_of(CorpusDocument& document, const char* key, Index size, const char* why) {
  std::vector<double>& vector = need_vector(document, key);
  if (static_cast<Index>(vector.size()) != size)
    fail("\"{}\" has {} numbers, but {} are needed ({})", key, vector.size(), size, why);
  return vector;
}

Eigen::VectorXd to_eigen(const std::vector<double>& vector) {
  return Eigen::Map<const Eigen::VectorXd>(vector.data(), static_cast<Index>(vector.size()));
}

// Names the first entry that occurs twice. Only called when there is one.
[[noreturn]] void fail_on_duplicate(const CoordinateList& list, const char* key) {
  std::vector<std::pair<std::int64_t, std::int64_t>> places(list.x.size());
  for (std::size_t k = 0; k < places.size(); ++k) places[k] = {list.j[k], list.i[k]};
  std::sort(places.begin(), places.end());
  const auto twice = std::adjacent_find(places.begin(), places.end());
  fail("\"{}\" gives entry ({}, {}) twice", key, twice->second, twice->first);
}

const CoordinateList& need_list(const CorpusDocument& document, const char* key) {
  const auto found = document.matrix.find(key);
  if (found == document.matrix.end()) fail("\"{}\" is missing", key);
  const CoordinateList& list = found->second;
  if (list.rows < 0) fail("\"rows\" of \"{}\" is missing", key);
  if (list.cols < 0) fail("\"cols\" of \"{}\" is missing", key);
  if (!list.has_i) fail("\"i\" of \"{}\" is missing", key);
  if (!list.has_j) fail("\"j\" of \"{}\" is missing", key);
  if (!list.has_x) fail("\"x\" of \"{}\" is missing", key);
  return list;
}

Sparse need_matrix(const CorpusDocument& document, const char* key, Index rows, Index cols) {
  const CoordinateList& list = need_list(document, key);
  if (list.rows != rows || list.cols != cols)
    fail("\"{}\" is declared {} x {}, but must be {} x {}", key, list.rows, list.cols, rows, cols);
  const std::size_t count = list.x.size();
  if (list.i.size() != count || list.j.size() != count)
    fail("\"{}\" has {} row indices, {} column indices and {} values", key, list.i.size(), list.j.size(), count);
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(count);
  for (std::size_t k = 0; k < count; ++k) {
    if (list.i[k] >= rows) fail("\"{}\": entry {} has row {}, but there are {} rows (from 0)", key, k, list.i[k], rows);
    if (list.j[k] >= cols)
      fail("\"{}\": entry {} has column {}, but there are {} columns (from 0)", key, k, list.j[k], cols);
    entries.emplace_back(static_cast<int>(list.i[k]), static_cast<int>(list.j[k]), list.x[k]);
  }
  Sparse matrix(rows, cols);
  matrix.setFromTriplets(entries.begin(), entries.end());
  if (static_cast<std::size_t>(matrix.nonZeros()) != count) fail_on_duplicate(list, key);
  return matrix;
}

AffineProblem read_lcp(CorpusDocument& document) {
  const Index n = need_integer(document, "n");
  Eigen::VectorXd q = to_eigen(need_vector_of(document, "q", n, "n"));
  return make_lcp(need_matrix(document, "M", n, n), std::move(q));
}

AffineProblem read_box_lcp(CorpusDocument& document) {
  const Index n = need_integer(document, "n");
  Eigen::VectorXd q = to_eigen(need_vector_of(document, "q", n, "n"));
  Eigen::VectorXd lower = to_eigen(need_vector_of(document, "lb", n, "n"));
  Eigen::VectorXd upper = to_eigen(need_vector_of(document, "ub", n, "n"));
  for (Index i = 0; i < n; ++i) {
    if (lower[i] > upper[i]) fail("bound {}: lb = {} lies above ub = {}", i, lower[i], upper[i]);
    if (lower[i] >= kFileInfinity) fail("bound {}: lb = {} means an infinite lower bound", i, lower[i]);
    if (upper[i] <= -kFileInfinity) fail("bound {}: ub = {} means an infinite upper bound", i, upper[i]);
    if (lower[i] <= -kFileInfinity) lower[i] = -kInfinity;
    if (upper[i] >= kFileInfinity) upper[i] = kInfinity;
  }
  return make_box_lcp(need_matrix(document, "M", n, n), std::move(q), std::move(lower), std::move(upper));
}

// The free unknowns u have no vector of their own (there may be more or fewer equations than unknowns), so their number
// is held against the data: columns that no equation mentions are possible, millions of them are not.
void check_free_unknowns(const CorpusDocument& document, Index n, std::size_t equations) {
  constexpr std::size_t kSlack = 1000;
  const std::size_t data = equations + need_list(document, "A").x.size() + need_list(document, "D").x.size();
  if (static_cast<std::size_t>(n) > data + kSlack)
    fail("\"n\" declares {} free unknowns, but the file holds data for at most {}", n, data);
}

MixedLcp read_mlcp(CorpusDocument& document) {
  const Index n = need_integer(document, "n");
  const Index m = need_integer(document, "m");
  MixedLcp blocks;
  blocks.a = to_eigen(need_vector(document, "a"));
  blocks.b = to_eigen(need_vector_of(document, "b", m, "m"));
  check_free_unknowns(document, n, static_cast<std::size_t>(blocks.a.size()));
  blocks.A = need_matrix(document, "A", blocks.a.size(), n);
  blocks.C = need_matrix(document, "C", blocks.a.size(), m);
  blocks.D = need_matrix(document, "D", m, n);
  blocks.B = need_matrix(document, "B", m, m);
  return blocks;
}

std::vector<double> read_friction(CorpusDocument& document, Index contacts) {
  std::vector<double> mu = need_vector_of(document, "mu", contacts, "nc");
  for (std::size_t c = 0; c < mu.size(); ++c)
    if (mu[c] < 0) fail("contact {}: mu = {} is negative", c, mu[c]);
  return mu;
}

// Optional keys beyond plain friction: contact_kind (0 frictional, 1 support, 2 bilateral) and normal_impulse.
std::vector<ContactKind> read_contact_kinds(CorpusDocument& document, Index contacts) {
  std::vector<ContactKind> kinds;
  if (!document.vector.contains("contact_kind")) return kinds;
  for (const double code : need_vector_of(document, "contact_kind", contacts, "nc")) {
    if (code != 0 && code != 1 && code != 2)
      fail("\"contact_kind\" holds {}; 0 (frictional), 1 (support) and 2 (bilateral) are known", code);
    kinds.push_back(static_cast<ContactKind>(static_cast<int>(code)));
  }
  return kinds;
}

std::vector<double> read_normal_impulses(CorpusDocument& document, const std::vector<ContactKind>& kinds,
                                         Index contacts) {
  const bool supports = std::count(kinds.begin(), kinds.end(), ContactKind::Support) > 0;
  if (!document.vector.contains("normal_impulse")) {
    if (supports) fail("\"normal_impulse\" is missing: supports need a given normal impulse");
    return {};
  }
  std::vector<double> impulses = need_vector_of(document, "normal_impulse", contacts, "nc");
  for (std::size_t c = 0; c < impulses.size(); ++c)
    if (impulses[c] < 0) fail("contact {}: normal_impulse = {} is negative", c, impulses[c]);
  return impulses;
}

std::vector<double> read_compliance(CorpusDocument& document, int dimension, Index contacts) {
  if (!document.vector.contains("compliance")) return {};
  return need_vector_of(document, "compliance", Index{dimension} * dimension * contacts, "dimension^2 nc");
}

ContactProblem read_contact(CorpusDocument& document, int dimension) {
  const Index contacts = need_integer(document, "nc");
  if (document.vector.contains("compliance"))
    fail("\"compliance\" belongs to gfc2d and gfc3d; here it is part of the diagonal blocks of \"W\"");
  ContactProblem problem;
  problem.mu = read_friction(document, contacts);
  problem.q = need_vector_of(document, "q", dimension * contacts, "dimension nc");
  problem.W = make_block_matrix(need_matrix(document, "W", dimension * contacts, dimension * contacts), dimension);
  problem.kind = read_contact_kinds(document, contacts);
  problem.normal_impulse = read_normal_impulses(document, problem.kind, contacts);
  return problem;
}

GlobalContactProblem read_global_contact(CorpusDocument& document, int dimension) {
  const Index contacts = need_integer(document, "nc");
  const Index freedoms = need_integer(document, "ndof");
  GlobalContactProblem problem;
  problem.dimension = dimension;
  problem.mu = read_friction(document, contacts);
  problem.f = to_eigen(need_vector_of(document, "f", freedoms, "ndof"));
  problem.w = to_eigen(need_vector_of(document, "w", dimension * contacts, "dimension nc"));
  problem.M = need_matrix(document, "M", freedoms, freedoms);
  problem.H = need_matrix(document, "H", freedoms, dimension * contacts);
  problem.compliance = read_compliance(document, dimension, contacts);
  problem.kind = read_contact_kinds(document, contacts);
  problem.normal_impulse = read_normal_impulses(document, problem.kind, contacts);
  return problem;
}

std::string text_or_empty(const CorpusDocument& document, const char* key) {
  const auto found = document.text.find(key);
  return found == document.text.end() ? std::string() : found->second;
}

CorpusProblem interpret(CorpusDocument document) {
  if (!document.text.contains("kind")) fail("\"kind\" is missing");
  const std::string kind_name = text_or_empty(document, "kind");
  const std::optional<CorpusKind> kind = corpus_kind(kind_name);
  if (!kind)
    fail("kind \"{}\" is unknown; known are lcp, boxlcp, mlcp, fc2d, fc3d, gfc2d and gfc3d", kind_name.substr(0, 40));
  CorpusProblem problem;
  problem.kind = *kind;
  problem.name = text_or_empty(document, "name");
  problem.notes = text_or_empty(document, "notes");
  problem.source = text_or_empty(document, "source");
  switch (*kind) {
    case CorpusKind::Lcp: problem.data = read_lcp(document); break;
    case CorpusKind::BoxLcp: problem.data = read_box_lcp(document); break;
    case CorpusKind::Mlcp: problem.data = read_mlcp(document); break;
    case CorpusKind::Fc2d:
    case CorpusKind::Fc3d: problem.data = read_contact(document, contact_dimension(*kind)); break;
    case CorpusKind::Gfc2d:
    case CorpusKind::Gfc3d: problem.data = read_global_contact(document, contact_dimension(*kind)); break;
  }
  if (document.vector.contains("known_solution")) problem.known_solution = document.vector["known_solution"];
  return problem;
}

// ---- bytes ----

std::string read_bytes(const std::filesystem::path& file, std::size_t max_bytes) {
  try {
    return files::read_regular_file(file, max_bytes);
  } catch (const files::FileError& error) {
    throw CorpusError(error.what());
  }
}

// One line, whatever bytes the file's name or content brought in.
std::string one_line(std::string text) {
  for (char& character : text)
    if (static_cast<unsigned char>(character) < 0x20 || character == 0x7f) character = '?';
  return text;
}

template <typename Action>
auto naming_the_file(std::string_view file_name, Action&& action) {
  try {
    return action();
  } catch (const CorpusError& error) {
    throw CorpusError(one_line(fmt::format("{}: {}", file_name, error.what())));
  } catch (const std::bad_alloc&) {
    throw CorpusError(one_line(fmt::format("{}: not enough memory for this problem", file_name)));
  }
}

CorpusProblem read_bytes_as_problem(std::string_view bytes, const ReadLimits& limits) {
  if (bytes.empty()) fail("is empty");
  if (is_gzip(bytes)) return interpret(parse_document(gzip_expand(bytes, limits.max_bytes)));
  if (bytes.size() > limits.max_bytes) fail("is larger than {} bytes", limits.max_bytes);
  return interpret(parse_document(bytes));
}

}  // namespace

CorpusProblem read_corpus_bytes(std::string_view bytes, std::string_view file_name, const ReadLimits& limits) {
  return naming_the_file(file_name, [&] { return read_bytes_as_problem(bytes, limits); });
}

CorpusProblem read_corpus_file(const std::filesystem::path& file, const ReadLimits& limits) {
  return naming_the_file(file.string(),
                         [&] { return read_bytes_as_problem(read_bytes(file, limits.max_bytes), limits); });
}

}  // namespace stickslip::complementarity
