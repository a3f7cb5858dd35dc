// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Numbers to draw, by expressions: of the frames of a recording, the lines of a CSV file or the trials of a study.
//
// A recording knows what observables know (the time t, variables of bodies, contacts, parameters, functions over the
// run so far) and the recorded observables by their names; functions over the run see the recorded frames only. A table
// knows its columns; one named t or time is the time.
#pragma once

#include "stickslip/report/run_data.h"

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace stickslip::report {

// One line for the user.
struct SeriesError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What is known besides the file: the value that was varied, and the like.
using NamedValues = std::vector<std::pair<std::string, double>>;

class SeriesSource {
 public:
  virtual ~SeriesSource() = default;
  SeriesSource(const SeriesSource&) = delete;
  SeriesSource& operator=(const SeriesSource&) = delete;

  // values[k][row]: of expression k. Throws SeriesError, naming the place in the expression and the nearest name.
  [[nodiscard]] virtual std::vector<std::vector<double>> evaluate(
      const std::vector<std::string>& expressions) const = 0;
  // One value: at a time that no row has, with the parameters of the source. For curves given as formulas.
  [[nodiscard]] virtual std::vector<double> formula(const std::string& expression, const std::string& variable,
                                                    const std::vector<double>& at) const = 0;
  [[nodiscard]] virtual std::string unit_of(const std::string& expression) const = 0;  // empty: not known
  [[nodiscard]] virtual std::string title() const = 0;
  [[nodiscard]] virtual std::string scene() const = 0;   // text that tells one scene from another; empty: no run
  [[nodiscard]] virtual const RunData* run() const = 0;  // of a recording, else null
  [[nodiscard]] virtual bool has_time() const = 0;
  [[nodiscard]] const std::string& name() const { return name_; }

  NamedValues known;  // more names for expressions

 protected:
  explicit SeriesSource(std::string name) : name_(std::move(name)) {}
  std::string name_;
};

// By what the file is: HDF5, SQLite, else CSV. `name`: what messages call it, empty: the file. Throws SeriesError.
[[nodiscard]] std::unique_ptr<SeriesSource> open_series(const std::string& file, const std::string& name = {});

}  // namespace stickslip::report
