// SPDX-License-Identifier: Apache-2.0
// Frames, misses and energy per day and app: drawn by day for one app or all, and as a table.
import {make, section, table} from "../dom.js";
import {StillChart} from "../still_chart.js";
import {text} from "../texts.js";
import {ask} from "../transport.js";

let charts = [];

const percent = row => (row.frames ? 100 * row.misses / row.frames : 0);

/** The days of one app, or of all together, oldest first. */
function byDay(rows, app) {
  const days = new Map();
  for (const row of rows.filter(each => !app || each.app === app)) {
    const sum = days.get(row.day) ?? {frames: 0, misses: 0, energy_mj: 0};
    for (const key of Object.keys(sum)) sum[key] += row[key];
    days.set(row.day, sum);
  }
  return [...days].sort(([a], [b]) => a.localeCompare(b));
}

function drawDays(place, rows, app) {
  hide();
  const days = byDay(rows, app);
  const labels = days.map(([day]) => day.slice(5));
  const chart = (key, unit, colour, value) => new StillChart(text(key), unit, labels, [{key, colour, values: days.map(([, sum]) => value(sum))}]);
  charts = [chart("missedByDay", "%", "late", percent), chart("energyByDay", "J", "ours", sum => sum.energy_mj / 1000)];
  place.replaceChildren(...charts.map(each => make("div", {}, make("h3", {}, each.title), each.element)));
}

function appChoice(rows, choose) {
  const frames = new Map();
  for (const row of rows) frames.set(row.app, (frames.get(row.app) ?? 0) + row.frames);
  const apps = [...frames].sort((a, b) => b[1] - a[1]).map(([app]) => app);
  return make("label", {class: "choice"}, text("package"), make("select", {id: "history-app", onchange: event => choose(event.target.value)},
    make("option", {value: ""}, text("allApps")), ...apps.map(app => make("option", {value: app}, app))));
}

function rowsTable(rows) {
  const cells = [...rows].sort((a, b) => b.day.localeCompare(a.day) || b.frames - a.frames).map(row => [
    row.day.slice(5), row.app, row.frames.toLocaleString(), row.frames ? `${percent(row).toFixed(2)} %` : "–", (row.energy_mj / 1000).toFixed(1)]);
  return table([[text("day")], [text("apps")], [text("frames"), true], [text("missed"), true], [text("energy"), true]], cells, text("history"));
}

export async function show(place, trouble) {
  hide();
  const past = await ask(["history", "--json"]).catch(error => { trouble(error); return null; });
  if (!place.isConnected) return;  // left meanwhile: the charts are another visit's
  if (!past) { place.replaceChildren(); return; }
  const rows = past.days;
  if (!rows.length) { place.replaceChildren(section(text("history"), make("p", {class: "soft"}, text("historyEmpty")))); return; }
  const drawn = make("div");
  place.replaceChildren(
    section(text("history"), appChoice(rows, app => drawDays(drawn, rows, app)), drawn, make("p", {class: "soft"}, text("historyNote"))),
    section(text("byDayAndApp"), rowsTable(rows)));
  drawDays(drawn, rows, "");
}

export function hide() {
  charts.forEach(chart => chart.destroy());
  charts = [];
}
