// SPDX-License-Identifier: Apache-2.0
// The last decisions in sentences, and the log.
import {make, redraw, said, section} from "../dom.js";
import {text} from "../texts.js";
import {run} from "../transport.js";

export async function show(place, trouble) {
  let failed = null;
  const [sentences, log] = await Promise.all([["explain", "--last", "20"], ["log"]].map(words =>
    run(words).catch(error => { failed = error; return ""; })));
  trouble(failed);
  const lines = sentences.split("\n").filter(line => line.trim());
  const again = make("button", {type: "button", onclick: () => show(place, trouble)}, text("again"));
  redraw(place, again,
    section(text("decisions"),
      lines.length ? make("ol", {class: "sentences", lang: "en"}, ...lines.map(line => make("li", {}, line))) : make("p", {class: "soft"}, text("none")), again),
    section(text("log"), make("pre", {tabindex: "0", role: "region", "aria-label": text("log")}, log ? said(log) : text("none"))));
}
