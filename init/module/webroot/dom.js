// SPDX-License-Identifier: Apache-2.0
// Small helpers for making elements. Text is always text: nothing is parsed as HTML.

/** make("p", {class: "soft"}, "words", element, ...) */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== undefined && value !== null) element.setAttribute(key, value);
  }
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

/** What framegov says, which is English whatever language the page has. */
export const said = words => make("span", {lang: "en"}, words);

/** Draws `place` anew. Where the focus was in it, `control` has it then: it does not fall to the page's top. */
export function redraw(place, control, ...children) {
  const held = place.contains(document.activeElement);
  place.replaceChildren(...children);
  if (held) control.focus();
}

export const section = (title, ...children) => make("section", {}, title ? make("h2", {}, title) : null, ...children);

export const fold = (title, ...children) => make("details", {}, make("summary", {}, title), ...children);

/** A list of facts: [name, value, wide] */
export const facts = list =>
  make("dl", {class: "facts"}, ...list.map(([name, value, wide]) =>
    make("div", {class: wide ? "wide" : null}, make("dt", {}, name), make("dd", {}, value))));

/** columns: [title, is a number] */
export const table = (columns, rows, caption) =>
  make("table", {}, make("caption", {class: "hidden"}, caption),
    make("thead", {}, make("tr", {}, ...columns.map(([title, number]) => make("th", {scope: "col", class: number ? "number" : null}, title)))),
    make("tbody", {}, ...rows.map(row => make("tr", {}, ...row.map((cell, i) => make("td", {class: columns[i][1] ? "number" : null}, cell))))));
