// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The one mechanism by which verbs may write files. A command names its inputs, then claims each file that it is going
// to write, before any of them is touched. A claim is refused when the file
//     - is one of the inputs, under whatever name (symbolic and hard links are the same file), or one of the files that
//       they include or name (meshes, pictures, the scene of a study),
//     - was claimed already for another purpose,
//     - exists and is nothing that the same command writes (known by its first bytes), unless the user gave --force,
//     - cannot be written.
// Empty files may be written over; so may devices and pipes.
#pragma once

#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace stickslip::app {

// One line that says why a file must not be written. Bad input: exit code 2.
struct OutputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class OutputKind { Recording, Checkpoint, Page, Svg, Png, Pdf, Video, Csv, Scene, Store };

class Outputs {
 public:
  Outputs(std::vector<std::string> inputs, bool force) : inputs_(std::move(inputs)), force_(force) {}
  // Throws OutputError.
  void claim(const std::string& file, OutputKind kind);

 private:
  [[nodiscard]] const std::vector<std::string>& all_inputs();
  void add_document(const std::string& file);
  std::vector<std::string> inputs_, expanded_;
  std::set<std::string> claimed_;
  bool force_, known_ = false;
};

// --force, the same for every verb.
void add_force_option(CLI::App& verb, bool& force);

// A picture that claim() recognises as one of ours later: a comment in SVG and at the end of PDF, a text in PNG.
// Nothing that shows.
[[nodiscard]] std::string with_mark(std::string picture, OutputKind kind);

}  // namespace stickslip::app
