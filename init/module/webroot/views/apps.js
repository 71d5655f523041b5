// SPDX-License-Identifier: Apache-2.0
// The apps, those used most first; and one app: its mode, its kind, every setting of its own, each change with a way back.
import {appModeButtons, commandsFor, inTurn, stateOf, stateWords} from "../app_mode.js";
import {fold, make, said, section, table} from "../dom.js";
import {iconOf, installed, learnNames, nameOf} from "../packages.js";
import {fieldsOf, fillForm, profileForm, valuesOf} from "../profile_form.js";
import {hasText, text} from "../texts.js";
import {ask, run} from "../transport.js";

const PACKAGE = /^[A-Za-z0-9._:*?-]{1,128}$/;
const MOST_SHOWN = 60;
let last = "";

const words = value => (Array.isArray(value) ? value.join(", ") || "auto" : String(value));

/** Where a value comes from: a file and its line, or one of framegov's own words. */
const originWords = (origin = "") => { const key = `origin_${origin.replaceAll(" ", "-")}`; return hasText(key) ? text(key) : said(origin); };

/** framegov profile show --json as rows: setting, value, origin. The entry of its own (`own`) is what the form shows. */
function rowsOf(profile) {
  const rows = [];
  for (const [name, entry] of Object.entries(profile)) {
    if (name === "own") continue;
    if (entry === null || typeof entry !== "object" || Array.isArray(entry)) rows.push([name, words(entry), ""]);
    else if ("value" in entry) rows.push([name, words(entry.value), originWords(entry.origin)]);
    else for (const [cluster, limit] of Object.entries(entry)) rows.push([`${name}.${cluster}`, words(limit.value), originWords(limit.origin)]);
  }
  return rows;
}

/** What turns `own` into `before` as `framegov profile put` takes it: null for what was not there. */
export function wayBack(before, own) {
  const plain = value => value !== null && typeof value === "object" && !Array.isArray(value);
  const back = {...before};
  for (const [key, value] of Object.entries(own ?? {})) {
    if (!(key in (before ?? {}))) back[key] = plain(value) ? Object.fromEntries(Object.keys(value).map(each => [each, null])) : null;
    else if (plain(value) && plain(before[key])) back[key] = wayBack(before[key], value);
  }
  return back;
}

/** One app. `changed()` is called after each change of its switches. */
async function showApp(app, place, trouble, listed, changed) {
  const show = () => ask(["profile", "show", app, "--json"]);
  let failed = null;
  const [profile, schema] = await Promise.all([show(), ask(["profile", "schema"])]).catch(error => { failed = error; return []; });
  if (app !== last) return;  // another one was asked for meanwhile
  trouble(failed);
  if (!profile) { place.replaceChildren(); return; }

  const fields = fieldsOf(schema);
  let own = profile.own;
  const holds = make("div");
  const told = make("p", {role: "status", class: "row"});
  const draw = now => holds.replaceChildren(table([[text("setting")], [text("value")], [text("origin")]], rowsOf(now), text("holds")));
  /** Draws what `work` answers and says `done` with a way back; `told` is emptied first: the same words are then read out again. */
  const attempt = async (work, done, back, keep) => {
    told.textContent = "";
    try {
      const now = await work();
      draw(now);
      if (!keep) {
        own = now.own;
        fillForm(form, fields, own);
        kind.value = own?.kind ?? "";
      }
      told.replaceChildren(done, ...(back ? [make("button", {type: "button", class: "small", onclick: async () => { heading.focus(); await back(); }}, text("undo"))] : []));
      trouble(null);
      return true;
    } catch (error) { trouble(error); return false; }
  };
  const put = (values, done) => {
    const before = own;
    return attempt(() => ask(["profile", "put", app, JSON.stringify(values), "--json"]), done,
      () => attempt(() => ask(before ? ["profile", "put", app, JSON.stringify(wayBack(before, own)), "--json"] : ["profile", "drop", app, "--json"]), text("undone")));
  };

  let state = stateOf(app, listed.switched ?? {});
  const choose = inTurn(async (to, undoable = true) => {
    const from = state;
    const done = await attempt(async () => {
      for (const command of commandsFor(app, to, from)) await run(command);
      return show();
    }, text("changedTo", {label: stateWords(to)}), undoable ? () => choose(from, false) : null, true);
    if (done) state = to;
    modes.press(state);
    changed(app, state);
  });
  const modes = appModeButtons(choose);

  const kinds = Object.keys(listed.kinds ?? {});
  const kindWords = name => { const label = text(`kind_${name}`); return label === `kind_${name}` ? name : label; };
  const kind = make("select", {id: "kind", onchange: () => put({kind: kind.value || null}, text("changedTo", {label: kind.selectedOptions[0].textContent}))},
    make("option", {value: ""}, text("kindNone", {kind: profile.kind && !own?.kind ? kindWords(profile.kind.value) : text("none")})), ...kinds.map(name => make("option", {value: name}, kindWords(name))));

  const submit = action => {
    const values = valuesOf(form, fields);
    if (!values) return;
    // A preview leaves the form as it is: what it holds is not saved yet.
    if (action === "preview") attempt(() => ask(["profile", "put", app, JSON.stringify(values), "--json", "--preview"]), text("previewed"), null, true);
    else put(values, text("saved"));
  };
  const drop = () => {
    const before = own;
    return attempt(() => ask(["profile", "drop", app, "--json"]), text("removed"),
      before && (() => attempt(() => ask(["profile", "put", app, JSON.stringify(before), "--json"]), text("undone"))));
  };
  const form = profileForm(fields, [
    make("button", {type: "submit", value: "preview"}, text("preview")),
    make("button", {type: "submit", value: "save", class: "main"}, text("save")),
    make("button", {type: "button", onclick: drop}, text("remove"))], submit);
  draw(profile);
  fillForm(form, fields, own);
  kind.value = own?.kind ?? "";
  modes.press(state);
  const heading = make("h2", {class: "app", tabindex: "-1"}, nameOf(app));
  place.replaceChildren(section(null, heading, nameOf(app) === app ? null : make("p", {class: "soft"}, app), told,
    make("h3", {}, text("thisApp")), modes.element,
    make("label", {class: "choice", for: "kind"}, make("h3", {}, text("kindOfApp"))), kind,
    fold(text("everySetting"), form), fold(text("holds"), holds)));
  heading.focus();
}

