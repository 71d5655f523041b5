// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/locate_output.h"
#include "probes/locate/locate.h"

namespace framegov::cli {

namespace {

struct LocateArguments {
  std::vector<std::string> libraries;
  std::vector<std::string> tables;
  bool json = false;
  bool yaml = false;
};

/// The shipped rows and, before them, the user's.
Result<LocateOptions> load_options(const std::vector<std::string>& tables) {
  auto table = ProbeTable::shipped();
  for (const std::string& path : tables) {
    FRAMEGOV_TRY(const auto user, ProbeTable::load(path));
    table->put_before(user);
  }
  return table.map([](ProbeTable& rows) { return LocateOptions{std::move(rows)}; });
}

void run(const LocateArguments& arguments, CommandResult& result) {
  const auto options = load_options(arguments.tables);
  if (!options) {
    report(result, options.error());
    return;
  }
  std::vector<LibrarySites> found;
  for (const std::string& path : arguments.libraries) {
    auto library = locate(path, *options);
    if (!library) {
      // One line for each library, whatever becomes of the others.
      report(result, Error{library.error().code, library.error().to_string(), ""});
      continue;
    }
    if (arguments.json) {
      found.push_back(*std::move(library));
    } else if (arguments.yaml) {
      std::cout << yaml_row(*library);
    } else {
      std::cout << (&path == &arguments.libraries.front() ? "" : "\n") << text(*library);
    }
  }
  if (arguments.json && !found.empty()) {
    std::cout << json(found, arguments.libraries.size() > 1) << '\n';
  }
}

}  // namespace

void register_locate(CLI::App& app, CommandResult& result) {
  auto arguments = std::make_shared<LocateArguments>();
  auto* command = app.add_subcommand("locate", "Find where frames can be probed in a library");
  command
      ->add_option("LIB", arguments->libraries,
                   "libhwui.so (Android 11 and later), libandroid_runtime.so (6 to 10), libgui.so")
      ->required();
  auto* as_json = command->add_flag("--json", arguments->json,
                                    "Print JSON: an object, or a list for several libraries");
  command->add_flag("--yaml", arguments->yaml, "Print a row for a table of probe sites")
      ->excludes(as_json);
  command
      ->add_option("--table", arguments->tables,
                   "YAML file with further probe sites; its rows come before the shipped ones")
      ->type_name("FILE");
  command->footer(
      "Examples:\n"
      "  framegov locate /system/lib64/libhwui.so\n"
      "  framegov locate libandroid_runtime.so libgui.so --json\n"
      "  (echo sites:; framegov locate libhwui.so --yaml) > my_sites.yaml\n"
      "  framegov locate libhwui.so --table my_sites.yaml\n"
      "\n"
      "Exit code 3, with one line that says why, when nothing in a library can be probed.");
  command->callback([arguments, &result] { run(*arguments, result); });
}

}  // namespace framegov::cli
