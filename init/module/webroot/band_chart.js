// SPDX-License-Identifier: Apache-2.0
// A minute, second by second: between the lowest and the highest of each there is a band, so that nothing between two looks is lost.
import {make} from "./dom.js";
import {text} from "./texts.js";

const SVG = "http://www.w3.org/2000/svg";
export const SECONDS = 60;
const STEP = 10;
const HEIGHT = 120;

function shape(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

/** Stretches of slots with data, as [first, last]. */
function stretches(values) {
  const found = [];
  values.forEach((value, i) => {
    if (!value) return;
    if (found.length && found.at(-1)[1] === i - 1) found.at(-1)[1] = i;
    else found.push([i, i]);
  });
  return found;
}

/**
 * bands: [{key, colour, values}], one for each second of the minute: {low, high, line} or null. A line alone has low = high.
 * limit: {value, words}. marks: seconds with something late. summary: the chart in words.
 */
export class BandChart {
  constructor(legend) {
    this.top = make("span");
    this.picture = shape("svg", {viewBox: `0 0 ${SECONDS * STEP} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true"});
    this.image = make("div", {class: "bands", role: "img"}, this.picture, this.top);
    this.element = make("div", {}, this.image,
      make("div", {class: "axis", "aria-hidden": "true"}, make("span", {}, text("minuteAgo")), make("span", {}, text("now_"))),
      make("div", {class: "legend", "aria-hidden": "true"}, ...legend.map(({key, colour}) =>
        make("span", {}, make("i", {style: `border-top-color: var(--${colour})`}), text(key)))));
  }

  draw({bands, limit, marks = [], most, summary}) {
    const y = value => (HEIGHT - 2 - Math.min(value / most, 1) * (HEIGHT - 6)).toFixed(1);
    const parts = [];
    for (const {colour, values} of bands) {
      for (const [first, last] of stretches(values)) {
        const slots = values.slice(first, last + 1);
        const along = (key, order) => order.map(i => {
          const [from, to] = [(first + i) * STEP, (first + i + 1) * STEP];
          return {from, to, at: y(slots[i][key])};
        });
        const forth = along("high", slots.map((_, i) => i)).map(({from, to, at}) => `L${from} ${at}L${to} ${at}`).join("");
        const back = along("low", slots.map((_, i) => slots.length - 1 - i)).map(({from, to, at}) => `L${to} ${at}L${from} ${at}`).join("");
        parts.push(shape("path", {d: `M${forth.slice(1)}${back}Z`, class: "band", style: `fill: var(--${colour})`}));
        const line = along("line", slots.map((_, i) => i)).map(({from, to, at}) => `L${from} ${at}L${to} ${at}`).join("");
        parts.push(shape("path", {d: `M${line.slice(1)}`, class: "line", style: `stroke: var(--${colour})`}));
      }
    }
    if (limit) parts.push(shape("path", {d: `M0 ${y(limit.value)}H${SECONDS * STEP}`, class: "limit"}));
    for (const i of marks) parts.push(shape("path", {d: `M${i * STEP + 2} 3H${(i + 1) * STEP - 2}`, class: "late"}));
    this.picture.replaceChildren(...parts);
    this.top.textContent = limit?.words ?? "";
    this.top.style.top = limit ? `${(100 * y(limit.value)) / HEIGHT}%` : "0";
    if (this.image.getAttribute("aria-label") !== summary) this.image.setAttribute("aria-label", summary);
  }
}
