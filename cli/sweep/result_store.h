// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sim/sweep/sweep_plan.h"
#include "sim/sweep/sweep_worker.h"

namespace framegov::cli {

/// Results of sweeps in an SQLite file: once a result is in, no kill takes it away, and none is in
/// twice. One process has it open at a time. Of one thread.
///
/// Tables: results(key, input, device, world, seed, policy, parameters, figures), figures in JSON;
/// inputs(path, bytes, changed_ns, sha256), the hashes of recordings that are on disk unchanged.
class ResultStore {
 public:
  /// Makes the file where there is none. Error: it is something else, or another sweep has it.
  [[nodiscard]] static Result<ResultStore> open(const std::filesystem::path& path);

  [[nodiscard]] Result<bool> is_empty();
  /// In one transaction. What is there already stays as it is.
  [[nodiscard]] Status add(const sim::SweepPlan& plan, const sim::SweepUnitResults& done);
  /// SweepResult::figures; nothing where there is no such result.
  [[nodiscard]] Result<std::optional<std::string>> figures(const std::string& key);
  /// The hash of a recording that was read before and has not changed since.
  [[nodiscard]] Result<std::optional<std::string>> known_hash(const std::filesystem::path& input);
  [[nodiscard]] Status keep_hash(const std::filesystem::path& input, const sim::InputStamp& stamp);
  /// Takes in all of another store. The number of results that were new.
  [[nodiscard]] Result<std::size_t> merge(const std::filesystem::path& other);

 private:
  struct Close {
    void operator()(sqlite3* database) const { ::sqlite3_close_v2(database); }
    void operator()(sqlite3_stmt* statement) const { ::sqlite3_finalize(statement); }
  };
  using Database = std::unique_ptr<sqlite3, Close>;
  using Statement = std::unique_ptr<sqlite3_stmt, Close>;

  ResultStore(std::string path, Database database)
      : path_(std::move(path)), database_(std::move(database)) {}
  [[nodiscard]] tl::unexpected<Error> broken(const std::string& hint = {}) const;
  [[nodiscard]] Status run(const char* sql);
  /// Prepared once, with its parameters bound; texts must outlive the next step.
  template <class... Values>
  [[nodiscard]] Result<sqlite3_stmt*> prepared(const char* sql, const Values&... values);
  /// Runs it; the first column of its first row, if there is one.
  template <class... Values>
  [[nodiscard]] Result<std::optional<std::string>> value(const char* sql, const Values&... values);

  std::string path_;
  Database database_;
  std::map<std::string_view, Statement> statements_;  ///< by their text, a literal
};

}  // namespace framegov::cli
