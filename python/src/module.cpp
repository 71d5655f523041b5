// SPDX-License-Identifier: Apache-2.0
// The compiled part of the package: framegov._core. Python's own part gives it its shape.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/json_text.h"
#include "base/unknown_name.h"
#include "policy/policy_factory.h"
#include "python/src/errors.h"
#include "python/src/python_policy.h"
#include "python/src/session.h"
#include "python/src/step_objects.h"
#include "sim/devices/content_hash.h"
#include "sim/devices/device_catalog.h"
#include "sim/framebench/framebench.h"
#include "sim/import/csv_workload.h"
#include "sim/import/import.h"
#include "sim/results/ranking.h"
#include "sim/results/results_meta.h"
#include "sim/results/scene_bounds.h"
#include "sim/results/scorecard.h"
#include "sim/run/frame_table.h"
#include "sim/workload/one_app.h"

namespace framegov::python {

namespace py = pybind11;

namespace {

using Input = std::shared_ptr<sim::ReplayInput>;

// Inputs -----------------------------------------------------------------------------------------

Input replayable(sim::Workload workload, const std::string& name, std::string sha256) {
  unwrap(sim::require_work(workload));
  unwrap(sim::require_energy(workload));
  (void)sim::mark_apps_beside(workload);
  return std::make_shared<sim::ReplayInput>(sim::ReplayInput{
      name, std::make_shared<const sim::Workload>(std::move(workload)), std::move(sha256)});
}

Input load(const std::string& path, const std::string& app, const std::string& recorded_on,
           bool partial) {
  sim::ImportOptions options;
  options.recorded_on = recorded_on;
  options.partial = partial;
  sim::Workload workload = unwrap(sim::import_workload(path, options));
  if (!app.empty()) {
    Names known;
    std::optional<std::uint32_t> wanted;
    for (std::uint32_t i = 0; i < workload.apps.size(); ++i) {
      known.push_back(workload.apps[i].name);
      wanted = workload.apps[i].name == app ? i : wanted;
    }
    if (!wanted) {
      throw PackageError(
          {ExitCode::kUsage, path + ": no app '" + app + "' in it", "it has: " + list_of(known)});
    }
    sim::keep_app(workload, *wanted);
  }
  return replayable(std::move(workload), std::filesystem::path(path).filename().string(),
                    unwrap(sim::sha256_of(path)));
}

Input generate(const std::string& text, std::uint64_t seed) {
  sim::SyntheticSettings settings = unwrap(sim::parse_synthetic(text));
  settings.seed = seed;
  return std::make_shared<sim::ReplayInput>(sim::ReplayInput{text, settings, {}});
}

Input from_csv(const std::string& text, const std::string& name) {
  sim::Workload workload = unwrap(sim::read_workload_csv(text));
  workload.source = name;
  return replayable(std::move(workload), name, sim::sha256_hex(text));
}

std::string workload_csv(const sim::ReplayInput& input) {
  const auto* const workload = std::get_if<std::shared_ptr<const sim::Workload>>(&input.load);
  if (workload == nullptr) {
    throw PackageError({ExitCode::kUsage, input.name + " is generated as it is replayed",
                        "its frames are in the result of a replay"});
  }
  std::ostringstream csv;
  sim::write_workload_csv(**workload, csv);
  return csv.str();
}

/// Names by app index; empty where it is generated.
std::vector<std::string> apps_of(const sim::ReplayInput& input) {
  std::vector<std::string> names;
  if (const auto* workload = std::get_if<std::shared_ptr<const sim::Workload>>(&input.load)) {
    for (const auto& app : (*workload)->apps) {
      names.push_back(app.name);
    }
  }
  return names;
}

// Devices ----------------------------------------------------------------------------------------

struct Device {
  sim::DeviceModel model;
  [[nodiscard]] std::shared_ptr<const sim::ReplayDevice> in(const sim::World& world) const {
    return std::make_shared<const sim::ReplayDevice>(model, world.power);
  }
};

Device find_device(const std::string& name, const std::string& folder) {
  const sim::DeviceCatalog catalog = unwrap(sim::DeviceCatalog::load(folder));
  return {*unwrap(catalog.find(name))};
}

std::vector<std::string> device_names(const std::string& folder) {
  std::vector<std::string> names;
  const sim::DeviceCatalog catalog = unwrap(sim::DeviceCatalog::load(folder));
  for (const sim::DeviceModel& device : catalog.devices()) {
    names.push_back(device.name);
  }
  return names;
}

template <class Value>
py::array_t<double> column(const std::vector<sim::DeviceOpp>& opps, Value value) {
  py::array_t<double> array(static_cast<py::ssize_t>(opps.size()));
  for (std::size_t i = 0; i < opps.size(); ++i) {
    array.mutable_at(static_cast<py::ssize_t>(i)) = value(opps[i]);
  }
  return array;
}

py::list clusters_of(const Device& device) {
  py::list all;
  for (const sim::DeviceCluster& cluster : device.model.clusters) {
    py::dict row;
    row["policy"] = cluster.cpufreq_id;
    row["core"] = cluster.core;
    py::list cpus;
    for (int cpu = 0; cpu < 64; ++cpu) {
      if ((cluster.cpus >> static_cast<unsigned>(cpu) & 1U) != 0) {
        cpus.append(cpu);
      }
    }
    row["cpus"] = cpus;
    row["khz"] = column(cluster.opps,
                        [](const auto& opp) { return static_cast<double>(opp.frequency.count()); });
    row["capacity"] = column(cluster.opps, [](const auto& opp) { return opp.capacity; });
    row["active_mw"] = column(cluster.opps, [](const auto& opp) { return opp.active.count(); });
    row["static_mw"] =
        column(cluster.opps, [](const auto& opp) { return opp.static_power.count(); });
    row["idle_mw"] = column(cluster.opps, [](const auto& opp) { return opp.idle.count(); });
    all.append(row);
  }
  return all;
}

// Settings ---------------------------------------------------------------------------------------

/// The one of `all` that is called `word`.
template <class Word>
Word chosen(const char* what, const std::string& word,
            const std::vector<std::pair<std::string, Word>>& all) {
  Names known;
  for (const auto& [name, value] : all) {
    if (name == word) {
      return value;
    }
    known.push_back(name);
  }
  unwrap(Status(fail_unknown(ExitCode::kUsage, what, word, known, "choose one of these")));
  return {};
}

void set_world(sim::World& world, const std::string& factor, const py::object& value) {
  using sim::EnergyModel;
  using sim::LimitsKind;
  using sim::PlacementKind;
  if (factor == "placement") {
    world.placement = chosen<PlacementKind>("placement", value.cast<std::string>(),
                                            {{"pinned", PlacementKind::kPinned},
                                             {"eas-5.4", PlacementKind::kEas54},
                                             {"eas-6.1", PlacementKind::kEas61},
                                             {"eas-6.12", PlacementKind::kEas612},
                                             {"walt", PlacementKind::kWalt},
                                             {"device", PlacementKind::kDevice}});
  } else if (factor == "limits") {
    world.limits = chosen<LimitsKind>("limits", value.cast<std::string>(),
                                      {{"instant", LimitsKind::kInstant},
                                       {"fast-switch", LimitsKind::kFastSwitch},
                                       {"work-item", LimitsKind::kWorkItem}});
  } else if (factor == "power_knowledge") {
    world.power = chosen<EnergyModel>("power_knowledge", value.cast<std::string>(),
                                      {{"exact", EnergyModel::kExact},
                                       {"energy-model", EnergyModel::kKernel},
                                       {"coefficients", EnergyModel::kCoefficients}});
  } else if (factor == "work_noise") {
    world.work_at_ticks = py::isinstance<py::str>(value);
    world.work_noise = world.work_at_ticks ? 0 : value.cast<double>();
    if (world.work_at_ticks && value.cast<std::string>() != "ticks") {
      throw py::value_error("work_noise is 'ticks' or a part from 0 to 0.5");
    }
  } else if (factor == "event_latency_us") {
    world.event_latency = std::chrono::microseconds{value.cast<std::int64_t>()};
  } else if (factor == "tail") {
    world.tail = py::isinstance<py::str>(value)
                     ? chosen<double>("tail", value.cast<std::string>(),
                                      {{"fitted", sim::kFittedTail}, {"as-recorded", 0.0}})
                     : value.cast<double>();
  } else if (factor == "split") {
    world.split = value.cast<bool>();
  } else {
    unwrap(Status(fail_unknown(ExitCode::kUsage, "factor of the world", factor,
                               {"placement", "limits", "power_knowledge", "work_noise",
                                "event_latency_us", "tail", "split"},
                               "docs/simulator/worlds.md describes them")));
  }
  const bool plausible = world.work_noise >= 0 && world.work_noise <= 0.5 &&
                         world.event_latency >= Duration{} &&
                         world.event_latency <= std::chrono::milliseconds{10} &&
                         (world.tail == sim::kFittedTail || (world.tail >= 0 && world.tail <= 2));
  if (!plausible) {
    throw py::value_error(factor + " is out of range: docs/simulator/worlds.md");
  }
}

sim::ReplaySettings make_settings(const std::string& world, const py::dict& factors,
                                  std::uint64_t seed, const std::string& deadline,
                                  const std::string& late, std::int64_t write_latency_us,
                                  std::int64_t rate_limit_us, const py::dict& parameters) {
  sim::ReplaySettings settings;
  sim::World& chosen_world = settings.plant.world;
  chosen_world = chosen<sim::World>(
      "world", world, {{"phone", sim::World::phone()}, {"ideal", sim::World::ideal()}});
  for (const auto& [factor, value] : factors) {
    set_world(chosen_world, factor.cast<std::string>(), py::reinterpret_borrow<py::object>(value));
  }
  chosen_world.seed = seed;
  settings.deadline = chosen<sim::DeadlineMode>("deadline", deadline,
                                                {{"strict", sim::DeadlineMode::kStrict},
                                                 {"buffered", sim::DeadlineMode::kBuffered},
                                                 {"recorded", sim::DeadlineMode::kRecorded}});
  settings.plant.drop_late = chosen<bool>("late", late, {{"queue", false}, {"drop", true}});
  if (write_latency_us < 0 || write_latency_us > 100'000 || rate_limit_us < 1 ||
      rate_limit_us > 100'000) {
    throw py::value_error("write_latency_us is from 0, rate_limit_us from 1, to 100000");
  }
  settings.plant.write_latency = std::chrono::microseconds{write_latency_us};
  settings.plant.rate_limit = std::chrono::microseconds{rate_limit_us};
  for (const auto& [policy, values] : parameters) {
    const auto name = policy.cast<std::string>();
    const PolicyKind* const kind = policy_kind(name);
    Names known;
    for (const std::string_view each : policy_names()) {
      known.emplace_back(each);
    }
    if (kind == nullptr) {
      unwrap(Status(fail_unknown(ExitCode::kUsage, "policy with parameters", name, known,
                                 "others have none")));
    }
    for (const auto& [key, value] : values.cast<py::dict>()) {
      const auto wanted = key.cast<std::string>();
      const PolicyParameter* const parameter = kind->parameter(wanted);
      if (parameter == nullptr) {
        Names parameters_known;
        for (const PolicyParameter& each : kind->parameters) {
          parameters_known.emplace_back(each.name);
        }
        unwrap(Status(fail_unknown(ExitCode::kUsage, "parameter of " + name, wanted,
                                   parameters_known, "docs/operations.md describes them")));
      }
      const auto number = value.cast<double>();
      if (!(number >= parameter->low && number <= parameter->high)) {
        std::ostringstream text;
        text << name << ": " << wanted << " is from " << parameter->low << " to "
             << parameter->high;
        throw py::value_error(text.str());
      }
      parameter->set(settings.policy, number);
    }
  }
  return settings;
}

// Runs -------------------------------------------------------------------------------------------

/// `policy` is a name, or (name, factory): Python's, called for each run with the phone's name.
struct ChosenPolicy {
  sim::PolicyEntry entry;
  py::object factory;  ///< none: it is native

