// SPDX-License-Identifier: Apache-2.0
#include "python/src/step_objects.h"

#include <pybind11/stl.h>

#include <span>
#include <string>
#include <vector>

namespace framegov::python {

namespace py = pybind11;

namespace {

Frequency limit(std::int64_t khz) {
  if (khz < 0) {
    throw py::value_error("a limit of " + std::to_string(khz) + " kHz: it is 0 (none) or more");
  }
  return Frequency{khz};
}

ClusterPlan& cluster_of(StepPlan& plan, std::size_t cluster) {
  if (cluster >= plan.plan.clusters.size()) {
    throw py::index_error("no cluster " + std::to_string(cluster) + ": the phone has " +
                          std::to_string(plan.plan.clusters.size()));
  }
  return plan.plan.clusters[cluster];
}

void add_step(StepPlan& plan, std::int64_t after_ns, std::size_t cluster, std::int64_t cap,
              std::int64_t floor) {
  (void)cluster_of(plan, cluster);
  auto& steps = plan.plan.steps;
  if (steps.size() == kMaxPlanSteps) {
    throw py::value_error("a plan has at most " + std::to_string(kMaxPlanSteps) + " steps");
  }
  if (after_ns < 0 || (!steps.empty() && Duration{after_ns} < steps.back().after)) {
    throw py::value_error("steps of a plan ascend in time");
  }
  steps.push_back(
      {Duration{after_ns}, static_cast<std::uint8_t>(cluster), {limit(cap), limit(floor)}});
}

void set_thread(StepPlan& plan, std::size_t thread, const std::vector<std::size_t>& clusters,
                double floor_hz, double cap_hz) {
  if (thread > kRenderThread) {
    throw py::index_error("thread is 0 (UI thread) or 1 (RenderThread)");
  }
  ThreadPlan wanted;
  for (const std::size_t cluster : clusters) {
    (void)cluster_of(plan, cluster);
    wanted.clusters = static_cast<std::uint8_t>(wanted.clusters | 1U << cluster);
  }
  wanted.floor = Speed{floor_hz};
  wanted.cap = Speed{cap_hz};
  auto& threads = plan.plan.threads;
  if (threads.size() <= thread) {
    threads.resize(thread + 1);
  }
  threads[thread] = wanted;
}

template <class Value>
py::tuple each_limit(std::span<const ClusterLimits> limits, Value value) {
  py::tuple all(limits.size());
  for (std::size_t c = 0; c < limits.size(); ++c) {
    all[c] = py::int_(value(limits[c]).count());
  }
  return all;
}

void bind_input(py::module_& module) {
  py::class_<StepInput, std::shared_ptr<StepInput>>(
      module, "Input", R"(What a policy may look at in one step (policy/policy.h).

Valid only while ``step()`` runs; reading it later raises RuntimeError. Times are ns on the run's
clock, frequencies kHz.)")
      .def_property_readonly(
          "event", [](const StepInput& self) { return static_cast<int>(self.get().event); },
          "int: what has happened, one of ``framegov.Event``.")
      .def_property_readonly(
          "now_ns", [](const StepInput& self) { return to_ns(self.get().now); }, "int: when, ns.")
      .def_property_readonly(
          "app", [](const StepInput& self) { return static_cast<std::uint32_t>(self.get().app); },
          "int: the app on top; 0 where it is not known.")
      .def_property_readonly(
          "frame",
          [](const StepInput& self) -> py::object {
            return self.get().frame == nullptr ? py::none() : self.frame_object;
          },
          "Frame: the one that has ended, with FRAME_END; else None.")
      .def_property_readonly(
          "start_ns",
          [](const StepInput& self) {
            const FrameStart* start = self.get().start;
            return start == nullptr ? 0 : to_ns(start->at);
          },
          "int: with FRAME_START when the frame began, ns; else 0.")
      .def_property_readonly(
          "current_khz",
          [](const StepInput& self) {
            const auto current = self.get().current;
            py::tuple all(current.size());
            for (std::size_t c = 0; c < current.size(); ++c) {
              all[c] = py::int_(current[c].count());
            }
            return all;
          },
          "tuple of int, one for each cluster: its frequency now, kHz.")
      .def_property_readonly(
          "min_khz",
          [](const StepInput& self) {
            return each_limit(self.get().limits, [](const auto& limits) { return limits.min; });
          },
          "tuple of int, one for each cluster: the least that others leave, kHz.")
      .def_property_readonly(
          "max_khz",
          [](const StepInput& self) {
            return each_limit(self.get().limits, [](const auto& limits) { return limits.max; });
          },
          "tuple of int, one for each cluster: the most that others leave, kHz.")
      .def_property_readonly(
          "write_lag_ns", [](const StepInput& self) { return self.get().write_lag.count(); },
          "int: from a plan until it is in force, ns.");
}

void bind_frame(py::module_& module) {
  const auto ns = [](auto member) {
    return [member](const StepFrame& self) { return to_ns(self.get().*member); };
  };
  const auto duration = [](auto member) {
    return [member](const StepFrame& self) { return (self.get().*member).count(); };
  };
  py::class_<StepFrame, std::shared_ptr<StepFrame>>(
      module, "Frame", R"(A frame that has ended, as the probes tell it (base/frame.h).

Valid only while ``step()`` runs. Unknown times are 0. With the world's noise: what the service
would see.)")
      .def_property_readonly("vsync_ns", ns(&Frame::vsync), "int: its vsync, ns.")
      .def_property_readonly("start_ns", ns(&Frame::start), "int: the UI thread began, ns.")
      .def_property_readonly("ui_done_ns", ns(&Frame::ui_done), "int: it handed over, ns.")
      .def_property_readonly("ready_ns", ns(&Frame::ready), "int: its content was ready, ns.")
      .def_property_readonly("deadline_ns", ns(&Frame::deadline), "int: when it had to be, ns.")
      .def_property_readonly("interval_ns", duration(&Frame::interval),
                             "int: refresh interval, ns.")
      .def_property_readonly("blocked_ns", duration(&Frame::blocked),
                             "int: time blocked on a free buffer, ns.")
      .def_property_readonly("ui_cpu_ns", duration(&Frame::ui_cpu_time),
                             "int: CPU time of the UI thread, ns.")
      .def_property_readonly("render_cpu_ns", duration(&Frame::render_cpu_time),
                             "int: CPU time of RenderThread, ns.")
      .def_property_readonly(
          "generation_ns",
          [](const StepFrame& self) { return self.get().generation_time().count(); },
          "int: from its vsync until it was ready, ns.")
      .def_property_readonly(
          "budget_ns", [](const StepFrame& self) { return self.get().budget().count(); },
          "int: what generation_ns has to stay under, ns.")
      .def_property_readonly(
          "slack_ns", [](const StepFrame& self) { return self.get().slack().count(); },
          "int: deadline_ns - ready_ns, negative where it was late.")
      .def_property_readonly(
          "late", [](const StepFrame& self) { return self.get().late(); },
          "bool: it was ready after its deadline.")
      .def_property_readonly(
          "frequency_khz", [](const StepFrame& self) { return self.get().frequency.count(); },
          "int: mean frequency of its cluster while it ran, kHz.")
      .def_property_readonly(
          "cluster", [](const StepFrame& self) { return static_cast<int>(self.get().cluster); },
          "int: cluster of its critical thread, from 0; -1 where it is not known.");
}

void bind_plan(py::module_& module) {
  py::class_<StepPlan>(module, "Plan", R"(What a policy asks for (base/frequency_plan.h).

``Plan(n)`` is for a phone of n clusters and asks for nothing. A plan may be changed and handed
back again and again. It stays in force until the next ``step()``.)")
      .def(py::init([](std::size_t clusters) {
             if (clusters < 1 || clusters > kMaxClusters) {
               throw py::value_error("a phone has 1 to " + std::to_string(kMaxClusters) +
                                     " clusters");
             }
             return StepPlan(clusters);
           }),
           py::arg("clusters"))
      .def(
          "cap",
          [](StepPlan& self, std::size_t cluster, std::int64_t khz) {
            cluster_of(self, cluster).cap = limit(khz);
          },
          py::arg("cluster"), py::arg("khz"),
          "The most that ``cluster`` may run at, kHz; 0: no cap. ValueError where it is negative.")
      .def(
          "floor",
          [](StepPlan& self, std::size_t cluster, std::int64_t khz) {
            cluster_of(self, cluster).floor = limit(khz);
          },
          py::arg("cluster"), py::arg("khz"), "The least, kHz; 0: no floor.")
      .def(
          "step", &add_step, py::arg("after_ns"), py::arg("cluster"), py::arg("cap_khz") = 0,
          py::arg("floor_khz") = 0,
          "Limits of a cluster from ``after_ns`` after a frame's start on, where it is not done by "
          "then. Steps ascend in time, at most 10.")
      .def("thread", &set_thread, py::arg("thread"),
           py::arg("clusters") = std::vector<std::size_t>{}, py::arg("floor_hz") = 0.0,
           py::arg("cap_hz") = 0.0,
           "Where thread 0 (UI) or 1 (RenderThread) may run; empty: anywhere. Floor and cap are "
           "clamps of its speed in Hz of the fastest core; 0: none.")
      .def(
          "clear",
          [](StepPlan& self) {
            self.plan.uncap(self.plan.clusters.size(), ReasonCode::kFixed);
            self.wake_at = {};
          },
          "Asks for nothing again.")
      .def_property(
          "wake_at_ns", [](const StepPlan& self) { return to_ns(self.wake_at); },
          [](StepPlan& self, std::int64_t ns) { self.wake_at = instant_from_ns(ns); },
          "int: when ``step()`` wants a TIMER event if nothing happens before, ns; 0: never.");
}

}  // namespace

void take_answer(py::handle answer, std::size_t cluster_count, StepPlan& plan) {
  if (answer.is_none()) {
    return;
  }
  if (py::isinstance<StepPlan>(answer)) {
    const StepPlan& given = *answer.cast<const StepPlan*>();
    if (given.plan.clusters.size() != cluster_count) {
      throw py::value_error("a plan for " + std::to_string(given.plan.clusters.size()) +
                            " clusters, the phone has " + std::to_string(cluster_count));
    }
    plan = given;
    return;
  }
  const auto caps = py::reinterpret_steal<py::object>(PySequence_Fast(
      answer.ptr(), "step() answers with a Plan, None or a cap in kHz for each cluster"));
  if (!caps) {
    throw py::error_already_set();
  }
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(caps.ptr());
  if (static_cast<std::size_t>(count) != cluster_count) {
    throw py::value_error(std::to_string(count) + " caps, the phone has " +
                          std::to_string(cluster_count) + " clusters");
  }
  plan.plan.uncap(cluster_count, ReasonCode::kFixed);
  plan.wake_at = {};
  PyObject** const items = PySequence_Fast_ITEMS(caps.ptr());
  for (std::size_t c = 0; c < cluster_count; ++c) {
    plan.plan.clusters[c].cap = limit(py::handle(items[c]).cast<std::int64_t>());
  }
}

void bind_step_objects(py::module_& module) {
  bind_frame(module);
  bind_input(module);
  bind_plan(module);
}

}  // namespace framegov::python
