// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// Names and signatures as in libandroid (android/performance_hint.h).
struct APerformanceHintManager;
struct APerformanceHintSession;

extern "C" {

/// Never null here: the hints of this double are heard by nobody.
[[gnu::visibility("default")]] APerformanceHintManager* APerformanceHint_getManager();

[[gnu::visibility("default")]] APerformanceHintSession* APerformanceHint_createSession(
    APerformanceHintManager* manager, const std::int32_t* thread_ids, std::size_t size,
    std::int64_t initial_target_work_duration_ns);

/// 0, or an errno.
[[gnu::visibility("default")]] int APerformanceHint_updateTargetWorkDuration(
    APerformanceHintSession* session, std::int64_t target_duration_ns);

}  // extern "C"
