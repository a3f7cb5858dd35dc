// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "common_options.h"

#include <CLI/CLI.hpp>

namespace stickslip::app {

void add_set_option(CLI::App& verb, std::vector<std::string>& set, const std::string& meaning) {
  verb.add_option("--set", set, meaning)->take_all()->expected(1);
}

void add_json_option(CLI::App& verb, bool& json) {
  verb.add_flag("--json", json, "One JSON object on standard output");
}

void add_threads_option(CLI::App& verb, int& threads) {
  verb.add_option("-j,--threads", threads, "Runs at the same time (default: one per core)")->check(CLI::Range(1, 1024));
}

}  // namespace stickslip::app
