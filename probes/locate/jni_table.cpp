// SPDX-License-Identifier: Apache-2.0
#include "probes/locate/jni_table.h"

#include <algorithm>
#include <map>
#include <optional>

#include "probes/locate/hex.h"
#include "probes/locate/relocations.h"

namespace framegov {

namespace {

constexpr std::string_view kMethodName = "nSyncAndDrawFrame";
constexpr std::string_view kSignature = "(J[JI)I";
constexpr std::string_view kAndroid5Signature = "(JJJF)I";

constexpr std::uint64_t kWord = 8;
// A file with more rows of this name than that was made to cost time; the rest go unread.
constexpr std::size_t kMaxRows = 1U << 16U;
constexpr std::size_t kMaxUsable = 16;
constexpr std::size_t kMaxRefusals = 4;
constexpr std::uint64_t kMaxSignature = 64;

struct RowWords {
  std::optional<std::uint64_t> signature;
  std::optional<std::uint64_t> function;
};

}  // namespace

Result<JniRows> find_jni_rows(const ElfImage& image) {
  std::map<std::uint64_t, RowWords> found;  // by the address of the row
  auto status = for_each_relocated_word(image, [&](std::uint64_t address, std::uint64_t value) {
    if (found.size() < kMaxRows && image.has_string_at(value, kMethodName)) {
      found.try_emplace(address);
    }
  });
  FRAMEGOV_TRY_STATUS(status);
  if (found.empty()) {
    return JniRows{};
  }
  // Encodings come in any order, so the other two words need a pass of their own.
  status = for_each_relocated_word(image, [&](std::uint64_t address, std::uint64_t value) {
    if (const auto row = found.find(address - kWord); row != found.end()) {
      row->second.signature = value;
    }
    if (const auto row = found.find(address - 2 * kWord); row != found.end()) {
      row->second.function = value;
    }
  });
  FRAMEGOV_TRY_STATUS(status);

  JniRows rows;
  bool android5 = false;
  bool known_signature = false;
  for (const auto& [address, words] : found) {
    const auto refuse = [&, row = address](const std::string& why) {
      if (++rows.refused_count <= kMaxRefusals) {
        rows.refused.push_back("the row at " + hex_number(row) + " " + why);
      }
    };
    const auto signature =
        words.signature ? image.string_at(*words.signature, kMaxSignature) : std::nullopt;
    if (!signature) {
      refuse("has no signature");
    } else if (*signature != kSignature) {
      android5 = android5 || *signature == kAndroid5Signature;
      refuse("has signature " + in_quotes(*signature));
    } else {
      known_signature = true;
      const std::uint64_t function = words.function.value_or(0);
      if (!image.code_offset_of(function)) {
        refuse("does not point to code");
      } else if (std::none_of(rows.usable.begin(), rows.usable.end(),
                              [&](const JniRows::Row& row) { return row.function == function; })) {
        if (rows.usable.size() == kMaxUsable) {
          return fail(ExitCode::kBadInput,
                      "more than " + std::to_string(kMaxUsable) +
                          " different functions are registered as nSyncAndDrawFrame");
        }
        rows.usable.push_back({address, function});
      }
    }
  }
  rows.only_android5_signature = android5 && !known_signature;
  return rows;
}

}  // namespace framegov
