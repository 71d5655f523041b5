// SPDX-License-Identifier: Apache-2.0
// framegov ab: starts the experiment on the phone's own battery, shows how far it is, and what came out.
import {make, section, table} from "../dom.js";
import {StillChart} from "../still_chart.js";
import {text} from "../texts.js";
import {ask, run} from "../transport.js";

const EVERY_MS = 3000;
const MINUTES = [15, 30, 60, 120];
const PACKAGE = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;
let timer = null;
let chart = null;

const range = (measure, digits) =>
  (measure.plus_minus === null ? "?" : `${measure.difference.toFixed(digits)} ± ${measure.plus_minus.toFixed(digits)}`);

function outcome(result) {
  chart?.destroy();
  chart = null;
  if (!result) return section(text("lastResult"), make("p", {class: "soft"}, text("nothingMeasured")));
  if (result.error) return section(text("lastResult"), make("p", {}, `${result.app}: ${result.error}`));
  const rows = [["powerMw", result.power_mw, 0], ["missPercent", result.miss_percent, 2]].map(([name, measure, digits]) =>
    [text(name), measure.stock.toFixed(digits), measure.framegov.toFixed(digits), range(measure, digits)]);
  const pairs = result.pairs.filter(pair => !pair.spoiled);
  chart = pairs.length === 0 ? null : new StillChart(text("pairs"), "mW", pairs.map((_, i) => String(i + 1)), [
    {key: "stock", colour: "cap", hollow: true, values: pairs.map(pair => pair.stock_mw)},
    {key: "withFramegov", colour: "ours", values: pairs.map(pair => pair.framegov_mw)}], "points");
  return section(text("lastResult"),
    make("p", {class: "app"}, result.app), ...result.sentences.map(sentence => make("p", {lang: "en"}, sentence)),
    table([[text("value")], [text("stock"), true], [text("withFramegov"), true], [text("difference"), true]], rows, text("lastResult")),
    chart ? make("h3", {}, text("pairs")) : null, chart?.element);
}

function underWay(running, stop) {
  const left = Math.ceil((running.windows - running.window) * running.window_s / 60);
  const words = text("windowOf", {window: running.window + 1, windows: running.windows, left});
  return section(text("measuring", {app: running.app}),
    make("progress", {max: running.windows, value: running.window, "aria-label": text("measuring", {app: running.app})}),
    make("p", {role: "status"}, words), make("p", {class: "soft"}, text("measureGoOn")),
    make("div", {class: "row"}, make("button", {type: "button", onclick: stop}, text("stopMeasuring"))));
}

function startForm(app, start) {
  const note = make("span", {class: "problem", id: "problem-measured"});
  const input = make("input", {id: "measured", value: app, autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-describedby": note.id});
  const minutes = make("select", {id: "minutes"}, ...MINUTES.map(each => make("option", {value: each, selected: each === 30}, String(each))));
  const form = make("form", {class: "profile", novalidate: true},
    make("p", {class: "soft"}, text("measureNote")),
    make("label", {}, text("package"), input, note), make("label", {}, text("minutes"), minutes),
    make("div", {class: "row"}, make("button", {class: "main"}, text("startMeasuring"))));
  form.addEventListener("submit", event => {
    event.preventDefault();
    const good = PACKAGE.test(input.value.trim());
    input.setAttribute("aria-invalid", String(!good));
    note.textContent = good ? "" : text("badPackage");
    good ? start(input.value.trim(), minutes.value) : input.focus();
  });
  return section(text("measureTitle"), form);
}

export async function show(place, trouble) {
  hide();
  const upper = make("div");
  const lower = make("div");
  let shown = null;
  const act = words => run(words).then(() => trouble(null)).catch(trouble).then(look);
  const draw = async standing => {
    const state = standing.running ? `${standing.running.window}` : "none";
    if (state === shown) return;
    // The result is drawn when it may be another: at first, and when one has ended.
    if (!standing.running || shown === null) lower.replaceChildren(outcome(standing.result));
    if (!standing.running) {
      const status = await ask(["status", "--json"]).catch(() => null);
      upper.replaceChildren(startForm(status?.app ?? "", (app, minutes) => act(["ab", "--background", "--app", app, "--minutes", minutes])));
    } else {
      upper.replaceChildren(underWay(standing.running, () => act(["ab", "--stop"])));
    }
    shown = state;
  };
  const look = () => ask(["ab", "--show", "--json"]).then(draw).catch(trouble);
  place.replaceChildren(upper, lower);
  await look();
  const later = () => { timer = setTimeout(async () => { if (!document.hidden) await look(); if (timer) later(); }, EVERY_MS); };
  later();
}

export function hide() {
  clearTimeout(timer);
  timer = null;
  chart?.destroy();
  chart = null;
}
