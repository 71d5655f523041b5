// SPDX-License-Identifier: Apache-2.0
// The last minute: its sixty seconds in their places, and in sentences.
import {SECONDS} from "./band_chart.js";
import {nameOf} from "./packages.js";
import {text} from "./texts.js";

const MOST_SENTENCES = 6;
// A pause of a second between two swipes is no event.
const SHORT_PAUSE = 2;

/** The seconds of a status by how long ago they were: 60 of them, the last one now; null where no frame came. */
export function slotsOf(status) {
  const slots = Array(SECONDS).fill(null);
  for (const second of status.seconds ?? []) {
    const ago = Math.floor((status.now_ns - second.begin_ns) / 1e9);
    if (ago >= 0 && ago < SECONDS) slots[SECONDS - 1 - ago] = second;
  }
  return slots;
}

/** "big", "mid", "little" of the cluster at `i`, slowest first, as docs/profiles.md names them. */
export const rankOf = (i, count) => (i === count - 1 ? "big" : i === 0 ? "little" : "mid");

const ghz = khz => (khz / 1e6).toFixed(1);

/** Where the frames of these seconds ran: the cluster that had most of them, between which frequencies. */
function placeOf(seconds, clusters) {
  let best = null;
  clusters.forEach((cluster, i) => {
    const speeds = seconds.map(second => second.clusters[i]?.speed_khz).filter(band => band && band[1] > 0);
    if (speeds.length > (best?.count ?? 0)) {
      best = {count: speeds.length, cores: text(`${rankOf(i, clusters.length)}Cores`), low: ghz(Math.min(...speeds.map(band => band[0]))), high: ghz(Math.max(...speeds.map(band => band[1])))};
    }
  });
  return best;
}

/** Stretches of like seconds: still, or frames of one app. */
function stretches(slots) {
  const found = [];
  slots.forEach((second, i) => {
    const app = second?.app ?? null;
    const last = found.at(-1);
    if (last && last.app === app) last.to = i;
    else found.push({app, from: i, to: i});
  });
  // Short pauses within an app's frames belong to them.
  return found.reduce((kept, each, i) => {
    const [before, after] = [kept.at(-1), found[i + 1]];
    if (!each.app && each.to - each.from < SHORT_PAUSE && before?.app && before.app === after?.app) before.to = each.to;
    else if (before?.app && before.app === each.app) before.to = each.to;
    else kept.push(each);
    return kept;
  }, []);
}

function framesSentence(stretch, seconds, clusters) {
  const frames = seconds.reduce((sum, second) => sum + second.frames, 0);
  const late = seconds.reduce((sum, second) => sum + second.late, 0);
  const place = placeOf(seconds, clusters);
  return text(late ? "someLate" : "noneLate", {app: nameOf(stretch.app), rate: Math.round(frames / seconds.length), late}) + (place ? text("gap") + text("ranAt", place) : "");
}

/** [{when, words}], the newest first. The slowest frame of each stretch that was late has a sentence of its own. */
export function sentencesOf(status) {
  const slots = slotsOf(status);
  const when = i => (i >= SECONDS - 2 ? text("now_") : text("secondsAgo", {seconds: SECONDS - 1 - i}));
  const list = [];
  for (const stretch of stretches(slots)) {
    const seconds = slots.slice(stretch.from, stretch.to + 1).filter(Boolean);
    if (!stretch.app) {
      list.push({when: when(stretch.to), words: text("stillThen")});
      continue;
    }
    const worst = seconds.reduce((most, second) => (second.late && second.longest_ms > (most?.longest_ms ?? 0) ? second : most), null);
    if (worst) {
      list.push({when: when(slots.indexOf(worst)), words: text(worst.raised ? "heavyRaised" : "heavy", {ms: worst.longest_ms.toFixed(1), budget: worst.budget_ms.toFixed(1)})});
    }
    list.push({when: when(stretch.to), words: framesSentence(stretch, seconds, status.clusters)});
  }
  return list.reverse().slice(0, MOST_SENTENCES);
}
