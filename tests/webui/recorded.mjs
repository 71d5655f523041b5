// SPDX-License-Identifier: Apache-2.0
// What framegov answered, by its words, for a page without a phone. Names hold HTML: it must stay text.
const cluster = (policy, cpus, max_khz, cap_khz, floor_khz, current_khz) => ({
  policy, cpus, min_khz: 300000, max_khz, limit_min_khz: 300000, limit_max_khz: max_khz, cap_khz, floor_khz, current_khz});

const status = {
  version: "0.1.0", policy: "mpc", mode: "balance", app_mode: "balance", app_enabled: true, paused: null, thermal: "none", source: "bpf-ring-buffer", app: "com.example.reader", now_ns: 81234567890,
  minute: {frames: 2940, late: 3, big_kept_percent: 41, kept_percent: [62, 58, 41]}, uptime_s: 3725,
  frames: {count: 118, misses: 1, fps: 59.6, power_mw: 412, budget_ms: 16.6, p50_ms: 8.4, p95_ms: 13.1, longest_ms: 18.2, bins_to_deadline: 10, histogram: [0, 0, 4, 22, 40, 28, 12, 7, 3, 1, 1]},
  clusters: [cluster(0, "0-3", 1800000, 900000, 0, 600000), cluster(4, "4-5", 2250000, 1500000, 1200000, 1350000), cluster(6, "6-7", 2800000, 0, 0, 500000)],
  totals: {wakeups: 9120, frames: 4021, decisions: 8042, fail_safes: 3, events: 12063, lost: 0, rejected: 0, writes: 1711, failed_writes: 0, overwritten: 0},
  misses: 31, energy_mj: 88211};

/** A minute of scrolling with a late frame, a game before it and a still screen between the two. */
const band = (low, high) => [low, high];
status.seconds = Array.from({length: 60}, (_, i) => i).filter(i => i < 12 || i > 18).map(i => {
  const late = i === 5 || i === 40;
  const swing = Math.round(8 * Math.abs(Math.sin(i / 4)));
  return {begin_ns: status.now_ns - (59.5 - i) * 1e9, app: i < 12 ? "com.example.game" : "com.example.reader", frames: 60, late: late ? (i === 5 ? 2 : 1) : 0, raised: i === 40 ? 1 : 0,
    shortest_ms: 3 + swing / 4, mean_ms: 6 + swing / 2, longest_ms: late ? 24.3 : 9 + swing / 2, budget_ms: 16.6,
    clusters: [{policy: 0, cap_khz: band(600000, 900000), floor_khz: band(300000, 300000), speed_khz: band(0, 0)},
      {policy: 4, cap_khz: band(900000 + 50000 * swing, 1500000), floor_khz: band(400000, 1200000), speed_khz: band(800000, 1350000)},
      {policy: 6, cap_khz: band(800000, late ? 2800000 : 1200000 + 60000 * swing), floor_khz: band(500000, 800000), speed_khz: i < 12 ? band(900000, 2400000) : band(0, 0)}]};
});

const from = (value, origin) => ({value, origin});
// An app's own entry as its file has it: scalars are strings, a part is 10% or 0.1. The form has no field for `kind`, `policy4` and `modes`.
const own = {kind: "reader", enabled: "true", target_fps: ["30", "60"], eps: "0.003", margin: "0.07", ceilings: {big: "1.8GHz", policy4: "60%"}, modes: {night: {target_fps: ["30"]}}};
const FILE = "app-com.example.reader.yaml:4";
const profile = {
  package: "com.example.reader", mode: "balance", entry: from("com.example.reader", FILE), kind: from("reader", FILE), enabled: from(true, FILE),
  policy: from("mpc", "built in"), target_fps: from([30, 60], FILE), eps: from(0.003, FILE), margin: from(0.07, FILE),
  ceilings: {big: from("1800MHz", FILE), little: from("75%", "shipped.yaml:13")}, floors: {}, own};

const PART = {type: "number", minimum: 0, maximum: 0.5};
const limits = {$ref: "#/definitions/limits"};
const schema = {definitions: {values: {properties: {
  enabled: {type: "boolean"}, policy: {enum: ["pid", "mpc"]}, source: {enum: ["auto", "uprobes", "surfaceflinger", "none"]},
  target_fps: {oneOf: [{const: "auto"}, {type: "array", minItems: 1, maxItems: 8, items: {type: "number", minimum: 1, maximum: 480}}]},
  eps: {type: "number", minimum: 0.0001, maximum: 0.2}, margin: {oneOf: [PART, {type: "string", pattern: "^[0-9.]+%$"}]},
  ceilings: limits, floors: limits}}}};

