// SPDX-License-Identifier: Apache-2.0
// Is it working, does it help, what can I change: once a second while the page can be seen.
import {appModeButtons, commandsFor, inTurn, MODES, stateOf, stateWords} from "../app_mode.js";
import {BandChart} from "../band_chart.js";
import {decisionWords} from "../decisions.js";
import {facts, fold, make, said, section} from "../dom.js";
import {helpOf} from "../measured.js";
import {rankOf, sentencesOf, slotsOf} from "../minute.js";
import {nameOf} from "../packages.js";
import {keepAsking} from "../poll.js";
import {findingText, text, timeOf} from "../texts.js";
import {ask, canStart, run, START, startService} from "../transport.js";

const EVERY_MS = 1000;
const PAUSES = ["30m", "1h", "8h"];
const UNSUPPORTED = 5;
const SMOOTH = 0.01;
const STUTTER = 0.1;
const FRAMES = [{key: "framesBand", colour: "ours"}, {key: "lateMark", colour: "late"}];
const SPEEDS = [{key: "cap", colour: "cap"}, {key: "ran", colour: "ours"}, {key: "floor", colour: "floor"}];
let shownAt = 0;

/** Written only where it changes: a status that is written again is read out again. */
const put = (element, words) => { if (element.textContent !== words) element.textContent = words; };
const count = number => number.toLocaleString();

/** {word, tone, lines} of a status. */
function verdictOf(status) {
  const {frames, late, big_kept_percent: kept} = status.minute;
  if (status.paused) {
    const {since_unix_s: since, until_unix_s: until} = status.paused;
    return {word: text("isPaused"), tone: "degraded", lines: [text(until ? "pausedUntil" : "pausedSince", {since: timeOf(since), until: until ? timeOf(until) : ""}), text("pausedMeans")]};
  }
  if (!frames) return {word: text("isStill"), tone: "soft", lines: [text("stillMeans")]};
  const part = late / frames;
  const [word, tone] = part <= SMOOTH ? ["isSmooth", "ok"] : part <= STUTTER ? ["isLate", "degraded"] : ["isStutter", "missing"];
  const lines = [text("lateOf", {late: count(late), frames: count(frames)})];
  if (Number.isFinite(kept)) lines.push(text("bigKept", {percent: kept}));
  if ((status.gpu?.at_its_limit && part > SMOOTH) || status.gpu_frames?.bound) lines.push(text("gpuLimits"));
  if (!status.app_enabled && status.app) lines.push(text("appIsOff", {app: nameOf(status.app)}));
  return {word: text(word), tone, lines};
}

/** The verdict and the switch of everything. */
function verdictCard(act) {
  const word = make("h2", {id: "verdict"});
  const lines = make("p", {role: "status"});
  const help = make("p", {class: "soft"});
  const power = make("button", {type: "button", role: "switch", class: "switch", onclick: () => act(power.getAttribute("aria-checked") === "true" ? ["pause"] : ["resume"])}, make("span", {class: "knob"}));
  const end = make("div", {class: "row", hidden: true}, make("span", {class: "soft"}, text("pauseFor")), ...PAUSES.map(time =>
    make("button", {type: "button", class: "small", onclick: () => act(["pause", "--for", time])}, text(`pause_${time}`))));
  power.setAttribute("aria-label", text("govern"));
  const element = section(null, make("div", {class: "top"}, word, make("span", {class: "switched"}, make("span", {"aria-hidden": "true"}, text("govern")), power)), lines, end, help);
  element.classList.add("verdict");
  return {element, update(status, measured) {
    const verdict = verdictOf(status);
    put(word, verdict.word);
    word.className = verdict.tone;
    put(lines, verdict.lines.join(text("gap")));
    put(help, helpOf(measured) ?? text("notMeasured"));
    power.setAttribute("aria-checked", String(!status.paused));
    end.hidden = !status.paused;
  }};
}

/** The buttons stay and only their state changes: the one that was pressed keeps the focus. */
function modeCard(choose) {
  const group = make("div", {class: "modes", role: "group", "aria-label": text("mode")});
  const buttons = new Map();
  const button = name => {
    const means = text(`mode_${name}`);
    buttons.set(name, make("button", {type: "button", "aria-pressed": "false", onclick: () => choose(name)},
      make("strong", {}, text(name)), means === `mode_${name}` ? null : make("span", {}, means)));
    return buttons.get(name);
  };
  group.append(...MODES.map(button));
  const press = current => {
    // A mode of one's own gets a button when it is first seen.
    if (current && !buttons.has(current)) group.prepend(button(current));
    buttons.forEach((each, name) => each.setAttribute("aria-pressed", String(name === current)));
  };
  return {element: section(text("modeForAll"), group, make("div", {class: "row"}, make("button", {type: "button", class: "small", onclick: () => choose("auto")}, text("auto")))), press};
}

