// SPDX-License-Identifier: Apache-2.0
#include "base/yaml/load_yaml.h"

#include <yaml-cpp/eventhandler.h>

#include <cstddef>
#include <map>
#include <sstream>
#include <string_view>
#include <vector>

namespace framegov {

namespace {

constexpr std::size_t kMostGrowth = 8;
constexpr std::size_t kFreeBytes = std::size_t{1} << 20U;
/// What a node counts for besides its text; two letters can make two.
constexpr std::size_t kNodeBytes = 4;

/// Listens to a text before nodes are made of it. Counts what its nodes would be with every alias
/// followed, and stops at the second document: YAML::LoadAll never comes back from a comma where a
/// document ends, which it takes for the beginning of one more empty document (yaml-cpp 0.7).
class BoundsCheck final : public YAML::EventHandler {
 public:
  explicit BoundsCheck(std::string_view text)
      : text_(text), most_(kMostGrowth * text.size() + kFreeBytes) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    const auto at = static_cast<std::size_t>(mark.pos);
    if (mark.pos >= 0 && at < text_.size() && text_[at] == ',') {
      throw YAML::ParserException(mark, "',' is not expected here");
    }
    if (found_) {
      throw YAML::ParserException(mark, "only one YAML document is expected");
    }
    found_ = true;
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(mark, anchor, 0); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string& value) override {
    add(mark, anchor, value.size());
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto size = sizes_.find(anchor);
    if (size == sizes_.end()) {
      throw YAML::ParserException(mark, "an alias of what it stands in");
    }
    grow(mark, size->second);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

  [[nodiscard]] bool found() const { return found_; }

 private:
  struct Open {
    YAML::anchor_t anchor;
    std::size_t before;
  };

  void grow(const YAML::Mark& mark, std::size_t bytes) {
    bytes_ += bytes;  // both are at most most_
    if (bytes_ > most_) {
      throw YAML::ParserException(mark, "too large with its aliases followed");
    }
  }
  void add(const YAML::Mark& mark, YAML::anchor_t anchor, std::size_t text) {
    grow(mark, text + kNodeBytes);
    sizes_[anchor] = text + kNodeBytes;
  }
  void open(const YAML::Mark& mark, YAML::anchor_t anchor) {
    open_.push_back({anchor, bytes_});
    grow(mark, kNodeBytes);
  }
  void close() {
    sizes_[open_.back().anchor] = bytes_ - open_.back().before;
    open_.pop_back();
  }

  std::string_view text_;
  std::size_t most_;
  std::size_t bytes_ = 0;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, std::size_t> sizes_;  ///< of what is whole; 0 has those without anchor
  bool found_ = false;
};

}  // namespace

std::optional<YAML::Node> load_yaml(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  BoundsCheck bounds(text);
  while (parser.HandleNextDocument(bounds)) {
  }
  return bounds.found() ? std::optional(YAML::Load(text)) : std::nullopt;
}

}  // namespace framegov
