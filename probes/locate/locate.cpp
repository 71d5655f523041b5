// SPDX-License-Identifier: Apache-2.0
#include "probes/locate/locate.h"

#include <algorithm>
#include <utility>

#include "probes/locate/elf_image.h"
#include "probes/locate/frame_info_call.h"
#include "probes/locate/frame_info_finder.h"
#include "probes/locate/hex.h"
#include "probes/locate/known_functions.h"
#include "probes/locate/library_file.h"

namespace framegov {

namespace {

constexpr double kLocalSymbol = 0.95;
constexpr double kExportedSymbol = 0.99;
constexpr double kSymbolsDisagree = 0.4;

/// These by themselves say when a frame begins or ends; the others only add to them.
bool is_useful_alone(SiteKind kind) {
  return kind != SiteKind::kFrameDraw && kind != SiteKind::kRenderTask;
}

ProbeSite to_site(const ElfImage& image, const NamedFunction& named) {
  ProbeSite site;
  site.kind = named.known.kind;
  site.method = named.method;
  site.symbol = named.symbol;
  site.function = image.code_offset_of(named.address).value_or(0);
  site.function_past_hints = site.function + (past_hints(image, named.address) - named.address);
  site.confidence = named.method == LocateMethod::kDynamicSymbol ? kExportedSymbol : kLocalSymbol;
  return site;
}

/// One site for each function; a name that stands in several symbol tables must mean one address.
void add_symbol_sites(const ElfImage& image, const SymbolFindings& symbols, LibrarySites& library) {
  for (const NamedFunction& named : symbols.functions) {
    if (named.known.kind == SiteKind::kFrameInfo) {
      continue;
    }
    const ProbeSite site = to_site(image, named);
    const auto same_name =
        std::find_if(library.sites.begin(), library.sites.end(),
                     [&](const ProbeSite& other) { return other.symbol == site.symbol; });
    if (same_name == library.sites.end()) {
      const bool known =
          std::any_of(library.sites.begin(), library.sites.end(), [&](const ProbeSite& other) {
            return other.kind == site.kind && other.function == site.function;
          });
      if (!known) {
        library.sites.push_back(site);
      }
    } else if (same_name->function == site.function) {
      same_name->confidence = std::max(same_name->confidence, site.confidence);
    } else {
      same_name->confidence = kSymbolsDisagree;
      library.notes.push_back(std::string(name_of(site.method)) + ": DISAGREES: " + site.symbol +
                              " at " + hex_number(site.function));
    }
  }
}

}  // namespace

Result<LibrarySites> locate_bytes(ByteView file, const std::string& name,
                                  const LocateOptions& options) {
  const auto image = ElfImage::parse(file);
  if (!image) {
    return fail(image.error().code, name + ": " + image.error().message);
  }
  LibrarySites library;
  library.library = name;
  library.sha1 = sha1_hex(file);
  library.build_id = image->build_id();
  library.architecture = image->architecture();

  const SymbolFindings symbols = find_known_functions(*image);
  const ProbeTable::Row* row = options.table.find(library.sha1, library.build_id);
  FrameInfoAnswer frame_info = find_frame_info(*image, symbols, row);
  library.notes = std::move(frame_info.notes);
  if (frame_info.site) {
    library.sites.push_back(*std::move(frame_info.site));
  }
  add_symbol_sites(*image, symbols, library);

  const bool useful = std::any_of(library.sites.begin(), library.sites.end(),
                                  [](const ProbeSite& site) { return is_useful_alone(site.kind); });
  if (!useful) {
    return fail(ExitCode::kBadInput,
                name + ": no probe site: " + frame_info.why_not +
                    (library.sites.empty() ? ", and none of the known functions has a symbol"
                                           : ", and draw and run alone do not show a frame's end"));
  }
  return library;
}

Result<LibrarySites> locate(const std::filesystem::path& path, const LocateOptions& options) {
  const auto bytes = read_library(path);
  if (!bytes) {
    return fail(bytes.error().code, path.string() + ": " + bytes.error().message,
                bytes.error().hint);
  }
  return locate_bytes(ByteView(*bytes), path.string(), options);
}

}  // namespace framegov
