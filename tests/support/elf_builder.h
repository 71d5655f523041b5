// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace framegov::test {

/// Makes small shared libraries in memory, by hand: no linker needs to agree. Segments are mapped
/// at addresses that differ from their offsets in the file. arm64 unless told otherwise.
class ElfBuilder {
 public:
  enum class Encoding { kRela, kPacked, kRelr, kAndroidRelr };

  // Each returns the virtual address of what it added.
  std::uint64_t add_code(const std::vector<std::uint32_t>& instructions);
  std::uint64_t add_code_bytes(const std::vector<std::uint8_t>& bytes);
  std::uint64_t add_string(const std::string& text);  ///< with its NUL
  std::uint64_t add_words(std::size_t count);         ///< writable, zero

  /// A pointer to `value` at `address`. RELR leaves it in place; the others leave zero there.
  void relocate(std::uint64_t address, std::uint64_t value, Encoding encoding);
  /// {name, signature, function}; returns its address.
  std::uint64_t add_jni_row(const std::string& name, const std::string& signature,
                            std::uint64_t function, Encoding encoding);
  void export_function(const std::string& name, std::uint64_t address);
  void set_build_id(std::vector<std::uint8_t> id) { build_id_ = std::move(id); }
  void set_machine(std::uint16_t machine) { machine_ = machine; }
  /// A section with header, such as .gnu_debugdata.
  void add_section(const std::string& name, std::vector<std::byte> content);

  [[nodiscard]] std::vector<std::byte> build() const;

  /// File offset of an address in what build() returns.
  [[nodiscard]] std::uint64_t offset_of(std::uint64_t address) const;

 private:
  struct Segment {
    std::uint64_t address{};
    std::uint32_t flags{};
    std::vector<std::byte> bytes;
  };
  struct Tables;

  [[nodiscard]] std::uint64_t append(Segment& segment, const void* bytes, std::size_t size);
  [[nodiscard]] Tables make_tables() const;

  Segment code_{0x1000000, 5, {}};
  Segment strings_{0x2000000, 4, {}};
  Segment data_{0x3000000, 6, {}};
  std::map<std::uint64_t, std::uint64_t> rela_, packed_, relr_, android_relr_;
  std::vector<std::pair<std::string, std::uint64_t>> exports_;
  std::vector<std::pair<std::string, std::vector<std::byte>>> sections_;
  std::vector<std::uint8_t> build_id_;
  std::uint16_t machine_ = 183;  // EM_AARCH64
};

/// arm64 code of syncAndDrawFrame's shape: the size check with its assert, the call through slot
/// 204, the return. The call is instruction `kSyncAndDrawCall`.
inline constexpr std::size_t kSyncAndDrawCall = 16;
[[nodiscard]] std::vector<std::uint32_t> sync_and_draw_code();

/// A library with `sync_and_draw_code`, its row among `decoys` others, and exports.
struct SmallLibrary {
  std::vector<std::byte> bytes;
  std::uint64_t function{}, call{};  ///< file offsets
};
[[nodiscard]] SmallLibrary small_library(ElfBuilder::Encoding encoding, int decoys = 10);

// Encoders, the reverse of what the locator reads.
[[nodiscard]] std::vector<std::byte> encode_relr(const std::vector<std::uint64_t>& addresses);
void append_sleb(std::vector<std::byte>& bytes, std::int64_t value);

}  // namespace framegov::test
