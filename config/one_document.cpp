// SPDX-License-Identifier: Apache-2.0
#include "config/one_document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <sstream>
#include <string_view>

namespace framegov {

namespace {

/// Listens to nothing but where documents begin.
class OneDocument final : public YAML::EventHandler {
 public:
  explicit OneDocument(std::string_view yaml) : yaml_(yaml) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    const auto at = static_cast<std::size_t>(mark.pos);
    if (mark.pos >= 0 && at < yaml_.size() && yaml_[at] == ',') {
      throw YAML::ParserException(mark, "',' is not expected here");
    }
    if (found_) {
      throw YAML::ParserException(mark, "only one YAML document is expected");
    }
    found_ = true;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

  [[nodiscard]] bool found() const { return found_; }

 private:
  std::string_view yaml_;
  bool found_ = false;
};

}  // namespace

bool holds_a_document(const std::string& yaml) {
  std::istringstream text(yaml);
  YAML::Parser parser(text);
  OneDocument documents(yaml);
  while (parser.HandleNextDocument(documents)) {
  }
  return documents.found();
}

}  // namespace framegov