/** Every app there is something known of: first those with frames, the most first, then those with a setting, then the rest. */
function knownApps(status, past, listed) {
  const frames = new Map();
  for (const row of past?.days ?? []) frames.set(row.app, (frames.get(row.app) ?? 0) + row.frames);
  const used = [...frames].sort((a, b) => b[1] - a[1]).map(([app]) => app);
  const set = [...Object.keys(listed.switched ?? {}), ...Object.keys(listed.apps ?? {}).filter(app => !/[*?]/.test(app))];
  return {frames, apps: [...new Set([status?.app, ...used, ...set, ...installed()].filter(Boolean))]};
}

export async function show(place, trouble) {
  const [status, past, listed] = await Promise.all([["status", "--json"], ["history", "--json"], ["profile", "list", "--json"]].map(command => ask(command).catch(() => null)));
  if (!place.isConnected) return;
  const switched = listed?.switched ?? {};
  const {frames, apps} = knownApps(status, past, listed ?? {});
  learnNames(apps);
  const states = new Map();
  const rows = apps.map(app => {
    const state = make("span", {class: "state"}, stateWords(stateOf(app, switched)));
    states.set(app, state);
    const note = app === status?.app ? text("isOnTop") : frames.has(app) ? text("framesSeen", {frames: frames.get(app).toLocaleString()}) : "";
    const button = make("button", {type: "button", onclick: () => open(app)}, iconOf(app),
      make("span", {class: "names"}, make("strong", {}, nameOf(app)), make("span", {}, [nameOf(app) === app ? "" : app, note].filter(Boolean).join(" · "))), state);
    return {app, words: `${app} ${nameOf(app)}`.toLowerCase(), element: make("li", {}, button)};
  });
  const details = make("div");
  const input = make("input", {id: "package", type: "search", autocomplete: "off", autocapitalize: "off", spellcheck: "false", placeholder: text("searchApps"), "aria-describedby": "problem-package"});
  const problem = make("span", {class: "problem", id: "problem-package", role: "status"});
  const list = make("ul", {class: "apps"});
  const filter = () => {
    const wanted = input.value.trim().toLowerCase();
    const found = rows.filter(row => row.words.includes(wanted));
    list.replaceChildren(...found.slice(0, MOST_SHOWN).map(row => row.element));
    problem.textContent = found.length ? "" : text("noneFound");
  };
  const change = (app, state) => {
    switched[app] = state === "off" ? {on: false} : state === "auto" ? {} : {mode: state};
    const words = states.get(app);
    if (words) words.textContent = stateWords(state);
  };
  const open = async app => {
    last = app;
    await showApp(app, details, trouble, {...listed, switched}, change);
    details.scrollIntoView?.({block: "start"});
  };
  const submit = event => {
    event.preventDefault();
    const wanted = input.value.trim();
    const only = rows.filter(row => row.words.includes(wanted.toLowerCase()));
    const app = only.length === 1 ? only[0].app : wanted;
    const good = PACKAGE.test(app);
    input.setAttribute("aria-invalid", String(!good));
    problem.textContent = good ? "" : text("badPackage");
    if (good) open(app);
    else input.focus();
  };
  input.addEventListener("input", filter);
  filter();
  place.replaceChildren(make("div", {class: "columns"}, make("div", {}, make("section", {},
    make("form", {role: "search", onsubmit: submit}, make("h2", {}, make("label", {for: "package"}, text("apps"))), input, problem), list)), details));
  if (last) await open(last);
}
