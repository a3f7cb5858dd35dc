// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/corpus/writer.h"

#include "stickslip/complementarity/corpus/gzip.h"

#include <fmt/format.h>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace stickslip::complementarity {
namespace {

void append_number(std::string& text, double value) {
  if (!std::isfinite(value)) throw CorpusError("the problem holds a number that is not finite");
  // "-0" would come back as the integer 0 and lose its sign.
  if (value == 0 && std::signbit(value))
    text += "-0.0";
  else
    fmt::format_to(std::back_inserter(text), "{}", value);
}

class ObjectWriter {
 public:
  void text(const char* key, const std::string& value) {
    start(key);
    // Bytes that are not UTF-8 are replaced: JSON cannot hold them.
    text_ += nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  void integer(const char* key, Eigen::Index value) {
    start(key);
    fmt::format_to(std::back_inserter(text_), "{}", value);
  }

  template <typename Numbers>
  void vector(const char* key, const Numbers& numbers) {
    start(key);
    list(numbers);
  }

  void matrix(const char* key, const Eigen::SparseMatrix<double>& entries) {
    std::vector<int> i, j;
    std::vector<double> x;
    for (int column = 0; column < entries.outerSize(); ++column)
      for (Eigen::SparseMatrix<double>::InnerIterator it(entries, column); it; ++it) {
        if (it.value() == 0) continue;
        i.push_back(static_cast<int>(it.row()));
        j.push_back(static_cast<int>(it.col()));
        x.push_back(it.value());
      }
    start(key);
    fmt::format_to(std::back_inserter(text_), "{{\"rows\":{},\"cols\":{},\"i\":", entries.rows(), entries.cols());
    list(i);
    text_ += ",\"j\":";
    list(j);
    text_ += ",\"x\":";
    list(x);
    text_ += '}';
  }

  std::string finish() { return std::move(text_) + "}\n"; }

 private:
  void start(const char* key) {
    text_ += text_.empty() ? '{' : ',';
    fmt::format_to(std::back_inserter(text_), "\"{}\":", key);
  }

  template <typename Numbers>
  void list(const Numbers& numbers) {
    text_ += '[';
    bool first = true;
    for (const auto number : numbers) {
      if (!std::exchange(first, false)) text_ += ',';
      append_number(text_, static_cast<double>(number));
    }
    text_ += ']';
  }

  std::string text_;
};

Eigen::SparseMatrix<double> scalar_matrix(const AffineProblem& problem) {
  // sparseView() would drop values that are small against 1; only true zeros may go.
  if (!problem.is_dense) return problem.sparse;
  std::vector<Eigen::Triplet<double>> entries;
  for (Eigen::Index j = 0; j < problem.dense.cols(); ++j)
    for (Eigen::Index i = 0; i < problem.dense.rows(); ++i)
      if (problem.dense(i, j) != 0) entries.emplace_back(static_cast<int>(i), static_cast<int>(j), problem.dense(i, j));
  Eigen::SparseMatrix<double> matrix(problem.dense.rows(), problem.dense.cols());
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

Eigen::SparseMatrix<double> scalar_matrix(const BlockMatrix& blocks) {
  const int size = blocks.block_size;
  std::vector<Eigen::Triplet<double>> entries;
  for (int row = 0; row < blocks.rows(); ++row)
    for (int k = blocks.row_start[row]; k < blocks.row_start[row + 1]; ++k)
      for (int i = 0; i < size; ++i)
        for (int j = 0; j < size; ++j) {
          const double value = blocks.value[static_cast<std::size_t>(k) * size * size + i * size + j];
          if (value != 0) entries.emplace_back(row * size + i, blocks.column[k] * size + j, value);
        }
  Eigen::SparseMatrix<double> matrix(blocks.rows() * size, blocks.rows() * size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

// Infinite bounds become the format's +-1e20.
std::vector<double> file_bounds(const Eigen::VectorXd& bounds) {
  std::vector<double> numbers(bounds.begin(), bounds.end());
  for (double& number : numbers)
    if (std::isinf(number)) number = std::copysign(kFileInfinity, number);
  return numbers;
}

bool has_lcp_bounds(const AffineProblem& problem) {
  return (problem.lower.array() == 0).all() && (problem.upper.array() == kInfinity).all();
}

void write_contact_extras(ObjectWriter& out, const std::vector<ContactKind>& kinds,
                          const std::vector<double>& normal_impulse) {
  if (!kinds.empty()) {
    std::vector<int> codes;
    codes.reserve(kinds.size());
    for (const ContactKind kind : kinds) codes.push_back(static_cast<int>(kind));
    out.vector("contact_kind", codes);
  }
  if (!normal_impulse.empty()) out.vector("normal_impulse", normal_impulse);
}

struct WriteData {
  ObjectWriter& out;
  CorpusKind kind;

  void operator()(const AffineProblem& problem) const {
    if (kind == CorpusKind::Lcp && !has_lcp_bounds(problem))
      throw CorpusError("the kind is lcp, but the bounds are not 0 and infinity (boxlcp has bounds)");
    out.integer("n", problem.size());
    out.matrix("M", scalar_matrix(problem));
    out.vector("q", problem.q);
    if (kind == CorpusKind::Lcp) return;
    out.vector("lb", file_bounds(problem.lower));
    out.vector("ub", file_bounds(problem.upper));
  }

  void operator()(const MixedLcp& problem) const {
    out.integer("n", problem.A.cols());
    out.integer("m", problem.b.size());
    out.matrix("A", problem.A);
    out.matrix("B", problem.B);
    out.matrix("C", problem.C);
    out.matrix("D", problem.D);
    out.vector("a", problem.a);
    out.vector("b", problem.b);
  }

  void operator()(const ContactProblem& problem) const {
    out.integer("nc", problem.contacts());
    out.matrix("W", scalar_matrix(problem.W));
    out.vector("q", problem.q);
    out.vector("mu", problem.mu);
    write_contact_extras(out, problem.kind, problem.normal_impulse);
  }

  void operator()(const GlobalContactProblem& problem) const {
    out.integer("nc", problem.contacts());
    out.integer("ndof", problem.f.size());
    out.matrix("M", problem.M);
    out.matrix("H", problem.H);
    out.vector("f", problem.f);
    out.vector("w", problem.w);
    out.vector("mu", problem.mu);
    if (!problem.compliance.empty()) out.vector("compliance", problem.compliance);
    write_contact_extras(out, problem.kind, problem.normal_impulse);
  }
};

// The alternative of the variant and, for contacts, the dimension must be those of the kind.
void check_kind(const CorpusProblem& problem) {
  bool fits = false;
  switch (problem.kind) {
    case CorpusKind::Lcp:
    case CorpusKind::BoxLcp: fits = std::holds_alternative<AffineProblem>(problem.data); break;
    case CorpusKind::Mlcp: fits = std::holds_alternative<MixedLcp>(problem.data); break;
    case CorpusKind::Fc2d:
    case CorpusKind::Fc3d: {
      const auto* contact = std::get_if<ContactProblem>(&problem.data);
      fits = contact && contact->dimension() == contact_dimension(problem.kind);
      break;
    }
    case CorpusKind::Gfc2d:
    case CorpusKind::Gfc3d: {
      const auto* contact = std::get_if<GlobalContactProblem>(&problem.data);
      fits = contact && contact->dimension == contact_dimension(problem.kind);
      break;
    }
  }
  if (!fits) throw CorpusError(fmt::format("the data is not of kind {}", to_string(problem.kind)));
}

}  // namespace

std::string corpus_text(const CorpusProblem& problem) {
  check_kind(problem);
  ObjectWriter out;
  out.text("name", problem.name);
  out.text("kind", to_string(problem.kind));
  std::visit(WriteData{out, problem.kind}, problem.data);
  if (!problem.known_solution.empty()) out.vector("known_solution", problem.known_solution);
  if (!problem.notes.empty()) out.text("notes", problem.notes);
  if (!problem.source.empty()) out.text("source", problem.source);
  return out.finish();
}

void write_corpus_file(const CorpusProblem& problem, const std::filesystem::path& file) {
  try {
    std::string text = corpus_text(problem);
    if (file.extension() == ".gz") text = gzip_compress(text);
    std::ofstream stream(file, std::ios::binary | std::ios::trunc);
    stream.write(text.data(), static_cast<std::streamsize>(text.size()));
    if (!stream.flush()) throw CorpusError("cannot be written");
  } catch (const CorpusError& error) {
    throw CorpusError(fmt::format("{}: {}", file.string(), error.what()));
  }
}

}  // namespace stickslip::complementarity
