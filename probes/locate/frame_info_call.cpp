// SPDX-License-Identifier: Apache-2.0
#include "probes/locate/frame_info_call.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "probes/locate/hex.h"
#include "probes/locate/instruction_follower.h"

namespace framegov {

namespace {

// Real builds need at most 44 instructions to the call; unoptimised ones about twice as many.
constexpr int kMaxInstructions = 4096;
constexpr std::size_t kMaxPaths = 512;
constexpr std::size_t kMaxHelpers = 4;
constexpr std::uint64_t kMaxInstructionSize = 16;

/// How well a call through slot 204 fits `env->GetLongArrayRegion(frameInfo, 0, size, buffer)`.
enum class Fit { kNot, kPossible, kVerified };

struct Path {
  std::uint64_t address{};
  CallState state;
};

struct Candidate {
  std::uint64_t call{};
  std::uint64_t return_address{};
  Fit fit{};
};

/// Walks the paths of one function, nearest first.
class PathWalker {
 public:
  PathWalker(const ElfImage& image, InstructionFollower& follower)
      : image_(image), follower_(follower) {}

  void walk(std::uint64_t function, CallState state) {
    paths_.clear();
    seen_.clear();
    add_path(function, std::move(state));
    while (!paths_.empty() && instructions_ < kMaxInstructions) {
      Path path = std::move(paths_.front());
      paths_.pop_front();
      follow(std::move(path));
    }
  }

  [[nodiscard]] const std::vector<Candidate>& candidates() const { return candidates_; }
  [[nodiscard]] std::optional<std::uint64_t> tail_call() const { return tail_call_; }
  [[nodiscard]] bool exhausted() const { return instructions_ >= kMaxInstructions; }
  /// Functions called with the JNIEnv as their first argument.
  [[nodiscard]] const std::vector<Path>& helpers() const { return helpers_; }

 private:
  void add_path(std::uint64_t address, CallState state);
  void follow(Path path);
  [[nodiscard]] Fit fit_of(const CallState& state) const;
  void add_candidate(std::uint64_t call, std::uint64_t size, Fit fit);

