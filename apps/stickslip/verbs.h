// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The verbs of the command line, one file each. A verb adds its subcommand and options to the application; when the
// user chose it, it runs and leaves its exit code.
#pragma once

namespace CLI {
class App;
}

namespace stickslip::app {

// What the shell sees.
enum ExitCode : int {
  kDone = 0,      // everything solved, or proved to have no solution
  kFailed = 1,    // something could not be solved or written
  kBadInput = 2,  // a file or the command line is wrong
};

void add_run(CLI::App& app, int& exit_code);
void add_check(CLI::App& app, int& exit_code);
void add_settle(CLI::App& app, int& exit_code);
void add_report(CLI::App& app, int& exit_code);
void add_plot(CLI::App& app, int& exit_code);
void add_compare(CLI::App& app, int& exit_code);
void add_converge(CLI::App& app, int& exit_code);
void add_live(CLI::App& app, int& exit_code);
void add_export(CLI::App& app, int& exit_code);
void add_study(CLI::App& app, int& exit_code);
void add_optimise(CLI::App& app, int& exit_code);
void add_sensitivity(CLI::App& app, int& exit_code);
void add_plan(CLI::App& app, int& exit_code);
void add_solve(CLI::App& app, int& exit_code);
void add_list(CLI::App& app, int& exit_code);
void add_completion(CLI::App& app, int& exit_code);

}  // namespace stickslip::app
