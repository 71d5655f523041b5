// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "probes/locate/byte_view.h"
#include "probes/locate/elf_sections.h"
#include "probes/locate/probe_sites.h"

namespace framegov {

/// A part of the file that the loader maps (PT_LOAD).
struct LoadSegment {
  std::uint64_t address{};  ///< virtual
  std::uint64_t offset{};   ///< in the file
  std::uint64_t file_size{};
  bool executable{};
};

/// A 64-bit little-endian arm64 or x86_64 shared library, read as the loader reads it: through
/// program headers and PT_DYNAMIC. Section headers are optional and only used for symbols.
///
/// Keeps views into the bytes given to parse(); they must outlive it. Nothing in the file is
/// trusted: what lies outside of it reads as absent.
class ElfImage {
 public:
  /// Errors (kBadInput): not ELF, 32-bit, other machine, not a shared library, truncated.
  [[nodiscard]] static Result<ElfImage> parse(ByteView file);

  [[nodiscard]] Architecture architecture() const { return architecture_; }
  [[nodiscard]] ByteView file() const { return file_; }
  [[nodiscard]] const std::string& build_id() const { return build_id_; }

  /// The file offset of a virtual address, where `size` bytes from it are file-backed.
  [[nodiscard]] std::optional<std::uint64_t> offset_of(std::uint64_t address,
                                                       std::uint64_t size = 1) const;
  /// As offset_of, for a place an instruction can be fetched from.
  [[nodiscard]] std::optional<std::uint64_t> code_offset_of(std::uint64_t address) const;
  [[nodiscard]] bool is_code_offset(std::uint64_t offset) const;

  /// File-backed bytes from `address` to the end of its executable segment, at most `max`.
  [[nodiscard]] ByteView code_at(std::uint64_t address, std::uint64_t max) const;

  template <class T>
  [[nodiscard]] std::optional<T> read(std::uint64_t address) const {
    const auto offset = offset_of(address, sizeof(T));
    return offset ? file_.read<T>(*offset) : std::nullopt;
  }

  /// True when `text` and its NUL stand at `address`. What stands before does not matter: linkers
  /// merge the tails of strings.
  [[nodiscard]] bool has_string_at(std::uint64_t address, std::string_view text) const;
  [[nodiscard]] std::optional<std::string_view> string_at(std::uint64_t address,
                                                          std::uint64_t max) const;

  /// Value of a PT_DYNAMIC entry; the last one where a tag repeats.
  [[nodiscard]] std::optional<std::uint64_t> dynamic(std::int64_t tag) const;

  /// The bytes of the table whose address and size two PT_DYNAMIC entries give. Nothing when there
  /// is no such table; an error when it is not wholly in the file.
  [[nodiscard]] Result<std::optional<ByteView>> dynamic_table(std::int64_t address_tag,
                                                              std::int64_t size_tag) const;

  /// Bytes from `address` to the end of what is file-backed of its segment.
  [[nodiscard]] ByteView bytes_from(std::uint64_t address) const;

  [[nodiscard]] const ElfSections& sections() const { return sections_; }

 private:
  struct DynamicEntry {
    std::int64_t tag{};
    std::uint64_t value{};
  };

  ElfImage() = default;
  [[nodiscard]] Status read_program_headers(std::uint64_t offset, std::uint16_t count);
  void read_dynamic(ByteView bytes);
  void read_build_id(ByteView notes);

  ByteView file_;
  Architecture architecture_{};
  std::vector<LoadSegment> segments_;
  std::vector<DynamicEntry> dynamic_;
  ElfSections sections_;
  std::string build_id_;
};

}  // namespace framegov
