// SPDX-License-Identifier: Apache-2.0
// The page as a root manager shows it: its ksu.exec, with answers that were recorded.
// usage: node recorded_phone.mjs OUTPUT_FOLDER     leaves VIEW-THEME.png there
import path from "node:path";
import {RECORDED, RUNNING} from "./recorded.mjs";
import {browser, check, checkAccessible, finish, serve, skipUnlessReady} from "./tool.mjs";

skipUnlessReady();
const folder = process.argv[2] ?? ".";
const VIEWS = ["status", "apps", "doctor", "why", "history", "measure"];
const MOST_BYTES = 150_000;

/** Runs in the page, before its own scripts. */
function installManager(recorded) {
  window.commands = [];
  window.answers = recorded;
  window.ksu = {exec(command, options, name) {
    const words = [...command.matchAll(/'((?:[^']|'\\'')*)'/g)].map(match => match[1].replaceAll("'\\''", "'")).slice(1);
    window.commands.push(words);
    const answer = window.answers[words.join(" ")] ?? window.answers[words.slice(0, 2).join(" ")] ?? window.answers[words[0]];
    const {code, stdout = "", stderr = ""} = answer ?? {code: 2, stderr: `not recorded: ${words.join(" ")}`};
    setTimeout(() => window[name](code, stdout, stderr), 5);
  }};
}

const server = await serve();
const chromium = await browser();

async function open(view, theme, options = {}) {
  const context = await chromium.newContext({viewport: {width: 390, height: 844}, deviceScaleFactor: 2, hasTouch: true, colorScheme: theme, locale: "en-GB", ...options});
  const page = await context.newPage();
  page.problems = [];
  page.on("console", message => { if (message.type() === "error") page.problems.push(message.text()); });
  page.on("pageerror", error => page.problems.push(String(error)));
  page.on("request", request => { if (!request.url().startsWith(server.url) && !request.url().startsWith("data:")) page.problems.push(`loads ${request.url()}`); });
  page.on("dialog", dialog => { page.problems.push("text became code"); dialog.dismiss(); });
  await page.addInitScript(installManager, options.recorded ?? RECORDED);
  await page.goto(`${server.url}#${view}`);
  await page.waitForSelector(`main[data-ready="${view}"]`);
  return page;
}
const sent = (page, ...words) => page.evaluate(wanted => window.commands.filter(command => wanted.every((word, i) => command[i] === word)), words);

