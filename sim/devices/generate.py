#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the device models in this folder from public measurements.

    sim/devices/generate.py DATA_DIR [OUT_DIR]

DATA_DIR holds wattson/*.csv (google/perfetto, Apache-2.0), freqbench_all.csv and cluster_summary.csv
(kdrag0n/freqbench, MIT) and dts_*.csv (facts from public device trees). Only derived tables are
kept. docs/devices.md tells what each figure means and how a phone is added without this program.
"""
import csv
import statistics
import sys
from pathlib import Path

REFERENCE_CAPACITY = 1024
# A rate this far under the run's own median rate per MHz is a run that did not hold its frequency.
OUTLIER = 0.85
# Phones whose SoC nobody else measured: framegovd's table (socs/) is of this very unit. It is taken to
# be off by twice what units of the other SoCs differ by: the fastest cluster looks cheaper than it is,
# the others dearer.
MEASURED_ONCE = ("sdm845", "sm8750")
UNIT_SPREAD = 0.10


def rows(path, **where):
    with open(path) as file:
        found = [r for r in csv.DictReader(file) if all(r[k] == str(v) for k, v in where.items())]
    if not found:
        sys.exit(f"{path}: no rows for {where}")
    return found


class Freqbench:
    """CoreMark rate and power over frequency of one CPU of one run."""

    def __init__(self, data, soc, run, cpu):
        table = rows(data / "freqbench_all.csv", soc=soc, run=run, cpu=cpu)
        self.points = sorted((int(r["freq_khz"]), float(r["coremark_iter_s"]), float(r["power_mw"])) for r in table)
        rates = [rate / khz for khz, rate, _ in self.points]
        self.per_khz = statistics.median(rates)
        self.outliers = [p[0] for p, r in zip(self.points, rates) if r < OUTLIER * self.per_khz]
        good = [p for p in self.points if p[0] not in self.outliers]
        self.good = good
        self.fit = fit_power([(khz / 1e6, mw) for khz, _, mw in good])

    def rate(self, khz):
        """Iterations/s at khz: rate per kHz of the nearest good points, interpolated."""
        lower = max((p for p in self.good if p[0] <= khz), default=self.good[0])
        upper = min((p for p in self.good if p[0] >= khz), default=self.good[-1])
        a, b = lower[1] / lower[0], upper[1] / upper[0]
        share = 0 if upper[0] == lower[0] else (khz - lower[0]) / (upper[0] - lower[0])
        return khz * (a + (b - a) * share)

    def power(self, khz, mw):
        return mw if khz not in self.outliers else evaluate(self.fit, khz / 1e6)


def fit_power(points):
    """Least squares of P = c0 + c1 f + c3 f^3 with no coefficient under zero (coordinate descent)."""
    terms = [[1, f, f**3] for f, _ in points]
    c = [0.0, 0.0, 0.0]
    for _ in range(20000):
        for j in range(3):
            rest = [p - sum(c[k] * t[k] for k in range(3) if k != j) for (_, p), t in zip(points, terms)]
            c[j] = max(0.0, sum(r * t[j] for r, t in zip(rest, terms)) / sum(t[j] ** 2 for t in terms))
    return c


def evaluate(c, ghz):
    return c[0] + c[1] * ghz + c[2] * ghz**3


def idle_share(data):
    """Median of WFI power over active power of all Wattson clusters."""
    shares = []
    for path in sorted((data / "wattson").glob("*_cpu_1d.csv")):
        shares += [float(r["idle0"]) / float(r["active"]) for r in csv.DictReader(open(path)) if float(r["active"])]
    return statistics.median(shares)


class Cluster:
    """One cluster as it is written: opps are [kHz, capacity, active, static, idle]."""

    def __init__(self, policy, cpus, core, notes):
        self.policy, self.cpus, self.core = policy, cpus, core
        self.notes = notes
        self.opps = []
        self.rates = []
        self.idle = None
        self.transition_us = None
        self.coefficient = None
        self.table_factor = None
        self.sources = {}


def freqbench_cluster(data, spec, soc, run, share):
    bench = Freqbench(data, soc, run, spec["cpu"])
    cluster = Cluster(spec["policy"], spec["cpus"], spec["core"], [])
    static = bench.fit[0]
    for khz, _, mw in bench.points:
        total = bench.power(khz, mw)
        fixed = min(static, 0.9 * total)
        cluster.opps.append([khz, None, total - fixed, fixed, share * (total - fixed)])
        cluster.rates.append(bench.rate(khz))
    cluster.sources = {
        "capacity": f"freqbench {soc}/{run} cpu{spec['cpu']}: CoreMark rate over the fastest core's",
        "active": "freqbench power (one core at 100 %, idle subtracted) less static",
        "static": "freqbench: the part that stays as frequency falls, c0 >= 0 of P = c0 + c1 f + c3 f^3",
        "idle": f"assumed: {share:.3f} of active, the median of the clusters that Wattson measured",
    }
    if bench.outliers:
        slow = ", ".join(str(khz) for khz in bench.outliers)
        cluster.sources["corrected"] = f"{slow} kHz: the run did not hold it; rate per MHz and power from the other points"
    return cluster


def wattson_cluster(data, spec, table, bench):
    cluster = Cluster(spec["policy"], spec["cpus"], spec["core"], [])
    for r in table:
        khz = int(r["freq_khz"])
        if cluster.opps and khz == cluster.opps[-1][0]:
            continue
        cluster.opps.append([khz, None, float(r["active"]), float(r["static"]), float(r["idle0"])])
        cluster.rates.append(bench.rate(khz) if bench else khz * spec["assumed_per_khz"])
    cluster.sources = {
        "active": f"Wattson {spec['file']}", "static": f"Wattson {spec['file']}", "idle": f"Wattson {spec['file']}, WFI (idle0)",
        "capacity": spec["capacity_source"],
    }
    return cluster


def write(path, device):
    """Plain text instead of a YAML library: the layout is meant to be read."""
    clusters = device["clusters"]
    fastest = max(max(c.rates) for c in clusters)
    out = ["# SPDX-License-Identifier: Apache-2.0",
           "# Made by sim/devices/generate.py; derived from measurements of google/perfetto (Wattson, Apache-2.0),",
           "# kdrag0n/freqbench (MIT) and public device trees. docs/devices.md explains every key.",
           f"name: {device['name']}", f"model: {device['model']}", f"aliases: [{', '.join(device['aliases'])}]", f"placement: {device['placement']}"]
    out += ["uclamp: false"] if not device["uclamp"] else []
    out += ["clusters:"]
    for c in clusters:
        per_mhz = c.rates[-1] / c.opps[-1][0] * 1000
        entry, leave, residency = c.idle
        out += [f"  - policy: {c.policy}", f"    cpus: {c.cpus}", f"    core: {c.core}",
                f"    coremark_per_mhz: {per_mhz:.3f}"]
        if c.coefficient:
            out += [f"    dynamic_power_coefficient: {c.coefficient}"]
        if c.table_factor:
            out += [f"    table_factor: {c.table_factor:.3f}"]
        out += [f"    transition_latency_us: {c.transition_us}",
                f"    idle_state: {{entry_us: {entry}, exit_us: {leave}, min_residency_us: {residency}}}",
                "    source:"]
        out += [f"      {key}: \"{value}\"" for key, value in c.sources.items()]
        out += ["    # kHz, capacity (of 1024), active mW, static mW, idle mW", "    opps:"]
        for (khz, _, active, static, idle), rate in zip(c.opps, c.rates):
            capacity = REFERENCE_CAPACITY * rate / fastest
            out.append(f"      - [{khz}, {capacity:.1f}, {active:.2f}, {static:.2f}, {idle:.2f}]")
    if rail := device.get("rail"):
        out += ["rail:", f"  policy: {rail['policy']}", "  source:"]
        out += [f"    {key}: \"{value}\"" for key, value in rail["sources"].items()]
        out += [f"  shared_mw: [{', '.join(f'{v:.1f}' for v in rail['shared'])}]",
                "  # one row for each of the policy's OPPs, one column for each level", "  active_mw:"]
        out += [f"    - [{', '.join(f'{v:.1f}' for v in row)}]" for row in rail["active"]]
        out += ["  static_mw:"] + [f"    - [{', '.join(f'{v:.1f}' for v in row)}]" for row in rail["static"]]
        out += ["  raised_by:"]
        out += [f"    - {{policy: {policy}, level: {levels}}}" for policy, levels in rail["raised_by"].items()]
    path.write_text("\n".join(out) + "\n")


def gs101(data):
    folder = data / "wattson"
    two_d = [r for r in csv.DictReader(open(folder / "Tensor_cpu_2d.csv"))]
    one_d = [r for r in csv.DictReader(open(folder / "Tensor_cpu_1d.csv"))]
    bench = {cpu: Freqbench(data, "gs101", "main", cpu) for cpu in (1, 4, 6)}
    source = "freqbench gs101/main cpu{}: CoreMark rate at the OPP, interpolated, over the fastest core's"
    volts = {int(r["hz"]) // 1000: float(r["microvolt"]) for r in rows(data / "dts_opps.csv", soc="gs101", table="cpucl0_opp_table")}
    little_khz = sorted({int(r["freq_khz"]) for r in two_d})
    # Levels of the shared rail: as little OPPs whose static power the others' frequencies impose.
    # 0 is the little cluster's own need.
    level_khz = [None, 930000, 1401000, 1803000]
    static_of = {khz: statistics.median(float(r["static"]) for r in two_d if int(r["freq_khz"]) == khz and calm(r)) for khz in little_khz}

    def level_of(policy, khz):
        imposed = [float(r["static"]) for r in two_d if r["dep_policy"] == policy and int(r["dep_freq"]) == khz
                   and float(r["static"]) > 1.25 * static_of[int(r["freq_khz"])]]
        if not imposed:
            return None
        return min(range(1, 4), key=lambda level: abs(static_of[level_khz[level]] - statistics.median(imposed)))

    raised_by = {}
    for policy, cluster_khz in (("4", sorted({int(r["freq_khz"]) for r in one_d if r["policy"] == "4"})),
                                ("6", sorted({int(r["freq_khz"]) for r in one_d if r["policy"] == "6"}))):
        levels, last = [], 0
        for khz in cluster_khz:
            found = level_of(policy, khz)
            last = max(last, found or 0)
            levels.append(last)
        raised_by[int(policy)] = levels
    active, static, own = [], [], []
    for khz in little_khz:
        measured = {level: [float(r["active"]) for r in two_d if int(r["freq_khz"]) == khz and
                            (raised_by[int(r["dep_policy"])][index_of(one_d, r)] == level)] for level in range(4)}
        base = statistics.median(measured[0])
        row_active, row_static = [base], [static_of[khz]]
        for level in range(1, 4):
            higher = level_khz[level] > khz
            if measured[level] and higher:
                value = statistics.median(measured[level])
            else:
                value = base * (max(volts[level_khz[level]], volts[khz]) / volts[khz]) ** 2
            row_active.append(max(value, row_active[-1]))
            row_static.append(max(static_of[level_khz[level]], row_static[0]))
        active.append(row_active)
        static.append(row_static)
        own.append((khz, base))
    little_table = [{"freq_khz": khz, "active": base, "static": static_of[khz],
                     "idle0": statistics.median(float(r["idle0"]) for r in two_d if int(r["freq_khz"]) == khz and calm(r))}
                    for khz, base in own]
    clusters = [
        wattson_cluster(data, dict(policy=0, cpus=[0, 1, 2, 3], core="cortex-a55", file="Tensor_cpu_2d.csv", capacity_source=source.format(1)), little_table, bench[1]),
        wattson_cluster(data, dict(policy=4, cpus=[4, 5], core="cortex-a76", file="Tensor_cpu_1d.csv", capacity_source=source.format(4)), [r for r in one_d if r["policy"] == "4"], bench[4]),
        wattson_cluster(data, dict(policy=6, cpus=[6, 7], core="cortex-x1", file="Tensor_cpu_1d.csv", capacity_source=source.format(6)), [r for r in one_d if r["policy"] == "6"], bench[6]),
    ]
    for cluster, idle in zip(clusters, ((70, 160, 2000), (150, 190, 2500), (235, 220, 3500))):
        cluster.idle, cluster.transition_us = idle, 500
        cluster.sources["idle_state"] = "device tree gs101"
        cluster.sources["transition_latency"] = "device tree gs101, clock-latency-ns"
    return dict(name="tensor_g1", model="Google Tensor (gs101; Pixel 6, 6 Pro, 6a)", aliases=["gs101", "tensor"], clusters=clusters,
                rail=dict(policy=0, shared=[0, 0, 0, 0], active=active, static=static, raised_by=raised_by, sources={
                    "levels": "Wattson Tensor_cpu_2d.csv: own need, then the voltage of the policy's 930, 1401 and 1803 MHz",
                    "gaps": "not measured at a level: active at the own level x (level's microvolt / own)^2, device tree gs101"}))


def calm(r):
    """Rows in which the other cluster is too slow to raise the rail."""
    return (r["dep_policy"] == "4" and int(r["dep_freq"]) <= 696000) or (r["dep_policy"] == "6" and int(r["dep_freq"]) <= 1106000)


def index_of(one_d, r):
    khz = [int(x["freq_khz"]) for x in one_d if x["policy"] == r["dep_policy"]]
    return khz.index(int(r["dep_freq"]))


def zumapro(data, gs101_model):
    folder = data / "wattson"
    two_d = [r for r in csv.DictReader(open(folder / "Tensor_G4_cpu_2d.csv"))]
    one_d = [r for r in csv.DictReader(open(folder / "Tensor_G4_cpu_1d.csv"))]
    bench = {cpu: Freqbench(data, "zumapro", "main", cpu) for cpu in (1, 4, 7)}
    source = "freqbench zumapro/main cpu{}: CoreMark rate at the OPP, interpolated, over the fastest core's"
    little_khz = sorted({int(r["freq_khz"]) for r in two_d})
    dsu_mhz = [610, 1098, 1704, 2150]
    cell = {(int(r["freq_khz"]), int(r["dep_freq"]) // 1000): r for r in two_d}
    little_table = [cell[khz, 610] | {"freq_khz": khz} for khz in little_khz]
    # How the others' frequencies move the shared unit is not in the data: as on the G1, by share of
    # the top frequency.
    g1 = gs101_model
    raised_by = {}
    for policy, g1_policy in ((4, 4), (7, 6)):
        g1_khz = [o[0] for c in g1["clusters"] if c.policy == g1_policy for o in c.opps]
        g1_levels = g1["rail"]["raised_by"][g1_policy]
        khz = [int(r["freq_khz"]) for r in one_d if r["policy"] == str(policy)]
        raised_by[policy] = [max([level for f, level in zip(g1_khz, g1_levels) if f / g1_khz[-1] <= x / khz[-1] + 1e-9], default=0) for x in khz]
    clusters = [
        wattson_cluster(data, dict(policy=0, cpus=[0, 1, 2, 3], core="cortex-a520", file="Tensor_G4_cpu_2d.csv", capacity_source=source.format(1)), little_table, bench[1]),
        wattson_cluster(data, dict(policy=4, cpus=[4, 5, 6], core="cortex-a720", file="Tensor_G4_cpu_1d.csv", capacity_source=source.format(4)), [r for r in one_d if r["policy"] == "4"], bench[4]),
        wattson_cluster(data, dict(policy=7, cpus=[7], core="cortex-x4", file="Tensor_G4_cpu_1d.csv", capacity_source=source.format(7)), [r for r in one_d if r["policy"] == "7"], bench[7]),
    ]
    for cluster, idle in zip(clusters, ((70, 160, 2000), (150, 190, 2500), (235, 220, 3500))):
        cluster.idle, cluster.transition_us = idle, 500
        cluster.sources["idle_state"] = "assumed: as gs101's"
        cluster.sources["transition_latency"] = "assumed: as gs101's"
    table = lambda key: [running_max(float(cell[khz, dsu][key]) for dsu in dsu_mhz) for khz in little_khz]
    return dict(name="tensor_g4", model="Google Tensor G4 (zumapro; Pixel 9 series)", aliases=["zumapro", "tensorg4"], clusters=clusters,
                rail=dict(policy=0, shared=[float(cell[little_khz[0], dsu]["interconnect"]) for dsu in dsu_mhz], active=table("active"), static=table("static"),
                          raised_by=raised_by, sources={
                              "levels": "Wattson Tensor_G4_cpu_2d.csv at 610, 1098, 1704 and 2150 MHz of the shared unit (DSU), not falling over levels",
                              "shared": "Wattson Tensor_G4_cpu_2d.csv, interconnect: the shared unit while any CPU is awake",
                              "raised_by": "assumed: at the same share of the top frequency as on gs101"}))


def running_max(values):
    result = []
    for value in values:
        result.append(max(value, result[-1]) if result else value)
    return result


def sm8750(data):
    table = [r for r in csv.DictReader(open(data / "wattson" / "SM8750_cpu_1d.csv"))]
    # freqbench's M1 P-core (t8103/asahi-cpufreq cpu4), a core of the same designers, as a stand-in.
    per_khz = Freqbench(data, "t8103", "asahi-cpufreq", 4).per_khz
    source = "assumed: equal work per cycle in both clusters; CoreMark rate per MHz of freqbench t8103 cpu4 as a stand-in"
    clusters = [wattson_cluster(data, dict(policy=p, cpus=cpus, core=core, file="SM8750_cpu_1d.csv", capacity_source=source, assumed_per_khz=per_khz),
                                [r for r in table if r["policy"] == str(p)], None)
                for p, cpus, core in ((0, [0, 1, 2, 3, 4, 5], "oryon-m"), (6, [6, 7], "oryon-l"))]
    for cluster, idle in zip(clusters, ((93, 129, 560), (172, 130, 686))):
        cluster.idle, cluster.transition_us = idle, 300
        cluster.sources["idle_state"] = "device tree sm8750, cluster0_c4 and cluster1_c4"
        cluster.sources["transition_latency"] = "assumed: 300 us, the low end of what other phones state"
    return dict(name="sm8750", model="Snapdragon 8 Elite", aliases=["sun"], clusters=clusters)


def qualcomm(data, name, soc, run, model, aliases, clusters_spec, idle, latency_us, latency_source, idle_source):
    share = idle_share(data)
    clusters = [freqbench_cluster(data, spec, soc, run, share) for spec in clusters_spec]
    for cluster, states in zip(clusters, idle):
        cluster.idle, cluster.transition_us = states, latency_us
        cluster.sources["idle_state"] = idle_source
        cluster.sources["transition_latency"] = latency_source
    return dict(name=name, model=model, aliases=aliases, clusters=clusters)


def add_coefficients(data, soc, device):
    """dynamic-power-coefficient of each cluster, from the device tree of the SoC (uW / MHz / V^2)."""
    cores = rows(data / "dts_cpus.csv", soc=soc)
    for cluster in device["clusters"]:
        if value := cores[cluster.cpus[0]]["dynamic_power_coefficient"]:
            cluster.coefficient = int(value)
            cluster.sources["coefficient"] = f"device tree {soc}, dynamic-power-coefficient"


def spec(policy, cpus, core, cpu):
    return dict(policy=policy, cpus=cpus, core=core, cpu=cpu)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    data = Path(sys.argv[1])
    out = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(__file__).parent
    g1 = gs101(data)
    devices = [g1, zumapro(data, g1), sm8750(data)]
    hw = "assumed: 300 us, the low end of what other phones state (the driver says 0)"
    devices.append(qualcomm(data, "sdm845", "sdm845", "main", "Snapdragon 845", [], [
        spec(0, [0, 1, 2, 3], "kryo385-silver", 1), spec(4, [4, 5, 6, 7], "kryo385-gold", 4)],
        ((350, 461, 1890), (264, 621, 952)), 300, hw, "device tree sdm845"))
    devices.append(qualcomm(data, "sm8150", "sm8150", "main", "Snapdragon 855", ["msmnile"], [
        spec(0, [0, 1, 2, 3], "kryo485-silver", 1), spec(4, [4, 5, 6], "kryo485-gold", 4), spec(7, [7], "kryo485-prime", 7)],
        ((355, 909, 3934), (241, 1461, 4488), (241, 1461, 4488)), 300, hw, "device tree sm8150"))
    devices.append(qualcomm(data, "sm8250", "sm8250", "main", "Snapdragon 865", ["kona"], [
        spec(0, [0, 1, 2, 3], "kryo585-silver", 1), spec(4, [4, 5, 6], "kryo585-gold", 4), spec(7, [7], "kryo585-prime", 7)],
        ((360, 531, 3934), (702, 1061, 4488), (702, 1061, 4488)), 300, hw, "device tree sm8250"))
    devices.append(qualcomm(data, "sdm660", "sdm660", "main", "Snapdragon 660", [], [
        spec(0, [0, 1, 2, 3], "kryo260-silver", 1), spec(4, [4, 5, 6, 7], "kryo260-gold", 4)],
        ((515, 1821, 1000), (262, 301, 1000)), 300, hw, "device tree sdm630 (same family), *_cpu_sleep_1"))
    for device in devices:
        # What these phones ship: Qualcomm WALT, the Tensors mainline's shape.
        device["placement"] = "eas-6.1" if device["name"].startswith("tensor") else "walt"
        # Utilisation clamps came with Android's 4.19; these ship 4.4 to 4.14.
        device["uclamp"] = device["name"] not in ("sdm660", "sdm845", "sm8150")
        if soc := {"tensor_g1": "gs101", "sdm845": "sdm845", "sm8150": "sm8150", "sm8250": "sm8250"}.get(device["name"]):
            add_coefficients(data, soc, device)
        if device["name"] in MEASURED_ONCE:
            for cluster in device["clusters"]:
                cluster.table_factor = 1 - UNIT_SPREAD if cluster is device["clusters"][-1] else 1 + UNIT_SPREAD
                cluster.sources["table_factor"] = "assumed, as nobody else measured this SoC"
        write(out / f"{device['name']}.yaml", device)
        print(out / f"{device['name']}.yaml")


if __name__ == "__main__":
    main()
