// SPDX-License-Identifier: Apache-2.0
// A decision in a sentence, from its codes (docs/protocol.md).
import {hasText, text} from "./texts.js";

const mhz = khz => (khz / 1000).toFixed(0);

function limitOf({cap_khz: cap, floor_khz: floor, policy}, clusters) {
  const cluster = clusters.find(each => each.policy === policy);
  const values = {cores: cluster ? `CPU ${cluster.cpus}` : `policy${policy}`, cap: mhz(cap), floor: mhz(floor)};
  return text(cap > 0 && floor > 0 ? "limitBetween" : cap > 0 ? "limitUpTo" : floor > 0 ? "limitFrom" : "limitFree", values);
}

/** "A frame took 9.1 of 16.6 ms; the speed steps up within the frame. It needs ..." */
export function decisionWords(decision, clusters) {
  const {cause, reason} = decision;
  const still = reason === "still" && hasText(`cause_${cause}_still`) ? "_still" : "";
  const because = text(`cause_${cause}${still}`, {ms: decision.generation_ms?.toFixed(1) ?? "?", budget: decision.budget_ms?.toFixed(1) ?? "?"});
  const parts = [text("decisionSaid", {cause: because, reason: text(`reason_${reason}`)})];
  if (decision.wanted_mhz !== undefined && decision.chosen_khz) parts.push(text("needs", {wanted: decision.wanted_mhz.toFixed(0), chosen: mhz(decision.chosen_khz)}));
  if (decision.clusters?.length) parts.push(text("limitsSaid", {limits: decision.clusters.map(each => limitOf(each, clusters)).join(", ")}));
  return parts.join(text("gap"));
}
