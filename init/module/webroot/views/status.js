// SPDX-License-Identifier: Apache-2.0
// What the service is at, once a second while the page can be seen; and the mode.
import {LiveChart} from "../charts.js";
import {facts, make, section} from "../dom.js";
import {text} from "../texts.js";
import {ask, run} from "../transport.js";

const EVERY_MS = 1000;
const MODES = ["powersave", "balance", "performance", "fast", "auto"];
const TIMES = [{key: "half", colour: "ours"}, {key: "most", colour: "late"}, {key: "budget", colour: "soft", dashed: true}];
const LIMITS = [{key: "current", colour: "ours", stepped: true}, {key: "cap", colour: "cap", dashed: true, stepped: true},
  {key: "floor", colour: "floor", dashed: true, stepped: true}];
let timer = null;
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
    [text("deadline"), frames.count ? `${frames.budget_ms.toFixed(1)} ms` : "–"],
    [text("power"), `${frames.power_mw.toFixed(0)} mW`],
    [text("lost"), String(status.totals.lost)],
    [text("policy"), status.policy], [text("source"), status.source],
  ]);
}

function modeButtons(current, trouble, redraw) {
  const names = current && !MODES.includes(current) ? [current, ...MODES] : MODES;
  const choose = name => run(["mode", name]).then(redraw).catch(trouble);
  return make("div", {class: "modes", role: "group", "aria-label": text("mode")}, ...names.map(name =>
    make("button", {type: "button", "aria-pressed": String(name === current), onclick: () => choose(name)}, text(name))));
}

export async function show(place, trouble) {
  hide();
  const first = await ask(["status", "--json"]).catch(error => { trouble(error); return null; });
  if (!first) { place.replaceChildren(); return; }
  const times = new LiveChart(text("generation"), "ms", TIMES);
  const clusters = first.clusters.map(cluster => new LiveChart(text("cluster", cluster), "mhz", LIMITS));
  charts = [times, ...clusters];
  const numbers = make("div");
  const modes = make("div");
  place.replaceChildren(
    make("section", {}, make("h2", {class: "hidden"}, text("status")), numbers), section(text("mode"), modes),
    section(text("generation"), times.element),
    make("div", {class: "clusters"}, ...clusters.map(chart => section(chart.title, chart.element))));

  let mode = null;
  const update = status => {
    numbers.replaceChildren(summary(status));
    if (status.mode !== mode) {
      mode = status.mode;
      modes.replaceChildren(modeButtons(mode, trouble, look));
    }
    const frames = status.frames;
    times.add(frames.count ? {half: frames.p50_ms, most: frames.p95_ms, budget: frames.budget_ms} : {});
    status.clusters.forEach((cluster, i) => clusters[i]?.add(
      {current: mhz(cluster.current_khz), cap: mhz(cluster.cap_khz), floor: mhz(cluster.floor_khz)}));
  };
  const look = () => ask(["status", "--json"]).then(status => { trouble(null); update(status); }).catch(trouble);
  update(first);
  // The next look is asked for when the last one has come: a slow phone is not flooded.
  const later = () => { timer = setTimeout(async () => { if (!document.hidden) await look(); if (timer) later(); }, EVERY_MS); };
  later();
}

export function hide() {
  clearTimeout(timer);
  timer = null;
  charts.forEach(chart => chart.destroy());
  charts = [];
}
