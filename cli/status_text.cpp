// SPDX-License-Identifier: Apache-2.0
#include "cli/status_text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/engine_text.h"
#include "cli/explain_text.h"
#include "cli/json_read.h"
#include "cli/pause_text.h"

namespace framegov::cli {

namespace {

using Json = nlohmann::json;

std::string row(std::string_view name, const std::string& value) {
  constexpr std::size_t kNameWidth = 12;
  std::string text(name);
  text.resize(std::max(text.size() + 1, kNameWidth), ' ');
  return text + value + "\n";
}

std::string count(const Json& object, const char* key) {
  return formatted("%.0f", number_in(object, key));
}

/// " of 8.3 ms"; without the deadline where it is not known.
std::string of_budget(const Json& frames) {
  const double budget = number_in(frames, "budget_ms");
  return budget > 0 ? formatted(" of %.1f ms", budget) : " ms";
}

std::string frames_row(const Json& frames) {
  if (number_in(frames, "count") <= 0) {
    return row("frames", "none in the last two seconds");
  }
  return row("frames", formatted("%.0f fps, ", number_in(frames, "fps")) + count(frames, "misses") +
                           " of " + count(frames, "count") + " late" +
                           formatted(", p95 %.1f", number_in(frames, "p95_ms")) +
                           of_budget(frames));
}

std::string threads_row(const Json& threads) {
  return threads.is_object()
             ? row("threads", text_in(threads, "means") + "; " + count(threads, "writes") +
                                  " writes, given up " + count(threads, "given_up") + " times")
             : std::string();
}

std::string power_row(const Json& power) {
  return power.is_object() ? row("power", text_in(power, "why")) : std::string();
}

std::string privileges_row(const Json& process) {
  if (!process.contains("capabilities")) {
    return {};
  }
  const double seccomp = number_in(process, "seccomp");
  return row(
      "privileges",
      "uid " + count(process, "uid") + ", capabilities " + text_in(process, "capabilities") +
          ", seccomp " +
          (seccomp >= 2  ? "filter"
           : seccomp > 0 ? "strict"
                         : "off") +
          ", no_new_privs " + (number_in(process, "no_new_privs") > 0 ? "on" : "off") +
          (process.value("files_confined", false) ? ", files confined" : ", files not confined"));
}

std::string socket_row(const Json& status) {
  return status.contains("socket_name_taken")
             ? row("socket", "another program has the name @" +
                                 text_in(status, "socket_name_taken") + "; use --socket " +
                                 text_in(status, "socket_file"))
             : std::string();
}

std::string thermal_row(const Json& status) {
  if (!status.contains("thermal")) {
    return {};
  }
  std::string text = text_in(status, "thermal");
  for (const Json& cluster : at(status, "clusters")) {
    if (cluster.contains("thermal_ceiling_khz")) {
      text += ", policy" + count(cluster, "policy") +
              formatted(" at most %.0f MHz", number_in(cluster, "thermal_ceiling_khz") / 1000);
    }
  }
  return row("heat", text);
}

struct Smoothness {
  std::string words;
  const char* key;  ///< of the page's texts
};

Smoothness smoothness(const Json& minute) {
  // The eye sees one late frame in a hundred; one in ten is a stutter.
  constexpr double kSmooth = 0.01;
  constexpr double kStutter = 0.1;
  const double frames = number_in(minute, "frames");
  const double late = number_in(minute, "late");
  if (late <= kSmooth * frames) {
    return {"Smooth", "isSmooth"};
  }
  return late <= kStutter * frames ? Smoothness{"Some frames are late", "isLate"}
                                   : Smoothness{"It stutters", "isStutter"};
}

bool is_switched_off(const Json& status) {
  return status.is_object() && status.contains("app_enabled") && status["app_enabled"] == false &&
         !text_in(status, "app").empty();
}

/// "Smooth: 2 of 3600 frames late in the last minute"
std::string smoothness_text(const Json& minute) {
  const double frames = number_in(minute, "frames");
  if (frames <= 0) {
    return "No frames in the last minute";
  }
  return smoothness(minute).words + ": " + count(minute, "late") + " of " +
         count(minute, "frames") + " frames late in the last minute";
}

/// How far the fastest cluster was kept below its top speed; empty where that is not known.
std::string kept_text(const Json& minute) {
  const Json& kept = at(minute, "kept_percent");
  return kept.is_array() && !kept.empty() && kept.back().is_number()
             ? formatted("big cores kept to %.0f %%", kept.back().get<double>())
             : std::string();
}

/// The same verdict in the page's words.
std::string translated_verdict(const Json& status, const OwnerTexts& texts) {
  const Json& minute = at(status, "minute");
  const std::string gap = texts.text("gap");
  std::string text;
  if (number_in(minute, "frames") <= 0) {
    text = texts.text("isStill") + texts.text("cli_and") + texts.text("stillMeans");
  } else {
    text = texts.text(smoothness(minute).key) + texts.text("cli_and") +
           texts.text("lateOf",
                      {{"late", count(minute, "late")}, {"frames", count(minute, "frames")}});
  }
  if (const Json& kept = at(minute, "kept_percent");
      kept.is_array() && !kept.empty() && kept.back().is_number()) {
    text +=
        gap + texts.text("bigKept", {{"percent", formatted("%.0f", kept.back().get<double>())}});
  }
  return is_switched_off(status)
             ? text + gap + texts.text("appIsOff", {{"app", text_in(status, "app")}})
             : text;
}

}  // namespace

std::string verdict_text(const Json& status, const OwnerTexts& texts) {
  if (const std::string pause = pause_text(at(status, "paused"), texts); !pause.empty()) {
    return texts.is_english() ? pause + "." : pause;
  }
  if (!texts.is_english()) {
    return translated_verdict(status, texts);
  }
  const Json& minute = at(status, "minute");
  const std::string kept = kept_text(minute);
  return smoothness_text(minute) + (kept.empty() ? "" : ", " + kept) +
         (is_switched_off(status) ? ". " + text_in(status, "app") + " is switched off." : ".");
}

std::string status_text(const Json& status, const OwnerTexts& texts) {
  const Json& totals = at(status, "totals");
  const Json& process = at(status, "process");
  const std::string own = text_in(status, "app_mode");
  const std::string mode = own.empty() ? text_in(status, "mode") : own;
  const std::string app = text_in(status, "app");
  std::string text = row("verdict", verdict_text(status, texts));
  text += row("service", "framegovd " + text_in(status, "version") + ", process " +
                             count(process, "pid") + ", up " +
                             duration_text(number_in(status, "uptime_s")) +
                             formatted(", %.1f MiB", number_in(process, "rss_kib") / 1024) +
                             formatted(", %.2f s of CPU time", number_in(process, "cpu_s")));
  text += row("governs", (app.empty() ? "no app yet" : app) + ", policy " +
                             text_in(status, "policy") + (mode.empty() ? "" : ", mode " + mode));
  text += row("source", text_in(status, "source") + ", " + count(totals, "events") + " events, " +
                            count(totals, "lost") + " lost, " + count(totals, "rejected") +
                            " rejected");
  text += frames_row(at(status, "frames"));
  for (const Json& cluster : at(status, "clusters")) {
    text += row("limits",
                limits_text(Json::array({cluster})) +
                    (cluster.contains("current_khz")
                         ? formatted(", now at %.0f MHz", number_in(cluster, "current_khz") / 1000)
                         : std::string()));
  }
  text += thermal_row(status);
  text += threads_row(at(status, "threads"));
  text += power_row(at(status, "power"));
  for (const Json& engine : at(status, "engines")) {
    text += row("engine", engine_sentence(engine, english_texts()));
  }
  const Json& decision = at(status, "decision");
  if (decision.is_object()) {
    text += row("last", sentence(decision, texts));
  }
  text += row("energy", formatted("%.1f J by frames' own threads (estimate)",
                                  number_in(status, "energy_mj") / 1000));
  text +=
      row("counted", count(totals, "frames") + " frames, " + count(status, "misses") + " late, " +
                         count(totals, "decisions") + " decisions, " + count(totals, "writes") +
                         " writes (" + count(totals, "failed_writes") + " failed), " +
                         count(totals, "wakeups") + " wakeups, " + count(totals, "fail_safes") +
                         " fail-safes");
  return text + socket_row(status) + privileges_row(process);
}

std::string history_text(const Json& history) {
  const Json& days = at(history, "days");
  if (days.empty()) {
    return "no frames are on record yet\n";
  }
  std::string text = "day             frames     late   energy J  app\n";
  for (const Json& day : days) {
    std::array<char, 96> numbers{};
    std::snprintf(numbers.data(), numbers.size(), " %11.0f %8.0f %10.1f  ",
                  number_in(day, "frames"), number_in(day, "misses"),
                  number_in(day, "energy_mj") / 1000);
    text += text_in(day, "day") + numbers.data() + text_in(day, "app") + "\n";
  }
  return text;
}

}  // namespace framegov::cli
