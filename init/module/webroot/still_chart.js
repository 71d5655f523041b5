// SPDX-License-Identifier: Apache-2.0
// A chart of what has been: a few numbers under their labels, as bars or points, by uPlot; it tells them in words too.
import {make} from "./dom.js";
import {text} from "./texts.js";

const HEIGHT = 170;
const colour = name => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const MOST_LABELS = 6;
const MOST_WORDS = 8;

const bars = (each, one) => ({fill: one, stroke: one, points: {show: false}, paths: uPlot.paths.bars({size: [0.7, 48]})});
const points = (each, one) => ({stroke: one, paths: () => null, points: {show: true, size: 9, stroke: one, fill: each.hollow ? colour("card") : one}});

export class StillChart {
  /** labels: a word for each column; series: [{key, colour, hollow, values}]; kind: "bars" (from zero) or "points" */
  constructor(title, unit, labels, series, kind = "bars") {
    Object.assign(this, {title, labels, series, kind});
    this.data = [labels.map((_, i) => i), ...series.map(each => each.values)];
    const words = labels.map((label, i) => `${label} ${series.map(each => `${series.length > 1 ? `${text(each.key)} ` : ""}${each.values[i].toFixed(2)}`).join(", ")}`);
    this.place = make("div", {class: "chart", role: "img", "aria-label": text("chartHolds", {title, unit, values: words.slice(-MOST_WORDS).join("; ")})});
    this.element = make("div", {}, this.place, series.length < 2 ? null : make("div", {class: "legend", "aria-hidden": "true"},
      ...series.map(each => make("span", {}, make("i", {style: `border-top-color: var(--${each.colour})`}), text(each.key))), make("span", {}, unit)));
    this.plot = null;
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.redraw = () => { this.plot?.destroy(); this.plot = null; this.draw(); };
    this.scheme.addEventListener("change", this.redraw);
    // It gets its width when it comes onto the page.
    this.watcher = new ResizeObserver(() => (this.plot ? this.plot.setSize({width: this.place.clientWidth, height: HEIGHT}) : this.draw()));
    this.watcher.observe(this.place);
  }

  draw() {
    if (this.place.clientWidth === 0) return;
    const axis = {stroke: colour("soft"), grid: {stroke: colour("line"), width: 1}, ticks: {show: false}};
    const every = Math.ceil(this.labels.length / MOST_LABELS);
    const splits = this.data[0].filter(i => (this.labels.length - 1 - i) % every === 0);
    const low = bottom => (this.kind === "bars" ? 0 : Math.max(0, bottom * 0.97));
    const draw = this.kind === "bars" ? bars : points;
    this.plot = new uPlot({
      width: this.place.clientWidth, height: HEIGHT, legend: {show: false}, cursor: {show: false},
      scales: {x: {time: false, range: () => [-0.5, this.labels.length - 0.5]}, y: {range: (_, bottom, top) => [low(bottom), top > 0 ? top * 1.05 : 1]}},
      axes: [{...axis, size: 30, grid: {show: false}, splits: () => splits, values: (_, at) => at.map(i => this.labels[i])}, {...axis, size: 52}],
      series: [{}, ...this.series.map(each => draw(each, colour(each.colour)))],
    }, this.data, this.place);
  }

  destroy() {
    this.scheme.removeEventListener("change", this.redraw);
    this.watcher.disconnect();
    this.plot?.destroy();
  }
}
