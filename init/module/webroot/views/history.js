// SPDX-License-Identifier: Apache-2.0
// Frames, misses and energy per day and app.
import {make, section, table} from "../dom.js";
import {text} from "../texts.js";
import {ask} from "../transport.js";

export async function show(place, trouble) {
  const past = await ask(["history", "--json"]).catch(error => { trouble(error); return null; });
  if (!past) { place.replaceChildren(); return; }
  const rows = [...past.days].sort((a, b) => b.day.localeCompare(a.day) || b.frames - a.frames).map(row => [
    row.day.slice(5), row.app, row.frames.toLocaleString(), row.frames ? `${(100 * row.misses / row.frames).toFixed(2)} %` : "–", (row.energy_mj / 1000).toFixed(1)]);
  place.replaceChildren(section(text("history"),
    rows.length ? table([[text("day")], [text("apps")], [text("frames"), true], [text("missed"), true], [text("energy"), true]], rows, text("history"))
      : make("p", {class: "soft"}, text("historyEmpty")),
    rows.length ? make("p", {class: "soft"}, text("historyNote")) : null));
}
