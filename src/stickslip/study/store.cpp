// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/study/store.h"

#include "stickslip/files/checksum.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>

namespace stickslip::study {
namespace {

constexpr std::int64_t kApplication = 0x73747364;  // "stsd"
constexpr std::int64_t kFormat = 2;                // 2: checksums
constexpr char kSeparator = '\n';                  // between names in the header; names are identifiers or dotted keys

// Columns that every store has, in the order in which they are bound.
constexpr const char* kColumns =
    "trial INTEGER PRIMARY KEY, \"group\" INTEGER, repeat INTEGER, status TEXT, cause TEXT, success REAL, "
    "objective REAL, end_time REAL, residual REAL, steps INTEGER, seconds REAL, checksum INTEGER";
constexpr int kFixed = 12, kChecksumColumn = 11;

// A number as it comes back: SQLite knows no nan, and stores -0.0 as 0.
void add(files::Checksum& sum, double value) {
  const double stored = std::isnan(value) ? std::nan("") : value == 0 ? 0.0 : value;
  sum.add_number(std::isnan(stored) ? ~std::uint64_t{0} : std::bit_cast<std::uint64_t>(stored));
}

// Of everything that a row says.
std::int64_t checksum_of(const TrialPoint& trial, const TrialResult& result) {
  files::Checksum sum;
  for (const std::int64_t x : {trial.index, trial.group, trial.repeat, result.steps})
    sum.add_number(static_cast<std::uint64_t>(x));
  sum.add_text(name_of(result.status));
  sum.add_text(result.cause);
  for (const double x : {result.success, result.objective, result.end_time, result.residual, result.seconds})
    add(sum, x);
  for (const auto* values : {&trial.values, &result.observables, &result.stage_seconds})
    for (const double x : *values) add(sum, x);
  return static_cast<std::int64_t>(sum.value());
}

// Of the table `study`, and of which rows there are: their checksums are added up (modulo 2^64), so that rows can come
// and go in any order.
std::string header_checksum(const StoreHeader& header, std::int64_t rows, std::int64_t total) {
  files::Checksum sum;
  for (const std::string* text :
       {&header.version, &header.study_file, &header.study_text, &header.scene_text, &header.meaning})
    sum.add_text(*text);
  for (const auto* names : {&header.parameters, &header.observables, &header.stages}) {
    sum.add_number(names->size());
    for (const std::string& name : *names) sum.add_text(name);
  }
  for (const std::int64_t x : {header.groups, header.trials, rows, total})
    sum.add_number(static_cast<std::uint64_t>(x));
  return fmt::format("{:016x}", sum.value());
}

std::int64_t wrapped_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t wrapped_difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += name + kSeparator;
  return text;
}

std::vector<std::string> separated(const std::string& text) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find(kSeparator, begin)) != std::string::npos; begin = end + 1)
    names.push_back(text.substr(begin, end - begin));
  return names;
}

// Parameters and observables may share a name with each other or with a fixed column; SQL ignores case.
std::string parameter_column(const std::string& name) {
  return sql_name("p:" + name);
}
std::string observable_column(const std::string& name) {
  return sql_name("o:" + name);
}
std::string stage_column(const std::string& name) {  // seconds
  return sql_name("s:" + name);
}

// A block of the meaning, so that a difference can be named.
std::string block(const std::string& title, const std::string& content) {
  return fmt::format("[{}]\n{}\n", title, content);
}

std::string variation_text(const Variation& v) {
  std::string text =
      fmt::format("{} kind {} each {} a {} b {} low {} high {} dimension {}", v.parameter, static_cast<int>(v.kind),
                  static_cast<int>(v.each), v.a, v.b, v.low, v.high, v.dimension);
  for (const double x : v.values) text += fmt::format(" {}", x);
  return text + "\n";
}

std::string stage_text(const Stage& stage) {
  std::string text = fmt::format("{} kind {} required {} part {} samples {}\n", stage.name,
                                 static_cast<int>(stage.kind), stage.required, stage.part, stage.samples);
  for (const auto* list : {&stage.goal, &stage.low, &stage.high})
    for (const std::string& expression : *list) text += expression + "\n";
  for (const scene::Override& over : stage.set) text += fmt::format("{}={}\n", over.name, over.value);
  if (!stage.runs) return text;
  for (const Variation& variation : stage.runs->variations) text += variation_text(variation);
  return text + fmt::format("trials {} success {}\n", stage.runs->trials, stage.runs->success);
}

