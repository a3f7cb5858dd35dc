// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Fuzz target: any bytes through the problem reader. They must give either a CorpusError of one line, or a problem that
// the validators accept and that survives being written and read again.
#include "stickslip/complementarity/corpus/reader.h"
#include "stickslip/complementarity/corpus/writer.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace stickslip::complementarity;

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "corpus_reader_fuzz: %s\n", what);
  std::abort();
}

struct Validate {
  std::string operator()(const AffineProblem& problem) const { return validate(problem); }
  std::string operator()(const MixedLcp& problem) const { return validate(make_mixed_lcp(problem).problem); }
  std::string operator()(const ContactProblem& problem) const { return validate(problem); }
  std::string operator()(const GlobalContactProblem& problem) const { return validate(problem); }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  constexpr ReadLimits kLimits{.max_bytes = std::size_t{1} << 20};
  CorpusProblem problem;
  try {
    problem = read_corpus_bytes(bytes, "fuzz", kLimits);
  } catch (const CorpusError& error) {
    const std::string_view message = error.what();
    require(message.find('\n') == std::string_view::npos, "the message is more than one line");
    require(message.starts_with("fuzz: "), "the message does not name the file");
    return 0;
  }
  const std::string complaint = std::visit(Validate{}, problem.data);
  require(complaint.empty(), complaint.c_str());
  const std::string text = corpus_text(problem);
  require(corpus_text(read_corpus_bytes(text, "again")) == text, "writing and reading again changes the problem");
  return 0;
}
