// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

namespace framegov::test {

/// A status as a service on a phone with three clusters tells it.
[[nodiscard]] inline nlohmann::json status_sample() {
  return nlohmann::json::parse(R"({
    "version": "0.1.0", "policy": "mpc", "mode": "balance", "app_mode": "balance", "app_enabled": true,
    "paused": null, "source": "ringbuf",
    "app": "com.example.scroller", "uptime_s": 3725.5, "now_ns": 5000000000,
    "frames": {"count": 240, "misses": 3, "fps": 119.6, "power_mw": 412.5, "budget_ms": 8.333,
      "p50_ms": 5.1, "p95_ms": 7.4, "longest_ms": 10.2, "bins_to_deadline": 10,
      "histogram": [0,0,0,2,10,60,90,50,20,5,0,2,1,0,0,0,0,0,0,0]},
    "frame_kind": "views",
    "minute": {"frames": 3600, "late": 2, "big_kept_percent": 41, "kept_percent": [64, 61, 41]},
    "clusters": [
      {"policy": 0, "cpus": "0-3", "cap_khz": 900000, "floor_khz": 0, "current_khz": 600000,
       "min_khz": 300000, "max_khz": 1800000},
      {"policy": 4, "cpus": "4-5", "cap_khz": 1800000, "floor_khz": 1500000,
       "current_khz": 1600000, "min_khz": 400000, "max_khz": 2250000},
      {"policy": 6, "cpus": "6-7", "cap_khz": 0, "floor_khz": 0, "current_khz": 2800000,
       "min_khz": 500000, "max_khz": 2800000, "thermal_ceiling_khz": 2240000}],
    "thermal": "moderate",
    "decision": {"at_ns": 4900000000, "cause": "frame", "app": "com.example.scroller",
      "reason": "tracking", "generation_ms": 7.5, "budget_ms": 8.333, "margin_ms": 1.25,
      "wanted_mhz": 1420, "chosen_khz": 1500000, "frame_policy": 4,
      "clusters": [{"policy": 0, "cap_khz": 900000, "floor_khz": 0},
                   {"policy": 4, "cap_khz": 1800000, "floor_khz": 1500000},
                   {"policy": 6, "cap_khz": 0, "floor_khz": 0}]},
    "totals": {"frames": 9000, "events": 27000, "lost": 0, "rejected": 1, "decisions": 20000,
      "writes": 4000, "failed_writes": 0, "wakeups": 25000, "fail_safes": 12},
    "misses": 45, "energy_mj": 81234,
    "process": {"pid": 4711, "uid": 0, "rss_kib": 4300, "cpu_s": 7.5,
      "capabilities": "000001ffffffffff", "seccomp": 2, "no_new_privs": 1}})");
}

}  // namespace framegov::test
