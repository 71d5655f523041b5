// SPDX-License-Identifier: Apache-2.0
// An app's own profile as a form, and the form as values of docs/profiles.md. The rules are those of the schema
// (framegov profile schema); framegov checks them once more before anything is written.
import {make} from "./dom.js";
import {text} from "./texts.js";

const CLUSTERS = ["all", "little", "mid", "big"];
const LIMITS = ["ceilings", "floors"];
const LIMIT = /^(none|(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?(%|Hz|kHz|MHz|GHz))$/;
const between = (low, high) => words => words !== "" && !isNaN(words) && Number(words) >= low && Number(words) <= high;

const goodRates = words => words === "auto" ||
  (words.split(/[\s,]+/).length <= 8 && words.split(/[\s,]+/).every(between(1, 480)));
const rates = words => (words === "auto" ? words : words.split(/[\s,]+/).map(Number));

/** Without what binary fractions add: 0.07 * 100 is 7.000000000000001. */
const exact = number => Number(number.toPrecision(12));
/** A part as the file has it, 10% or 0.1, in percent: 10 */
const percent = part => String(exact(part.endsWith("%") ? Number(part.slice(0, -1)) : 100 * Number(part)));

/** Of each: the words' test, the problem's words, the value that words stand for, and the words for a file's value */
const FIELDS = [
  {name: "target_fps", label: "target", good: goodRates, problem: "badRates", value: rates, words: value => [value].flat().join(", ")},
  {name: "eps", label: "eps", good: between(0.01, 20), problem: "badEps", value: words => exact(Number(words) / 100), words: percent},
  {name: "margin", label: "margin", good: between(0, 50), problem: "badMargin", value: words => `${Number(words)}%`, words: percent},
];

function field(name, label, problem) {
  const input = make("input", {name, autocomplete: "off", autocapitalize: "off", spellcheck: "false", placeholder: text("notSet"), "aria-describedby": `problem-${name}`});
  const note = make("span", {class: "problem", id: `problem-${name}`});
  input.problemWords = problem;
  return make("label", {}, label, input, note);
}

const choice = (name, label, options) => make("label", {}, label,
  make("select", {name}, make("option", {value: ""}, text("notSet")), ...options.map(([value, words]) => make("option", {value}, words))));

export function profileForm(buttons, onSubmit) {
  const limits = kind => make("fieldset", {}, make("legend", {}, text(kind)),
    make("div", {class: "pair"}, ...CLUSTERS.map(cluster => field(`${kind}.${cluster}`, text(cluster), "badLimit"))));
  const form = make("form", {class: "profile", novalidate: true},
    make("div", {class: "pair"},
      choice("enabled", text("enabled"), [["true", text("on")], ["false", text("off")]]),
      choice("policy", text("policyOf"), [["mpc", "mpc"], ["pid", "pid"]])),
    choice("source", text("sourceOf"), ["auto", "uprobes", "surfaceflinger", "none"].map(name => [name, name])),
    ...FIELDS.map(({name, label, problem}) => field(name, text(label), problem)),
    ...LIMITS.map(limits), make("div", {class: "row"}, ...buttons));
  form.addEventListener("submit", event => { event.preventDefault(); onSubmit(event.submitter?.value); });
  return form;
}

function accept(input, good) {
  input.setAttribute("aria-invalid", String(!good));
  input.parentElement.querySelector(".problem").textContent = good ? "" : text(input.problemWords);
  return good;
}

/** Fills the form with an app's own entry as framegov gives it: scalars are strings as the file has them. null: there is none. */
export function fillForm(form, own) {
  const fill = (name, value, words = String) => {
    const input = form.elements[name];
    input.value = value ? words(value) : "";
    if (input.problemWords) accept(input, true);
  };
  ["enabled", "policy", "source"].forEach(name => fill(name, own?.[name]));
  FIELDS.forEach(({name, words}) => fill(name, own?.[name], words));
  for (const kind of LIMITS) CLUSTERS.forEach(cluster => fill(`${kind}.${cluster}`, own?.[kind]?.[cluster]));
}

/** Every field's value, null for an empty one: framegov takes it out of the entry. Nothing when a value is wrong, which is shown and focused. */
export function valuesOf(form) {
  const wrong = [];
  const take = (name, good, value) => {
    const input = form.elements[name];
    const words = input.value.trim();
    const fine = !words || good(words);
    if (!accept(input, fine)) wrong.push(input);
    return words && fine ? value(words) : null;
  };
  const chosen = name => form.elements[name].value || null;
  const values = {enabled: chosen("enabled") && chosen("enabled") === "true", policy: chosen("policy"), source: chosen("source")};
  for (const {name, good, value} of FIELDS) values[name] = take(name, good, value);
  for (const kind of LIMITS) {
    values[kind] = Object.fromEntries(CLUSTERS.map(cluster => [cluster, take(`${kind}.${cluster}`, words => LIMIT.test(words), words => words)]));
  }
  wrong[0]?.focus();
  return wrong.length ? null : values;
}
