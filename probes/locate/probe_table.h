// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace framegov {

/// Probe sites that somebody found by hand, for libraries that cannot be read otherwise.
///
/// YAML: a list under `sites`, each row with `sha1` or `build_id` (or both), `call`, `register`,
/// `return`, and perhaps a `note`. `call` is any instruction at which the register already holds
/// the buffer; file offsets.
class ProbeTable {
 public:
  struct Row {
    std::string sha1;      ///< hex, lower case; may be empty
    std::string build_id;  ///< hex, lower case; may be empty
    std::uint64_t call{};
    int destination_register{};
    std::uint64_t return_offset{};
    std::string origin;  ///< "file:line"

    bool operator==(const Row&) const = default;
  };

  ProbeTable() = default;

  /// The rows of config/probe_sites.yaml, as they were when this was built.
  [[nodiscard]] static Result<ProbeTable> shipped();
  /// Errors (kBadInput): "file:line: what is wrong".
  [[nodiscard]] static Result<ProbeTable> parse(const std::string& yaml, const std::string& name);
  [[nodiscard]] static Result<ProbeTable> load(const std::filesystem::path& path);

  /// `first`'s rows before this table's: they win.
  void put_before(const ProbeTable& first);

  /// The first row for this very file (SHA-1), otherwise the first for its build; null when none.
  [[nodiscard]] const Row* find(std::string_view sha1, std::string_view build_id) const;

  /// Changes whenever a row does.
  [[nodiscard]] std::string fingerprint() const;

 private:
  std::vector<Row> rows_;
};

}  // namespace framegov
