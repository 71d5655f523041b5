// SPDX-License-Identifier: Apache-2.0
#include "probes/locate/known_functions.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "probes/locate/mini_debug_info.h"
#include "probes/locate/symbols.h"

namespace framegov {

namespace {

// A file that defines one of our functions more often than that was made to cost memory.
constexpr std::size_t kMaxFindings = 64;

struct Form {
  SiteKind kind;
  std::string_view prefix;  ///< of the mangled name: later parameters differ between versions
};

// Best first within a kind. Entry points that apps call through ANativeWindow come before those
// that they call; forms by version: AOSP libs/gui Surface.h, DisplayEventReceiver.h, libs/hwui.
constexpr std::array<Form, 19> kForms = {{
    {SiteKind::kQueueBuffer,
     "_ZN7android7Surface16hook_queueBufferEP13ANativeWindowP19ANativeWindowBufferi"},
    {SiteKind::kQueueBuffer, "_ZN7android7Surface16hook_queueBufferE"},
    {SiteKind::kQueueBuffer, "_ZN7android7Surface11queueBufferEP19ANativeWindowBuffer"},
    {SiteKind::kQueueBuffer, "_ZN7android7Surface11queueBufferE"},
    {SiteKind::kQueueBuffer, "_ZN7android7Surface12queueBuffersE"},
    {SiteKind::kQueueBuffer, "_ZN7android7Surface19queueBufferInternalE"},
    {SiteKind::kQueueBuffer, "_ZN7android7Surface27hook_queueBuffer_DEPRECATEDE"},
    {SiteKind::kDequeueBuffer,
     "_ZN7android7Surface18hook_dequeueBufferEP13ANativeWindowPP19ANativeWindowBufferPi"},
    {SiteKind::kDequeueBuffer, "_ZN7android7Surface18hook_dequeueBufferE"},
    {SiteKind::kDequeueBuffer, "_ZN7android7Surface13dequeueBufferEPP19ANativeWindowBuffer"},
    {SiteKind::kDequeueBuffer, "_ZN7android7Surface13dequeueBufferE"},
    {SiteKind::kDequeueBuffer, "_ZN7android7Surface14dequeueBuffersE"},
    {SiteKind::kDequeueBuffer, "_ZN7android7Surface21dequeueBufferInternalE"},
    {SiteKind::kDequeueBuffer, "_ZN7android7Surface29hook_dequeueBuffer_DEPRECATEDE"},
    // One hit for each wake, from Android 11 on; getEvents is called until it is drained.
    {SiteKind::kFrameStart, "_ZN7android22DisplayEventDispatcher11handleEventE"},
    {SiteKind::kFrameStart, "_ZN7android20DisplayEventReceiver9getEventsE"},
    // Only with FrameInfo&: where it takes a const one it is called before the GPU is done.
    {SiteKind::kFrameFinished,
     "_ZN7android10uirenderer11JankTracker11finishFrameERNS0_9FrameInfoE"},
    {SiteKind::kFrameDraw, "_ZN7android10uirenderer12renderthread13CanvasContext4drawE"},
    {SiteKind::kRenderTask, "_ZN7android10uirenderer12renderthread13DrawFrameTask3runE"},
}};

// C names, which have no parameters: others begin like them. Android's performance_hint.h (API 33).
constexpr std::array<Form, 2> kNames = {{
    {SiteKind::kHintSession, "APerformanceHint_createSession"},
    {SiteKind::kHintTarget, "APerformanceHint_updateTargetWorkDuration"},
}};

/// android_view_ThreadedRenderer_syncAndDrawFrame(JNIEnv*, jobject or jclass, jlong, jlongArray,
/// jint), in any namespace or in none, with any suffix a compiler gives its copies.
bool is_sync_and_draw_frame(std::string_view symbol) {
  constexpr std::string_view kName = "syncAndDrawFrame";
  const std::size_t name_at = symbol.find(kName);
  if (symbol.substr(0, 2) != "_Z" || name_at == std::string_view::npos) {
    return false;
  }
  std::string_view parameters = symbol.substr(name_at + kName.size());
  if (parameters.substr(0, 1) == "E") {
    parameters.remove_prefix(1);
  }
  for (const std::string_view receiver : {"P8_jobject", "P7_jclass"}) {
    const std::string expected = "P7_JNIEnv" + std::string(receiver) + "lP11_jlongArrayi";
    if (parameters.substr(0, expected.size()) == expected) {
      return true;
    }
  }
  return false;
}

/// Collects from one place where symbols stand.
class Collector {
 public:
  Collector(const ElfImage& image, SymbolFindings& findings) : image_(image), findings_(findings) {}

