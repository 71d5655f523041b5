// SPDX-License-Identifier: Apache-2.0
#include "probes/locate/frame_info_call.h"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "probes/locate/hex.h"
#include "probes/locate/instruction_follower.h"
#include "probes/locate/relocations.h"

namespace framegov {

namespace {

// Real builds need at most 44 instructions to the call; unoptimised ones about twice as many.
constexpr int kMaxInstructions = 4096;
constexpr std::size_t kMaxPaths = 512;
constexpr std::size_t kMaxDirectCalls = 4;
constexpr int kMaxSlotsRead = 2;  // each costs a pass over the relocations
constexpr std::uint64_t kMaxInstructionSize = 16;

/// How well a call fits `env->GetLongArrayRegion(frameInfo, 0, size, buffer)`.
enum class Fit { kNot, kPossible, kVerified };

/// What the arguments of the call are expected to be.
enum class Role {
  kFrameInfo,  ///< syncAndDrawFrame's environment, fourth and fifth arguments
  kWrapper,    ///< all five arguments of the function it stands in, handed on in place
};

struct Path {
  std::uint64_t address{};
  CallState state;
};

struct Candidate {
  std::uint64_t call{};
  std::uint64_t return_address{};
  Fit fit{};
};

struct DirectCall {
  Candidate site;
  std::uint64_t target{};
};

Fit fit_frame_info(const std::array<AbstractValue, 5>& arguments) {
  using Kind = AbstractValue::Kind;
  const auto& [env, array, start, size, buffer] = arguments;
  const bool array_fits = array.is_argument(3);
  // After the size check a compiler may pass the number it was compared with.
  const bool size_fits = size.is_argument(4) || (size.is(Kind::kConstant) && size.number > 0);
  if (!env.is_env() || (!array.is(Kind::kUnknown) && !array_fits) ||
      (!size.is(Kind::kUnknown) && !size_fits) ||
      (start.is(Kind::kConstant) && start.number != 0)) {
    return Fit::kNot;
  }
  return array_fits && size_fits ? Fit::kVerified : Fit::kPossible;
}

Fit fit_wrapper(const std::array<AbstractValue, 5>& arguments) {
  for (std::size_t n = 0; n < arguments.size(); ++n) {
    if (!arguments[n].is_argument(static_cast<std::int64_t>(n))) {
      return Fit::kNot;
    }
  }
  return Fit::kVerified;
}

/// Walks the paths of one function, nearest first.
class PathWalker {
 public:
  PathWalker(const ElfImage& image, InstructionFollower& follower, Role role)
      : image_(image), follower_(follower), role_(role) {}

  void walk(std::uint64_t function) {
    add_path(function, follower_.entry_state());
    while (!paths_.empty() && instructions_ < kMaxInstructions) {
      Path path = std::move(paths_.front());
      paths_.pop_front();
      follow(std::move(path));
    }
  }

  /// Calls through slot 204 that fit.
  [[nodiscard]] const std::vector<Candidate>& candidates() const { return candidates_; }
  /// Calls of functions with the arguments that GetLongArrayRegion would have.
  [[nodiscard]] const std::vector<DirectCall>& direct_calls() const { return direct_calls_; }
  /// Where the function is left through slot 204.
  [[nodiscard]] std::optional<std::uint64_t> tail_call() const { return tail_call_; }
  [[nodiscard]] bool exhausted() const { return instructions_ >= kMaxInstructions; }

 private:
  void add_path(std::uint64_t address, CallState state);
  void follow(Path&& path);
  /// True when the path may go on behind the call.
  [[nodiscard]] bool meet_call(const Step& step, const Candidate& site);
  [[nodiscard]] Fit fit_of(const CallState& state) const;
  /// The function that an address in the code or a GOT slot's relocation leads to.
  [[nodiscard]] std::optional<std::uint64_t> fixed_target(const AbstractValue& callee);

