// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What is wrong with a scene, and where: the one exception that scene/ throws.
#pragma once

#include <stdexcept>
#include <string>

namespace stickslip::files {

// A place in a scene file. Lines and columns count from 1; 0 means that the place is the file as a whole.
struct Place {
  std::string file;
  int line = 0, column = 0;
};

class SceneError : public std::runtime_error {
 public:
  SceneError(Place place, std::string message, std::string hint = {});

  [[nodiscard]] const Place& place() const { return place_; }
  [[nodiscard]] const std::string& message() const { return message_; }
  [[nodiscard]] const std::string& hint() const { return hint_; }  // "did you mean ...?", or empty

 private:
  Place place_;
  std::string message_, hint_;
};

}  // namespace stickslip::files