const doctor = {can_govern: true, findings: [
  {id: "kernel", health: "ok", needed: true, what: "Linux 6.1.0, uprobes, BPF ring buffer", meaning: "", action: ""},
  {id: "libgui", health: "degraded", needed: false, what: "nothing to probe: <img src=x onerror=alert(1)>", meaning: "games and RenderThread's part are not seen", action: "service.gui_libraries names the paths; framegov locate looks closer"},
  {id: "policy6", health: "degraded", needed: true, what: "500 to 2800 MHz, limits now 500 to 1900, governor schedutil", meaning: "somebody (thermal, another module) holds it below its top; framegov stays below that too", action: ""},
  {id: "state", health: "ok", needed: true, what: "/data/adb/framegov", meaning: "", action: ""}]};

const history = {days: [
  {day: "2026-01-02", app: "com.example.reader", frames: 40210, misses: 31, energy_mj: 882110},
  {day: "2026-01-02", app: "com.example.game.with.a.very.long.package.name", frames: 20100, misses: 250, energy_mj: 1882110},
  {day: "2026-01-01", app: "com.example.reader", frames: 1200, misses: 0, energy_mj: 20110}], bad_lines: 0, lost: 0};

const listed = {mode: "balance", switched: {"com.example.reader": {mode: "powersave"}, "org.example.bank": {on: false}},
  modes: {powersave: {origin: "shipped.yaml:10"}, balance: {origin: "shipped.yaml:9"}}, kinds: {game: {origin: "shipped.yaml:20"}, reader: {origin: "shipped.yaml:22"}},
  apps: {"com.example.game": {origin: "shipped.yaml:30", base: "game"}, "com.example.*": {origin: "shipped.yaml:31"}, "org.example.maps": {origin: "shipped.yaml:32", base: "map"}}};

const measure = (stock, framegov, plus_minus, verdict) => ({verdict, stock, framegov, difference: framegov - stock, plus_minus,
  percent: 100 * (framegov - stock) / stock, percent_plus_minus: 100 * plus_minus / stock, pairs: 7, p: 0.0156});
const result = {app: "com.example.reader", seed: 3, power_mw: measure(812.4, 741.2, 22.1, "less"), miss_percent: measure(0.31, 0.28, 0.2, "cannot-tell"), settle_s: 10, gauge_interval_s: 1, measured_unix_s: 1793700000,
  minutes_to_find: [{percent: 2, minutes: 40}, {percent: 5, minutes: 14}, {percent: 10, minutes: 14}],
  pairs: [[820, 745], [808, 739], [815, 744], [811, 736], [803, 741], [819, 748], [810, 736]].map(([stock_mw, framegov_mw]) => ({stock_mw, framegov_mw, stock_miss_percent: 0.3, framegov_miss_percent: 0.3})).concat([{spoiled: "another app was on top"}]),
  sentences: ["With framegov the phone took 8.8 % (95 % interval 6.0 to 11.5 %) less power than without: 741 instead of 812 mW.", "0.28 % of the frames missed with framegov, 0.31 % without: no difference was found."]};
export const RUNNING = {running: {app: "com.example.reader", window: 4, windows: 30, window_s: 60, minutes: 30}, result: null};

const decision = {at_ns: status.now_ns - 2e7, cause: "frame", app: "com.example.reader", reason: "scheduled", generation_ms: 9.1, budget_ms: 16.6, wanted_mhz: 1150, chosen_khz: 1200000, frame_policy: 4,
  clusters: [{policy: 0, cap_khz: 900000, floor_khz: 0}, {policy: 4, cap_khz: 1500000, floor_khz: 1200000}, {policy: 6, cap_khz: 0, floor_khz: 0}]};
const decisions = {now_ns: status.now_ns, decisions: [{at_ns: status.now_ns - 1.31e9, cause: "timer", app: "com.example.reader", reason: "still", clusters: []}, decision]};
const log = [{unix_ns: 1767348000e9, level: "info", code: "governing", text: "governing 3 clusters with policy mpc"}, {unix_ns: 1767348009e9, level: "info", code: "frames-from", text: "frames from ringbuf"}].map(line => `${JSON.stringify(line)}\n`).join("");

