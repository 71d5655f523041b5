// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/libbpf_log.h"

#include <bpf/libbpf.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <utility>

namespace framegov {
namespace {

LibbpfLog& current_log() {
  static LibbpfLog log;
  return log;
}

[[gnu::format(printf, 2, 0)]] int forward(libbpf_print_level level, const char* format,
                                          va_list arguments) {
  if (!current_log()) {
    return 0;
  }
  std::array<char, 1024> text{};
  const int length = std::vsnprintf(text.data(), text.size(), format, arguments);
  std::string_view line(text.data(),
                        std::min(static_cast<std::size_t>(std::max(length, 0)), text.size() - 1));
  while (line.ends_with('\n')) {
    line.remove_suffix(1);
  }
  current_log()(level == LIBBPF_WARN   ? LibbpfLevel::kWarning
                : level == LIBBPF_INFO ? LibbpfLevel::kInfo
                                       : LibbpfLevel::kDebug,
                line);
  return length;
}

}  // namespace

void set_libbpf_log(LibbpfLog log) {
  current_log() = std::move(log);
  capture_libbpf_log();
}

void capture_libbpf_log() { ::libbpf_set_print(&forward); }

}  // namespace framegov
