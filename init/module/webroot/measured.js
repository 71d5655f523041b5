// SPDX-License-Identifier: Apache-2.0
// What `framegov ab` found, in the page's language.
import {nameOf} from "./packages.js";
import {dateOf, text} from "./texts.js";

/** What the last measurement says, in a sentence; null: there is none that says anything of power. */
export function helpOf(result) {
  const power = result?.power_mw;
  if (!power?.pairs || power.percent === null) return null;
  const values = {app: nameOf(result.app), date: result.measured_unix_s ? dateOf(result.measured_unix_s) : "", percent: Math.abs(power.percent).toFixed(0),
    low: (Math.abs(power.percent) - power.percent_plus_minus).toFixed(0), high: (Math.abs(power.percent) + power.percent_plus_minus).toFixed(0)};
  return text(power.verdict === "less" ? "helpsLess" : power.verdict === "more" ? "helpsMore" : "helpsNone", values);
}
