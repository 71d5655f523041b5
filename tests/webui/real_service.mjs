// SPDX-License-Identifier: Apache-2.0
// The page through `framegov web`, against a real service: real probes in the demo app, a cpufreq tree of its own.
// usage: node real_service.mjs BUILD_FOLDER OUTPUT_FOLDER
import {spawn} from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import {browser, check, finish, NPM, ROOT, skip, skipUnlessReady} from "./tool.mjs";

skipUnlessReady();
const [build, folder] = process.argv.slice(2).map(each => path.resolve(each));
const home = fs.mkdtempSync(path.join(os.tmpdir(), "framegov-page-"));
const socket = `framegov-page-${process.pid}`;
const config = path.join(home, "framegov.yaml");
const children = [];
process.on("exit", () => {
  children.forEach(child => child.kill("SIGTERM"));
  fs.rmSync(home, {recursive: true, force: true});
});

function start(program, words, options = {}) {
  const child = spawn(path.join(build, program), words, {stdio: ["ignore", "pipe", "pipe"], ...options});
  child.text = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", data => { child.text += data; });
  children.push(child);
  return child;
}

async function until(condition, seconds = 30) {
  for (const end = Date.now() + 1000 * seconds; Date.now() < end; await new Promise(done => setTimeout(done, 100))) {
    const value = await condition();
    if (value) return value;
  }
  return null;
}

/** This machine's CPUs as one cluster of a phone. */
function makeCpus() {
  const khz = Array.from({length: 10}, (_, i) => 300000 + 250000 * i);
  const policy = path.join(home, "cpu/cpufreq/policy0");
  fs.mkdirSync(policy, {recursive: true});
  const nodes = {related_cpus: os.cpus().map((_, i) => i).join(" "), scaling_available_frequencies: khz.join(" "),
    cpuinfo_min_freq: khz[0], cpuinfo_max_freq: khz[9], scaling_min_freq: khz[0], scaling_max_freq: khz[9], scaling_cur_freq: khz[9], scaling_governor: "schedutil"};
  for (const [name, value] of Object.entries(nodes)) fs.writeFileSync(path.join(policy, name), `${value}\n`);
}

function makePage() {
  const webroot = path.join(home, "webroot");
  fs.cpSync(path.join(ROOT, "init/module/webroot"), webroot, {recursive: true});
  fs.cpSync(path.join(NPM, "uplot/dist"), path.join(webroot, "vendor"), {recursive: true});
  return webroot;
}

/** A request as a program that is no browser would send it. */
const send = (port, {host = `127.0.0.1:${port}`, token = "", body = "[]", method = "POST", where = "/api/run"}) => new Promise(done => {
  const request = http.request({port, host: "127.0.0.1", path: where, method, headers: {Host: host, "X-Framegov-Token": token}}, answer => {
    answer.resume();
    done(answer.statusCode);
  });
  request.end(method === "POST" ? body : undefined);
});

makeCpus();
const app = path.join(build, "tests/app");
fs.writeFileSync(config, `service:
  cpu_root: ${home}/cpu
  state_dir: ${home}/state
  control_socket: ${socket}
  foreground: all
  hwui_libraries: [${app}/libhwui.so]
  gui_libraries: [${app}/libgui.so]
`);
const service = start("governor/framegovd", ["--config", config]);
start("tests/app/demo-app", ["--scene", "scroll", "--hz", "60", "--seconds", "120", "--fixed-khz", "8000000", "--events", path.join(home, "events")], {stdio: "ignore"});
const web = start("cli/framegov", ["web", "--webroot", makePage(), "--config", config, "--socket", socket]);
const address = await until(() => web.text.match(/http:\S+/)?.[0]);
check(address !== null, `framegov web prints its address${address ? "" : `: ${web.text}`}`);
const running = await until(() => service.text.includes("governing"));
if (!running) skip(`framegovd does not govern here: ${service.text.trim()}`);
const {port, hash} = new URL(address);
const token = hash.slice("#token=".length);

check(await send(port, {body: `["status"]`}) === 403, "no command without the token");
check(await send(port, {token, body: `["status"]`, host: `evil.example:${port}`}) === 400, "no command under another host's name");
check(await send(port, {token, body: `["record","/tmp/x"]`}) === 403, "no command that the page does not need");
check(await send(port, {method: "GET", where: "/../framegov.yaml"}) === 404, "no file beside the page");
check(await send(port, {token, body: `["status","--json"]`}) === 200, "a command with the token");

const scripted = start("cli/framegov", ["web", "--json", "--webroot", makePage(), "--config", config, "--socket", socket, "--port", "0"]);
const told = JSON.parse(await until(() => scripted.text.match(/^\{.*\}$/m)?.[0]) ?? "{}");
check(told.url === `http://127.0.0.1:${told.port}/#token=${told.token}` && told.port > 0, "framegov web --json tells a script the address in its parts");
scripted.kill("SIGTERM");

const recording = path.join(home, "scroll.pftrace");
const recorder = start("cli/framegov", ["record", recording, "--seconds", "2", "--json", "--config", config]);
await until(() => recorder.exitCode !== null);
const recorded = JSON.parse(recorder.text.match(/^\{[^]*^\}$/m)?.[0] ?? "{}");
check(recorder.exitCode === 0 && recorded.file === recording && recorded.frames > 10 && recorded.bytes === fs.statSync(recording).size,
  `framegov record --json tells what it recorded${recorder.exitCode === 0 ? "" : `: ${recorder.text}`}`);
