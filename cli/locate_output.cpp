// SPDX-License-Identifier: Apache-2.0
#include "cli/locate_output.h"

#include <algorithm>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/json_text.h"
#include "probes/locate/hex.h"

namespace framegov::cli {

namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson to_json(const ProbeSite& site) {
  OrderedJson object;
  object["kind"] = name_of(site.kind);
  if (site.kind == SiteKind::kFrameInfo) {
    object["method"] = name_of(site.method);
    // A table does not tell where the function begins.
    object["function"] =
        site.function == 0 ? OrderedJson() : OrderedJson(hex_number(site.function));
    object["call"] = hex_number(site.call);
    object["return"] = hex_number(site.return_offset);
    object["register"] = site.destination_register;
    object["confidence"] = site.confidence;
  } else {
    object["symbol"] = site.symbol;
    object["function"] = hex_number(site.function);
  }
  return object;
}

OrderedJson to_json(const LibrarySites& library) {
  OrderedJson object;
  object["library"] = library.library;
  object["sha1"] = library.sha1;
  object["build_id"] = library.build_id;
  object["arch"] = name_of(library.architecture);
  object["sites"] = OrderedJson::array();
  for (const ProbeSite& site : library.sites) {
    object["sites"].push_back(to_json(site));
  }
  object["notes"] = library.notes;
  return object;
}

std::string where(const ProbeSite& site) {
  if (site.kind != SiteKind::kFrameInfo) {
    return hex_number(site.function);
  }
  const std::string function = site.function == 0 ? "" : ", function " + hex_number(site.function);
  return hex_number(site.call) + ", return " + hex_number(site.return_offset) + ", buffer in " +
         "argument register " + std::to_string(site.destination_register) + function;
}

}  // namespace

std::string json(const std::vector<LibrarySites>& libraries, bool as_list) {
  OrderedJson list = OrderedJson::array();
  for (const LibrarySites& library : libraries) {
    list.push_back(to_json(library));
  }
  return json_text(as_list ? list : list.front());
}

std::string yaml_row(const LibrarySites& library) {
  std::ostringstream out;
  const auto site = std::find_if(library.sites.begin(), library.sites.end(),
                                 [](const ProbeSite& s) { return s.kind == SiteKind::kFrameInfo; });
  if (site == library.sites.end()) {
    out << "# " << library.library << " has no frame-info site\n";
    return out.str();
  }
  out << "  # " << library.library << ", " << name_of(library.architecture) << ", by "
      << name_of(site->method) << '\n'
      << "  - sha1: " << library.sha1 << '\n';
  if (!library.build_id.empty()) {
    out << "    build_id: " << library.build_id << '\n';
  }
  out << "    call: " << hex_number(site->call) << '\n'
      << "    register: " << site->destination_register << '\n'
      << "    return: " << hex_number(site->return_offset) << '\n';
  return out.str();
}

std::string text(const LibrarySites& library) {
  constexpr int kKindWidth = 16;
  constexpr int kMethodWidth = 17;
  std::ostringstream out;
  out << library.library << " (" << name_of(library.architecture) << ")\n"
      << "  sha1      " << library.sha1 << '\n'
      << "  build id  " << (library.build_id.empty() ? "none" : library.build_id) << '\n';
  for (const ProbeSite& site : library.sites) {
    out << "  " << std::left << std::setw(kKindWidth) << name_of(site.kind)
        << std::setw(kMethodWidth) << name_of(site.method) << std::fixed << std::setprecision(2)
        << site.confidence << "  " << where(site) << '\n';
    if (!site.symbol.empty()) {
      out << "  " << std::setw(kKindWidth) << "" << site.symbol << '\n';
    }
  }
  for (const std::string& note : library.notes) {
    out << "  note      " << note << '\n';
  }
  return out.str();
}

}  // namespace framegov::cli
