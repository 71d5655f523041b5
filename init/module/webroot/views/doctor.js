// SPDX-License-Identifier: Apache-2.0
// Can it govern here: the verdict, what is missing and what to do; what is well and the log behind folds.
import {fold, make, redraw, said, section} from "../dom.js";
import {findingText, hasText, logTime, text} from "../texts.js";
import {ask, run} from "../transport.js";

const UNSUPPORTED = 5;
const ORDER = ["missing", "degraded", "ok"];
const SIGNS = {ok: "✓", degraded: "!", missing: "✗"};

/** In the page's language where it has words for this code; framegov's own, which hold the details, come after. */
const item = finding => make("li", {},
  make("span", {class: `badge ${finding.health}`}, `${SIGNS[finding.health] ?? ""} ${text(finding.health)} · ${finding.id}`),
  findingText(finding) ? make("div", {}, findingText(finding)) : null,
  make("div", {lang: "en", class: findingText(finding) ? "soft" : null}, finding.what),
  finding.meaning ? make("div", {class: "soft", lang: "en"}, finding.meaning) : null,
  finding.action ? make("div", {}, make("strong", {}, `${text("todo")}: `), said(finding.action)) : null);

const list = findings => make("ul", {class: "findings"}, ...findings.map(item));

/** A line of the log; in every language but framegov's own what it means by its code, and the line itself below. */
const logLine = line => {
  if (line.skipped) return [`… ${line.skipped}\n`];
  const key = `log_${line.code}`;
  return [`${logTime(line.unix_ns / 1e9)} ${text(`level_${line.level}`)} `, hasText(key) ? `${text(key)}\n    ` : "", said(line.text), "\n"];
};

function logFold(trouble) {
  const lines = make("pre", {tabindex: "0", role: "region", "aria-label": text("log")});
  const element = fold(text("log"), lines);
  element.addEventListener("toggle", async () => {
    if (!element.open) return;
    const log = await run(["log", "--json"]).catch(error => { trouble(error); return ""; });
    const all = log.split("\n").filter(line => line).map(line => JSON.parse(line));
    lines.replaceChildren(...(all.length ? all.flatMap(logLine) : [text("none")]));
  });
  return element;
}

export async function show(place, trouble) {
  let failed = null;
  const report = await ask(["doctor", "--json"], [UNSUPPORTED]).catch(error => { failed = error; return null; });
  trouble(failed);
  const again = make("button", {type: "button", onclick: () => show(place, trouble)}, text("again"));
  if (!report) { redraw(place, again, section(text("doctor"), again)); return; }
  const findings = [...report.findings].sort((a, b) => ORDER.indexOf(a.health) - ORDER.indexOf(b.health));
  const wrong = findings.filter(each => each.health !== "ok");
  const well = findings.filter(each => each.health === "ok");
  const verdict = section(null, make("h2", {class: report.can_govern ? "ok" : "missing"}, text(report.can_govern ? "canGovern" : "cannotGovern")),
    make("p", {}, text(wrong.length ? "thingsWrong" : "nothingWrong", {count: wrong.length})), wrong.length ? list(wrong) : null, make("div", {class: "row"}, again));
  verdict.classList.add("verdict");
  redraw(place, again, verdict, section(null, fold(text("thingsWell", {count: well.length}), list(well))), section(null, logFold(trouble)));
}
