// SPDX-License-Identifier: Apache-2.0
// Runs framegov on the phone: through the root manager's ksu.exec, or through `framegov web`.

const PROGRAM = "/data/adb/modules/framegov/bin/framegov";
const KEPT = "framegov-token";
let calls = 0;
let token = (() => { try { return sessionStorage.getItem(KEPT) ?? ""; } catch { return ""; } })();

/**
 * The token comes in the address's fragment, which browsers do not send, and leaves the address bar. To be called at each change of
 * the fragment: the address of another `framegov web` on the same port changes nothing else, and the page is not loaded again.
 */
export function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!given) return;
  token = given;
  try { sessionStorage.setItem(KEPT, given); } catch { /* some browsers keep nothing: it holds until the page is loaded again */ }
  history.replaceState(null, "", location.pathname);
}

const quoted = word => `'${String(word).replaceAll("'", "'\\''")}'`;

function throughManager(words) {
  return new Promise(resolve => {
    const name = `framegov_done_${calls++}`;
    window[name] = (code, stdout, stderr) => {
      delete window[name];
      resolve({code, stdout, stderr});
    };
    window.ksu.exec([PROGRAM, ...words].map(quoted).join(" "), "{}", name);
  });
}

/** Only the manager can start what does not run; `framegov web` runs framegov's own commands and no others. */
export const canStart = () => Boolean(window.ksu?.exec);
export const START = "sh /data/adb/modules/framegov/service.sh";
export const startService = () => new Promise(resolve => {
  const name = `framegov_done_${calls++}`;
  window[name] = () => { delete window[name]; resolve(); };
  window.ksu.exec(`${START} >/dev/null 2>&1`, "{}", name);
});

async function throughServer(words) {
  const answer = await fetch("api/run", {
    method: "POST",
    headers: {"Content-Type": "application/json", "X-Framegov-Token": token},
    body: JSON.stringify(words),
  });
  if (!answer.ok) return {code: 1, stdout: "", stderr: `framegov web: ${answer.status} ${await answer.text()}`};
  return answer.json();
}

/** What framegov prints, given these words. Throws its error message. `fine`: other exit codes that are no failure. */
export async function run(words, fine = []) {
  const done = await (window.ksu?.exec ? throughManager : throughServer)(words);
  if (done.code !== 0 && !fine.includes(done.code)) throw new Error(done.stderr.trim() || `framegov ${words[0]}: ${done.code}`);
  return done.stdout;
}

export async function ask(words, fine = []) {
  return JSON.parse(await run(words, fine));
}
