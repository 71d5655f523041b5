// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/result_store.h"

#include <cstdint>
#include <utility>

#include "base/text.h"

namespace framegov::cli {

namespace {

constexpr const char* kSchema = R"(
CREATE TABLE IF NOT EXISTS results(
  key TEXT PRIMARY KEY, input TEXT, device TEXT, world TEXT, seed INTEGER, policy TEXT,
  parameters TEXT, figures TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS inputs(
  path TEXT PRIMARY KEY, bytes INTEGER, changed_ns INTEGER, sha256 TEXT) WITHOUT ROWID;
)";
/// Of the file: "FGsw", and the version of the tables.
constexpr const char* kApplicationId = "1179087735";
constexpr const char* kStoreVersion = "1";

void bind(sqlite3_stmt* statement, int place, const std::string& text) {
  ::sqlite3_bind_text(statement, place, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
}
void bind(sqlite3_stmt* statement, int place, std::int64_t number) {
  ::sqlite3_bind_int64(statement, place, number);
}

std::string absolute_text(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::absolute(path, error).lexically_normal().string();
}

}  // namespace

tl::unexpected<Error> ResultStore::broken(const std::string& hint) const {
  const int code = ::sqlite3_errcode(database_.get());
  if (code == SQLITE_BUSY) {
    return fail(ExitCode::kFailure, path_ + " is in use by another sweep",
                "wait for it, or name another --store");
  }
  const bool no_store = code == SQLITE_NOTADB || code == SQLITE_CORRUPT;
  return fail(no_store ? ExitCode::kBadInput : ExitCode::kFailure,
              path_ + ": " + ::sqlite3_errmsg(database_.get()),
              no_store ? "name another --store" : hint);
}

Status ResultStore::run(const char* sql) {
  if (::sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
    return broken();
  }
  return {};
}

template <class... Values>
Result<sqlite3_stmt*> ResultStore::prepared(const char* sql, const Values&... values) {
  Statement& statement = statements_[sql];
  if (!statement) {
    sqlite3_stmt* made = nullptr;
    if (::sqlite3_prepare_v2(database_.get(), sql, -1, &made, nullptr) != SQLITE_OK) {
      return broken();
    }
    statement.reset(made);
  }
  ::sqlite3_reset(statement.get());
  int place = 0;
  (bind(statement.get(), ++place, values), ...);
  return statement.get();
}

template <class... Values>
Result<std::optional<std::string>> ResultStore::value(const char* sql, const Values&... values) {
  FRAMEGOV_TRY(sqlite3_stmt* const statement, prepared(sql, values...));
  std::optional<std::string> found;
  const int step = ::sqlite3_step(statement);
  if (step == SQLITE_ROW) {
    const auto* text = reinterpret_cast<const char*>(::sqlite3_column_text(statement, 0));
    found.emplace(text != nullptr ? text : "",
                  static_cast<std::size_t>(::sqlite3_column_bytes(statement, 0)));
  } else if (step != SQLITE_DONE) {
    return broken();
  }
  ::sqlite3_reset(statement);
  return found;
}

Result<ResultStore> ResultStore::open(const std::filesystem::path& path) {
  sqlite3* opened = nullptr;
  const int failed =
      ::sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  ResultStore store(printable(path.string()), Database(opened));
  if (failed != SQLITE_OK) {
    return store.broken("name another --store");
  }
  // Exclusive: no two sweeps do the same work, and the file may lie on a network file system, where
  // a write-ahead log must not be shared.
  FRAMEGOV_TRY_STATUS(store.run("PRAGMA locking_mode=EXCLUSIVE; PRAGMA synchronous=NORMAL"));
  FRAMEGOV_TRY(const auto tables, store.value("SELECT count(*) FROM sqlite_master"));
  FRAMEGOV_TRY(const auto id, store.value("PRAGMA application_id"));
  FRAMEGOV_TRY(const auto version, store.value("PRAGMA user_version"));
  if (tables != "0" && (id != kApplicationId || version != kStoreVersion)) {
    return fail(ExitCode::kBadInput,
                id == kApplicationId ? store.path_ + " was made by another version of framegov"
                                     : store.path_ + " holds something else than results of sweeps",
                "name another --store");
  }
  FRAMEGOV_TRY_STATUS(store.run("PRAGMA journal_mode=WAL; BEGIN IMMEDIATE"));
  FRAMEGOV_TRY_STATUS(store.run(kSchema));
  FRAMEGOV_TRY_STATUS(store.run(("PRAGMA application_id=" + std::string(kApplicationId) +
                                 "; PRAGMA user_version=" + kStoreVersion + "; COMMIT")
                                    .c_str()));
  return store;
}

Result<bool> ResultStore::is_empty() {
  FRAMEGOV_TRY(const auto any, value("SELECT 1 FROM results LIMIT 1"));
  return !any;
}

Status ResultStore::add(const sim::SweepPlan& plan, const sim::SweepUnitResults& done) {
  FRAMEGOV_TRY_STATUS(run("BEGIN IMMEDIATE"));
  const auto all = [&]() -> Status {
    for (const sim::SweepResult& result : done.results) {
      const sim::SweepScene scene = plan.scene(result.scene);
      const bool bounds = plan.is_bounds(result.variant);
      FRAMEGOV_TRY_STATUS(
          value("INSERT OR IGNORE INTO results VALUES(?, ?, ?, ?, ?, ?, ?, ?)", result.key,
                plan.inputs[scene.input].name, plan.devices[scene.device].name,
                plan.worlds[scene.world].name, static_cast<std::int64_t>(scene.seed),
                bounds ? std::string("bounds") : plan.policies[result.variant].entry.name,
                bounds ? std::string() : plan.policies[result.variant].parameters, result.figures));
    }
    if (!done.input.sha256.empty() && !done.results.empty()) {
      const std::size_t input = plan.scene(done.results.front().scene).input;
      return keep_hash(plan.inputs[input].path, done.input);
    }
    return {};
  }();
  if (!all) {
    (void)run("ROLLBACK");
    return all;
  }
  return run("COMMIT");
}

Result<std::optional<std::string>> ResultStore::figures(const std::string& key) {
  return value("SELECT figures FROM results WHERE key = ?", key);
}

Result<std::optional<std::string>> ResultStore::known_hash(const std::filesystem::path& input) {
  FRAMEGOV_TRY(const sim::InputStamp now, sim::stamp_of(input));
  return value("SELECT sha256 FROM inputs WHERE path = ? AND bytes = ? AND changed_ns = ?",
               absolute_text(input), now.bytes, now.changed_ns);
}

Status ResultStore::keep_hash(const std::filesystem::path& input, const sim::InputStamp& stamp) {
  if (stamp.bytes < 0) {
    return {};
  }
  FRAMEGOV_TRY_STATUS(value("INSERT OR REPLACE INTO inputs VALUES(?, ?, ?, ?)",
                            absolute_text(input), stamp.bytes, stamp.changed_ns, stamp.sha256));
  return {};
}

Result<std::size_t> ResultStore::merge(const std::filesystem::path& other) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(other, error)) {
    return fail(ExitCode::kBadInput, other.string() + ": there is no such file",
                "name stores of shards");
  }
  {
    // Says what is wrong with it in its own name, and puts in order what a kill has left.
    FRAMEGOV_TRY(ResultStore checked, open(other));
  }
  FRAMEGOV_TRY_STATUS(value("ATTACH ? AS shard", other.string()));
  const auto take = [&]() -> Result<std::size_t> {
    FRAMEGOV_TRY_STATUS(run("BEGIN IMMEDIATE"));
    const std::int64_t before = ::sqlite3_total_changes64(database_.get());
    FRAMEGOV_TRY_STATUS(run("INSERT OR IGNORE INTO results SELECT * FROM shard.results"));
    const std::int64_t added = ::sqlite3_total_changes64(database_.get()) - before;
    FRAMEGOV_TRY_STATUS(run("INSERT OR IGNORE INTO inputs SELECT * FROM shard.inputs; COMMIT"));
    return static_cast<std::size_t>(added);
  };
  Result<std::size_t> added = take();
  if (!added) {
    (void)run("ROLLBACK");
  }
  FRAMEGOV_TRY_STATUS(run("DETACH shard"));
  return added;
}

}  // namespace framegov::cli
