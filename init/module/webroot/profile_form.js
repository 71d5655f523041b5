// SPDX-License-Identifier: Apache-2.0
// An app's own profile as a form, and the form as values of docs/profiles.md. The rules are those of the schema
// (framegov profile schema); framegov checks them once more before anything is written.
import {make} from "./dom.js";
import {text} from "./texts.js";

const CLUSTERS = ["all", "little", "mid", "big"];
const LIMIT = /^(none|\d+(\.\d+)?(%|Hz|kHz|MHz|GHz))$/;
const between = (low, high) => words => words !== "" && !isNaN(words) && Number(words) >= low && Number(words) <= high;

const goodRates = words => words === "auto" ||
  (words.split(/[\s,]+/).length <= 8 && words.split(/[\s,]+/).every(between(1, 480)));
const rates = words => (words === "auto" ? words : words.split(/[\s,]+/).map(Number));

/** name, the words' test, the problem's words, and the value that they stand for */
const FIELDS = [
  ["target_fps", "target", goodRates, "badRates", rates],
  ["eps", "eps", between(0.01, 20), "badEps", words => Number(words) / 100],
  ["margin", "margin", between(0, 50), "badMargin", words => `${Number(words)}%`],
];

function field(name, label, problem) {
  const input = make("input", {name, autocomplete: "off", autocapitalize: "off", spellcheck: "false", placeholder: text("asBefore"), "aria-describedby": `problem-${name}`});
  const note = make("span", {class: "problem", id: `problem-${name}`});
  input.problemWords = problem;
  return make("label", {}, label, input, note);
}

const choice = (name, label, options) => make("label", {}, label,
  make("select", {name}, make("option", {value: ""}, text("asBefore")), ...options.map(([value, words]) => make("option", {value}, words))));

export function profileForm(buttons, onSubmit) {
  const limits = kind => make("fieldset", {}, make("legend", {}, text(kind)),
    make("div", {class: "pair"}, ...CLUSTERS.map(cluster => field(`${kind}.${cluster}`, text(cluster), "badLimit"))));
  const form = make("form", {class: "profile", novalidate: true},
    make("div", {class: "pair"},
      choice("enabled", text("enabled"), [["true", text("on")], ["false", text("off")]]),
      choice("policy", text("policyOf"), [["mpc", "mpc"], ["pid", "pid"]])),
    choice("source", text("sourceOf"), ["auto", "uprobes", "surfaceflinger", "none"].map(name => [name, name])),
    ...FIELDS.map(([name, label, , problem]) => field(name, text(label), problem)),
    limits("ceilings"), limits("floors"), make("div", {class: "row"}, ...buttons));
  form.addEventListener("submit", event => { event.preventDefault(); onSubmit(event.submitter?.value); });
  return form;
}

function accept(input, good) {
  input.setAttribute("aria-invalid", String(!good));
  input.parentElement.querySelector(".problem").textContent = good ? "" : text(input.problemWords);
  return good;
}

/** The values that were filled in; null when something is wrong, which is then shown and focused. */
export function valuesOf(form) {
  const values = {};
  const wrong = [];
  const take = (name, good, value) => {
    const input = form.elements[name];
    const words = input.value.trim();
    if (words && good(words)) value(words);
    if (!accept(input, !words || good(words))) wrong.push(input);
  };
  if (form.elements.enabled.value) values.enabled = form.elements.enabled.value === "true";
  for (const name of ["policy", "source"]) if (form.elements[name].value) values[name] = form.elements[name].value;
  for (const [name, , good, , value] of FIELDS) take(name, good, words => { values[name] = value(words); });
  for (const kind of ["ceilings", "floors"]) {
    for (const cluster of CLUSTERS) {
      take(`${kind}.${cluster}`, words => LIMIT.test(words), words => { (values[kind] ??= {})[cluster] = words; });
    }
  }
  wrong[0]?.focus();
  return wrong.length ? null : values;
}
