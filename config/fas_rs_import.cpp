// SPDX-License-Identifier: Apache-2.0
#include "config/fas_rs_import.h"

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "base/text.h"
#include "config/profile_reader.h"

namespace framegov {
namespace {

/// toml++ asserts what its parser takes for granted, and some texts do not grant it. Here that is
/// one more way to be no TOML, in every build: NDEBUG would make the assertions assumptions.
struct TomlAssertion : std::logic_error {
  using std::logic_error::logic_error;
};

[[noreturn]] void not_granted(const char* assertion) { throw TomlAssertion(assertion); }

}  // namespace
}  // namespace framegov

#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_EXCEPTIONS 1
#define TOML_MAX_NESTED_VALUES 8
#define TOML_ASSERT(expression) \
  ((expression) ? static_cast<void>(0) : framegov::not_granted(#expression))
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

namespace framegov {

namespace {

constexpr std::size_t kLargest = std::size_t{1} << 20U;
/// Every dot of a key is a table in a table, and toml++ goes down all of them at once. Keys end
/// with their line, and values nest TOML_MAX_NESTED_VALUES times: both together bound the depth.
constexpr std::ptrdiff_t kMostDots = 256;
constexpr double kSmallestEps = 0.0001;
constexpr double kLargestEps = 0.2;
constexpr std::array<const char*, 4> kModes = {"powersave", "balance", "performance", "fast"};

/// Reads one file; the first mistake stops it.
class Converter {
 public:
  explicit Converter(std::string name) : name_(std::move(name)) {}

  Result<std::string> convert(const toml::table& file) {
    const toml::table* games = file["game_list"].as_table();
    if (games == nullptr) {
      return fail(ExitCode::kBadInput, name_ + ":1: no [game_list]: not a games.toml of fas-rs",
                  "fas-rs keeps it in /sdcard/Android/fas-rs/games.toml");
    }
    out_ << "# From " << name_
         << " of fas-rs. A game's rates and a mode's margin_fps were taken over;\n"
         << "# temperature thresholds, [config] and whatever else it has have no counterpart.\n"
         << "profiles:\n";
    if (games->size() > kMostApps) {
      bad(*games, "more than " + std::to_string(kMostApps) + " games");
    }
    modes(file);
    out_ << "  apps:" << (games->empty() ? " {}\n" : "\n");
    for (const auto& [package, target] : *games) {
      game(std::string(package.str()), target);
    }
    return error_ ? Result<std::string>(tl::unexpected(*error_)) : Result<std::string>(out_.str());
  }

 private:
  void bad(const toml::node& where, const std::string& what) {
    if (!error_) {
      error_ = fail(ExitCode::kBadInput,
                    name_ + ":" + std::to_string(where.source().begin.line) + ": " + what)
                   .value();
    }
  }

  void modes(const toml::table& file) {
    std::ostringstream values;
    for (const char* mode : kModes) {
      const toml::node_view<const toml::node> margin = file[mode]["margin_fps"];
      const std::optional<double> fps = margin.value<double>();
      if (fps && !(*fps >= 0 && *fps < 60)) {
        bad(*margin.node(), std::string(mode) + ".margin_fps must be from 0 to 60");
      } else if (fps) {
        constexpr double kPer = 60;
        values << "        " << mode
               << ": {eps: " << std::clamp(*fps / kPer, kSmallestEps, kLargestEps)
               << "}  # margin_fps " << *fps << "\n";
      }
    }
    if (!values.str().empty()) {
      out_ << "  kinds:\n    game:\n      modes:\n" << values.str();
    }
  }

  void game(const std::string& package, const toml::node& target) {
    const bool good = !package.empty() && package.size() <= 128 &&
                      std::all_of(package.begin(), package.end(), is_package_letter);
    if (!good) {
      bad(target, "no package name");
      return;
    }
    // In quotes: YAML has words of its own.
    out_ << "    \"" << package << "\": {kind: game";
    if (target.is_array() || target.is_number()) {
      out_ << ", target_fps: [" << rates(target) << "]";
    } else if (target.value<std::string>() != "auto") {
      bad(target, package + " must be \"auto\", a rate or a list of rates");
    }
    out_ << "}\n";
  }

  static bool is_package_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  }

  std::string rates(const toml::node& target) {
    std::vector<double> values;
    const auto add = [&](const toml::node& rate) {
      const std::optional<double> fps = rate.value<double>();
      if (!fps || !(*fps >= 1 && *fps <= kHighestRate)) {
        bad(rate, "a rate must be from 1 to 480 fps");
      } else {
        values.push_back(*fps);
      }
    };
    if (const toml::array* list = target.as_array()) {
      if (list->empty() || list->size() > kMostRates) {
        bad(target, "a list of 1 to 8 rates is expected");
        return {};
      }
      for (const toml::node& rate : *list) {
        add(rate);
      }
    } else {
      add(target);
    }
    std::sort(values.begin(), values.end());
    std::ostringstream text;
    for (const double value : values) {
      text << (text.tellp() > 0 ? ", " : "") << value;
    }
    return text.str();
  }

  std::string name_;
  std::ostringstream out_;
  std::optional<Error> error_;
};

/// toml++ of Debian 12 runs into undefined behaviour when it asks whether a letter beyond ASCII is
/// a space. No package has any; comments may. Question marks in their place keep the lines.
std::string as_ascii(std::string_view toml) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  std::string text(toml.starts_with(kByteOrderMark) ? toml.substr(kByteOrderMark.size()) : toml);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  return text;
}

/// Its number; nothing when every line will do.
std::optional<int> line_with_too_many_dots(std::string_view text) {
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = take_line(text);
    if (std::count(line.begin(), line.end(), '.') > kMostDots) {
      return number;
    }
  }
  return std::nullopt;
}

}  // namespace

Result<std::string> profiles_from_fas_rs(std::string_view toml, const std::string& name) {
  if (toml.size() > kLargest) {
    return fail(ExitCode::kBadInput, name + ": larger than 1 MiB",
                "a games.toml is a few kilobytes; is this the right file?");
  }
  if (const auto line = line_with_too_many_dots(toml)) {
    return fail(ExitCode::kBadInput, name + ":" + std::to_string(*line) + ": more than " +
                                         std::to_string(kMostDots) + " dots in one line");
  }
  try {
    return Converter(name).convert(toml::parse(as_ascii(toml), std::string_view(name)));
  } catch (const toml::parse_error& error) {
    return fail(ExitCode::kBadInput, name + ":" + std::to_string(error.source().begin.line) + ": " +
                                         std::string(error.description()));
  } catch (const TomlAssertion&) {
    return fail(ExitCode::kBadInput, name + ":1: a bracket or a key somewhere is not TOML",
                "look for what is not closed");
  }
}

}  // namespace framegov
