// SPDX-License-Identifier: Apache-2.0
// The page: which view is shown, in which language. A view is an object with show(main) and, if it lives, hide().
import {make} from "./dom.js";
import {currentLanguage, LANGUAGES, languageTag, loadTexts, setLanguage, text} from "./texts.js";
import {takeToken} from "./transport.js";
import * as apps from "./views/apps.js";
import * as doctor from "./views/doctor.js";
import * as past from "./views/history.js";
import * as measure from "./views/measure.js";
import * as now from "./views/now.js";

const VIEWS = {now, apps, measure, history: past, doctor};
const main = document.getElementById("view");
const trouble = document.getElementById("trouble");
let shown = null;
// Rises with each change of view, so that a view that was left does not write into the next one.
let visit = 0;

const nameOfView = () => (location.hash.slice(1) in VIEWS ? location.hash.slice(1) : "now");

/** Written only when the words change: an alert that is written again is read out again. */
function showTrouble(error) {
  const words = error ? error.message || String(error) : "";
  if (words === trouble.textContent) return;
  trouble.textContent = words;
  trouble.hidden = !words;
}

function drawTabs(name) {
  document.getElementById("tabs").replaceChildren(...Object.keys(VIEWS).map(key =>
    make("li", {}, make("a", {href: `#${key}`, "aria-current": key === name ? "page" : null}, text(key)))));
}

async function show() {
  const name = nameOfView();
  const mine = ++visit;
  shown?.hide?.();
  shown = VIEWS[name];
  document.documentElement.lang = languageTag();
  document.querySelectorAll("[data-text]").forEach(element => { element.textContent = text(element.dataset.text); });
  drawTabs(name);
  showTrouble(null);
  const place = make("div", {}, make("p", {class: "soft"}, text("loading")));
  main.replaceChildren(place);
  main.dataset.ready = "";
  await shown.show(place, error => { if (mine === visit) showTrouble(error); });
  if (mine === visit) main.dataset.ready = name;
}

const select = document.getElementById("language");
select.append(...Object.entries(LANGUAGES).map(([value, name]) => make("option", {value, lang: value}, name)));
select.value = currentLanguage();
select.addEventListener("change", async () => { await setLanguage(select.value).catch(showTrouble); show(); });
window.addEventListener("hashchange", () => { takeToken(); main.focus(); show(); });
takeToken();
loadTexts().catch(showTrouble).then(show);
