// SPDX-License-Identifier: Apache-2.0
#include "cli/status_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/engine_text.h"
#include "cli/explain_text.h"
#include "cli/json_read.h"
#include "cli/pause_text.h"
#include "cli/text_line.h"

namespace framegov::cli {

namespace {

using Json = nlohmann::json;

std::string row(const std::string& name, const std::string& value) {
  constexpr std::size_t kNameWidth = 12;
  return padded(name, kNameWidth) + value + "\n";
}

std::string count(const Json& object, const char* key) {
  return formatted("%.0f", number_in(object, key));
}

std::string right_aligned(const std::string& text, std::size_t columns) {
  return std::string(columns - std::min(columns, columns_of(text)), ' ') + text;
}

/// " of 8.3 ms"; without the deadline where it is not known.
std::string of_budget(const Json& frames, const OwnerTexts& texts) {
  const double budget = number_in(frames, "budget_ms");
  return " " + (budget > 0 ? texts.text("cli_ofMs", {{"ms", formatted("%.1f", budget)}}) : "ms");
}

std::string frames_row(const Json& frames, const OwnerTexts& texts) {
  const std::string name = texts.text("cli_rowFrames");
  if (number_in(frames, "count") <= 0) {
    return row(name, texts.text("cli_framesNone"));
  }
  return row(
      name, texts.text("cli_framesAre", {{"fps", count(frames, "fps")},
                                         {"late", count(frames, "misses")},
                                         {"frames", count(frames, "count")},
                                         {"p95", formatted("%.1f", number_in(frames, "p95_ms"))}}) +
                of_budget(frames, texts));
}

std::string threads_row(const Json& threads, const OwnerTexts& texts) {
  return threads.is_object()
             ? row(texts.text("cli_rowThreads"),
                   texts.text("cli_threadsAre", {{"means", text_in(threads, "means")},
                                                 {"writes", count(threads, "writes")},
                                                 {"given_up", count(threads, "given_up")}}))
             : std::string();
}

std::string power_row(const Json& power, const OwnerTexts& texts) {
  if (!power.is_object()) {
    return {};
  }
  const std::string key = "cli_power_" + text_in(power, "model");
  const std::string why = text_in(power, "why");
  if (!texts.has(key)) {
    return row(texts.text("cli_rowPower"), why);
  }
  // Behind it stands what is wrong, if anything is: in the exact words.
  const std::size_t wrong = std::min(why.find("; "), why.size());
  return row(texts.text("cli_rowPower"),
             texts.text(key, {{"soc", text_in(power, "soc")}}) + why.substr(wrong));
}

std::string privileges_row(const Json& process, const OwnerTexts& texts) {
  if (!process.contains("capabilities")) {
    return {};
  }
  const double seccomp = number_in(process, "seccomp");
  return row(texts.text("cli_rowPrivileges"),
             "uid " + count(process, "uid") + ", capabilities " + text_in(process, "capabilities") +
                 ", seccomp " +
                 (seccomp >= 2  ? "filter"
                  : seccomp > 0 ? "strict"
                                : "off") +
                 ", no_new_privs " + (number_in(process, "no_new_privs") > 0 ? "on" : "off") +
                 ", " +
                 texts.text(process.value("files_confined", false) ? "cli_filesConfined"
                                                                   : "cli_filesNotConfined"));
}

std::string socket_row(const Json& status, const OwnerTexts& texts) {
  return status.contains("socket_name_taken")
             ? row(texts.text("cli_rowSocket"),
                   texts.text("cli_nameTaken", {{"name", text_in(status, "socket_name_taken")},
                                                {"file", text_in(status, "socket_file")}}))
             : std::string();
}

std::string thermal_row(const Json& status, const OwnerTexts& texts) {
  if (!status.contains("thermal")) {
    return {};
  }
  std::string text = code_words("heat_", text_in(status, "thermal"), texts);
  for (const Json& cluster : at(status, "clusters")) {
    if (cluster.contains("thermal_ceiling_khz")) {
      text += texts.text(
          "cli_atMost",
          {{"policy", count(cluster, "policy")},
           {"mhz", formatted("%.0f", number_in(cluster, "thermal_ceiling_khz") / 1000)}});
    }
  }
  return row(texts.text("cli_rowHeat"), text);
}

std::string gpu_row(const Json& gpu, const Json& frames, const OwnerTexts& texts) {
  if (!gpu.is_object() && !frames.is_object()) {
    return {};
  }
  constexpr double kKhzPerMhz = 1000;
  std::string text;
  if (gpu.is_object()) {
    text =
        texts.text("cli_gpuIs", {{"percent", formatted("%.0f", number_in(gpu, "busy_percent"))}});
  }
  if (gpu.contains("clock_khz")) {
    text += texts.text("cli_nowAt",
                       {{"mhz", formatted("%.0f", number_in(gpu, "clock_khz") / kKhzPerMhz)}});
  }
  if (frames.is_object()) {
    text += (text.empty() ? "" : texts.text("cli_and")) +
            texts.text("cli_gpuFrame", {{"ms", formatted("%.1f", number_in(frames, "frame_ms"))}});
  }
  if (at(gpu, "at_its_limit") == true || at(frames, "bound") == true) {
    text += texts.text("cli_and") + texts.text("gpuLimits");
  }
  return row(texts.text("cli_rowGpu"), text);
}

/// ", drawn by Unity"; empty where that is not known.
std::string drawn_by(const std::string& kind, const OwnerTexts& texts) {
  const std::string key = "frameKind_" + kind;
  return texts.has(key) ? ", " + texts.text("cli_drawnBy", {{"kind", texts.text(key)}})
                        : std::string();
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
  const Json& kept = at(minute, "big_kept_percent");
  return kept.is_number() ? formatted("big cores kept to %.0f %%", kept.get<double>())
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
  if (const Json& kept = at(minute, "big_kept_percent"); kept.is_number()) {
    text += gap + texts.text("bigKept", {{"percent", formatted("%.0f", kept.get<double>())}});
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
  std::string text = row(texts.text("cli_rowVerdict"), verdict_text(status, texts));
  text += row(texts.text("cli_rowService"),
              texts.text("cli_serviceIs",
                         {{"version", text_in(status, "version")},
                          {"pid", count(process, "pid")},
                          {"time", duration_text(number_in(status, "uptime_s"))},
                          {"memory", formatted("%.1f", number_in(process, "rss_kib") / 1024)},
                          {"cpu", formatted("%.2f", number_in(process, "cpu_s"))}}));
  text += row(texts.text("cli_rowGoverns"),
              (app.empty() ? texts.text("cli_noApp") : app) + ", " +
                  texts.text("cli_policyIs", {{"policy", text_in(status, "policy")}}) +
                  (mode.empty() ? "" : ", " + texts.text("cli_modeIs", {{"mode", mode}})) +
                  drawn_by(text_in(status, "frame_kind"), texts));
  text += row(texts.text("cli_source"),
              texts.text("cli_sourceIs", {{"source", text_in(status, "source")},
                                          {"events", count(totals, "events")},
                                          {"lost", count(totals, "lost")},
                                          {"rejected", count(totals, "rejected")}}));
  text += frames_row(at(status, "frames"), texts);
  for (const Json& cluster : at(status, "clusters")) {
    text +=
        row(texts.text("cli_rowLimits"),
            limits_text(Json::array({cluster}), texts) +
                (cluster.contains("current_khz")
                     ? texts.text(
                           "cli_nowAt",
                           {{"mhz", formatted("%.0f", number_in(cluster, "current_khz") / 1000)}})
                     : std::string()));
  }
  text += gpu_row(at(status, "gpu"), at(status, "gpu_frames"), texts);
  text += thermal_row(status, texts);
  text += threads_row(at(status, "threads"), texts);
  text += power_row(at(status, "power"), texts);
  for (const Json& engine : at(status, "engines")) {
    text += row(texts.text("cli_rowEngine"), engine_sentence(engine, texts));
  }
  const Json& decision = at(status, "decision");
  if (decision.is_object()) {
    text += row(texts.text("cli_rowLast"), sentence(decision, texts));
  }
  text += row(texts.text("cli_rowEnergy"),
              texts.text("cli_energyIs",
                         {{"energy", formatted("%.1f", number_in(status, "energy_mj") / 1000)}}));
  text += row(texts.text("cli_rowCounted"),
              texts.text("cli_counts", {{"frames", count(totals, "frames")},
                                        {"late", count(status, "misses")},
                                        {"decisions", count(totals, "decisions")},
                                        {"writes", count(totals, "writes")},
                                        {"failed", count(totals, "failed_writes")},
                                        {"wakeups", count(totals, "wakeups")},
                                        {"fail_safes", count(totals, "fail_safes")}}));
  return text + socket_row(status, texts) + privileges_row(process, texts);
}

std::string history_text(const Json& history, const OwnerTexts& texts) {
  const Json& days = at(history, "days");
  if (days.empty()) {
    return texts.text("historyEmpty") + "\n";
  }
  const auto line = [](const std::string& day, const std::string& frames, const std::string& late,
                       const std::string& energy, const std::string& app) {
    constexpr std::size_t kDayWidth = 11;
    return padded(day, kDayWidth) + right_aligned(frames, 11) + right_aligned(late, 9) +
           right_aligned(energy, 11) + "  " + app + "\n";
  };
  std::string text = line(texts.text("cli_day"), texts.text("cli_rowFrames"),
                          texts.text("cli_late"), texts.text("cli_energyJ"), texts.text("cli_app"));
  for (const Json& day : days) {
    text += line(text_in(day, "day"), count(day, "frames"), count(day, "misses"),
                 formatted("%.1f", number_in(day, "energy_mj") / 1000), text_in(day, "app"));
  }
  return text;
}

}  // namespace framegov::cli
