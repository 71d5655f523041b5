// SPDX-License-Identifier: Apache-2.0
#include "sim/import/atrace.h"

#include <charconv>
#include <functional>

#include "base/text.h"

namespace framegov::sim {

namespace {

std::int64_t leading_number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// The part up to the next '|', which is dropped from `rest` with it.
std::string_view cut(std::string_view& rest) {
  const std::size_t bar = rest.find('|');
  const std::string_view part = rest.substr(0, bar);
  rest.remove_prefix(bar == std::string_view::npos ? rest.size() : bar + 1);
  return part;
}

/// True for `name` alone or `name` and a token: "Choreographer#doFrame 191058"; the first of an app
/// that starts is "Choreographer#doFrame -1". What Android 14 adds inside the slice
/// ("Choreographer#doFrame - resynced to 12 in 3.4ms") is another name.
bool is_token_name(std::string_view text, std::string_view name, std::int64_t& token) {
  if (!text.starts_with(name)) {
    return false;
  }
  text.remove_prefix(name.size());
  if (text.empty()) {
    return true;
  }
  if (text == " -1") {
    token = kNoVsyncId;
    return true;
  }
  if (text.size() < 2 || text[0] != ' ' || !is_digit(text[1])) {
    return false;
  }
  token = leading_number(text.substr(1));
  return true;
}

/// True for "NAME: SLOT", which names a buffer of a surface; `token` tells its name from others.
bool is_buffer_name(std::string_view text, std::int64_t& token) {
  const std::size_t space = text.find_last_not_of("0123456789");
  if (space == std::string_view::npos || space + 1 == text.size() || space == 0 ||
      text.substr(space - 1, 2) != ": ") {
    return false;
  }
  token = static_cast<std::int64_t>(std::hash<std::string_view>{}(text.substr(0, space - 1)) | 1U);
  return true;
}

/// True for "NAME#0", which names a layer; `token` tells its name from others.
bool is_layer_name(std::string_view text, std::int64_t& token) {
  const std::size_t hash = text.find_last_not_of("0123456789");
  if (hash == std::string_view::npos || hash + 1 == text.size() || text[hash] != '#') {
    return false;
  }
  token = static_cast<std::int64_t>(std::hash<std::string_view>{}(text) | 1U);
  return true;
}

}  // namespace

AtraceName classify_name(std::string_view name, std::int64_t& token) {
  if (name.empty()) {
    return AtraceName::kOther;
  }
  if (is_buffer_name(name, token)) {
    return AtraceName::kBuffer;
  }
  switch (name[0]) {
    case 'C':
      return is_token_name(name, "Choreographer#doFrame", token) ? AtraceName::kDoFrame
                                                                 : AtraceName::kOther;
    case 'D':
      return is_token_name(name, "DrawFrames", token) || is_token_name(name, "DrawFrame", token)
                 ? AtraceName::kDrawFrame
                 : AtraceName::kOther;
    case 'p':
      return name == "prepareAndDraw" ? AtraceName::kOwnDraw : AtraceName::kOther;
    case 'q':
      return name == "queueBuffer" ? AtraceName::kQueueBuffer : AtraceName::kOther;
    case 'd':
      if (name == "dequeueBuffer") {
        return AtraceName::kDequeueBuffer;
      }
      return name.starts_with("deliverInputEvent") ? AtraceName::kDeliverInput : AtraceName::kOther;
    case 'V':
      if (name == "VSYNC-app") {
        return AtraceName::kVsyncApp;
      }
      return name == "VSYNC-sf" ? AtraceName::kVsyncSf : AtraceName::kOther;
    default:
      return AtraceName::kOther;
  }
}

std::optional<AtraceLine> parse_atrace(std::string_view text) {
  if (text.empty() || (text.size() > 1 && text[1] != '|')) {
    return std::nullopt;
  }
  AtraceLine line;
  std::string_view rest = text.substr(text.size() > 1 ? 2 : 1);
  switch (text[0]) {
    case 'E':
      line.phase = AtracePhase::kEnd;
      line.tgid = static_cast<std::int32_t>(leading_number(rest));
      return line;
    case 'B':
      line.phase = AtracePhase::kBegin;
      break;
    case 'S':
    case 'G':
      line.phase = AtracePhase::kAsyncBegin;
      break;
    case 'F':
    case 'H':
      line.phase = AtracePhase::kAsyncEnd;
      break;
    case 'C':
      line.phase = AtracePhase::kCounter;
      break;
    case 'I':
    case 'N':
      line.phase = AtracePhase::kInstant;
      break;
    default:
      return std::nullopt;
  }
  if (rest.empty()) {
    return std::nullopt;
  }
  line.tgid = static_cast<std::int32_t>(leading_number(cut(rest)));
  if (text[0] == 'G' || text[0] == 'H' || text[0] == 'N') {
    cut(rest);  // the track's name
  }
  if (line.phase == AtracePhase::kCounter) {
    const std::size_t bar = rest.rfind('|');  // a name may hold bars, a value may not
    if (bar == std::string_view::npos) {
      return std::nullopt;
    }
    line.value = leading_number(rest.substr(bar + 1));
    rest = rest.substr(0, bar);
  } else if (line.phase == AtracePhase::kAsyncBegin || line.phase == AtracePhase::kAsyncEnd) {
    rest = rest.substr(0, rest.rfind('|'));
  }
  line.name = classify_name(rest, line.token);
  if (line.phase == AtracePhase::kCounter && line.name == AtraceName::kOther &&
      is_layer_name(rest, line.token)) {
    line.name = AtraceName::kLayer;
  }
  return line;
}

}  // namespace framegov::sim
