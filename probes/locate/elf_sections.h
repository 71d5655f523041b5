// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "probes/locate/byte_view.h"

namespace framegov {

/// The section headers of a 64-bit ELF file. Libraries need none to be loaded, so there may be
/// none; symbols that are not exported can only be read through them.
class ElfSections {
 public:
  struct Section {
    std::uint32_t type{};
    std::uint32_t link{};  ///< index of the section it refers to
    ByteView bytes;
  };

  ElfSections() = default;

  /// Keeps views into `file`. No sections is no error; a table that the header announces but the
  /// file does not hold is (kBadInput).
  [[nodiscard]] static Result<ElfSections> parse(ByteView file);

  // Nothing when there is no such section or it is not wholly in the file.
  [[nodiscard]] std::optional<Section> named(std::string_view name) const;
  [[nodiscard]] std::optional<Section> of_type(std::uint32_t type) const;
  [[nodiscard]] std::optional<Section> at(std::uint32_t index) const;

 private:
  struct Header {
    std::uint32_t name{};
    std::uint32_t type{};
    std::uint32_t link{};
    std::uint64_t offset{};
    std::uint64_t size{};
  };

  ByteView file_;
  std::vector<Header> headers_;
  std::uint32_t names_{};
};

}  // namespace framegov
