// SPDX-License-Identifier: Apache-2.0
#include "probes/locate/probe_sites.h"

namespace framegov {

std::string_view name_of(SiteKind kind) {
  switch (kind) {
    case SiteKind::kFrameInfo:
      return "frame-info";
    case SiteKind::kQueueBuffer:
      return "queue-buffer";
    case SiteKind::kDequeueBuffer:
      return "dequeue-buffer";
    case SiteKind::kFrameStart:
      return "frame-start";
    case SiteKind::kFrameFinished:
      return "frame-finished";
    case SiteKind::kFrameDraw:
      return "frame-draw";
    case SiteKind::kRenderTask:
      return "render-task";
    case SiteKind::kHintSession:
      return "hint-session";
    case SiteKind::kHintTarget:
      return "hint-target";
  }
  return "";
}

std::string_view name_of(LocateMethod method) {
  switch (method) {
    case LocateMethod::kJniTable:
      return "jni-table";
    case LocateMethod::kMiniDebugInfo:
      return "mini-debug-info";
    case LocateMethod::kSymbolTable:
      return "symbol-table";
    case LocateMethod::kDynamicSymbol:
      return "dynamic-symbol";
    case LocateMethod::kTable:
      return "table";
  }
  return "";
}

std::string_view name_of(Architecture architecture) {
  return architecture == Architecture::kArm64 ? "arm64" : "x86_64";
}

}  // namespace framegov
