// SPDX-License-Identifier: Apache-2.0
// One app: switch it, see what holds for it and why, change its profile with a preview.
import {make, said, section, table} from "../dom.js";
import {fieldsOf, fillForm, profileForm, valuesOf} from "../profile_form.js";
import {text} from "../texts.js";
import {ask, run} from "../transport.js";

const PACKAGE = /^[A-Za-z0-9._:*?-]{1,128}$/;
// Origin of `enabled` where an app was switched on or off by hand; else its profile says so.
const BY_HAND = "switched by hand";
const SWITCHES = {on: "on", off: "off", auto: "byProfile"};
let last = "";

const words = value => (Array.isArray(value) ? value.join(", ") || "auto" : String(value));

/** framegov profile show --json as rows: setting, value, origin. The entry of its own (`own`) is what the form shows. */
function rowsOf(profile) {
  const rows = [];
  for (const [name, entry] of Object.entries(profile)) {
    if (name === "own") continue;
    if (entry === null || typeof entry !== "object" || Array.isArray(entry)) rows.push([name, words(entry), ""]);
    else if ("value" in entry) rows.push([name, words(entry.value), said(entry.origin ?? "")]);
    else for (const [cluster, limit] of Object.entries(entry)) rows.push([`${name}.${cluster}`, words(limit.value), said(limit.origin ?? "")]);
  }
  return rows;
}

const effective = profile => table([[text("setting")], [text("value")], [text("origin")]], rowsOf(profile), text("holds"));

const switchOf = ({enabled}) => (enabled.origin !== BY_HAND ? "auto" : enabled.value ? "on" : "off");

async function showApp(app, place, trouble) {
  const show = () => ask(["profile", "show", app, "--json"]);
  let failed = null;
  const [profile, schema] = await Promise.all([show(), ask(["profile", "schema"])]).catch(error => { failed = error; return []; });
  if (app !== last) return;  // another one was asked for meanwhile
  trouble(failed);
  if (!profile) { place.replaceChildren(); return; }

  const fields = fieldsOf(schema);
  const holds = make("div");
  const switched = make("p", {role: "status"});
  const told = make("p", {role: "status"});
  const buttons = Object.entries(SWITCHES).map(([state, label]) =>
    make("button", {type: "button", value: state, onclick: () => switchTo(state)}, text(label)));
  const draw = now => {
    holds.replaceChildren(effective(now));
    buttons.forEach(button => button.setAttribute("aria-pressed", String(button.value === switchOf(now))));
  };
  /** Draws what `work` answers and says so in `message`, which is emptied first: the same words are then read out again. */
  const attempt = async (work, message, done) => {
    message.textContent = "";
    try {
      draw(await work());
      message.textContent = done;
      trouble(null);
    } catch (error) { trouble(error); }
  };
  const switchTo = state => attempt(() => run(["app", app, state]).then(show), switched, text("switched", {state: text(SWITCHES[state])}));

  const edited = words => ask(words).then(now => { fillForm(form, fields, now.own); return now; });
  const submit = action => {
    const values = valuesOf(form, fields);
    if (!values) return;
    const put = ["profile", "put", app, JSON.stringify(values), "--json"];
    // A preview leaves the form as it is: what it holds is not saved yet.
    if (action === "preview") attempt(() => ask([...put, "--preview"]), told, text("previewed"));
    else attempt(() => edited(put), told, text("saved"));
  };
  const form = profileForm(fields, [
    make("button", {type: "submit", value: "preview"}, text("preview")),
    make("button", {type: "submit", value: "save", class: "main"}, text("save")),
    make("button", {type: "button", onclick: () => attempt(() => edited(["profile", "drop", app, "--json"]), told, text("removed"))}, text("remove"))], submit);
  draw(profile);
  fillForm(form, fields, profile.own);
  place.replaceChildren(
    section(text("switchNow"), make("div", {class: "row", role: "group", "aria-label": text("switchNow")}, ...buttons), switched),
    section(text("change"), form, told),
    section(text("holds"), holds));
}

export async function show(place, trouble) {
  const [status, past] = await Promise.all([["status", "--json"], ["history", "--json"]].map(command => ask(command).catch(() => null)));
  const known = [...new Set([status?.app, ...(past?.days ?? []).map(row => row.app)].filter(Boolean))];
  const input = make("input", {id: "package", list: "packages", autocomplete: "off", autocapitalize: "off", spellcheck: "false", value: last || known[0] || ""});
  const problem = make("span", {class: "problem", id: "problem-package"});
  input.setAttribute("aria-describedby", problem.id);
  const details = make("div");
  const open = () => {
    last = input.value.trim();
    const good = PACKAGE.test(last);
    input.setAttribute("aria-invalid", String(!good));
    problem.textContent = good ? "" : text("badPackage");
    return good ? showApp(last, details, trouble) : input.focus();
  };
  place.replaceChildren(make("section", {},
    make("form", {onsubmit: event => { event.preventDefault(); open(); }},
      make("h2", {}, make("label", {for: "package"}, text("package"))), input, problem,
      make("datalist", {id: "packages"}, ...known.map(name => make("option", {value: name}))),
      make("div", {class: "row"}, make("button", {type: "submit", class: "main"}, text("show"))))), details);
  if (input.value) await open();
}