std::string meaning_of(const Study& study, const std::string& scene_text, const std::string& version) {
  std::string set, vary, stages;
  for (const Stage& stage : study.stages) stages += stage_text(stage);
  for (const scene::Override& over : study.set) set += fmt::format("{}={}\n", over.name, over.value);
  // The slices of a Latin hypercube depend on how many there are, and the numbers of trials on those of the groups
  // before.
  bool fixed_count = study.groups() > 1;
  for (const Variation& v : study.variations) {
    vary += variation_text(v);
    fixed_count |= v.kind == Variation::Kind::Latin;
  }
  return block("version", version) + block("scene", scene_text) + block("set", set) + block("vary", vary) +
         block("seed", fmt::format("{}", study.seed)) + block("success", study.success) +
         block("objective", study.objective) + block("stage", stages) +
         block("trials", fixed_count ? fmt::format("{}", study.trials) : "any");
}

// The title of the first block that differs.
std::string difference(const std::string& a, const std::string& b) {
  std::size_t i = 0;
  while (i < a.size() && i < b.size() && a[i] == b[i]) ++i;
  // The last title at or before the difference that stands in both.
  std::string title = "content";
  for (const char* name : {"version", "scene", "set", "vary", "seed", "success", "objective", "stage", "trials"}) {
    const std::size_t place = a.find(fmt::format("[{}]\n", name));
    if (place != std::string::npos && place <= i) title = name;
  }
  return title;
}

}  // namespace

StoreHeader header_of(const Study& study, const TrialRunner& runner, const std::string& version) {
  StoreHeader header;
  header.version = version;
  header.study_file = study.file.string();
  header.study_text = study.text;
  header.scene_text = runner.document().text;
  for (const scene::SourceFile& file : runner.document().included)
    header.scene_text += fmt::format("\n# included: {}\n{}", file.file.filename().string(), file.text);
  header.meaning = meaning_of(study, header.scene_text, version);
  header.groups = study.groups();
  header.trials = study.trials;
  for (const Variation& variation : study.variations) header.parameters.push_back(variation.parameter);
  header.observables = runner.observables();
  for (const Stage& stage : study.stages) header.stages.push_back(stage.name);
  return header;
}

Store::Store(const std::filesystem::path& file, Database::Mode mode) : database_(file, mode) {}

Store::~Store() {
  insert_.reset();
}

// One process at a time adds to a store; the lock dies with its process. Not on the store itself, which SQLite locks in
// its own way.
void Store::lock() {
  bool held = false;
  const std::string name = database_.file().string() + "-lock";
  try {
    lock_ = std::make_unique<files::FileLock>(name, &held);
  } catch (const std::runtime_error&) {
    if (held)
      throw StoreError(fmt::format("another process is adding to the store {}", database_.file().string()), true);
    throw StoreError(fmt::format("cannot write beside the store: {}", name));
  }
  lock_->remove_at_end();
}

std::unique_ptr<Store> Store::create_or_resume(const std::filesystem::path& file, const StoreHeader& header) {
  std::error_code error;
  const bool exists = std::filesystem::exists(file, error) && std::filesystem::file_size(file, error) > 0;
  if (exists && std::filesystem::is_directory(file, error))
    throw StoreError(fmt::format("{} is a folder", file.string()), true);
  if (exists) open(file);  // refuses what is not a store before anything is written beside it
  std::unique_ptr<Store> store(new Store(file, Database::Mode::Create));
  store->lock();
  store->database_.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;");
  // A process that was killed between creating the file and its first commit leaves an empty database.
  if (store->database_.integer("SELECT count(*) FROM sqlite_master") == 0) {
    store->create(header);
  } else {
    store->check_kind();
    store->read_header();
    if (store->header_.meaning != header.meaning)
      throw StoreError(fmt::format("the store {} belongs to another study: the {} differs; give another --store",
                                   file.string(), difference(store->header_.meaning, header.meaning)),
                       true);
    store->verify();
    store->header_ = header;
    store->database_.execute("BEGIN IMMEDIATE");
    store->write_header();
    store->database_.execute("COMMIT");
  }
  store->prepare_insert();
  return store;
}

std::unique_ptr<Store> Store::open(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error))
    throw StoreError(fmt::format("there is no store {}", file.string()), true);
  std::unique_ptr<Store> store(new Store(file, Database::Mode::ReadWrite));
  if (store->database_.integer("SELECT count(*) FROM sqlite_master") == 0) {
    // A process that was killed before its first commit leaves one page; where there are more, the list of tables is lost.
    if (std::filesystem::file_size(file) <= static_cast<std::uintmax_t>(store->database_.integer("PRAGMA page_size")))
      return store;
    throw StoreError(fmt::format("the store {} is damaged: it has pages, but no tables", file.string()), true);
  }
  store->check_kind();
  // One snapshot for all of it: another process may be adding rows.
  store->database_.execute("BEGIN");
  store->read_header();
  store->verify();
  store->database_.execute("COMMIT");
  return store;
}

