// SPDX-License-Identifier: Apache-2.0
#include "cli/web/gate.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <set>

namespace framegov::web {

namespace {

constexpr std::size_t kTokenBytes = 16;
constexpr std::size_t kMostWords = 8;
constexpr std::size_t kLongestWord = 4096;

const std::set<std::string_view> kCommands = {"status", "doctor",  "explain", "log",
                                              "mode",   "history", "app",     "profile",
                                              "ab",     "pause",   "resume"};
/// Of profile: `import` would read any file.
const std::set<std::string_view> kProfileCommands = {"show", "list", "put",
                                                     "set",  "drop", "schema"};
/// Of ab: what ends at once.
const std::set<std::string_view> kAbCommands = {"--background", "--show", "--stop"};
/// Others name files or sockets, or never end.
const std::set<std::string_view> kOptions = {"--json",       "--last",    "--mode", "--seconds",
                                             "--for",        "--preview", "--app",  "--minutes",
                                             "--background", "--show",    "--stop"};

bool allowed(const std::vector<std::string>& words) {
  if (words.empty() || words.size() > kMostWords || !kCommands.contains(words[0])) {
    return false;
  }
  if (words[0] == "profile" && (words.size() < 2 || !kProfileCommands.contains(words[1]))) {
    return false;
  }
  if (words[0] == "ab" && (words.size() < 2 || !kAbCommands.contains(words[1]))) {
    return false;
  }
  return std::all_of(words.begin(), words.end(), [](const std::string& word) {
    return word.size() <= kLongestWord && (!word.starts_with("-") || kOptions.contains(word));
  });
}

}  // namespace

Result<std::string> make_token() {
  std::array<unsigned char, kTokenBytes> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return fail_errno(errno, "getrandom");
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string token;
  for (const unsigned char byte : bytes) {
    token += kDigits[byte >> 4U];
    token += kDigits[byte & 0xFU];
  }
  return token;
}

bool same_token(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) {
    return false;
  }
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned>(a[i] ^ b[i]);
  }
  return difference == 0;
}

bool own_host(std::string_view host, int port) {
  const std::string suffix = ":" + std::to_string(port);
  return host == "127.0.0.1" + suffix || host == "localhost" + suffix;
}

Result<std::vector<std::string>> allowed_words(std::string_view body) {
  const auto json = nlohmann::json::parse(body, nullptr, false);
  std::vector<std::string> words;
  for (const auto& word : json.is_array() ? json : nlohmann::json::array()) {
    // A NUL would end the word early for the program that gets it.
    if (!word.is_string() || word.get_ref<const std::string&>().find('\0') != std::string::npos) {
      return fail(ExitCode::kBadInput, "a command is an array of words");
    }
    words.push_back(word.get<std::string>());
  }
  if (!allowed(words)) {
    return fail(ExitCode::kNoPermission, "not a command of the page");
  }
  return words;
}

std::optional<std::string> file_of(std::string_view path) {
  path = path.substr(0, path.find('?'));
  if (path == "/") {
    return "index.html";
  }
  const bool plain = std::all_of(path.begin(), path.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-' || c == '/';
  });
  if (!path.starts_with('/') || !plain || path.find("..") != std::string_view::npos ||
      path.find("//") != std::string_view::npos) {
    return std::nullopt;
  }
  return std::string(path.substr(1));
}

const char* content_type(std::string_view file) {
  if (file.ends_with(".html")) {
    return "text/html; charset=utf-8";
  }
  if (file.ends_with(".js")) {
    return "text/javascript; charset=utf-8";
  }
  if (file.ends_with(".json")) {
    return "application/json";
  }
  return file.ends_with(".css") ? "text/css; charset=utf-8" : "application/octet-stream";
}

}  // namespace framegov::web
