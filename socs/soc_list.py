#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes soc_list.cpp, what is known of SoCs, from public measurements and device trees.

    socs/soc_list.py DATA_DIR > socs/soc_list.cpp && ./dev format

DATA_DIR holds freqbench_all.csv (kdrag0n/freqbench, MIT), dts_*.csv (facts from public device trees)
and wattson/*.csv (google/perfetto, Apache-2.0). Frequencies, ratios and power are kept.
"""
import csv
import statistics
import sys
from pathlib import Path

DEVICE_TREE = "kDeviceTree"
FREQBENCH = "kFreqbench"
ASSUMED = "kAssumed"

# name: fastest core, clusters (CPUs, freqbench CPU, OPP table of the device tree, capacity-dmips-mhz),
# CoreMark rate per MHz of the fastest core where it was not measured on this SoC.
SOCS = {
    "gs101": ("cortex-x1", [(4, 1, "cpucl0_opp_table", 250), (2, 4, "cpucl1_opp_table", 620), (2, 6, "cpucl2_opp_table", 1024)], None),
    "gs201": ("cortex-x1", [(4, 1, None, None), (2, 4, None, None), (2, 6, None, None)], None),
    "zuma": ("cortex-x3", [(4, 1, None, None), (4, 4, None, None), (1, 8, None, None)], None),
    "zumapro": ("cortex-x4", [(4, 1, "Tensor_G4:0", None), (3, 4, "Tensor_G4:4", None), (1, 7, "Tensor_G4:7", None)], None),
    "exynos7904": ("cortex-a73", [(6, 1, None, None), (2, 6, None, None)], None),
    "exynos9611": ("cortex-a73", [(4, 1, None, None), (4, 4, None, None)], None),
    "mt6768": ("cortex-a75", [(6, 1, None, None), (2, 6, None, None)], None),
    "mt6853t": ("cortex-a76", [(6, 1, None, None), (2, 6, None, None)], None),
    "msm8996": ("kryo", [(2, 1, "cluster0_opp", None), (2, 2, "cluster1_opp", None)], None),
    "msm8998": ("kryo280-gold", [(4, 1, None, None), (4, 4, None, None)], None),
    "sdm630": ("cortex-a53", [(4, 1, None, None), (4, 4, None, None)], None),
    "sdm632": ("kryo250-gold", [(4, 1, None, None), (4, 4, None, None)], None),
    "sdm636": ("kryo260-gold", [(4, 1, None, None), (4, 4, None, None)], None),
    "sdm660": ("cortex-a73", [(4, 1, None, None), (4, 4, None, None)], None),
    "sdm670": ("kryo360-gold", [(6, 1, "cpu0_opp_table", None), (2, 6, "cpu6_opp_table", None)], None),
    "sdm710": ("kryo360-gold", [(6, 1, None, None), (2, 6, None, None)], None),
    "sdm712": ("kryo360-gold", [(6, 1, None, None), (2, 6, None, None)], None),
    "sdm845": ("kryo385-gold", [(4, 1, "cpu0_opp_table", 611), (4, 4, "cpu4_opp_table", 1024)], None),
    "sm6115": ("kryo260-gold", [(4, 1, None, None), (4, 4, None, None)], None),
    "sm6125": ("kryo260-gold", [(4, 1, None, None), (4, 4, None, None)], None),
    "sm6150": ("kryo460-gold", [(6, 1, None, None), (2, 6, None, None)], None),
    "sm6150ac": ("kryo460-gold", [(6, 1, None, None), (2, 6, None, None)], None),
    "sm7125": ("kryo465-gold", [(6, 1, "sc7180:cpu0_opp_table", None), (2, 6, "sc7180:cpu6_opp_table", None)], None),
    "sm7150": ("kryo470-gold", [(6, 1, None, None), (2, 6, None, None)], None),
    "sm7150ac": ("kryo470-gold", [(6, 1, None, None), (2, 6, None, None)], None),
    "sm7225": ("kryo570-gold", [(6, 1, None, None), (2, 6, None, None)], None),
    "sm7250": ("kryo475-prime", [(6, "sm7250ab:1", None, None), (1, "sm7250ab:6", None, None), (1, "sm7250ab:7", None, None)], None),
    "sm8150": ("kryo485-prime", [(4, 1, "cpu0_opp_table", 488), (3, 4, "cpu4_opp_table", 1024), (1, 7, "cpu7_opp_table", 1024)], None),
    "sm8150ac": ("kryo485-prime", [(4, 1, None, 488), (3, 4, None, 1024), (1, 7, None, 1024)], None),
    "sm8250": ("kryo585-prime", [(4, 1, "cpu0_opp_table", 448), (3, 4, "cpu4_opp_table", 1024), (1, 7, None, 1024)], None),
    "sm8250ac": ("kryo585-prime", [(4, 1, None, 448), (3, 4, None, 1024), (1, 7, "sm8250:cpu7_opp_table", 1024)], None),
    "sm8350": ("cortex-x1", [(4, 1, None, None), (3, 4, None, None), (1, 7, None, None)], None),
    "sm7325": ("kryo670-prime", [(4, None, "kodiak:cpu0_opp_table", 1024), (3, None, "kodiak:cpu4_opp_table", 1946), (1, None, "kodiak:cpu7_opp_table", 1985)], "gs201:4"),
    "sm8550": ("cortex-x3", [(3, None, None, 326), (4, None, None, 693), (1, None, None, 1024)], "zuma:8"),
    "sm8650": ("cortex-x4", [(2, None, "cpu0_opp_table", 1024), (3, None, "cpu2_opp_table", 1792), (2, None, "cpu5_opp_table", 1792), (1, None, "cpu7_opp_table", 1894)], "zumapro:7"),
    "sm8750": ("oryon-l", [(6, None, "SM8750:0", 1024), (2, None, "SM8750:6", 1024)], 10.901),
}

# The simulator's phones are these units. A table is made from the SoC's others, so that a policy in the
# simulator knows a phone no better than framegovd knows one.
SIMULATED = {("sdm660", "main"), ("sm8150", "main"), ("sm8250", "main")}


def power_at(points, khz):
    """mW at khz: linear between the points (kHz: mW), in proportion below the first."""
    known = sorted(points)
    if khz <= known[0] or len(known) == 1:
        return points[known[0]] * khz / known[0]
    low, high = next((pair for pair in zip(known, known[1:]) if khz <= pair[1]), known[-2:])
    return points[low] + (points[high] - points[low]) * (khz - low) / (high - low)


def read_powers(data):
    """(soc, cpu) -> list of runs {kHz: mW of one busy core, idle subtracted}, and soc -> where they are from."""
    runs, sources = {}, {}
    for row in csv.DictReader(open(data / "freqbench_all.csv")):
        if (row["soc"], row["run"]) not in SIMULATED:
            run = runs.setdefault((row["soc"], int(row["cpu"]), row["run"]), {})
            run[int(row["freq_khz"])] = float(row["power_mw"])
    powers = {}
    # Below zero something beside the CPU drew less than while idle was measured; no core takes under 1 mW.
    spoilt = {(soc, name) for (soc, _, name), run in runs.items() if min(run.values()) < 1}
    for (soc, cpu, name), run in runs.items():
        if (soc, name) not in spoilt:
            powers.setdefault((soc, cpu), []).append(run)
            sources.setdefault(soc, set()).add(name)
    for row in csv.DictReader(open(data / "wattson" / "SM8750_cpu_1d.csv")):
        run = powers.setdefault(("SM8750", int(row["policy"])), [{}])[0]
        run.setdefault(int(row["freq_khz"]), float(row["active"]) + float(row["static"]))
    words = {soc: f"freqbench {soc}, {len(names)} run{'s' if len(names) > 1 else ''}" for soc, names in sources.items()}
    return powers, words | {"SM8750": "Wattson SM8750"}


def main(data):
    powers, power_sources = read_powers(data)
    rates = {}  # (soc, cpu) -> {kHz: CoreMark iterations/s}, of the run "main" where that has the frequency
    for row in sorted(csv.DictReader(open(data / "freqbench_all.csv")), key=lambda row: row["run"] != "main"):
        rates.setdefault((row["soc"], int(row["cpu"])), {}).setdefault(int(row["freq_khz"]), float(row["coremark_iter_s"]))
    trees = {}
    for row in csv.DictReader(open(data / "dts_opps.csv")):
        if row["hz"].isdigit():
            trees.setdefault((row["soc"], row["table"]), set()).add(int(row["hz"]) // 1000)
    for soc in ("SM8750", "Tensor_G4"):
        for row in csv.DictReader(open(data / "wattson" / f"{soc}_cpu_1d.csv")):
            trees.setdefault((soc, row["policy"]), set()).add(int(row["freq_khz"]))

    def value(expression):
        return eval(str(expression), {"__builtins__": {}})  # a number, or one divided by another

    def measured(soc, cpu):
        if isinstance(cpu, str):
            soc, cpu = cpu.split(":")
        return rates.get((soc, int(cpu)), {})

    def measured_as(soc, cpu):
        return cpu.split(":")[0] if isinstance(cpu, str) else soc

    def measured_powers(soc, cpu):
        number = str(cpu).rpartition(":")[2]
        return powers.get((measured_as(soc, cpu), int(number))) if number.isdigit() else None

    def per_mhz(points):
        top = max(points)
        return f"{round(points[top])}.0 / {top / 1000:g}"

    print("// SPDX-License-Identifier: Apache-2.0")
    print("// Made by socs/soc_list.py from kdrag0n/freqbench (MIT), public device trees and")
    print("// google/perfetto (Wattson, Apache-2.0).")
    print('#include <cstdint>\n\n#include "socs/soc_table.h"\n\nnamespace framegov {\n\nnamespace {\n')
    print("// Relative performance per MHz: capacity-dmips-mhz of the vendor's device tree where it has one,")
    print("// else CoreMark rate per MHz at the top OPP.")
    print('constexpr std::string_view kDeviceTree = "capacity-dmips-mhz of the device tree";')
    print('constexpr std::string_view kFreqbench = "CoreMark per MHz (freqbench)";')
    print('constexpr std::string_view kAssumed = "equal work per cycle (assumed)";\n')
    rows = []
    for name, (core, clusters, stand_in) in SOCS.items():
        base = name.removesuffix("ac") if (name, clusters[0][1]) not in rates else name
        opps, worth = [], []
        for _, cpu, table, capacity in clusters:
            points = measured(base, cpu) if cpu is not None else {}
            known = set(points)
            if table:
                soc, _, tree = table.rpartition(":")
                known |= trees.get((soc or base, tree), set())
            opps.append(sorted(known))
            worth.append(capacity if capacity else per_mhz(points))
        power = [measured_powers(base, cpu if cpu is not None else table) for _, cpu, table, _ in clusters]
        power_soc = measured_as(base, clusters[0][1] if clusters[0][1] is not None else clusters[0][2])
        source = ASSUMED if name == "sm8750" else DEVICE_TREE if clusters[-1][3] else FREQBENCH
        fastest = max(range(len(worth)), key=lambda i: (value(worth[i]) * (opps[i][-1] if opps[i] else 1), i))
        if stand_in is None:
            coremark = per_mhz(measured(base, clusters[fastest][1]))
        else:
            coremark = stand_in if isinstance(stand_in, float) else per_mhz(measured("", stand_in))
        camel = "k" + name.capitalize()
        first = 0
        cells = []
        for i, (count, *_) in enumerate(clusters):
            opp_list = "{}"
            if opps[i]:
                print(f"constexpr std::uint32_t {camel}Opps{i}[] = {{{', '.join(map(str, opps[i]))}}};")
                opp_list = f"{camel}Opps{i}"
            mw_list = "{}"
            if all(power):
                mw = [statistics.median(power_at(run, khz) for run in power[i]) for khz in opps[i]]
                print(f"constexpr float {camel}Mw{i}[] = {{{', '.join(f'{value:.1f}F' for value in mw)}}};")
                mw_list = f"{camel}Mw{i}"
            relative = "1" if value(worth[i]) == value(worth[fastest]) else f"({worth[i]}) / ({worth[fastest]})" if isinstance(worth[i], str) else f"{worth[i]}.0 / {worth[fastest]}"
            cells.append(f"{{{first}, {count}, {relative}, {opp_list}, {mw_list}}}")
            first += count
        print(f"constexpr SocCluster {camel}[] = {{{', '.join(cells)}}};")
        rows.append(f'{{"{name}", "{core}", {coremark}, {source}, "{power_sources[power_soc] if all(power) else ""}", {camel}}},')
    print("\nconstexpr KnownSoc kSocs[] = {")
    print("\n".join(rows))
    print("};\n\n}  // namespace\n\nstd::span<const KnownSoc> known_socs() { return kSocs; }\n\n}  // namespace framegov")


main(Path(sys.argv[1]))