/** The app on top and how it goes by itself, with a way back. */
function appCard(change) {
  const name = make("h2", {class: "app"});
  const rate = make("span", {class: "soft"});
  const done = make("p", {role: "status", class: "row"});
  let app = "";
  let state = "auto";
  // What was meant for an app that has left does not show.
  const set = inTurn(async (target, to, undoable) => {
    if (target !== app) return;
    const from = state;
    done.replaceChildren();
    if (!(await change(commandsFor(target, to, from))) || target !== app) return;
    modes.press(state = to);
    const undo = () => { modes.element.querySelector("[aria-pressed=true]").focus(); set(target, from, false); };
    done.replaceChildren(text("changedTo", {label: stateWords(to)}), ...(undoable ? [make("button", {type: "button", class: "small", onclick: undo}, text("undo"))] : []));
  });
  const modes = appModeButtons(to => set(app, to, true));
  const element = section(null, make("div", {class: "top"}, name, rate), make("h3", {}, text("thisApp")), modes.element, done);
  return {element, async update(status) {
    element.hidden = !status.app;
    put(rate, text("onTop", {fps: status.frames.fps.toFixed(0)}));
    if (!status.app || status.app === app) return;
    app = status.app;
    put(name, nameOf(app));
    done.replaceChildren();
    modes.element.inert = true;  // they show the last app's state until this one's is known
    const listed = await ask(["profile", "list", "--json"]).catch(() => null);
    if (app !== status.app) return;
    modes.press(state = stateOf(app, listed?.switched));
    modes.element.inert = false;
  }};
}

function minuteCard(clusters) {
  const frames = new BandChart(FRAMES);
  const speeds = clusters.map((cluster, i) => ({title: `${text(`${rankOf(i, clusters.length)}Cores`)} (CPU ${cluster.cpus})`, top: cluster.max_khz, chart: new BandChart(SPEEDS)}));
  const sentences = make("ul", {class: "sentences"});
  const decisions = make("ol", {class: "decisions"});
  const all = fold(text("allDecisions"), decisions, make("button", {type: "button", class: "small", onclick: () => fill()}, text("again")));
  const fill = async () => {
    const past = await ask(["explain", "--last", "20", "--json"]).catch(() => null);
    const lines = [...(past?.decisions ?? [])].reverse().map(each => `${text("secondsBefore", {seconds: ((past.now_ns - each.at_ns) / 1e9).toFixed(2)})}: ${decisionWords(each, clusters)}`);
    decisions.replaceChildren(...(lines.length ? lines : [text("nothingDecided")]).map(line => make("li", {}, line)));
  };
  all.addEventListener("toggle", () => { if (all.open) fill(); });
  const element = section(text("lastMinute"), make("p", {class: "soft"}, text("eachFrame")), frames.element, sentences,
    fold(text("speeds"), ...speeds.map(({title, chart}) => make("div", {}, make("h3", {}, title), chart.element))), all);
  return {element, update(status) {
    const slots = slotsOf(status);
    const budget = Math.max(0, ...slots.map(slot => slot?.budget_ms ?? 0));
    const longest = Math.max(1, ...slots.map(slot => slot?.longest_ms ?? 0));
    const late = slots.flatMap((slot, i) => (slot?.late ? [i] : []));
    frames.draw({
      bands: [{colour: "ours", values: slots.map(slot => slot && {low: slot.shortest_ms, high: slot.longest_ms, line: slot.mean_ms})}],
      limit: budget ? {value: budget, words: text("deadlineAt", {ms: budget.toFixed(1)})} : null, marks: late,
      most: Math.max(budget * 1.6, Math.min(longest, budget * 3 || longest) * 1.05),
      summary: text("framesSummary", {late: late.length, longest: longest.toFixed(1), budget: budget.toFixed(1)})});
    speeds.forEach(({title, top, chart}, i) => {
      const of = key => slots.map(slot => {
        const band = slot?.clusters[i]?.[key];
        return band && band[1] > 0 ? {low: band[0], high: band[1], line: band[1]} : null;
      });
      const caps = of("cap_khz").filter(Boolean);
      chart.draw({bands: SPEEDS.map(({colour}, each) => ({colour, values: of(["cap_khz", "speed_khz", "floor_khz"][each])})), most: top,
        limit: {value: top, words: `${(top / 1e6).toFixed(1)} GHz`},
        summary: text("capSummary", {title, low: caps.length ? (Math.min(...caps.map(cap => cap.low)) / 1e6).toFixed(1) : "–", high: caps.length ? (Math.max(...caps.map(cap => cap.high)) / 1e6).toFixed(1) : "–"})});
    });
    const words = sentencesOf(status);
    const key = JSON.stringify(words);
    if (sentences.dataset.key !== key) {
      sentences.dataset.key = key;
      sentences.replaceChildren(...words.map(each => make("li", {}, make("span", {class: "when"}, each.when), make("span", {}, each.words))));
    }
  }};
}

