// SPDX-License-Identifier: Apache-2.0
#include "probes/locate/frame_info_finder.h"

#include <algorithm>

#include "probes/locate/frame_info_call.h"
#include "probes/locate/hex.h"
#include "probes/locate/jni_table.h"
#include "probes/locate/relocations.h"

namespace framegov {

namespace {

constexpr int kFifthArgument = 4;

// How far each method is trusted by itself, and what agreement or the lack of it makes of that.
constexpr double kVerifiedCall = 0.95;
constexpr double kUnverifiedCall = 0.8;
constexpr double kTableRow = 0.9;
constexpr double kAgreed = 0.99;
constexpr double kDisagreed = 0.4;

std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    text += (text.empty() ? "" : "; ") + part;
  }
  return text;
}

/// Asks the methods one after the other; the first that answers gives the site.
class Finder {
 public:
  explicit Finder(const ElfImage& image) : image_(image) {}

  void ask_jni_table();
  void ask_symbols(const SymbolFindings& symbols);
  void ask_table(const ProbeTable::Row* row);
  [[nodiscard]] FrameInfoAnswer answer();

 private:
  [[nodiscard]] Result<ProbeSite> decode(std::uint64_t function, LocateMethod method) const;
  void take(const ProbeSite& site, const std::string& how);
  void refuse(LocateMethod method, const std::string& why) {
    answer_.notes.push_back(std::string(name_of(method)) + ": not used: " + why);
  }

  const ElfImage& image_;
  FrameInfoAnswer answer_;
  bool agreed_ = false;
  bool disagreed_ = false;
};

Result<ProbeSite> Finder::decode(std::uint64_t function, LocateMethod method) const {
  const auto found = find_frame_info_call(image_, function);
  if (!found) {
    return fail(found.error().code, "the function at " + hex_number(function) +
                                        " cannot be used: " + found.error().message);
  }
  const auto function_offset = image_.code_offset_of(function);
  const auto call = image_.code_offset_of(found->call);
  const auto after = image_.code_offset_of(found->return_address);
  if (!function_offset || !call || !after) {
    return fail(ExitCode::kBadInput,
                "the function at " + hex_number(function) + " ends with the call");
  }
  ProbeSite site;
  site.kind = SiteKind::kFrameInfo;
  site.method = method;
  site.function = *function_offset;
  site.call = *call;
  site.return_offset = *after;
  site.function_past_hints = *function_offset + (past_hints(image_, function) - function);
  site.destination_register = kFifthArgument;
  site.confidence = found->arguments_verified ? kVerifiedCall : kUnverifiedCall;
  return site;
}

void Finder::take(const ProbeSite& site, const std::string& how) {
  std::string note = std::string(name_of(site.method)) + ": used: " + how;
  if (!answer_.site) {
    answer_.site = site;
    answer_.notes.push_back(std::move(note));
    return;
  }
  // A table's call may stand before the branch itself, and its return behind the next instruction.
  const ProbeSite& first = *answer_.site;
  const bool same = site.method == LocateMethod::kTable
                        ? site.call <= first.call && first.return_offset <= site.return_offset &&
                              site.destination_register == first.destination_register
                        : site.call == first.call;
  agreed_ = agreed_ || same;
  disagreed_ = disagreed_ || !same;
  note += same ? ": agrees" : ": DISAGREES: call at " + hex_number(site.call);
  answer_.notes.push_back(std::move(note));
}

void Finder::ask_jni_table() {
  const LocateMethod method = LocateMethod::kJniTable;
  const std::string encodings = relocation_encodings(image_);
  if (encodings.empty()) {
    answer_.why_not = "it has no dynamic relocations";
    refuse(method, answer_.why_not);
    return;
  }
  const auto rows = find_jni_rows(image_);
  if (!rows) {
    answer_.why_not = rows.error().message;
    refuse(method, answer_.why_not);
    return;
  }
  std::vector<std::string> reasons;
  std::vector<std::pair<JniRows::Row, ProbeSite>> found;
  for (const JniRows::Row& row : rows->usable) {
    if (auto site = decode(row.function, method)) {
      found.emplace_back(row, *site);
    } else {
      reasons.push_back(site.error().message);
    }
  }
  reasons.insert(reasons.end(), rows->refused.begin(), rows->refused.end());
  constexpr std::size_t kMaxReasons = 3;
  if (const std::size_t all = reasons.size() + rows->refused_count - rows->refused.size();
      all > kMaxReasons) {
    reasons.resize(kMaxReasons);
    reasons.push_back("and " + std::to_string(all - kMaxReasons) + " more");
  }
  const bool one_call = std::all_of(found.begin(), found.end(), [&](const auto& entry) {
    return entry.second.call == found.front().second.call;
  });
  if (!found.empty() && one_call) {
    take(found.front().second,
         "row at " + hex_number(found.front().first.address) + " in " + encodings + " relocations");
    return;
  }
  if (!found.empty()) {
    answer_.why_not = std::to_string(found.size()) + " different functions are registered as " +
                      "nSyncAndDrawFrame (J[JI)I, at " + hex_number(found[0].second.function) +
                      " and " + hex_number(found[1].second.function);
  } else if (rows->only_android5_signature) {
    answer_.why_not =
        "nSyncAndDrawFrame has Android 5's signature (JJJF)I, which passes no frame times";
  } else if (reasons.empty()) {
    answer_.why_not = "it registers no nSyncAndDrawFrame";
  } else {
    answer_.why_not = "nSyncAndDrawFrame: " + join(reasons);
  }
  refuse(method, answer_.why_not);
}

void Finder::ask_symbols(const SymbolFindings& symbols) {
  answer_.notes.insert(answer_.notes.end(), symbols.notes.begin(), symbols.notes.end());
  for (const NamedFunction& named : symbols.functions) {
    if (named.known.kind != SiteKind::kFrameInfo) {
      continue;
    }
    if (auto site = decode(named.address, named.method)) {
      site->symbol = named.symbol;
      take(*site, "symbol " + named.symbol);
    } else {
      refuse(named.method, site.error().message);
    }
  }
}

void Finder::ask_table(const ProbeTable::Row* row) {
  const LocateMethod method = LocateMethod::kTable;
  if (row == nullptr) {
    refuse(method, "no row for this library");
    return;
  }
  if (!image_.is_code_offset(row->call) || !image_.is_code_offset(row->return_offset)) {
    refuse(method, row->origin + " points outside of the code");
    return;
  }
  ProbeSite site;
  site.kind = SiteKind::kFrameInfo;
  site.method = method;
  site.call = row->call;
  site.return_offset = row->return_offset;
  site.destination_register = row->destination_register;
  site.confidence = kTableRow;
  take(site, row->origin);
}

FrameInfoAnswer Finder::answer() {
  if (answer_.site && disagreed_) {
    answer_.site->confidence = kDisagreed;
    answer_.notes.push_back(
        "the methods disagree: the first one's answer is given, and it may be wrong");
  } else if (answer_.site && agreed_) {
    answer_.site->confidence = std::max(answer_.site->confidence, kAgreed);
  }
  return std::move(answer_);
}

}  // namespace

FrameInfoAnswer find_frame_info(const ElfImage& image, const SymbolFindings& symbols,
                                const ProbeTable::Row* row) {
  Finder finder(image);
  finder.ask_jni_table();
  finder.ask_symbols(symbols);
  finder.ask_table(row);
  return finder.answer();
}

}  // namespace framegov
