// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Fuzz target: any bytes as the store of a study, and as changes of a valid one: refused in one line, or read as it was
// written.
#include "stickslip/study/store.h"

#include "tests/fuzz/fuzz_support.h"

#include <cstdint>
#include <sstream>

namespace {

using namespace stickslip;

std::string everything_in(study::Store& store) {
  std::ostringstream text;
  text << store.header().meaning << store.header().study_text << store.count();
  store.read([&](const study::TrialPoint& trial, const study::TrialResult& result) {
    text << trial.index << ' ' << result.cause << ' ' << result.objective;
    for (const double x : trial.values) text << ' ' << x;
    for (const double x : result.observables) text << ' ' << x;
  });
  for (const study::TrialSummary& summary : store.summaries()) text << summary.index;
  return text.str();
}

struct Valid {
  std::string bytes, content;
  explicit Valid(const fuzz::Folder& folder) {
    const std::string path = folder.file("valid.db");
    study::StoreHeader header;
    header.version = "0";
    header.meaning = "[scene]";
    header.parameters = {"mu"};
    header.observables = {"x"};
    header.trials = 5;
    {
      const auto store = study::Store::create_or_resume(path, header);
      for (std::int64_t k = 0; k < 5; ++k) {
        study::TrialResult result;
        result.index = k;
        result.cause = "none";
        result.observables = {1.0 / static_cast<double>(k + 1)};
        store->add({{study::TrialPoint{k, 0, k, {0.1 * static_cast<double>(k)}}, result}});
      }
      content = everything_in(*store);
    }
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    bytes = text.str();
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Folder folder;
  static const Valid valid(folder);
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    static_cast<void>(everything_in(*study::Store::open(folder.write("any.db", bytes))));
  } catch (const study::StoreError& error) {
    fuzz::require_one_line(error.what());
  }
  // The input is a list of changes: place (2 bytes), and what is added to the byte there.
  std::string changed = valid.bytes;
  for (std::size_t k = 0; k + 3 <= size && k < 48; k += 3) {
    const std::size_t at = (std::size_t{data[k]} << 8 | data[k + 1]) % changed.size();
    changed[at] = static_cast<char>(changed[at] + data[k + 2]);
  }
  try {
    const std::string content = everything_in(*study::Store::open(folder.write("changed.db", changed)));
    fuzz::require(content == valid.content, "something else was read than was written");
  } catch (const study::StoreError& error) {
    fuzz::require_one_line(error.what());
  }
  return 0;
}
