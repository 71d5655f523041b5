// SPDX-License-Identifier: Apache-2.0
// How one app goes by itself: like all apps, in a mode of its own, or left alone. A button for each way, one of them pressed.
import {make} from "./dom.js";
import {text} from "./texts.js";

export const MODES = ["powersave", "balance", "performance", "fast"];

/** Of `framegov profile list --json`: what is switched by hand for an app. */
export const stateOf = (app, switched) => (switched?.[app]?.on === false ? "off" : switched?.[app]?.mode ?? "auto");
export const stateWords = state => (state === "off" ? text("leftAlone") : state === "auto" ? text("likeOthers") : text(state));

/** What makes `to` of `from`. */
export const commandsFor = (app, to, from) => (to === "off" ? [["app", app, "off"]]
  : [["mode", to, "--app", app], ...(from === "off" ? [["app", app, "auto"]] : [])]);

/** Calls of `work` begin when those before have ended: each goes from where the last one led. */
export function inTurn(work) {
  let last = Promise.resolve();
  return (...given) => (last = last.catch(() => {}).then(() => work(...given)));
}

/** The buttons stay and only their state changes: the one that was pressed keeps the focus. */
export function appModeButtons(choose) {
  const element = make("div", {class: "segments", role: "group", "aria-label": text("thisApp")});
  const buttons = new Map();
  const button = state => {
    buttons.set(state, make("button", {type: "button", "aria-pressed": "false", onclick: () => choose(state)}, stateWords(state)));
    return buttons.get(state);
  };
  element.append(...["auto", ...MODES, "off"].map(button));
  return {element, press(state) {
    // A mode of one's own gets a button when it is first seen.
    if (!buttons.has(state)) buttons.get("off").before(button(state));
    buttons.forEach((each, name) => each.setAttribute("aria-pressed", String(name === state)));
  }};
}
