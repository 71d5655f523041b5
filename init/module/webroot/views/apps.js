// SPDX-License-Identifier: Apache-2.0
// One app: switch it, see what holds for it and why, change its profile with a preview.
import {make, section, table} from "../dom.js";
import {profileForm, valuesOf} from "../profile_form.js";
import {text} from "../texts.js";
import {ask, run} from "../transport.js";

const PACKAGE = /^[A-Za-z0-9._:*?-]{1,128}$/;
let last = "";

const words = value => (Array.isArray(value) ? value.join(", ") || "auto" : String(value));

/** framegov profile show --json as rows: setting, value, origin */
function rowsOf(profile) {
  const rows = [];
  for (const [name, entry] of Object.entries(profile)) {
    if (entry === null || typeof entry !== "object" || Array.isArray(entry)) rows.push([name, words(entry), ""]);
    else if ("value" in entry) rows.push([name, words(entry.value), entry.origin ?? ""]);
    else for (const [cluster, limit] of Object.entries(entry)) rows.push([`${name}.${cluster}`, words(limit.value), limit.origin ?? ""]);
  }
  return rows;
}

const effective = profile => table([[text("setting")], [text("value")], [text("origin")]], rowsOf(profile), text("holds"));

async function showApp(app, place, trouble) {
  const profile = await ask(["profile", "show", app, "--json"]).catch(error => { trouble(error); return null; });
  if (!profile) { place.replaceChildren(); return; }
  trouble(null);
  const holds = make("div", {}, effective(profile));
  const told = make("p", {role: "status"});
  const switchTo = state => run(["app", app, state])
    .then(() => ask(["profile", "show", app, "--json"])).then(now => { trouble(null); holds.replaceChildren(effective(now)); }).catch(trouble);

  const submit = async action => {
    const values = valuesOf(form);
    if (!values) return;
    const preview = action === "preview";
    try {
      const now = await ask(["profile", "put", app, JSON.stringify(values), "--json", ...(preview ? ["--preview"] : [])]);
      trouble(null);
      told.textContent = text(preview ? "previewed" : "saved");
      holds.replaceChildren(effective(now));
    } catch (error) { trouble(error); }
  };
  const drop = async () => {
    try {
      holds.replaceChildren(effective(await ask(["profile", "drop", app, "--json"])));
      told.textContent = text("removed");
      trouble(null);
    } catch (error) { trouble(error); }
  };
  const form = profileForm([
    make("button", {type: "submit", value: "preview"}, text("preview")),
    make("button", {type: "submit", value: "save", class: "main"}, text("save")),
    make("button", {type: "button", onclick: drop}, text("remove"))], submit);
  place.replaceChildren(
    section(text("switchNow"), make("div", {class: "row"}, ...[["on", "on"], ["off", "off"], ["auto", "byProfile"]].map(([state, label]) =>
      make("button", {type: "button", onclick: () => switchTo(state)}, text(label))))),
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
