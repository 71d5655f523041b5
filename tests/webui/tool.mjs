// SPDX-License-Identifier: Apache-2.0
// A browser, a server of the page's files, and checks that are counted.
import {createRequire} from "node:module";
import {execFileSync} from "node:child_process";
import {existsSync, readFileSync, readdirSync} from "node:fs";
import http from "node:http";
import path from "node:path";
import {fileURLToPath} from "node:url";

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
export const NPM = path.join(ROOT, ".cache/npm");
export const WEBROOT = path.join(ROOT, "init/module/webroot");
const CHROMIUM = "/usr/bin/chromium";
const SKIPPED = 77;
const TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json"};

export function skip(reason) {
  console.log(`SKIPPED: ${reason}`);
  process.exit(SKIPPED);
}

export function skipUnlessReady() {
  for (const needed of [CHROMIUM, path.join(NPM, "playwright-core"), path.join(NPM, "axe-core"), path.join(NPM, "uplot")]) {
    if (!existsSync(needed)) skip(`${needed} is missing: run ./dev deps`);
  }
}

export const browser = () => createRequire(import.meta.url)(path.join(NPM, "playwright-core")).chromium.launch({executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"]});

/** A file of the page as the package lays it out. */
export function pageFile(name) {
  if (name.startsWith("vendor/")) return readFileSync(path.join(NPM, "uplot/dist", name.slice("vendor/".length)));
  const content = readFileSync(path.join(WEBROOT, name));
  if (!name.startsWith("texts/")) return content;
  return Buffer.from(JSON.stringify(JSON.parse(content), (key, words) => (key.startsWith("cli_") ? undefined : words), 0));
}

/** The page's scripts as one text. */
export function pageSources() {
  const scripts = readdirSync(WEBROOT, {recursive: true}).filter(name => /\.(js|html)$/.test(name));
  return scripts.map(name => readFileSync(path.join(WEBROOT, name), "utf8")).join("\n");
}

export function hasChineseFont() {
  try { return execFileSync("fc-list", [":lang=zh", "family"], {encoding: "utf8"}).trim() !== ""; } catch { return false; }
}

export async function serve() {
  const weight = new Map();
  const server = http.createServer((request, response) => {
    const name = new URL(request.url, "http://x").pathname.slice(1) || "index.html";
    try {
      const content = pageFile(name);
      weight.set(name, content.length);
      response.writeHead(200, {"Content-Type": TYPES[path.extname(name)] ?? "text/plain"}).end(content);
    } catch { response.writeHead(404).end(); }
  });
  await new Promise(done => server.listen(0, "127.0.0.1", done));
  return {url: `http://127.0.0.1:${server.address().port}/`, weight, close: () => server.close()};
}

let failures = 0;
export function check(good, what) {
  console.log(`${good ? "ok      " : "FAILED  "}${what}`);
  if (!good) ++failures;
}
export const finish = () => { console.log(`${failures} problems`); process.exit(failures ? 1 : 0); };

/** Nothing that axe calls serious or critical. */
export async function checkAccessible(page, what) {
  await page.addScriptTag({path: path.join(NPM, "axe-core/axe.min.js")});
  const result = await page.evaluate(() => axe.run());
  const serious = result.violations.filter(each => ["serious", "critical"].includes(each.impact));
  check(serious.length === 0, `${what}: axe finds nothing serious in ${result.passes.length} rules`);
  serious.forEach(each => console.log(`        ${each.id}: ${each.nodes.map(node => `${node.target} ${node.any.map(any => any.message)}`).join("; ")}`));
}
