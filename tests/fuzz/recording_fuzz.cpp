// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Fuzz target: any bytes as a recording: refused in one line, or read to its end. Then the same bytes as a change of a
// valid recording of a run that was killed: what is read is what was written, or nothing. (The texts inside have a
// reader of their own, which takes the bytes as they are.)
#include "stickslip/recording/recording.h"
#include "stickslip/recording/run_description.h"

#include "tests/fuzz/fuzz_support.h"

#include <cstdint>
#include <cstring>
#include <sstream>

namespace {

using namespace stickslip;

std::string everything_in(const recording::Recording& recording) {
  std::ostringstream text;
  export_csv(recording, text);
  for (std::size_t frame = 0; frame < recording.frames(); ++frame) text << recording.contacts(frame).size() << ' ';
  text << recording.events().size() << recording.info().scene << recording.end();
  return text.str();
}

struct Valid {
  std::string bytes, content;
  explicit Valid(const fuzz::Folder& folder) {
    const std::string path = folder.file("valid.h5");
    recording::Recorder recorder(path, {"scene", "0", "method", {"a", "b"}, {"x"}, "{}"});
    model::State state;
    state.bodies.resize(2);
    for (int k = 0; k < 3; ++k) {
      state.time = k;
      const double x = k;
      const std::vector<contact::ContactResult> contacts;
      recorder.append(recording::Frame{state, contacts, std::span<const double>(&x, 1), 0});
    }
    recorder.flush();
    content = everything_in(recording::Recording(path));
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
    static_cast<void>(recording::description_from_json(std::string(bytes)));
  } catch (const recording::RecordingError& error) {
    fuzz::require_one_line(error.what());
  }
  try {
    static_cast<void>(everything_in(recording::Recording(folder.write("any.h5", bytes))));
  } catch (const recording::RecordingError& error) {
    fuzz::require_one_line(error.what());
  }
  // The input is a list of changes: place (3 bytes), and what is added to the byte there.
  std::string changed = valid.bytes;
  for (std::size_t k = 0; k + 4 <= size && k < 64; k += 4) {
    const std::size_t at = (std::size_t{data[k]} << 16 | std::size_t{data[k + 1]} << 8 | data[k + 2]) % changed.size();
    changed[at] = static_cast<char>(changed[at] + data[k + 3]);
  }
  try {
    const std::string content = everything_in(recording::Recording(folder.write("changed.h5", changed)));
    fuzz::require(content == valid.content, "something else was read than was written");
  } catch (const recording::RecordingError& error) {
    fuzz::require_one_line(error.what());
  }
  return 0;
}
