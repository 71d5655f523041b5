// SPDX-License-Identifier: Apache-2.0
// For views that live: asks framegov again and again while the view is on the page and can be seen.
import {ask} from "./transport.js";

/**
 * Hands what framegov answers to `take(answer, look)`; `look()` asks at once. A view that was left (its `place` is off the page then)
 * gets no answer any more, and its asking ends. A failure is told and asked again, so that the view comes when the service does.
 */
export async function keepAsking(place, everyMs, words, take, trouble) {
  let failing = false;
  const look = async () => {
    try {
      const answer = await ask(words);
      if (!place.isConnected) return;
      // Only this asking's own complaint goes: what a button could not do stays to be read.
      if (failing) trouble(null);
      failing = false;
      await take(answer, look);
    } catch (error) {
      failing = true;
      trouble(error);
    }
  };
  // The next look is asked for when the last one has come: a slow phone is not flooded.
  const later = () => setTimeout(async () => {
    if (place.isConnected && !document.hidden) await look();
    if (place.isConnected) later();
  }, everyMs);
  await look();
  if (place.isConnected) later();
}
