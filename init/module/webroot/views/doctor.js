// SPDX-License-Identifier: Apache-2.0
// What this phone has and lacks, and what to do; what needs doing first.
import {make, section} from "../dom.js";
import {text} from "../texts.js";
import {ask} from "../transport.js";

const UNSUPPORTED = 5;
const ORDER = ["missing", "degraded", "ok"];
const SIGNS = {ok: "✓", degraded: "!", missing: "✗"};

const item = finding => make("li", {},
  make("span", {class: `badge ${finding.health}`}, `${SIGNS[finding.health] ?? ""} ${text(finding.health)} · ${finding.id}`),
  make("div", {}, finding.what),
  finding.meaning ? make("div", {class: "soft"}, finding.meaning) : null,
  finding.action ? make("div", {}, make("strong", {}, `${text("todo")}: `), finding.action) : null);

export async function show(place, trouble) {
  const report = await ask(["doctor", "--json"], [UNSUPPORTED]).catch(error => { trouble(error); return null; });
  if (!report) { place.replaceChildren(); return; }
  const findings = [...report.findings].sort((a, b) => ORDER.indexOf(a.health) - ORDER.indexOf(b.health));
  place.replaceChildren(section(text(report.can_govern ? "canGovern" : "cannotGovern"),
    make("ul", {class: "findings"}, ...findings.map(item)),
    make("button", {type: "button", onclick: () => show(place, trouble)}, text("again"))));
}
