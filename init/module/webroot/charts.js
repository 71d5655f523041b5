// SPDX-License-Identifier: Apache-2.0
// Live line charts over the last minute, by uPlot, in the page's colours; each tells its last values in words too.
import {make} from "./dom.js";
import {text} from "./texts.js";

const SECONDS = 60;
const TICKS = [60, 40, 20, 0];  // seconds ago
const HEIGHT = 150;
export const colour = name => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** series: [{key, colour, dashed, stepped}]; add({key: value}) once a second. */
export class LiveChart {
  constructor(title, unit, series) {
    this.title = title;
    this.series = series;
    this.data = [[], ...series.map(() => [])];
    this.place = make("div", {class: "chart", role: "img"});
    this.element = make("div", {}, this.place,
      make("div", {class: "legend", "aria-hidden": "true"}, ...series.map(each =>
        make("span", {}, make("i", {style: `border-top-color: var(--${each.colour}); border-top-style: ${each.dashed ? "dashed" : "solid"}`}), text(each.key))), make("span", {}, text(unit))));
    this.unit = unit;
    this.plot = null;
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.redraw = () => { this.plot?.destroy(); this.plot = null; this.draw(); };
    this.scheme.addEventListener("change", this.redraw);
    this.watcher = new ResizeObserver(() => this.plot?.setSize({width: this.place.clientWidth, height: HEIGHT}));
    this.watcher.observe(this.place);
  }

  add(values) {
    this.data[0].push(Date.now() / 1000);
    this.series.forEach((each, i) => this.data[i + 1].push(values[each.key] ?? null));
    if (this.data[0].length > SECONDS) this.data.forEach(column => column.shift());
    const words = this.series.map(each => `${text(each.key)} ${values[each.key]?.toFixed(1) ?? text("none")}`).join(", ");
    this.place.setAttribute("aria-label", text("chartLast", {title: this.title, values: `${words} ${text(this.unit)}`}));
    this.draw();
  }

  draw() {
    if (this.place.clientWidth === 0) return;
    if (this.plot) { this.plot.setData(this.data); return; }
    const axis = {stroke: colour("soft"), grid: {stroke: colour("line"), width: 1}, ticks: {show: false}};
    this.plot = new uPlot({
      width: this.place.clientWidth, height: HEIGHT, legend: {show: false}, cursor: {show: false},
      scales: {x: {range: () => [Date.now() / 1000 - SECONDS, Date.now() / 1000]}, y: {range: (_, low, high) => [0, Math.max(high, 1) * 1.1]}},
      axes: [{...axis, splits: () => TICKS.map(tick => Date.now() / 1000 - tick), values: (_, ticks) => ticks.map(tick => `${Math.round(tick - Date.now() / 1000)} s`)}, {...axis, size: 46}],
      series: [{}, ...this.series.map(each => ({
        stroke: colour(each.colour), width: 2, dash: each.dashed ? [6, 4] : undefined, points: {show: false},
        paths: each.stepped ? uPlot.paths.stepped({align: 1}) : undefined}))],
    }, this.data, this.place);
  }

  destroy() {
    this.scheme.removeEventListener("change", this.redraw);
    this.watcher.disconnect();
    this.plot?.destroy();
  }
}
