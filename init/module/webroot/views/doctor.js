// SPDX-License-Identifier: Apache-2.0
// What this phone has and lacks, and what to do; what needs doing first.
import {make, redraw, said, section} from "../dom.js";
import {text} from "../texts.js";
import {ask} from "../transport.js";

const UNSUPPORTED = 5;
const ORDER = ["missing", "degraded", "ok"];
const SIGNS = {ok: "✓", degraded: "!", missing: "✗"};

const item = finding => make("li", {},
  make("span", {class: `badge ${finding.health}`}, `${SIGNS[finding.health] ?? ""} ${text(finding.health)} · ${finding.id}`),
  make("div", {lang: "en"}, finding.what),
  finding.meaning ? make("div", {class: "soft", lang: "en"}, finding.meaning) : null,
  finding.action ? make("div", {}, make("strong", {}, `${text("todo")}: `), said(finding.action)) : null);

export async function show(place, trouble) {
  let failed = null;
  const report = await ask(["doctor", "--json"], [UNSUPPORTED]).catch(error => { failed = error; return null; });
  trouble(failed);
  const again = make("button", {type: "button", onclick: () => show(place, trouble)}, text("again"));
  if (!report) { redraw(place, again, section(text("doctor"), again)); return; }
  const findings = [...report.findings].sort((a, b) => ORDER.indexOf(a.health) - ORDER.indexOf(b.health));
  redraw(place, again, section(text(report.can_govern ? "canGovern" : "cannotGovern"), make("ul", {class: "findings"}, ...findings.map(item)), again));
}
