// SPDX-License-Identifier: Apache-2.0
// framegov ab: starts the experiment on the phone's own battery, shows how far it is, and what came out.
import {make, redraw, said, section, table} from "../dom.js";
import {helpOf} from "../measured.js";
import {keepAsking} from "../poll.js";
import {StillChart} from "../still_chart.js";
import {currentLanguage, text} from "../texts.js";
import {ask, run} from "../transport.js";

const EVERY_MS = 3000;
const MINUTES = [15, 30, 60, 120];
const PACKAGE = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;
let chart = null;

const range = (measure, digits) =>
  (measure.plus_minus === null ? "?" : `${measure.difference.toFixed(digits)} ± ${measure.plus_minus.toFixed(digits)}`);

function outcome(result) {
  chart?.destroy();
  chart = null;
  if (!result) return section(text("lastResult"), make("p", {class: "soft"}, text("nothingMeasured")));
  if (result.error) return section(text("lastResult"), make("p", {}, `${result.app}: `, said(result.error)));
  const mean = (measure, arm, digits) => (measure.pairs ? measure[arm].toFixed(digits) : "?");
  const rows = [["powerMw", result.power_mw, 0], ["missPercent", result.miss_percent, 2]].map(([name, measure, digits]) =>
    [text(name), mean(measure, "stock", digits), mean(measure, "framegov", digits), range(measure, digits)]);
  const pairs = result.pairs.filter(pair => !pair.spoiled);
  chart = pairs.length === 0 ? null : new StillChart(text("pairs"), "mW", pairs.map((_, i) => String(i + 1)), [
    {key: "stock", colour: "cap", hollow: true, values: pairs.map(pair => pair.stock_mw)},
    {key: "withFramegov", colour: "ours", values: pairs.map(pair => pair.framegov_mw)}], "points");
  return section(text("lastResult"),
    make("p", {class: "app"}, result.app), currentLanguage() === "en" ? null : make("p", {}, helpOf(result) ?? text("helpsUnknown")),
    ...result.sentences.map(sentence => make("p", {lang: "en", class: currentLanguage() === "en" ? null : "soft"}, sentence)),
    table([[text("value")], [text("stock"), true], [text("withFramegov"), true], [text("difference"), true]], rows, text("lastResult")),
    chart ? make("h3", {}, text("pairs")) : null, chart?.element);
}

/** How far it is changes in place: the button that ends it stays what it is, with the focus on it. */
function underWay({app, windows}, stop) {
  const title = text("measuring", {app});
  const bar = make("progress", {max: windows, "aria-label": title});
  const words = make("p", {role: "status"});
  const button = make("button", {type: "button", onclick: stop}, text("stopMeasuring"));
  const progress = running => {
    const left = Math.ceil((windows - running.window) * running.window_s / 60);
    const now = text("windowOf", {window: running.window + 1, windows, left});
    bar.value = running.window;
    if (words.textContent !== now) words.textContent = now;
  };
  return {element: section(title, bar, words, make("p", {class: "soft"}, text("measureGoOn")), make("div", {class: "row"}, button)), button, progress};
}

function startForm(app, start) {
  const note = make("span", {class: "problem", id: "problem-measured"});
  const input = make("input", {id: "measured", value: app, autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-describedby": note.id});
  const minutes = make("select", {id: "minutes"}, ...MINUTES.map(each => make("option", {value: each, selected: each === 30}, String(each))));
  const button = make("button", {class: "main"}, text("startMeasuring"));
  const form = make("form", {class: "profile", novalidate: true},
    make("p", {class: "soft"}, text("measureNote")),
    make("label", {}, text("package"), input, note), make("label", {}, text("minutes"), minutes),
    make("div", {class: "row"}, button));
  form.addEventListener("submit", event => {
    event.preventDefault();
    const good = PACKAGE.test(input.value.trim());
    input.setAttribute("aria-invalid", String(!good));
    note.textContent = good ? "" : text("badPackage");
    good ? start(input.value.trim(), minutes.value) : input.focus();
  });
  return {element: section(text("measureTitle"), form), button};
}

export async function show(place, trouble) {
  hide();
  const upper = make("div");
  const lower = make("div");
  let shown = null;
  let progress = null;
  const draw = async ({running, result}, look) => {
    const act = words => run(words).then(() => trouble(null)).catch(trouble).then(look);
    const state = running ? `${running.app} ${running.windows}` : "none";
    if (state !== shown) {
      // The result is drawn when it may be another: at first, and when one has ended.
      if (!running || shown === null) lower.replaceChildren(outcome(result));
      shown = state;
      const status = running ? null : await ask(["status", "--json"]).catch(() => null);
      // Meanwhile the view may have been left, or another answer drawn.
      if (shown !== state || !place.isConnected) return;
      const part = running ? underWay(running, () => act(["ab", "--stop"]))
        : startForm(status?.app ?? "", (app, minutes) => act(["ab", "--background", "--app", app, "--minutes", minutes]));
      progress = part.progress;
      redraw(upper, part.button, part.element);
    }
    if (running) progress?.(running);
  };
  place.replaceChildren(upper, lower);
  await keepAsking(place, EVERY_MS, ["ab", "--show", "--json"], draw, trouble);
}

export function hide() {
  chart?.destroy();
  chart = null;
}
