// SPDX-License-Identifier: Apache-2.0
// Runs framegov on the phone: through the root manager's ksu.exec, or through `framegov web`.

const PROGRAM = "/data/adb/modules/framegov/bin/framegov";
let calls = 0;

// The token comes in the address's fragment, which browsers do not send, and leaves the address bar.
const token = (() => {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    sessionStorage.setItem("framegov-token", given);
    history.replaceState(null, "", location.pathname);
  }
  return given ?? sessionStorage.getItem("framegov-token") ?? "";
})();

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
