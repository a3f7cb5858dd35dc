// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The results of a study in an SQLite file: one row per finished trial in the table `trial`, with a column per varied
// parameter and per observable under their own names; the table `study` says what the rows belong to.
//
// Rows are written in transactions in write-ahead mode: a process that is killed at any moment leaves a readable store
// with every row that was committed. A store is opened for one study only: for another one (other scene, parameters,
// seed, conditions, version) it is refused and left untouched. The numbers of trials and the stop rule may change: a
// study can be extended.
//
// Every row carries a checksum, and the table `study` one of itself and of which rows there are (format 2). Opening a
// store reads all of it once: what does not fit is refused as damaged, and nothing false is read. Cost: about 1 us per
// row and ten columns. What is damaged in the log of a process that was killed (STORE-wal) is dropped by SQLite: the
// trials in it count as not done.
#pragma once

#include "stickslip/files/file_lock.h"
#include "stickslip/study/database.h"
#include "stickslip/study/trial_run.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace stickslip::study {

// What the rows of a store mean.
struct StoreHeader {
  std::string version;                  // of the program
  std::string study_file, study_text;   // as read
  std::string scene_text;               // with all included files
  std::string meaning;                  // everything that decides about the result of a trial, see meaning_of()
  std::int64_t groups = 0, trials = 0;  // of the study when it ran last
  std::vector<std::string> parameters, observables, stages;
};
[[nodiscard]] StoreHeader header_of(const Study& study, const TrialRunner& runner, const std::string& version);

// What the schedule has to know of a finished trial.
struct TrialSummary {
  std::int64_t index = 0;
  double success = kNotANumber, objective = kNotANumber;
};

class Store {
 public:
  // Creates the file or opens it to go on; throws StoreError, refused() when the file belongs to something else.
  static std::unique_ptr<Store> create_or_resume(const std::filesystem::path& file, const StoreHeader& header);
  // For status, export and show.
  static std::unique_ptr<Store> open(const std::filesystem::path& file);
  ~Store();

  [[nodiscard]] const StoreHeader& header() const { return header_; }
  [[nodiscard]] std::int64_t count();
  [[nodiscard]] std::vector<TrialSummary> summaries();  // in the order of the trials

  // All or nothing.
  void add(const std::vector<std::pair<TrialPoint, TrialResult>>& results);
  void remove(const std::vector<std::int64_t>& trials);

  // Every row in the order of the trials.
  void read(const std::function<void(const TrialPoint&, const TrialResult&)>& row);

 private:
  Store(const std::filesystem::path& file, Database::Mode mode);
  void lock();
  void create(const StoreHeader& header);
  void check_kind();
  void read_header();
  void write_header();
  void write_totals();
  void verify();
  [[noreturn]] void damaged(const std::string& what) const;
  void read_rows(const std::function<void(const TrialPoint&, const TrialResult&, std::int64_t)>& row);
  void prepare_insert();

  Database database_;
  StoreHeader header_;
  std::unique_ptr<Statement> insert_;
  std::unique_ptr<files::FileLock> lock_;
  std::int64_t rows_ = 0, total_ = 0;  // as the table `study` notes them
  std::string checksum_;
};

}  // namespace stickslip::study