void Store::check_kind() {
  const std::string file = database_.file().string();
  if (database_.integer("PRAGMA application_id") != kApplication)
    throw StoreError(fmt::format("{} is a database, but not the store of a study", file), true);
  const std::int64_t format = database_.integer("PRAGMA user_version");
  if (format != kFormat)
    throw StoreError(fmt::format("the store {} has format {}, this program reads {}", file, format, kFormat), true);
}

void Store::create(const StoreHeader& header) {
  std::string columns = kColumns;
  for (const std::string& name : header.parameters) columns += ", " + parameter_column(name) + " REAL";
  for (const std::string& name : header.observables) columns += ", " + observable_column(name) + " REAL";
  for (const std::string& name : header.stages) columns += ", " + stage_column(name) + " REAL";
  database_.execute("BEGIN IMMEDIATE");
  database_.execute(fmt::format("PRAGMA application_id={}; PRAGMA user_version={}", kApplication, kFormat));
  database_.execute("CREATE TABLE study (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID");
  database_.execute(fmt::format("CREATE TABLE trial ({})", columns));
  header_ = header;
  write_header();
  database_.execute("COMMIT");
}

// Within a transaction.
void Store::write_header() {
  Statement insert(database_, "INSERT OR REPLACE INTO study VALUES (?, ?)");
  for (const auto& [key, value] :
       {std::pair("version", header_.version), std::pair("study_file", header_.study_file),
        std::pair("study_text", header_.study_text), std::pair("scene_text", header_.scene_text),
        std::pair("meaning", header_.meaning), std::pair("groups", fmt::format("{}", header_.groups)),
        std::pair("trials", fmt::format("{}", header_.trials)), std::pair("parameters", joined(header_.parameters)),
        std::pair("observables", joined(header_.observables)), std::pair("stages", joined(header_.stages)),
        std::pair("rows", fmt::format("{}", rows_)), std::pair("total", fmt::format("{}", total_)),
        std::pair("checksum", header_checksum(header_, rows_, total_))}) {
    insert.bind(1, std::string_view(key));
    insert.bind(2, std::string_view(value));
    insert.step();
    insert.reset();
  }
}

// Within the transaction that changed rows.
void Store::write_totals() {
  Statement update(database_, "UPDATE study SET value = ?2 WHERE key = ?1");
  for (const auto& [key, value] :
       {std::pair("rows", fmt::format("{}", rows_)), std::pair("total", fmt::format("{}", total_)),
        std::pair("checksum", header_checksum(header_, rows_, total_))}) {
    update.bind(1, std::string_view(key));
    update.bind(2, std::string_view(value));
    update.step();
    update.reset();
  }
}

void Store::damaged(const std::string& what) const {
  throw StoreError(fmt::format("the store {} is damaged: {}", database_.file().string(), what), true);
}

// SQLite's own check finds what is wrong with the pages, the checksums what is wrong with the values.
void Store::verify() {
  {
    Statement check(database_, "PRAGMA quick_check(1)");
    if (!check.step() || check.text(0) != "ok") damaged("its pages are inconsistent");
  }
  if (header_checksum(header_, rows_, total_) != checksum_) damaged("its description does not match its checksum");
  std::int64_t rows = 0, total = 0;
  read_rows([&](const TrialPoint& trial, const TrialResult& result, std::int64_t sum) {
    if (checksum_of(trial, result) != sum) damaged(fmt::format("trial {} does not match its checksum", trial.index));
    ++rows;
    total = wrapped_sum(total, sum);
  });
  if (rows != rows_ || total != total_) damaged(fmt::format("it has {} rows, but was closed with {}", rows, rows_));
}

void Store::read_header() {
  Statement select(database_, "SELECT key, value FROM study");
  const auto number = [&](const std::string& text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) damaged("a number in its description cannot be read");
    return value;
  };
  while (select.step()) {
    const std::string key = select.text(0), value = select.text(1);
    if (key == "rows") rows_ = number(value);
    if (key == "total") total_ = number(value);
    if (key == "checksum") checksum_ = value;
    if (key == "version") header_.version = value;
    if (key == "study_file") header_.study_file = value;
    if (key == "study_text") header_.study_text = value;
    if (key == "scene_text") header_.scene_text = value;
    if (key == "meaning") header_.meaning = value;
    if (key == "groups") header_.groups = number(value);
    if (key == "trials") header_.trials = number(value);
    if (key == "parameters") header_.parameters = separated(value);
    if (key == "observables") header_.observables = separated(value);
    if (key == "stages") header_.stages = separated(value);
  }
}

