// SPDX-License-Identifier: Apache-2.0
#include "cli/service_link.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

namespace framegov::cli {

ServiceLink::ServiceLink() : name_(std::make_shared<std::string>(kDefaultControlSocket)) {
  if (const char* given = std::getenv("FRAMEGOV_SOCKET"); given != nullptr && *given != '\0') {
    *name_ = given;
  }
}

ServiceLink::ServiceLink(CLI::App& command)
    : name_(std::make_shared<std::string>(kDefaultControlSocket)) {
  command.add_option("--socket", *name_, "The service's control socket (service.control_socket)")
      ->type_name("NAME")
      ->capture_default_str()
      ->envname("FRAMEGOV_SOCKET");
}

Result<ControlClient> ServiceLink::connect() const { return ControlClient::connect(*name_); }

Result<nlohmann::json> ServiceLink::ask(const nlohmann::json& request) const {
  FRAMEGOV_TRY(auto client, connect());
  return client.ask(request);
}

}  // namespace framegov::cli