  const ElfImage& image_;
  InstructionFollower& follower_;
  Role role_;
  std::deque<Path> paths_;
  std::vector<Path> seen_;  // beginnings of paths: a loop comes back to one with the same state
  std::vector<Candidate> candidates_;
  std::vector<DirectCall> direct_calls_;
  std::optional<std::uint64_t> tail_call_;
  int instructions_ = 0;
  int slots_read_ = 0;
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

std::optional<std::uint64_t> PathWalker::fixed_target(const AbstractValue& callee) {
  const auto number = static_cast<std::uint64_t>(callee.number);
  if (callee.is(AbstractValue::Kind::kConstant)) {
    return number;
  }
  if (!callee.is(AbstractValue::Kind::kLoaded) || ++slots_read_ > kMaxSlotsRead) {
    return std::nullopt;
  }
  std::optional<std::uint64_t> target;
  const auto status =
      for_each_relocated_word(image_, [&](std::uint64_t address, std::uint64_t value) {
        if (address == number) {
          target = value;
        }
      });
  return status ? target : std::nullopt;
}

Fit PathWalker::fit_of(const CallState& state) const {
  std::array<AbstractValue, 5> arguments;
  for (int n = 0; n < 5; ++n) {
    arguments.at(static_cast<std::size_t>(n)) = state.at(follower_.argument_register(n));
  }
  return role_ == Role::kFrameInfo ? fit_frame_info(arguments) : fit_wrapper(arguments);
}

bool PathWalker::meet_call(const Step& step, const Candidate& site) {
  if (step.callee.is(AbstractValue::Kind::kMethod)) {
    const auto same = std::find_if(candidates_.begin(), candidates_.end(),
                                   [&](const Candidate& c) { return c.call == site.call; });
    if (site.fit != Fit::kNot && same == candidates_.end()) {
      candidates_.push_back(site);
    } else if (same != candidates_.end()) {
      same->fit = std::max(same->fit, site.fit);
    }
    return site.fit != Fit::kVerified;
  }
  const bool known =
      std::any_of(direct_calls_.begin(), direct_calls_.end(),
                  [&](const DirectCall& call) { return call.site.call == site.call; });
  if (site.fit == Fit::kVerified && !known) {
    const auto target =
        step.flow == Step::Flow::kCall ? std::optional(step.target) : fixed_target(step.callee);
    if (target && direct_calls_.size() < kMaxDirectCalls) {
      direct_calls_.push_back({site, *target});
    }
  }
  return true;
}

void PathWalker::follow(Path&& path) {
  auto& [address, state] = path;
  while (instructions_++ < kMaxInstructions && state.can_reach_method()) {
    const ByteView code = image_.code_at(address, kMaxInstructionSize);
    if (code.empty()) {
      return;
    }
    const Step step = follower_.step(code, address, state);
    const std::uint64_t next = address + step.size;
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
      case Step::Flow::kIndirectCall:
        if (!meet_call(step, {address, next, fit_of(state)})) {
          return;
        }
        follower_.after_call(state);
        break;
      case Step::Flow::kIndirectJump:
        if (step.callee.is(AbstractValue::Kind::kMethod) && fit_of(state) != Fit::kNot) {
          tail_call_ = address;
        } else if (const auto target = fixed_target(step.callee)) {
          add_path(*target, std::move(state));
        }
        return;
      case Step::Flow::kEnd:
        return;
    }
    address = next;
  }
}

/// True when `function` does nothing but call through slot 204 with the arguments it was given.
bool is_wrapper(const ElfImage& image, InstructionFollower& follower, std::uint64_t function) {
  PathWalker walker(image, follower, Role::kWrapper);
  walker.walk(function);
  return !walker.candidates().empty() || walker.tail_call().has_value();
}

Result<FrameInfoCall> choose(std::vector<Candidate> candidates) {
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
  return FrameInfoCall{candidates[0].call, candidates[0].return_address, verified};
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
  PathWalker walker(image, *follower, Role::kFrameInfo);
  walker.walk(function);
  std::vector<Candidate> found = walker.candidates();
  for (const DirectCall& call : walker.direct_calls()) {
    if (is_wrapper(image, *follower, call.target)) {
      found.push_back(call.site);
    }
  }
  if (!found.empty()) {
    return choose(std::move(found));
  }
  if (walker.tail_call()) {
    return fail(ExitCode::kBadInput, "it leaves through GetLongArrayRegion at " +
                                         hex_number(*walker.tail_call()) + " and never comes back");
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