  [[nodiscard]] SymbolVisitor visitor(LocateMethod method) {
    found_ = 0;
    return [this, method](std::string_view name, std::uint64_t address) {
      const auto known = known_function(name);
      if (known && findings_.functions.size() < kMaxFindings && image_.code_offset_of(address)) {
        findings_.functions.push_back({*known, method, std::string(name), address});
        ++found_;
      }
    };
  }

  void note(LocateMethod method, std::size_t symbols) {
    const std::string all = std::to_string(symbols) + " symbols";
    note(method, symbols == 0  ? "not used: no symbols"
                 : found_ == 0 ? "not used: none of " + all + " is known"
                               : "read: " + std::to_string(found_) + " of " + all + " known");
  }
  void note(LocateMethod method, const std::string& text) {
    findings_.notes.push_back(std::string(name_of(method)) + ": " + text);
  }

 private:
  const ElfImage& image_;
  SymbolFindings& findings_;
  std::size_t found_ = 0;
};

void collect_mini_debug_info(const ElfImage& image, Collector& collector) {
  const LocateMethod method = LocateMethod::kMiniDebugInfo;
  const auto packed = image.sections().named(".gnu_debugdata");
  if (!packed) {
    collector.note(method, "not used: no .gnu_debugdata");
    return;
  }
  const auto unpacked = unpack_mini_debug_info(packed->bytes);
  const auto sections =
      unpacked ? ElfSections::parse(ByteView(*unpacked)) : tl::unexpected(unpacked.error());
  if (!sections) {
    collector.note(method, "not used: " + sections.error().message);
    return;
  }
  collector.note(method, for_each_local_function(*sections, collector.visitor(method)));
}

}  // namespace

std::optional<KnownFunction> known_function(std::string_view symbol) {
  if (is_sync_and_draw_frame(symbol)) {
    return KnownFunction{SiteKind::kFrameInfo, 0};
  }
  const auto named =
      std::find_if(kNames.begin(), kNames.end(), [&](const Form& f) { return symbol == f.prefix; });
  if (named != kNames.end()) {
    return KnownFunction{named->kind, 0};
  }
  const auto form = std::find_if(kForms.begin(), kForms.end(), [&](const Form& f) {
    return symbol.substr(0, f.prefix.size()) == f.prefix;
  });
  return form == kForms.end() ? std::nullopt
                              : std::optional(KnownFunction{
                                    form->kind, static_cast<std::size_t>(form - kForms.begin())});
}

SymbolFindings find_known_functions(const ElfImage& image) {
  SymbolFindings findings;
  Collector collector(image, findings);
  collect_mini_debug_info(image, collector);
  collector.note(
      LocateMethod::kSymbolTable,
      for_each_local_function(image.sections(), collector.visitor(LocateMethod::kSymbolTable)));
  collector.note(
      LocateMethod::kDynamicSymbol,
      for_each_exported_function(image, collector.visitor(LocateMethod::kDynamicSymbol)));
  // Of two forms with the same beginning the one with fewer parameters is the older and better
  // known.
  const auto order = [](const NamedFunction& f) {
    return std::make_tuple(f.known.kind, f.known.rank, f.symbol.size(), f.method);
  };
  std::stable_sort(
      findings.functions.begin(), findings.functions.end(),
      [&](const NamedFunction& a, const NamedFunction& b) { return order(a) < order(b); });
  return findings;
}

}  // namespace framegov
