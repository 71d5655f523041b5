// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/json_text.h"
#include "cli/command.h"
#include "cli/option_values.h"
#include "cli/service_link.h"
#include "cli/web/gate.h"
#include "cli/web/server.h"

namespace framegov::cli {

namespace {

constexpr const char* kFooter =
    R"(The page that root managers show, for a browser on the phone, or on a PC:
  adb forward tcp:8765 tcp:8765
It listens on 127.0.0.1 only, and only those who have the printed address can use it. Ctrl-C ends it.
Examples:
  framegov web
  framegov web --port 8765
Exit codes: 0 ok, 1 failure, 2 wrong usage, 3 no page where it was looked for.)";

struct WebArguments {
  web::ServerSettings server;
  std::string socket;
  std::string config;
  bool json = false;
};

/// The module's own page lies beside the folder of this program.
std::filesystem::path usual_webroot() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  return program.parent_path().parent_path() / "webroot";
}

/// Commands that read the configuration read the one that the page was started with.
std::vector<std::string> with_config(std::vector<std::string> words, const std::string& config) {
  const bool reads = words.front() == "doctor" || words.front() == "ab" ||
                     (words.front() == "profile" && words.at(1) != "schema");
  if (!config.empty() && reads) {
    words.insert(words.end(), {"--config", config});
  }
  return words;
}

Status serve(WebArguments& arguments) {
  FRAMEGOV_TRY(arguments.server.token, web::make_token());
  ::setenv("FRAMEGOV_SOCKET", arguments.socket.c_str(), 1);
  const auto run = [&](const std::vector<std::string>& words) {
    return web::run_words(with_config(words, arguments.config));
  };
  return web::serve(arguments.server, run, [&](int port) {
    const std::string url =
        "http://127.0.0.1:" + std::to_string(port) + "/#token=" + arguments.server.token;
    if (arguments.json) {
      const nlohmann::ordered_json json = {
          {"url", url}, {"port", port}, {"token", arguments.server.token}};
      std::cout << json_line(json) << std::endl;  // at once: the page is served until it is ended
    } else {
      std::cout << url << std::endl;
    }
  });
}

}  // namespace

void register_web(CLI::App& app, CommandResult& result) {
  auto* command = app.add_subcommand("web", "Serve the page on this device, for a browser");
  auto arguments = std::make_shared<WebArguments>();
  arguments->server.webroot = usual_webroot();
  arguments->socket = kDefaultControlSocket;
  command->add_option("--port", arguments->server.port, "Port of 127.0.0.1; 0: a free one")
      ->check(number_between(0, 65535))
      ->capture_default_str();
  command->add_option("--webroot", arguments->server.webroot, "Folder of the page")
      ->type_name("DIR");
  command->add_option("--config", arguments->config, "The service's YAML file")->type_name("FILE");
  command->add_option("--socket", arguments->socket, "The service's control socket")
      ->type_name("NAME")
      ->capture_default_str()
      ->envname("FRAMEGOV_SOCKET");
  command->add_flag("--json", arguments->json, "Print the address as JSON, on one line");
  command->footer(kFooter);
  command->callback([arguments, &result] {
    if (const Status served = serve(*arguments); !served) {
      report(result, served.error());
    }
  });
}

}  // namespace framegov::cli