check(recorded.seconds >= 2 && recorded.packets_dropped === 0 && recorded.events_lost === 0 && !/packets dropped/.test(recorder.text), "and nothing besides");

const chromium = await browser();
const page = await (await chromium.newContext({viewport: {width: 390, height: 844}, deviceScaleFactor: 2, colorScheme: "dark", locale: "en-GB"})).newPage();
const problems = [];
page.on("console", message => { if (message.type() === "error") problems.push(message.text()); });
page.on("pageerror", error => problems.push(String(error)));
const open = async view => {
  await page.goto(`http://127.0.0.1:${port}/#${view}`);
  await page.waitForSelector(`main[data-ready=${view}]`);
};

await page.goto(address);
await page.waitForSelector("main[data-ready=now]");
check(!page.url().includes("token"), "the token leaves the address bar");
const seen = await until(async () => /\d fps/.test(await page.textContent(".top .soft")) && Number((await page.textContent(".verdict p")).match(/of ([\d,]+) frames/)?.[1].replace(",", "")) > 60);
check(seen, "frames of the demo app are shown");
await page.waitForTimeout(6000);
check(/frames a second/.test(await page.textContent(".sentences")), "and told in sentences");
await page.screenshot({path: path.join(folder, "real-now-dark.png"), fullPage: true});
const save = page.locator(".modes button", {hasText: "Power save"});
await save.click();
check(await until(async () => await save.getAttribute("aria-pressed") === "true"), "the service takes over the mode");
const limit = () => Number(fs.readFileSync(path.join(home, "cpu/cpufreq/policy0/scaling_max_freq"), "utf8"));
const power = page.getByRole("switch", {name: "Govern"});
check(await until(() => limit() < 2550000), "the app's frames are governed");
await power.click();
await page.waitForSelector("h2:text('Paused')");
await page.waitForTimeout(1000);
check(limit() === 2550000, "paused, the limit is as it was");
await page.screenshot({path: path.join(folder, "real-paused-dark.png"), fullPage: true});
await power.click();
check(await until(() => limit() < 2550000), "resumed, it is governed again");

for (const view of ["doctor", "history"]) {
  await open(view);
  check(await page.isHidden("#trouble"), `${view}: no complaint${await page.textContent("#trouble")}`);
  await page.screenshot({path: path.join(folder, `real-${view}-dark.png`)});
}

await open("apps");
await page.fill("#package", "org.example.reader");
await page.keyboard.press("Enter");
await page.waitForSelector("[name=margin]", {state: "attached"});
await page.getByText("Every setting").click();
await page.locator("summary", {hasText: "What holds"}).click();
const saveForm = () => page.locator("form.profile").getByRole("button", {name: "Save", exact: true}).click();
const file = path.join(home, "state/profiles/app-org.example.reader.yaml");
const setting = name => page.locator(`tr:has(td:text-is("${name}"))`).locator("td").nth(1).textContent();
await page.fill("[name=margin]", "7");
await page.getByRole("button", {name: "Preview"}).click();
await page.waitForSelector("text=Not saved yet");
check(Number(await setting("margin")) === 0.07 && !fs.existsSync(file), "a preview shows what would hold and writes nothing");
await page.fill("[name='ceilings.big']", "1GHz");
await saveForm();
await page.waitForSelector("text=Saved.");
check(/org\.example\.reader:[^]*big: .*1GHz[^]*margin: .*7%/.test(fs.readFileSync(file, "utf8")), "a profile is written");
const filled = name => page.inputValue(`[name="${name}"]`);
check(await filled("margin") === "7" && await filled("ceilings.big") === "1GHz", "the form has what is written");
await page.fill("#package", "org.example.reader");
await page.keyboard.press("Enter");
await until(async () => await page.getByText("Saved.").count() === 0);
await page.getByText("Every setting").click();
await page.locator("summary", {hasText: "What holds"}).click();
check(await filled("margin") === "7" && await filled("ceilings.big") === "1GHz", "it has it too when the app is shown again");
await page.fill("[name='ceilings.big']", "");
await saveForm();
await page.waitForSelector("text=Saved.");
check(await filled("margin") === "7" && !fs.readFileSync(file, "utf8").includes("1GHz"), "one value is taken out, the others stay");
await page.getByRole("button", {name: "Left alone", exact: true}).click();
check(await until(async () => await setting("enabled") === "false"), "an app is switched off");
check(await page.getByRole("button", {name: "Left alone", exact: true}).getAttribute("aria-pressed") === "true", "and shown so");
await page.getByRole("button", {name: "Undo"}).click();
check(await until(async () => await setting("enabled") === "true"), "and on again");
await page.getByRole("group", {name: "This app"}).getByRole("button", {name: "Fast"}).click();
check(await until(async () => await setting("mode") === "fast"), "it has a mode of its own");
await page.getByRole("button", {name: "Remove my settings"}).click();
await page.waitForSelector("text=Removed.");
check(!fs.existsSync(file) && Number(await setting("margin")) !== 0.07 && await filled("margin") === "", "a profile is removed");
check(problems.length === 0, `no message on the console${problems.map(each => `\n        ${each}`)}`);

await chromium.close();
web.kill("SIGTERM");
check(await until(() => web.exitCode === 0), "framegov web ends when it is told to");
service.kill("SIGTERM");
check(await until(() => service.exitCode === 0), "the service ends");
finish();
