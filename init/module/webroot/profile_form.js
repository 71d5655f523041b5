// SPDX-License-Identifier: Apache-2.0
// An app's own profile as a form, and the form as values of docs/profiles.md. Which settings there are, and what each may be,
// is read from the schema (framegov profile schema); framegov checks the values once more before anything is written.
import {make} from "./dom.js";
import {text} from "./texts.js";

const CLUSTERS = ["all", "little", "mid", "big"];
const LIMIT = /^(none|(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?(%|Hz|kHz|MHz|GHz))$/;
const between = (low, high) => words => words !== "" && !isNaN(words) && Number(words) >= low && Number(words) <= high;

const same = value => String(value);
/** Without what binary fractions add: 0.07 * 100 is 7.000000000000001. */
const exact = number => Number(number.toPrecision(12));
/** A part as the file has it, 10% or 0.1, in percent: 10 */
const percent = part => String(exact(part.endsWith("%") ? Number(part.slice(0, -1)) : 100 * Number(part)));

/** One line of text: the words' test, the problem's words, the value that words stand for, and the words for a file's value */
function ratesOf({minItems, maxItems, items}) {
  const good = between(items.minimum, items.maximum);
  const parts = words => words.split(/[\s,]+/);
  return {
    good: words => words === "auto" || (parts(words).length >= minItems && parts(words).length <= maxItems && parts(words).every(good)),
    problem: text("badRates"), value: words => (words === "auto" ? words : parts(words).map(Number)), words: value => [value].flat().join(", ")};
}

function numberOf({minimum, maximum}, asPart) {
  const scale = maximum <= 1 ? 100 : 1;
  const [low, high] = [exact(scale * minimum), exact(scale * maximum)];
  return {
    good: between(low, high), problem: text("badNumber", {low, high}),
    value: words => (asPart ? `${Number(words)}%` : exact(Number(words) / scale)), words: scale === 1 ? same : percent};
}

const choiceOf = (options, value) => ({options, value});

function kindOf(rule) {
  if (rule.$ref) return {limits: true};
  if (rule.type === "boolean") return choiceOf([["true", text("on")], ["false", text("off")]], words => words === "true");
  if (rule.enum) return choiceOf(rule.enum.map(word => [word, word]), same);
  const rules = rule.oneOf ?? [rule];
  const list = rules.find(({type}) => type === "array");
  return list ? ratesOf(list) : numberOf(rules.find(({type}) => type === "number"), rules.some(({type}) => type === "string"));
}

/** The settings of the schema. One that the page has no words for is described as the schema does. */
export const fieldsOf = schema => Object.entries(schema.definitions.values.properties).map(([name, rule]) => {
  const label = text(`field_${name}`);
  return {name, label: label === `field_${name}` ? `${name}: ${rule.description}` : label, ...kindOf(rule)};
});

function line(name, label, problem) {
  const input = make("input", {name, autocomplete: "off", autocapitalize: "off", spellcheck: "false", placeholder: text("notSet"), "aria-describedby": `problem-${name}`});
  const note = make("span", {class: "problem", id: `problem-${name}`});
  input.problemWords = problem;
  return make("label", {}, label, input, note);
}

const choice = ({name, label, options}) => make("label", {}, label,
  make("select", {name}, make("option", {value: ""}, text("notSet")), ...options.map(([value, words]) => make("option", {value}, words))));

const limits = ({name, label}) => make("fieldset", {}, make("legend", {}, label),
  make("div", {class: "pair"}, ...CLUSTERS.map(cluster => line(`${name}.${cluster}`, text(cluster), text("badLimit")))));

export function profileForm(fields, buttons, onSubmit) {
  const form = make("form", {class: "profile", novalidate: true},
    make("div", {class: "pair"}, ...fields.filter(({options}) => options).map(choice)),
    ...fields.filter(({good}) => good).map(({name, label, problem}) => line(name, label, problem)),
    ...fields.filter(field => field.limits).map(limits), make("div", {class: "row"}, ...buttons));
  form.addEventListener("submit", event => { event.preventDefault(); onSubmit(event.submitter?.value); });
  return form;
}

function accept(input, good) {
  input.setAttribute("aria-invalid", String(!good));
  input.parentElement.querySelector(".problem").textContent = good ? "" : input.problemWords;
  return good;
}

/** Fills the form with an app's own entry as framegov gives it: scalars are strings as the file has them. null: there is none. */
export function fillForm(form, fields, own) {
  const fill = (name, value, words = same) => {
    const input = form.elements[name];
    input.value = value ? words(value) : "";
    if (input.problemWords) accept(input, true);
  };
  for (const field of fields) {
    if (field.limits) CLUSTERS.forEach(cluster => fill(`${field.name}.${cluster}`, own?.[field.name]?.[cluster]));
    else fill(field.name, own?.[field.name], field.words);
  }
}

/** Every field's value, null for an empty one: framegov takes it out of the entry. Nothing when a value is wrong, which is shown and focused. */
export function valuesOf(form, fields) {
  const wrong = [];
  const take = (name, value, good = null) => {
    const input = form.elements[name];
    const words = input.value.trim();
    const fine = !words || !good || good(words);
    if (good && !accept(input, fine)) wrong.push(input);
    return words && fine ? value(words) : null;
  };
  const limit = name => take(name, same, words => LIMIT.test(words));
  const values = Object.fromEntries(fields.map(({name, value, good, limits}) =>
    [name, limits ? Object.fromEntries(CLUSTERS.map(cluster => [cluster, limit(`${name}.${cluster}`)])) : take(name, value, good)]));
  wrong[0]?.focus();
  return wrong.length ? null : values;
}