for (const theme of ["light", "dark"]) {
  for (const view of VIEWS) {
    const page = await open(view, theme);
    if (view === "status") await page.waitForTimeout(4500);
    check(await page.isHidden("#trouble") && page.problems.length === 0, `${view}, ${theme}: no complaint${page.problems.map(each => `\n        ${each}`)}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(wide <= 0, `${view}, ${theme}: fits a phone's width`);
    const spills = await page.evaluate(() => [...document.querySelectorAll("section table")].filter(table => table.getBoundingClientRect().right > table.closest("section").getBoundingClientRect().right).length);
    check(spills === 0, `${view}, ${theme}: tables stay in their cards`);
    await checkAccessible(page, `${view}, ${theme}`);
    await page.screenshot({path: path.join(folder, `${view}-${theme}.png`)});
    await page.screenshot({path: path.join(folder, `${view}-${theme}-whole.png`), fullPage: true});
    await page.context().close();
  }
}

{
  const page = await open("status", "light");
  check(await page.locator("canvas").count() === 4, "one chart for the frames and one for each cluster");
  check((await page.locator("[role=img]").nth(1).getAttribute("aria-label")).includes("600.0"), "charts tell their values in words");
  await page.getByRole("button", {name: "Power save"}).click();
  check((await sent(page, "mode", "powersave")).length === 1, "the mode is switched");
  await page.evaluate(() => { window.answers = {...window.answers, "status --json": {code: 1, stderr: "no service runs: start framegovd"}}; });
  await page.waitForSelector("#trouble:not([hidden])");
  check((await page.textContent("#trouble")).includes("no service runs"), "what went wrong is told");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.getByRole("link", {name: "Doctor"}).focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector("main[data-ready=doctor]");
  check(page.problems.length === 0, "tabs work by keyboard");
  await page.selectOption("#language", "zh");
  await page.waitForSelector("main[data-ready=doctor]");
  check(await page.getByRole("link", {name: "诊断"}).count() === 1 && await page.evaluate(() => document.documentElement.lang) === "zh-CN", "in Chinese too");
  await page.screenshot({path: path.join(folder, "doctor-zh.png")});
  check((await page.evaluate(async () => (await import("./texts.js")).missingTexts())).length === 0, "every text is there in both languages");
  await page.context().close();
}

{
  const page = await open("apps", "light");
  await page.fill("[name=margin]", "80");
  await page.getByRole("button", {name: "Preview"}).click();
  check(await page.getAttribute("[name=margin]", "aria-invalid") === "true", "a value out of range is marked");
  check((await sent(page, "profile", "put")).length === 0, "and not sent");
  await page.fill("[name=margin]", "10");
  await page.fill("[name='ceilings.big']", "1.8GHz");
  await page.selectOption("[name=enabled]", "true");
  await page.getByRole("button", {name: "Preview"}).click();
  await page.waitForSelector("text=Not saved yet");
  const [put] = await sent(page, "profile", "put");
  check(put[2] === "com.example.reader" && put.at(-1) === "--preview", "a preview saves nothing");
  check(put[3] === JSON.stringify({enabled: true, margin: "10%", ceilings: {big: "1.8GHz"}}), "the form's values are sent as they are documented");
  await page.getByRole("button", {name: "Save"}).click();
  await page.waitForSelector("text=Saved.");
  check((await sent(page, "profile", "put")).length === 2, "a profile is saved");
  await page.getByRole("button", {name: "Off", exact: true}).click();
  check((await sent(page, "app", "com.example.reader", "off")).length === 1, "an app is switched off");
  await page.fill("#package", "x'; reboot");
  await page.getByRole("button", {name: "Show"}).click();
  check(await page.getAttribute("#package", "aria-invalid") === "true", "what is no package name is refused");
  check(page.problems.length === 0, `the editor makes no complaint${page.problems}`);
  await page.context().close();
}

{
  const page = await open("history", "light");
  check(await page.locator("canvas").count() === 2, "misses and energy are drawn");
  const words = index => page.locator("[role=img]").nth(index).getAttribute("aria-label");
  check((await words(1)).includes("01-01 20.11; 01-02 2764.22"), "each day's energy is told in words");
  await page.locator("#history-app").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("[role=img]").getAttribute("aria-label").includes("0.08"));
  check((await words(1)).includes("01-02 882.11"), "one app's days are chosen by keyboard");
  check(page.problems.length === 0, `the history makes no complaint${page.problems}`);
  await page.context().close();
}

{
  const page = await open("measure", "dark");
  check((await page.locator("[role=img]").getAttribute("aria-label")).includes("7 without 810.00, framegov 736.00"), "the pairs are told in words");
  check((await page.locator("table").innerText()).includes("-71 ± 22"), "the difference has its interval");
  check(await page.inputValue("#measured") === "com.example.reader", "the app on top is offered");
  await page.fill("#measured", "no package");
  await page.keyboard.press("Enter");
  check(await page.getAttribute("#measured", "aria-invalid") === "true" && (await sent(page, "ab", "--background")).length === 0, "what is no package is not measured");
  await page.fill("#measured", "com.example.game");
  await page.selectOption("#minutes", "60");
  await page.getByRole("button", {name: "Start"}).click();
  await page.waitForFunction(() => window.commands.some(words => words[1] === "--background"));
  await page.evaluate(running => { window.answers = {...window.answers, "ab --show": {code: 0, stdout: JSON.stringify(running)}}; }, RUNNING);
  await page.waitForSelector("progress");
  check((await sent(page, "ab", "--background"))[0].join(" ") === "ab --background --app com.example.game --minutes 60", "a measurement is started in the background");
  check((await page.textContent("[role=status]")).includes("Window 5 of 30, about 26 minutes"), "how far it is is told");
  await checkAccessible(page, "measuring");
  await page.screenshot({path: path.join(folder, "measuring-dark.png")});
  await page.getByRole("button", {name: "End now"}).click();
  await page.waitForFunction(() => window.commands.some(words => words.join(" ") === "ab --stop"));
  check(page.problems.length === 0, `measuring makes no complaint${page.problems}`);
  await page.selectOption("#language", "zh");
  await page.waitForSelector("main[data-ready=measure] progress");
  await page.screenshot({path: path.join(folder, "measuring-zh.png")});
  await page.context().close();
}

const bytes = [...server.weight.values()].reduce((sum, each) => sum + each, 0);
check(bytes <= MOST_BYTES, `the page weighs ${bytes} bytes in ${server.weight.size} files`);
await chromium.close();
server.close();
finish();