void Store::prepare_insert() {
  std::string places = "?";
  for (std::size_t i = 1; i < kFixed + header_.parameters.size() + header_.observables.size() + header_.stages.size();
       ++i)
    places += ",?";
  insert_ = std::make_unique<Statement>(database_, "INSERT INTO trial VALUES (" + places + ")");
}

std::int64_t Store::count() {
  if (header_.meaning.empty()) return 0;
  return database_.integer("SELECT count(*) FROM trial");
}

std::vector<TrialSummary> Store::summaries() {
  std::vector<TrialSummary> all;
  Statement select(database_, "SELECT trial, success, objective FROM trial ORDER BY trial");
  while (select.step()) all.push_back({select.integer(0), select.number(1), select.number(2)});
  return all;
}

void Store::add(const std::vector<std::pair<TrialPoint, TrialResult>>& results) {
  if (results.empty()) return;
  database_.execute("BEGIN IMMEDIATE");
  const std::int64_t rows_before = rows_, total_before = total_;
  try {
    for (const auto& [trial, result] : results) {
      const std::int64_t sum = checksum_of(trial, result);
      ++rows_;
      total_ = wrapped_sum(total_, sum);
      int place = 0;
      insert_->bind(++place, trial.index);
      insert_->bind(++place, trial.group);
      insert_->bind(++place, trial.repeat);
      insert_->bind(++place, std::string_view(name_of(result.status)));
      insert_->bind(++place, std::string_view(result.cause));
      insert_->bind(++place, result.success);
      insert_->bind(++place, result.objective);
      insert_->bind(++place, result.end_time);
      insert_->bind(++place, result.residual);
      insert_->bind(++place, result.steps);
      insert_->bind(++place, result.seconds);
      insert_->bind(++place, sum);
      for (const double value : trial.values) insert_->bind(++place, value);
      for (const double value : result.observables) insert_->bind(++place, value);
      for (const double value : result.stage_seconds) insert_->bind(++place, value);
      insert_->step();
      insert_->reset();
    }
    write_totals();
    database_.execute("COMMIT");
  } catch (const StoreError& error) {
    rows_ = rows_before;
    total_ = total_before;
    try {
      insert_.reset();  // an open statement would keep the transaction
      database_.execute("ROLLBACK");
    } catch (const StoreError&) {
      // SQLite has rolled back by itself.
    }
    throw StoreError(error.what(), error.refused());
  }
}

void Store::remove(const std::vector<std::int64_t>& trials) {
  if (trials.empty()) return;
  database_.execute("BEGIN IMMEDIATE");
  {
    Statement find(database_, "SELECT checksum FROM trial WHERE trial = ?");
    Statement erase(database_, "DELETE FROM trial WHERE trial = ?");
    for (const std::int64_t trial : trials) {
      find.bind(1, trial);
      if (find.step()) {
        --rows_;
        total_ = wrapped_difference(total_, find.integer(0));
      }
      find.reset();
      erase.bind(1, trial);
      erase.step();
      erase.reset();
    }
    write_totals();
  }
  database_.execute("COMMIT");
}

void Store::read(const std::function<void(const TrialPoint&, const TrialResult&)>& row) {
  if (header_.meaning.empty()) return;
  read_rows([&](const TrialPoint& trial, const TrialResult& result, std::int64_t sum) {
    if (checksum_of(trial, result) != sum) damaged(fmt::format("trial {} does not match its checksum", trial.index));
    row(trial, result);
  });
}

void Store::read_rows(const std::function<void(const TrialPoint&, const TrialResult&, std::int64_t)>& row) {
  Statement select(database_, "SELECT * FROM trial ORDER BY trial");
  TrialPoint trial;
  TrialResult result;
  trial.values.resize(header_.parameters.size());
  result.observables.resize(header_.observables.size());
  result.stage_seconds.resize(header_.stages.size());
  while (select.step()) {
    trial.index = result.index = select.integer(0);
    trial.group = select.integer(1);
    trial.repeat = select.integer(2);
    result.status = status_named(select.text(3));
    result.cause = select.text(4);
    result.success = select.number(5);
    result.objective = select.number(6);
    result.end_time = select.number(7);
    result.residual = select.number(8);
    result.steps = select.integer(9);
    result.seconds = select.number(10);
    int column = kFixed;
    for (double& value : trial.values) value = select.number(column++);
    for (double& value : result.observables) value = select.number(column++);
    for (double& value : result.stage_seconds) value = select.number(column++);
    row(trial, result, select.integer(kChecksumColumn));
  }
}

}  // namespace stickslip::study