  const ElfImage& image_;
  InstructionFollower& follower_;
  std::deque<Path> paths_;
  std::vector<Path> seen_;  // beginnings of paths: a loop comes back to one with the same state
  std::vector<Candidate> candidates_;
  std::vector<Path> helpers_;
  std::optional<std::uint64_t> tail_call_;
  int instructions_ = 0;
};

void PathWalker::add_path(std::uint64_t address, CallState state) {
  if (seen_.size() >= kMaxPaths || !state.can_reach_method()) {
    return;
  }
  const auto known = [&](const Path& path) {
    return path.address == address && path.state == state;
  };
  if (std::any_of(seen_.begin(), seen_.end(), known)) {
    return;
  }
  seen_.push_back({address, state});
  paths_.push_back({address, std::move(state)});
}

Fit PathWalker::fit_of(const CallState& state) const {
  using Kind = AbstractValue::Kind;
  const auto argument = [&](int n) { return state.at(follower_.argument_register(n)); };
  if (!argument(0).is_env()) {
    return Fit::kNot;
  }
  const AbstractValue array = argument(1);
  const AbstractValue start = argument(2);
  const AbstractValue size = argument(3);
  const bool array_known = !array.is(Kind::kUnknown);
  const bool size_known = !size.is(Kind::kUnknown);
  const bool array_fits = array.is_argument(3);
  // After the size check a compiler may pass the number it was compared with.
  const bool size_fits = size.is_argument(4) || (size.is(Kind::kConstant) && size.number > 0);
  if ((array_known && !array_fits) || (size_known && !size_fits) ||
      (start.is(Kind::kConstant) && start.number != 0)) {
    return Fit::kNot;
  }
  return array_fits && size_fits ? Fit::kVerified : Fit::kPossible;
}

void PathWalker::add_candidate(std::uint64_t call, std::uint64_t size, Fit fit) {
  const auto same =
      std::find_if(candidates_.begin(), candidates_.end(),
                   [&](const Candidate& candidate) { return candidate.call == call; });
  if (same == candidates_.end()) {
    candidates_.push_back({call, call + size, fit});
  } else {
    same->fit = std::max(same->fit, fit);
  }
}

void PathWalker::follow(Path path) {
  auto& [address, state] = path;
  while (instructions_++ < kMaxInstructions && state.can_reach_method()) {
    const ByteView code = image_.code_at(address, kMaxInstructionSize);
    if (code.empty()) {
      return;
    }
    const Step step = follower_.step(code, address, state);
    const std::uint64_t next = address + step.size;
    const bool to_method = step.callee.is(AbstractValue::Kind::kMethod);
    switch (step.flow) {
      case Step::Flow::kNext:
        break;
      case Step::Flow::kBranch:
        add_path(step.target, state);
        break;
      case Step::Flow::kJump:
        add_path(step.target, std::move(state));
        return;
      case Step::Flow::kCall:
        if (state.at(follower_.argument_register(0)).is_env() && helpers_.size() < kMaxHelpers) {
          helpers_.push_back({step.target, state});
          follower_.enter_call(helpers_.back().state);
        }
        follower_.after_call(state);
        break;
      case Step::Flow::kIndirectCall:
        if (const Fit fit = to_method ? fit_of(state) : Fit::kNot; fit != Fit::kNot) {
          add_candidate(address, step.size, fit);
          if (fit == Fit::kVerified) {
            return;
          }
        }
        follower_.after_call(state);
        break;
      case Step::Flow::kIndirectJump:
        if (to_method && fit_of(state) != Fit::kNot) {
          tail_call_ = address;
        }
        return;
      case Step::Flow::kEnd:
        return;
    }
    address = next;
  }
}

Result<FrameInfoCall> choose(std::vector<Candidate> candidates, bool in_helper) {
  const bool verified = std::any_of(candidates.begin(), candidates.end(),
                                    [](const Candidate& c) { return c.fit == Fit::kVerified; });
  std::erase_if(candidates,
                [&](const Candidate& c) { return verified && c.fit != Fit::kVerified; });
  if (candidates.size() > 1) {
    return fail(ExitCode::kBadInput, "it calls GetLongArrayRegion in " +
                                         std::to_string(candidates.size()) + " places, at " +
                                         hex_number(candidates[0].call) + " and " +
                                         hex_number(candidates[1].call));
  }
  return FrameInfoCall{candidates[0].call, candidates[0].return_address, verified, in_helper};
}

std::unique_ptr<InstructionFollower> make_follower(Architecture architecture) {
  return architecture == Architecture::kArm64 ? make_arm64_follower() : make_x86_64_follower();
}

}  // namespace

Result<FrameInfoCall> find_frame_info_call(const ElfImage& image, std::uint64_t function) {
  const auto follower = make_follower(image.architecture());
  if (follower == nullptr) {
    return fail(ExitCode::kUnsupported, "the disassembler does not know this architecture");
  }
  PathWalker walker(image, *follower);
  walker.walk(function, follower->entry_state());
  if (!walker.candidates().empty()) {
    return choose(walker.candidates(), false);
  }
  if (walker.tail_call()) {
    return fail(ExitCode::kBadInput, "it leaves through GetLongArrayRegion at " +
                                         hex_number(*walker.tail_call()) + " and never comes back");
  }
  // Without inlining, the call is in JNIEnv's own wrapper.
  PathWalker inner(image, *follower);
  for (const Path& helper : walker.helpers()) {
    inner.walk(helper.address, helper.state);
  }
  std::vector<Candidate> found = inner.candidates();
  std::erase_if(found, [](const Candidate& c) { return c.fit != Fit::kVerified; });
  if (!found.empty()) {
    return choose(std::move(found), true);
  }
  return fail(ExitCode::kBadInput,
              walker.exhausted()
                  ? "it is too long: no call through JNIEnv slot 204 in " +
                        std::to_string(kMaxInstructions) + " instructions"
                  : std::string("it has no call through JNIEnv slot 204 (GetLongArrayRegion)"));
}

std::uint64_t past_hints(const ElfImage& image, std::uint64_t address) {
  constexpr std::uint32_t kHintMask = 0xfffff01f;
  constexpr std::uint32_t kNop = 0xd503201f;
  if (image.architecture() != Architecture::kArm64) {
    return address;
  }
  constexpr int kMaxHints = 4;
  for (int i = 0; i < kMaxHints; ++i) {
    const auto word = image.code_at(address, sizeof(std::uint32_t)).read<std::uint32_t>(0);
    if (!word || (*word & kHintMask) != kNop || *word == kNop) {
      return address;
    }
    address += sizeof(std::uint32_t);
  }
  return address;
}

}  // namespace framegov
