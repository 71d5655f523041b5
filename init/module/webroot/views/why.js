// SPDX-License-Identifier: Apache-2.0
// The last decisions in sentences, and the log.
import {make, section} from "../dom.js";
import {text} from "../texts.js";
import {run} from "../transport.js";

export async function show(place, trouble) {
  const [sentences, log] = await Promise.all([["explain", "--last", "20"], ["log"]].map(words =>
    run(words).catch(error => { trouble(error); return ""; })));
  const lines = sentences.split("\n").filter(line => line.trim());
  place.replaceChildren(
    section(text("decisions"), lines.length ? make("ol", {class: "sentences"}, ...lines.map(line => make("li", {}, line))) : make("p", {class: "soft"}, text("none")),
      make("button", {type: "button", onclick: () => show(place, trouble)}, text("again"))),
    section(text("log"), make("pre", {tabindex: "0", role: "region", "aria-label": text("log")}, log || text("none"))));
}
