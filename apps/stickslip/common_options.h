// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Options that several verbs have, with the same name and meaning. --force: outputs.h.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace stickslip::app {

inline constexpr const char* kStudySet = "name=value: of the scene as in run, or of the study's scene, trials and seed";

void add_set_option(CLI::App& verb, std::vector<std::string>& set,
                    const std::string& meaning = "name=value, as in run");
void add_json_option(CLI::App& verb, bool& json);
// Of runs. Where it is left at 0: default_threads() of batch.h.
void add_threads_option(CLI::App& verb, int& threads);

}  // namespace stickslip::app
