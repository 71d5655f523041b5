// SPDX-License-Identifier: Apache-2.0
#include "python/src/session.h"

#include <cstddef>
#include <utility>

#include "sim/plant/plant.h"

namespace framegov::python {

namespace py = pybind11;

namespace {
constexpr std::size_t kStackBytes = std::size_t{1} << 20U;
}

Fiber::Fiber(std::function<void()> work) : work_(std::move(work)), stack_(kStackBytes) {}

Fiber::~Fiber() {
  if (begun_ && !ended_) {
    unwinds_ = true;
    resume();
  }
}

void Fiber::enter(unsigned high, unsigned low) {
  // makecontext() hands over ints alone.
  auto* const fiber = reinterpret_cast<Fiber*>(std::uintptr_t{high} << 32U | std::uintptr_t{low});
  try {
    fiber->work_();
  } catch (const Unwind&) {
  } catch (...) {
    fiber->thrown_ = std::current_exception();
  }
  fiber->ended_ = true;
}

void Fiber::resume() {
  if (ended_) {
    return;
  }
  if (!begun_) {
    begun_ = true;
    getcontext(&inside_);
    inside_.uc_stack.ss_sp = stack_.data();
    inside_.uc_stack.ss_size = stack_.size();
    inside_.uc_link = &caller_;
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&inside_, reinterpret_cast<void (*)()>(&Fiber::enter), 2,
                static_cast<unsigned>(self >> 32U), static_cast<unsigned>(self));
  }
  swapcontext(&caller_, &inside_);
  if (thrown_) {
    std::rethrow_exception(std::exchange(thrown_, nullptr));
  }
}

void Fiber::stop() {
  swapcontext(&inside_, &caller_);
  if (unwinds_) {
    throw Unwind{};
  }
}

class Session::Run final : public Policy, public sim::PlantObserver {
 public:
  Run(const sim::ReplayInput& input, std::shared_ptr<const sim::ReplayDevice> device,
      const sim::ReplaySettings& settings)
      : device_(std::move(device)),
        scene_(input, *device_, settings.deadline, settings.world()),
        source_(scene_.open()),
        plan_(device_->topology.clusters.size()),
        shown_(std::make_shared<StepInput>()),
        plant_(device_->tables, device_->topology, settings.plant, *source_, *this),
        fiber_([this] { (void)plant_.run(this); }) {}

  bool advance(py::handle answer) {
    if (asks_) {
      take_answer(answer, device_->topology.clusters.size(), plan_);
    }
    asks_ = false;
    shown_->hide();
    fiber_.resume();
    return asks_;
  }

  [[nodiscard]] const FrequencyPlan& step(const PolicyInput& input) override {
    shown_->show(input);
    now_ = static_cast<double>(to_ns(input.now));
    if (plan_.wake_at <= input.now) {
      plan_.wake_at = {};
    }
    asks_ = true;
    fiber_.stop();
    return plan_.plan;
  }
  [[nodiscard]] Instant wake_at() const override { return plan_.wake_at; }
  [[nodiscard]] std::string_view name() const override { return "session"; }

  void on_frame(const sim::PipelineFrame& /*frame*/, sim::FrameVerdict verdict) override {
    ++frames_;
    missed_ += verdict.missed() ? 1U : 0U;
  }

  [[nodiscard]] const std::shared_ptr<StepInput>& shown() const { return shown_; }
  [[nodiscard]] double energy_mj() const { return plant_.energy_mj(now_); }
  [[nodiscard]] std::uint64_t frames() const { return frames_; }
  [[nodiscard]] std::uint64_t missed() const { return missed_; }

 private:
  std::shared_ptr<const sim::ReplayDevice> device_;
  sim::ReplayScene scene_;
  std::unique_ptr<sim::FittedSource> source_;
  StepPlan plan_;
  std::shared_ptr<StepInput> shown_;
  bool asks_ = false;
  double now_ = 0;
  std::uint64_t frames_ = 0;
  std::uint64_t missed_ = 0;
  sim::Plant plant_;
  Fiber fiber_;
};

Session::Session(const sim::ReplayInput& input, std::shared_ptr<const sim::ReplayDevice> device,
                 const sim::ReplaySettings& settings)
    : run_(std::make_unique<Run>(input, std::move(device), settings)) {}
Session::~Session() = default;
bool Session::advance(py::handle answer) { return run_->advance(answer); }
std::shared_ptr<StepInput> Session::input() const { return run_->shown(); }
double Session::energy_mj() const { return run_->energy_mj(); }
std::uint64_t Session::frames() const { return run_->frames(); }
std::uint64_t Session::missed() const { return run_->missed(); }

}  // namespace framegov::python
