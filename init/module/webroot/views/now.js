// SPDX-License-Identifier: Apache-2.0
// What the service is at, once a second while the page can be seen; and the mode.
import {LiveChart} from "../charts.js";
import {facts, make, section} from "../dom.js";
import {keepAsking} from "../poll.js";
import {text} from "../texts.js";
import {run} from "../transport.js";

const EVERY_MS = 1000;
const MODES = ["powersave", "balance", "performance", "fast", "auto"];
const TIMES = [{key: "half", colour: "ours"}, {key: "most", colour: "late"}, {key: "budget", colour: "soft", dashed: true}];
const LIMITS = [{key: "current", colour: "ours", stepped: true}, {key: "cap", colour: "cap", dashed: true, stepped: true},
  {key: "floor", colour: "floor", dashed: true, stepped: true}];
let charts = [];

const mhz = khz => (khz > 0 ? khz / 1000 : null);
const percent = (part, whole) => (whole > 0 ? `${(100 * part / whole).toFixed(1)} %` : "–");

function summary(status) {
  const frames = status.frames;
  return facts([
    [text("app"), status.app || text("none"), true],
    [text("fps"), frames.fps.toFixed(0)],
    [text("missed"), percent(frames.misses, frames.count)],
    [text("p95"), frames.count ? `${frames.p95_ms.toFixed(1)} ms` : "–"],
    [text("deadline"), frames.budget_ms > 0 ? `${frames.budget_ms.toFixed(1)} ms` : "–"],
    [text("power"), `${frames.power_mw.toFixed(0)} mW`],
    [text("lost"), String(status.totals.lost)],
    [text("policy"), status.policy], [text("source"), status.source],
  ]);
}

/** The buttons stay and only their state changes: the one that was pressed keeps the focus. */
function modeButtons(choose) {
  const group = make("div", {class: "modes", role: "group", "aria-label": text("mode")});
  const buttons = new Map();
  const button = name => {
    buttons.set(name, make("button", {type: "button", "aria-pressed": "false", onclick: () => choose(name)}, text(name)));
    return buttons.get(name);
  };
  group.append(...MODES.map(button));
  const press = current => {
    // A mode of one's own gets a button when it is first seen.
    if (current && !buttons.has(current)) group.prepend(button(current));
    buttons.forEach((each, name) => each.setAttribute("aria-pressed", String(name === current)));
  };
  return {group, press};
}

/** Draws the view for the clusters of `first`; returns what takes each later status. */
function draw(place, first, trouble, look) {
  const times = new LiveChart(text("generation"), "ms", TIMES);
  const clusters = first.clusters.map(cluster => new LiveChart(text("cluster", cluster), "mhz", LIMITS));
  charts = [times, ...clusters];
  const numbers = make("div");
  const modes = modeButtons(name => run(["mode", name]).then(() => { trouble(null); return look(); }).catch(trouble));
  place.replaceChildren(
    make("section", {}, make("h2", {class: "hidden"}, text("status")), numbers), section(text("mode"), modes.group),
    section(text("generation"), times.element),
    make("div", {class: "clusters"}, ...clusters.map(chart => section(chart.title, chart.element))));

  let mode = null;
  return status => {
    numbers.replaceChildren(summary(status));
    if (status.mode !== mode) {
      mode = status.mode;
      modes.press(mode);
    }
    const frames = status.frames;
    times.add(frames.count ? {half: frames.p50_ms, most: frames.p95_ms, budget: frames.budget_ms} : {});
    status.clusters.forEach((cluster, i) => clusters[i]?.add(
      {current: mhz(cluster.current_khz), cap: mhz(cluster.cap_khz), floor: mhz(cluster.floor_khz)}));
  };
}

export async function show(place, trouble) {
  hide();
  let update = null;
  await keepAsking(place, EVERY_MS, ["status", "--json"], (status, look) => {
    update ??= draw(place, status, trouble, look);
    update(status);
  }, trouble);
}

export function hide() {
  charts.forEach(chart => chart.destroy());
  charts = [];
}
