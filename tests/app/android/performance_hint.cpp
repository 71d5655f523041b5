// SPDX-License-Identifier: Apache-2.0
#include "tests/app/android/performance_hint.h"

#include <cerrno>

struct APerformanceHintManager {
  std::size_t sessions;
};

struct APerformanceHintSession {
  std::int64_t target_ns;
};

namespace {

APerformanceHintManager manager_of_process{};
APerformanceHintSession session_of_process{};

}  // namespace

APerformanceHintManager* APerformanceHint_getManager() { return &manager_of_process; }

APerformanceHintSession* APerformanceHint_createSession(
    APerformanceHintManager* manager, const std::int32_t* thread_ids, std::size_t size,
    std::int64_t initial_target_work_duration_ns) {
  if (thread_ids == nullptr || size == 0) {
    return nullptr;
  }
  ++manager->sessions;
  session_of_process.target_ns = initial_target_work_duration_ns;
  return &session_of_process;
}

int APerformanceHint_updateTargetWorkDuration(APerformanceHintSession* session,
                                              std::int64_t target_duration_ns) {
  if (target_duration_ns <= 0) {
    return EINVAL;
  }
  session->target_ns = target_duration_ns;
  return 0;
}
