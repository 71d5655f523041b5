// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "probes/locate/elf_image.h"
#include "probes/locate/elf_sections.h"

namespace framegov {

/// A function symbol that is defined in its file: mangled name and virtual address.
using SymbolVisitor = std::function<void(std::string_view name, std::uint64_t address)>;

/// Exported functions, through PT_DYNAMIC and its hash tables: section headers are not needed.
/// Returns how many symbols there are.
std::size_t for_each_exported_function(const ElfImage& image, const SymbolVisitor& visit);

/// Functions in .symtab, local ones included. Returns how many symbols there are: 0 when stripped.
std::size_t for_each_local_function(const ElfSections& sections, const SymbolVisitor& visit);

}  // namespace framegov
