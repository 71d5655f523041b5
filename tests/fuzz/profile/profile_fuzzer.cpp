// SPDX-License-Identifier: Apache-2.0
// The owner's file of an app's profile, and a change to it as the page sends it: any bytes, cut at
// the first empty line. The first part is read as somebody else's profile too (`profile add`).
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/option_values.h"
#include "cli/own_profile.h"
#include "config/load.h"
#include "tests/fuzz/invariants.h"
#include "tests/fuzz/memory_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace framegov;
  using namespace framegov::fuzz;
  static const MemoryFolder kFolder;
  const std::string_view text = text_of(data, size);
  const std::size_t cut = std::min(text.find("\n\n"), text.size());
  std::ofstream(kFolder.path() / cli::OwnProfile::file_name("com.a"),
                std::ios::binary | std::ios::trunc)
      << text.substr(0, cut) << '\n';
  const auto shared = cli::OwnProfile::shared(std::string(text.substr(0, cut)), "shared");
  if (!shared) {
    need_one_line(shared.error().to_string());
  } else {
    need(cli::is_package_name(shared->package()), "a shared profile is of a package");
    need(!shared->to_json().is_null(), "a shared profile says something");
  }
  auto profile = cli::OwnProfile::load(kFolder.path(), "com.a");
  if (!profile) {
    need_one_line(profile.error().to_string());
    return 0;
  }
  static_cast<void>(profile->to_json());
  const auto patch = nlohmann::json::parse(text.substr(cut), nullptr, false);
  if (!patch.is_object()) {
    return 0;
  }
  if (const Status merged = profile->merge(patch); !merged) {
    need_one_line(merged.error().to_string());
    return 0;
  }
  static_cast<void>(profile->is_empty());
  const auto draft =
      load_settings({}, ProfileDraft{cli::OwnProfile::file_name("com.a"), profile->to_yaml()});
  need(draft.has_value() || !draft.error().message.empty(), "an error says what is wrong");
  profile->clear();
  need(profile->to_json().is_null(), "what is taken away is gone");
  return 0;
}