  [[nodiscard]] bool is_python() const { return static_cast<bool>(factory); }
  /// The same for runs on `phone`.
  [[nodiscard]] sim::PolicyEntry on(const std::string& phone) const {
    sim::PolicyEntry bound = entry;
    if (is_python()) {
      bound.make = [this, phone](const CpuTopology& topology, const PolicySettings& /*settings*/) {
        return std::make_unique<PythonPolicy>(factory(phone), entry.name, topology.clusters.size());
      };
    }
    return bound;
  }
};

ChosenPolicy chosen_policy(const py::object& policy) {
  if (py::isinstance<py::str>(policy)) {
    return {*unwrap(sim::find_policy(policy.cast<std::string>())), {}};
  }
  const auto [name, factory] = policy.cast<std::pair<std::string, py::object>>();
  sim::PolicyEntry entry;
  entry.name = name;
  entry.summary = "of Python";
  entry.watches_frames = true;
  return {std::move(entry), factory};
}

/// Lets other Python threads run while it lives, unless the policy needs Python itself.
class MayReleaseGil {
 public:
  explicit MayReleaseGil(bool release) {
    if (release) {
      released_.emplace();
    }
  }

 private:
  std::optional<py::gil_scoped_release> released_;
};

struct FrequencyLog final : sim::PlantObserver {
  void on_frame(const sim::PipelineFrame& /*frame*/, sim::FrameVerdict /*verdict*/) override {}
  void on_frequency(double now, std::size_t cluster, std::uint8_t opp) override {
    at.push_back(static_cast<std::int64_t>(now));
    clusters.push_back(static_cast<std::int64_t>(cluster));
    khz.push_back(topology->clusters[cluster].opps[opp].frequency.count());
  }
  const CpuTopology* topology = nullptr;
  std::vector<std::int64_t> at, clusters, khz;
};

/// The vector becomes the array's memory: nothing is copied.
py::array as_array(std::vector<std::int64_t> values) {
  auto* const kept = new std::vector<std::int64_t>(std::move(values));
  const py::capsule owner(
      kept, [](void* memory) { delete static_cast<std::vector<std::int64_t>*>(memory); });
  return py::array_t<std::int64_t>(static_cast<py::ssize_t>(kept->size()), kept->data(), owner);
}

std::string run_json(const sim::RunResult& result) {
  return json_line(sim::to_json(sim::score({result}, {}))["runs"][0]);
}

py::dict run(const Input& input, const Device& device, const py::object& policy,
             const sim::ReplaySettings& settings, bool with_frames) {
  const ChosenPolicy chosen_one = chosen_policy(policy);
  const auto columns = sim::frame_columns();
  std::vector<std::vector<std::int64_t>> cells(columns.size());
  std::vector<bool> known(columns.size(), true);
  FrequencyLog log;
  sim::RunResult result;
  {
    const sim::PolicyEntry entry = chosen_one.on(device.model.name);
    const MayReleaseGil release(!chosen_one.is_python());
    const auto phone = device.in(settings.world());
    const sim::ReplayScene scene(*input, *phone, settings.deadline, settings.world());
    log.topology = &phone->topology;
    if (with_frames) {
      sim::FullSpeed full_speed;
      result = sim::replay_rows(
          scene, entry, settings, full_speed,
          [&](const sim::FrameRow& row) {
            for (std::size_t c = 0; c < columns.size(); ++c) {
              const auto cell = columns[c].of(row);
              known[c] = known[c] && cell.has_value();
              cells[c].push_back(cell.value_or(0));
            }
          },
          &log);
    } else {
      result = sim::replay(scene, entry, settings);
    }
  }
  py::dict frames;
  for (std::size_t c = 0; with_frames && c < columns.size(); ++c) {
    const py::str name(columns[c].name.data(), columns[c].name.size());
    if (!known[c]) {
      frames[name] = py::none();
      continue;
    }
    py::array array = as_array(std::move(cells[c]));
    const bool is_flag = columns[c].kind == sim::FrameColumn::Kind::kFlag;
    frames[name] = is_flag ? array.attr("astype")("bool") : array;
  }
  py::dict frequencies;
  frequencies["at_ns"] = as_array(std::move(log.at));
  frequencies["cluster"] = as_array(std::move(log.clusters));
  frequencies["khz"] = as_array(std::move(log.khz));
  py::dict found;
  found["summary"] = run_json(result);
  found["frames"] = frames;
  found["frequencies"] = frequencies;
  found["cluster_mj"] = py::array_t<double>(
      static_cast<py::ssize_t>(result.totals.cluster_mj.size()), result.totals.cluster_mj.data());
  found["seconds"] = result.totals.seconds;
  return found;
}

py::dict bounds(const Input& input, const Device& device, const sim::ReplaySettings& settings) {
  sim::SceneBounds found;
  {
    const py::gil_scoped_release release;
    const auto phone = device.in(settings.world());
    found = sim::scene_bounds(*input, *phone, settings.world());
  }
  py::dict all;
  all["strict_mj"] = found.strict_mj;
  all["buffered_mj"] = found.buffered_mj;
  all["frames_mj"] = found.frames_mj;
  all["dp_mj"] = found.dp_mj;
  return all;
}

/// {"meta","world","runs","ranking"} as text: `framegov sim --json` and its ranking.
std::string compare(const std::vector<Input>& inputs, const std::vector<Device>& devices,
                    const std::vector<py::object>& policies, const sim::ReplaySettings& settings,
                    bool with_bounds, std::size_t jobs) {
  std::vector<ChosenPolicy> chosen_ones;
  for (const py::object& policy : policies) {
    chosen_ones.push_back(chosen_policy(policy));
  }
  const sim::PolicyEntry* const stock = *sim::find_policy(sim::kStockPolicy);
  std::vector<const sim::PolicyEntry*> all, native;
  bool shows_stock = false;
  for (const ChosenPolicy& each : chosen_ones) {
    all.push_back(&each.entry);
    if (!each.is_python()) {
      native.push_back(&each.entry);
    }
    shows_stock = shows_stock || each.entry.name == stock->name;
  }
  if (!shows_stock) {
    native.push_back(stock);
  }
  std::vector<sim::ReplayInput> scenes;
  for (const Input& input : inputs) {
    scenes.push_back(*input);
  }
  std::vector<sim::ReplayDevice> phones;
  for (const Device& device : devices) {
    phones.emplace_back(device.model, settings.world().power);
  }
  std::vector<sim::RunResult> runs;
  std::vector<sim::SceneBounds> found;
  {
    const py::gil_scoped_release release;
    std::vector<std::function<void()>> also;
    found.resize(with_bounds ? scenes.size() * phones.size() : 0);
    for (std::size_t i = 0; i < found.size(); ++i) {
      also.emplace_back([&, i] {
        found[i] = sim::scene_bounds(scenes[i / phones.size()], phones[i % phones.size()],
                                     settings.world());
      });
    }
    std::atomic<std::size_t> done{0};
    runs = sim::replay_all(scenes, phones, native, settings, jobs, done, also);
  }
  for (const sim::ReplayInput& input : scenes) {
    for (const sim::ReplayDevice& phone : phones) {
      const sim::ReplayScene scene(input, phone, settings.deadline, settings.world());
      sim::FullSpeed full_speed;
      for (const ChosenPolicy& each : chosen_ones) {
        if (each.is_python()) {
          runs.push_back(sim::replay_rows(scene, each.on(phone.name), settings, full_speed,
                                          [](const sim::FrameRow&) {}));
        }
      }
    }
  }
  std::vector<sim::ScoredRun> scored = sim::score(runs, found);
  if (!shows_stock) {
    std::erase_if(scored, [&](const auto& each) { return each.run.policy == stock->name; });
  }
  nlohmann::json results = sim::to_json(scored);
  results["meta"] = sim::results_meta(FRAMEGOV_VERSION, scenes, phones, all, settings);
  results["world"] = sim::world_json(settings.world());
  results["ranking"] = sim::to_json(sim::rank(scored));
  return json_line(results);
}

std::string framebench_csv(const std::vector<py::object>& policies, std::size_t jobs) {
  sim::FrameBench bench = unwrap(sim::FrameBench::load());
  std::vector<ChosenPolicy> chosen_ones;
  for (const py::object& policy : policies) {
    chosen_ones.push_back(chosen_policy(policy));
  }
  for (const ChosenPolicy& each : chosen_ones) {
    sim::SweepPolicy policy{each.entry};
    if (each.is_python()) {
      policy.on_device = [&each](const std::string& phone) { return each.on(phone); };
    }
    bench.add(std::move(policy));
  }
  sim::FrameBenchRun run(bench.plan);
  {
    const py::gil_scoped_release release;
    run.run_native(jobs);
  }
  run.run_others();
  return unwrap(run.csv());
}

/// The table for people, and the same as JSON.
std::pair<std::string, std::string> framebench_table(const std::string& csv) {
  const sim::FrameBench bench = unwrap(sim::FrameBench::load());
  return {unwrap(sim::frame_bench_table(bench, csv, "results")),
          unwrap(sim::frame_bench_json(bench, csv, "results"))};
}

py::list policy_list() {
  py::list all;
  for (const sim::PolicyEntry& entry : sim::policy_registry()) {
    py::dict parameters;
    if (const PolicyKind* const kind = policy_kind(entry.name)) {
      for (const PolicyParameter& parameter : kind->parameters) {
        parameters[py::str(std::string(parameter.name))] =
            py::make_tuple(parameter.in({}), parameter.low, parameter.high);
      }
    }
    all.append(py::make_tuple(entry.name, entry.summary, parameters));
  }
  return all;
}

py::list column_list() {
  py::list all;
  for (const sim::FrameColumn& each : sim::frame_columns()) {
    all.append(py::make_tuple(std::string(each.name), std::string(each.meaning)));
  }
  return all;
}

}  // namespace

void bind_session(py::module_& module) {
  py::class_<Session>(module, "Session")
      .def(py::init(
          [](const Input& input, const Device& device, const sim::ReplaySettings& settings) {
            return std::make_unique<Session>(*input, device.in(settings.world()), settings);
          }))
      .def("advance", [](Session& self, const py::object& answer) { return self.advance(answer); })
      .def_property_readonly("input", &Session::input)
      .def_property_readonly("energy_mj", &Session::energy_mj)
      .def_property_readonly("frames", &Session::frames)
      .def_property_readonly("missed", &Session::missed);
}

PYBIND11_MODULE(_core, module) {
  py::register_exception<PackageError>(module, "Error", PyExc_ValueError);
  bind_step_objects(module);
  py::class_<sim::ReplayInput, Input>(module, "Input_")
      .def_readonly("name", &sim::ReplayInput::name)
      .def_readonly("sha256", &sim::ReplayInput::sha256)
      .def_property_readonly("apps", &apps_of);
  py::class_<Device>(module, "Device")
      .def_property_readonly("name", [](const Device& self) { return self.model.name; })
      .def_property_readonly("model", [](const Device& self) { return self.model.model; })
      .def_property_readonly("sha256", [](const Device& self) { return self.model.sha256; })
      .def_property_readonly("clusters", &clusters_of);
  py::class_<sim::ReplaySettings>(module, "Settings")
      .def(py::init(&make_settings))
      .def_property_readonly("world",
                             [](const sim::ReplaySettings& self) { return self.world().name(); })
      .def_property_readonly(
          "factors", [](const sim::ReplaySettings& self) { return self.world().factors(); });
  bind_session(module);
  module.def("load", &load, py::call_guard<py::gil_scoped_release>());
  module.def("generate", &generate);
  module.def("from_csv", &from_csv);
  module.def("workload_csv", &workload_csv);
  module.def("device", &find_device);
  module.def("devices", &device_names);
  module.def("policies", &policy_list);
  module.def("frame_columns", &column_list);
  module.def("run", &run);
  module.def("bounds", &bounds);
  module.def("compare", &compare);
  module.def("framebench_csv", &framebench_csv);
  module.def("framebench_table", &framebench_table);
  module.attr("__version__") = FRAMEGOV_VERSION;
}

}  // namespace framegov::python