const of = changed => ({code: 0, stdout: JSON.stringify({...status, ...changed})});
const STATUS = "status --seconds --json";
export const POWERSAVE = of({mode: "powersave"});
export const NIGHT = of({mode: "night"});
export const PAUSED = of({paused: {since_unix_s: 1793700000, until_unix_s: null}, app_enabled: false});
export const STUTTER = of({minute: {frames: 1200, late: 300, big_kept_percent: null, kept_percent: [null, null, null]}});
export const STILL = of({minute: {frames: 0, late: 0, big_kept_percent: null, kept_percent: [null, null, null]}, seconds: []});
export const NO_SERVICE = {code: 1, stderr: "framegov: framegovd is not running (no listener on @framegov)\n  run framegov doctor to see why"};
const down = {id: "service", health: "degraded", needed: false, what: "framegovd is not running", meaning: "nothing is governed", action: "restart the phone; its log and last_words in /data/adb/framegov say why it has ended"};
/** The answers of a phone without a service, and of one that cannot have one. */
export const DEAD = {[STATUS]: NO_SERVICE, "status --json": NO_SERVICE, "doctor --json": {code: 0, stdout: JSON.stringify({...doctor, findings: [...doctor.findings, down]})}};
export const UNFIT = {...DEAD, "doctor --json": {code: 5, stdout: JSON.stringify({can_govern: false, findings: [
  {id: "uprobes", health: "missing", needed: true, what: "the kernel has no uprobes (CONFIG_UPROBE_EVENTS)", meaning: "frames cannot be seen", action: "a kernel with uprobes; see docs/portability.md"}, ...doctor.findings, down]})}};
/** After `profile put` and `drop`, and as it was. */
export const PROFILE = {code: 0, stdout: JSON.stringify(profile)};

export const RECORDED = {
  "profile schema": {code: 0, stdout: JSON.stringify(schema)},
  "profile list": {code: 0, stdout: JSON.stringify(listed)},
  [STATUS]: of({}),
  "status --json": of({}),
  "doctor --json": {code: 0, stdout: JSON.stringify(doctor)},
  "history --json": {code: 0, stdout: JSON.stringify(history)},
  "ab --show": {code: 0, stdout: JSON.stringify({running: null, result})},
  "ab --background": {code: 0, stdout: "started: 30 windows\n"},
  "ab --stop": {code: 0, stdout: ""},
  "explain --last 20 --json": {code: 0, stdout: JSON.stringify(decisions)},
  log: {code: 0, stdout: log},
  "profile show": {code: 0, stdout: JSON.stringify(profile)},
  "profile put": {code: 0, stdout: JSON.stringify({...profile, margin: from(0.125, FILE), own: {...own, margin: "12.5%"}})},
  "profile drop": {code: 0, stdout: JSON.stringify({...profile, margin: from(0.05, "framegov.yaml:16"), own: null})},
  mode: {code: 0, stdout: "powersave\n"},
  app: {code: 0, stdout: "com.example.reader: off\n"},
  pause: {code: 0, stdout: "paused by hand since 14:02; framegov resume ends it\n"},
  resume: {code: 0, stdout: "governing\n"},
};

/** A root manager that answers as was recorded. Runs in the page, before its own scripts. */
export function installManager(recorded) {
  window.commands = [];
  window.answers = recorded;
  window.ksu = {listPackages: () => JSON.stringify(["com.example.reader", "net.example.chat"]),
    getPackagesInfo: packages => JSON.stringify(JSON.parse(packages).map(packageName => ({packageName, appLabel: packageName === "com.example.reader" ? "Feed" : ""}))),
    exec(command, options, name) {
    if (command.startsWith("sh ")) { window.commands.push(command.split(" ")); setTimeout(() => window[name](0, "", ""), 5); return; }
    const words = [...command.matchAll(/'((?:[^']|'\\'')*)'/g)].map(match => match[1].replaceAll("'\\''", "'")).slice(1);
    window.commands.push(words);
    const answer = window.answers[words.join(" ")] ?? window.answers[words.slice(0, 2).join(" ")] ?? window.answers[words[0]];
    const {code, stdout = "", stderr = "", after_ms = 5} = answer ?? {code: 2, stderr: `not recorded: ${words.join(" ")}`};
    setTimeout(() => window[name](code, stdout, stderr), after_ms);
  }};
}
