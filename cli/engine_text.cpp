// SPDX-License-Identifier: Apache-2.0
#include "cli/engine_text.h"

#include <nlohmann/json.hpp>

#include "cli/json_read.h"

namespace framegov::cli {

namespace {

using Json = nlohmann::json;

std::string state_words(const Json& engine, const OwnerTexts& texts) {
  const std::string state = text_in(engine, "state");
  if (state == "there") {
    return texts.text("cli_noSwitch");
  }
  return texts.text(engine.value("by_framegov", false) ? "cli_offByUs" : "cli_" + state);
}

}  // namespace

Json engines_json(const ServiceSettings& settings) {
  const EngineRoots roots(settings);
  const SavedEngines saved = look_at_saved_engines(roots, settings.state_dir);
  Json engines = Json::array();
  for (const FoundEngine& found : find_engines(roots)) {
    Json switches = Json::array();
    for (const EngineSwitch& each : found.switches) {
      switches.push_back({{"node", each.path}, {"value", std::string(1, each.value)}});
    }
    engines.push_back(
        {{"name", found.engine->name},
         {"whose", found.engine->whose},
         {"state", name_of(found.state())},
         {"by_framegov", found.state() == EngineState::kOff && saved.has(*found.engine)},
         {"marks", found.marks},
         {"switches", switches},
         {"asks", found.engine->asks}});
  }
  return engines;
}

std::string engine_sentence(const Json& engine, const OwnerTexts& texts) {
  const std::string name = text_in(engine, "name");
  const std::string translated = "engine_" + name;
  return name + ": " + state_words(engine, texts) + " (" + text_in(engine, "whose") + "). " +
         (texts.has(translated) ? texts.text(translated) : text_in(engine, "asks"));
}

std::string engine_text(const Json& engine, const OwnerTexts& texts) {
  std::string text = engine_sentence(engine, texts) + "\n";
  for (const Json& mark : at(engine, "marks")) {
    text += "  " + mark.get<std::string>() + "\n";
  }
  for (const Json& each : at(engine, "switches")) {
    text += "  " + texts.text("cli_engineSwitch") + " " + text_in(each, "node") + " = " +
            text_in(each, "value") + "\n";
  }
  const bool put_back = engine.value("by_framegov", false);
  return put_back || text_in(engine, "state") == "on"
             ? text + "  -> framegov engine " + text_in(engine, "name") +
                   (put_back ? " on\n" : " off\n")
             : text;
}

}  // namespace framegov::cli
