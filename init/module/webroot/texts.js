// SPDX-License-Identifier: Apache-2.0
// The words of the page: a JSON file a language (texts/), and framegov's own codes in the same words. docs/translating.md says more.

export const LANGUAGES = {en: "English", zh: "中文", de: "Deutsch"};
const TAGS = {zh: "zh-CN"};
const KEPT = "framegov-language";

const remembered = (() => { try { return localStorage.getItem(KEPT); } catch { return null; } })();
const has = (object, key) => Object.prototype.hasOwnProperty.call(object, key);
const known = name => (has(LANGUAGES, name ?? "") ? name : null);
let language = known(remembered) ?? known(navigator.language.slice(0, 2)) ?? "en";
let words = {};

export const currentLanguage = () => language;
/** As HTML wants it. */
export const languageTag = () => TAGS[language] ?? language;

/** To be awaited before the first text(). */
export async function loadTexts() {
  const answer = await fetch(`texts/${language}.json`);
  words = await answer.json();
}

export async function setLanguage(name) {
  language = known(name) ?? "en";
  try { localStorage.setItem(KEPT, language); } catch { /* some WebViews keep nothing */ }
  await loadTexts();
}

export const hasText = key => has(words, key);

/** The words for `key`, with {names} filled in; a key that is not known (a mode of one's own) stands for itself. */
export function text(key, values = {}) {
  return (hasText(key) ? words[key] : key).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

/** What a finding of doctor means and what to do, by its code; null: only framegov's own words say it, as in English. */
export function findingText(finding) {
  const key = `doctor_${finding.id.replace(/\d+$/, "")}_${finding.health}`;
  return hasText(key) ? text(key) : null;
}

const locale = () => (navigator.language.startsWith(language) ? navigator.language : languageTag() === "en" ? "en-GB" : languageTag());

/** "14:02", with the day where it is another one. */
export function timeOf(unixSeconds) {
  const then = new Date(1000 * unixSeconds);
  const day = then.toDateString() === new Date().toDateString() ? {} : {day: "numeric", month: "short"};
  return then.toLocaleString(locale(), {...day, hour: "2-digit", minute: "2-digit"});
}

/** "2026-11-03 14:02:07", as in the log itself */
export const logTime = unixSeconds => new Date(1000 * unixSeconds).toLocaleString("sv");

/** "3 Nov"; without the full stop that German has there: it ends sentences. */
export const dateOf = unixSeconds => new Date(1000 * unixSeconds).toLocaleDateString(locale(), {day: "numeric", month: "short"}).replace(/\.$/, "");
