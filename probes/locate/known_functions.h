// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/locate/elf_image.h"
#include "probes/locate/probe_sites.h"

namespace framegov {

/// What a symbol is worth to us.
struct KnownFunction {
  SiteKind kind{};
  std::size_t rank{};  ///< lower is better, within a kind
};

/// Recognises a mangled name: the JNI function itself, JankTracker::finishFrame (Android 11 and
/// later), CanvasContext::draw, DrawFrameTask::run, and in libgui every known form of queueBuffer,
/// dequeueBuffer, DisplayEventDispatcher::handleEvent and DisplayEventReceiver::getEvents.
[[nodiscard]] std::optional<KnownFunction> known_function(std::string_view symbol);

/// A known function that a library defines.
struct NamedFunction {
  KnownFunction known;
  LocateMethod method{};
  std::string symbol;
  std::uint64_t address{};  ///< virtual, in code
};

struct SymbolFindings {
  std::vector<NamedFunction> functions;  ///< best first: kind, rank, method
  std::vector<std::string> notes;        ///< each place symbols can stand: what it held
};

/// Looks in .gnu_debugdata, .symtab and .dynsym. What cannot be read becomes a note.
[[nodiscard]] SymbolFindings find_known_functions(const ElfImage& image);

}  // namespace framegov
