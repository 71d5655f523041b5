// SPDX-License-Identifier: Apache-2.0
#include "probes/locate/site_cache.h"

#include <unistd.h>

#include <array>
#include <optional>
#include <sstream>

#include "base/file.h"
#include "base/output_file.h"
#include "base/yaml/load_yaml.h"
#include "probes/locate/elf_image.h"
#include "probes/locate/hex.h"
#include "probes/locate/library_file.h"

namespace framegov {

namespace {

constexpr std::size_t kMaxCacheFile = std::size_t{1} << 20U;
constexpr int kLastRegister = 30;

/// What an answer depends on.
struct CacheKey {
  std::string sha1;
  std::uint64_t size{};
  std::string table;

  [[nodiscard]] std::string text() const {
    return "locator " + std::to_string(kLocatorVersion) + " size " + std::to_string(size) +
           " sha1 " + sha1 + " table " + table;
  }
};

template <class Enum, std::size_t N>
Enum from_name(const std::string& name, const std::array<Enum, N>& all) {
  for (const Enum value : all) {
    if (name_of(value) == name) {
      return value;
    }
  }
  throw YAML::Exception(YAML::Mark::null_mark(), "unknown name " + name);
}

constexpr std::array kKinds = {
    SiteKind::kFrameInfo,  SiteKind::kQueueBuffer,   SiteKind::kDequeueBuffer,
    SiteKind::kFrameStart, SiteKind::kFrameFinished, SiteKind::kFrameDraw,
    SiteKind::kRenderTask, SiteKind::kHintSession,   SiteKind::kHintTarget};
constexpr std::array kMethods = {LocateMethod::kJniTable, LocateMethod::kMiniDebugInfo,
                                 LocateMethod::kSymbolTable, LocateMethod::kDynamicSymbol,
                                 LocateMethod::kTable};
constexpr std::array kArchitectures = {Architecture::kArm64, Architecture::kX86_64};

YAML::Node to_yaml(const ProbeSite& site) {
  YAML::Node node;
  node["kind"] = std::string(name_of(site.kind));
  node["method"] = std::string(name_of(site.method));
  node["symbol"] = site.symbol;
  node["function"] = site.function;
  node["call"] = site.call;
  node["return"] = site.return_offset;
  node["function_past_hints"] = site.function_past_hints;
  node["register"] = site.destination_register;
  node["confidence"] = site.confidence;
  return node;
}

ProbeSite site_from_yaml(const YAML::Node& node) {
  ProbeSite site;
  site.kind = from_name(node["kind"].as<std::string>(), kKinds);
  site.method = from_name(node["method"].as<std::string>(), kMethods);
  site.symbol = node["symbol"].as<std::string>();
  site.function = node["function"].as<std::uint64_t>();
  site.call = node["call"].as<std::uint64_t>();
  site.return_offset = node["return"].as<std::uint64_t>();
  site.function_past_hints = node["function_past_hints"].as<std::uint64_t>();
  site.destination_register = node["register"].as<int>();
  site.confidence = node["confidence"].as<double>();
  return site;
}

/// A probe goes where the cache says: only what a search can have found is taken from it.
bool can_be(const ProbeSite& site, std::uint64_t size) {
  const bool inside = site.function < size && site.call < size && site.return_offset < size &&
                      site.function_past_hints < size;
  const bool ordered = site.kind != SiteKind::kFrameInfo || site.call < site.return_offset;
  return inside && ordered && site.destination_register >= 0 &&
         site.destination_register <= kLastRegister && site.confidence >= 0 && site.confidence <= 1;
}

std::optional<LibrarySites> read_cached(const std::filesystem::path& file, const CacheKey& key) {
  const auto text = read_file(file, {}, kMaxCacheFile);
  if (!text) {
    return std::nullopt;
  }
  try {
    const YAML::Node root = load_yaml(*text).value_or(YAML::Node());
    if (root["key"].as<std::string>() != key.text()) {
      return std::nullopt;
    }
    LibrarySites library;
    library.sha1 = key.sha1;
    library.build_id = root["build_id"].as<std::string>();
    library.architecture = from_name(root["arch"].as<std::string>(), kArchitectures);
    for (const YAML::Node& node : root["sites"]) {
      library.sites.push_back(site_from_yaml(node));
      if (!can_be(library.sites.back(), key.size)) {
        return std::nullopt;
      }
    }
    library.notes = root["notes"].as<std::vector<std::string>>();
    // A file cut in the middle of its sites still parses; its end mark is then missing.
    return root["complete"].as<bool>() ? std::optional(std::move(library)) : std::nullopt;
  } catch (const YAML::Exception&) {
    return std::nullopt;
  }
}

/// Written beside and renamed: whoever reads sees the old file or the whole new one.
bool write_cached(const std::filesystem::path& file, const CacheKey& key,
                  const LibrarySites& library) {
  YAML::Node root;
  root["key"] = key.text();
  root["build_id"] = library.build_id;
  root["arch"] = std::string(name_of(library.architecture));
  root["sites"] = YAML::Node(YAML::NodeType::Sequence);
  for (const ProbeSite& site : library.sites) {
    root["sites"].push_back(to_yaml(site));
  }
  root["notes"] = library.notes;
  root["complete"] = true;

  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  std::filesystem::path next = file;
  next += ".new" + std::to_string(::getpid());
  std::ostringstream text;
  text << root << '\n';
  const bool written = write_output_file(next, text.str()).has_value();
  if (written) {
    std::filesystem::rename(next, file, error);
  }
  if (!written || error) {
    std::error_code ignored;
    std::filesystem::remove(next, ignored);
    return false;
  }
  return true;
}

}  // namespace

Result<LibrarySites> locate_cached(const std::filesystem::path& path,
                                   const std::filesystem::path& cache_dir,
                                   const LocateOptions& options) {
  const auto bytes = read_library(path);
  if (!bytes) {
    return fail(bytes.error().code, path.string() + ": " + bytes.error().message,
                bytes.error().hint);
  }
  const ByteView file(*bytes);
  const CacheKey key{sha1_hex(file), file.size(), options.table.fingerprint()};
  const auto image = ElfImage::parse(file);
  const bool has_build_id = image && !image->build_id().empty();
  const auto cache_file = cache_dir / ((has_build_id ? image->build_id() : key.sha1) + ".yaml");
  if (auto cached = read_cached(cache_file, key)) {
    cached->library = path.string();
    return *std::move(cached);
  }
  auto found = locate_bytes(file, path.string(), options);
  if (found && !write_cached(cache_file, key, *found)) {
    found->notes.push_back("the answer could not be cached in " + cache_dir.string());
  }
  return found;
}

}  // namespace framegov