const numbers = status => facts([
  [text("p95"), status.frames.count ? `${status.frames.p95_ms.toFixed(1)} ms` : "–"],
  [text("deadline"), status.frames.budget_ms > 0 ? `${status.frames.budget_ms.toFixed(1)} ms` : "–"],
  [text("power"), `${status.frames.power_mw.toFixed(0)} mW`], [text("lost"), String(status.totals.lost)],
  [text("policy"), status.policy], [text("source"), status.source], [text("heat"), status.thermal ? text(`heat_${status.thermal}`) : "–"]]);

/** What stands there while nothing answers: why, and how it is started. */
async function drawDead(card, error, look, trouble) {
  const report = await ask(["doctor", "--json"], [UNSUPPORTED]).catch(() => null);
  const wrong = (report?.findings ?? []).filter(each => each.health === "missing" && each.needed || (report.can_govern && each.id === "service" && each.health !== "ok"));
  const unfit = report && !report.can_govern;
  const begin = make("button", {type: "button", class: "main", onclick: async () => { begin.disabled = true; trouble(null); await startService(); begin.disabled = false; look(); }}, text("startIt"));
  card.classList.add("verdict");
  card.replaceChildren(make("h2", {class: "missing"}, text(unfit ? "cannotGovern" : "isDead")),
    make("p", {role: "status"}, unfit ? text("unfitMeans") : text("deadMeans")),
    wrong.length ? make("ul", {class: "findings"}, ...wrong.map(each => make("li", {}, ...(findingText(each) ? [findingText(each)] : [each.id === "service" ? null : said(`${each.id}: ${each.what}`), each.action ? make("div", {}, make("strong", {}, `${text("todo")}: `), said(each.action)) : null])))) : make("p", {class: "soft", lang: "en"}, error.message),
    ...(unfit ? [] : [canStart() ? make("div", {class: "row"}, begin) : make("p", {}, `${text("startHow")} `, make("code", {}, START))]),
    make("p", {}, make("a", {href: "#doctor"}, text("seeCheck"))));
}

export async function show(place, trouble) {
  const dead = make("section", {hidden: true});
  const live = make("div");
  const stale = make("p", {class: "soft", role: "status", hidden: true});
  place.replaceChildren(dead, stale, live);
  let view = null;
  let measured = null;
  let askedDead = false;
  let again = () => {};
  const visit = ++shownAt;
  const act = async commands => {
    try {
      for (const words of commands) await run(words);
      trouble(null);
    } catch (error) {
      trouble(error);
      return false;
    }
    await again();
    return true;
  };
  const build = status => {
    const verdict = verdictCard(words => act([words]));
    const app = appCard(act);
    const modes = modeCard(name => act([["mode", name]]));
    const minute = minuteCard(status.clusters);
    const details = make("div");
    live.replaceChildren(make("div", {class: "columns"}, make("div", {}, verdict.element, app.element, modes.element),
      make("div", {}, minute.element, section(null, fold(text("numbers"), details)))));
    let mode = null;
    return now => {
      verdict.update(now, measured);
      app.update(now);
      if (now.mode !== mode) modes.press(mode = now.mode);
      minute.update(now);
      details.replaceChildren(numbers(now));
    };
  };
  ask(["ab", "--show", "--json"]).then(standing => { measured = standing.result; again(); }).catch(() => {});
  let at = 0;
  await keepAsking(place, EVERY_MS, ["status", "--seconds", "--json"], (status, look) => {
    again = look;
    at = Date.now();
    askedDead = false;
    dead.hidden = stale.hidden = true;
    live.classList.remove("stale");
    live.inert = false;
    view ??= build(status);
    view(status);
  }, async error => {
    // Once: what is written again is read out again.
    if (visit !== shownAt || !error || askedDead) return;
    askedDead = true;
    live.classList.add("stale");
    live.inert = true;
    stale.hidden = !view;
    put(stale, text("asOf", {time: at ? timeOf(at / 1000) : ""}));
    await drawDead(dead, error, () => again(), trouble);
    dead.hidden = !askedDead;
  });
}

export function hide() { ++shownAt; }
