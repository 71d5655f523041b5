// SPDX-License-Identifier: Apache-2.0
// The page as a root manager shows it: its ksu.exec, with answers that were recorded.
// usage: node recorded_phone.mjs OUTPUT_FOLDER     leaves VIEW-THEME.png there
import path from "node:path";
import {NIGHT, NO_SERVICE, POWERSAVE, RECORDED, RUNNING, SWITCHED_OFF} from "./recorded.mjs";
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
    const {code, stdout = "", stderr = "", after_ms = 5} = answer ?? {code: 2, stderr: `not recorded: ${words.join(" ")}`};
    setTimeout(() => window[name](code, stdout, stderr), after_ms);
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
const answers = (page, words, answer) => page.evaluate(changed => { window.answers = {...window.answers, ...changed}; }, {[words]: answer});
const focused = page => page.evaluate(() => document.activeElement.textContent);
/** Marks what `selector` finds, to tell later whether it is still the same. */
const mark = (page, selector) => page.evaluate(wanted => document.querySelectorAll(wanted).forEach(each => { each.dataset.marked = ""; }), selector);
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
  await answers(page, "status --json", POWERSAVE);
  await page.getByRole("button", {name: "Power save"}).focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector("button[aria-pressed=true]:text('Power save')");
  check((await sent(page, "mode", "powersave")).length === 1 && await page.locator("button[aria-pressed=true]").count() === 1, "the mode is switched");
  await page.waitForTimeout(1500);
  check(await focused(page) === "Power save", "and the focus stays on its button");
  await answers(page, "status --json", NIGHT);
  await page.waitForSelector("button[aria-pressed=true]:text('night')");
  check(await focused(page) === "Power save" && await page.locator("button[aria-pressed=true]").count() === 1, "a mode of one's own gets a button");
  await answers(page, "mode", {code: 3, stderr: "no mode is called 'fast'"});
  await page.getByRole("button", {name: "Fast"}).click();
  await page.waitForSelector("#trouble:not([hidden])");
  await page.waitForTimeout(1500);
  check((await page.textContent("#trouble")).includes("no mode is called"), "what a button could not do stays to be read");
  await answers(page, "status --json", NO_SERVICE);
  await page.waitForSelector("#trouble:text('no service runs')");
  check(await page.getAttribute("#trouble", "lang") === "en", "what went wrong is told");
  await page.evaluate(() => {
    window.writes = 0;
    new MutationObserver(changes => { window.writes += changes.length; }).observe(document.getElementById("trouble"), {childList: true, characterData: true, attributes: true, subtree: true});
  });
  await page.waitForTimeout(2500);
  check(await page.evaluate(() => window.writes) === 0, "once: an alert that is written again is read out again");
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
  check(await page.locator(".findings [lang=en]:text('governor schedutil')").count() === 1 && await page.locator(".findings [lang=en]:text('处理办法')").count() === 0, "what framegov says is marked as English");
  check((await page.evaluate(async () => (await import("./texts.js")).missingTexts())).length === 0, "every text is there in both languages");
  await page.context().close();
}

{
  const page = await open("status", "light", {recorded: {...RECORDED, "status --json": NO_SERVICE}});
  check((await page.textContent("#trouble")).includes("no service runs") && await page.locator("canvas").count() === 0, "without a service there is no status");
  await page.waitForTimeout(1500);
  await answers(page, "status --json", RECORDED["status --json"]);
  await page.waitForSelector("canvas");
  check(await page.isHidden("#trouble") && await page.locator("canvas").count() === 4, "it comes when the service does");
  check(page.problems.length === 0, `and makes no complaint${page.problems}`);
  await page.context().close();
}

for (const [view, words, every_ms] of [["status", "status --json", 1000], ["measure", "ab --show", 3000]]) {
  const page = await open("doctor", "light", {recorded: {...RECORDED, [words]: {...RECORDED[words], after_ms: 800}}});
  const go = name => page.evaluate(where => { location.hash = where; }, name);
  await go(view);
  await page.waitForFunction(wanted => window.commands.some(command => command.join(" ").startsWith(wanted)), words);
  await go("doctor");
  await page.waitForSelector("main[data-ready=doctor]");
  await page.waitForTimeout(800 + every_ms + 500);
  check((await sent(page, ...words.split(" "))).length === 1, `${view}: left before its first answer, it asks no more`);
  await go(view);
  await page.waitForSelector("canvas");
  await go("doctor");
  await page.waitForSelector("main[data-ready=doctor]");
  await page.waitForTimeout(1000);
  const before = (await sent(page, ...words.split(" "))).length;
  await page.waitForTimeout(every_ms + 500);
  check((await sent(page, ...words.split(" "))).length === before && await page.locator("canvas").count() === 0, `${view}: left later too`);
  check(page.problems.length === 0, `${view}: leaving makes no complaint${page.problems}`);
  await page.context().close();
}

for (const view of ["doctor", "why"]) {
  const page = await open(view, "light");
  await mark(page, "main button");
  await page.getByRole("button", {name: "Look again"}).focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector("main button:not([data-marked])");
  check(await focused(page) === "Look again", `${view}: looked at again, the focus stays on the button`);
  await page.context().close();
}

{
  const page = await open("apps", "light");
  const form = () => page.evaluate(() => Object.fromEntries([...document.querySelector("form.profile").elements].filter(each => each.name && each.value).map(each => [each.name, each.value])));
  const saved = {enabled: "true", target_fps: "30, 60", eps: "0.3", margin: "7", "ceilings.big": "1.8GHz"};
  check(JSON.stringify(await form()) === JSON.stringify(saved), `the form has what was saved before${JSON.stringify(await form())}`);
  check(await page.locator("td:text('own')").count() === 0, "and the table has what holds only");
  await page.fill("[name=margin]", "80");
  await page.getByRole("button", {name: "Preview"}).click();
  check(await page.getAttribute("[name=margin]", "aria-invalid") === "true", "a value out of range is marked");
  check((await sent(page, "profile", "put")).length === 0, "and not sent");
  await page.fill("[name=margin]", "10");
  await page.fill("[name=target_fps]", "");
  await page.fill("[name='ceilings.big']", "");
  await page.fill("[name='floors.all']", "40%");
  await page.getByRole("button", {name: "Preview"}).click();
  await page.waitForSelector("text=Not saved yet");
  const [put] = await sent(page, "profile", "put");
  check(put[2] === "com.example.reader" && put.at(-1) === "--preview", "a preview saves nothing");
  const none = {all: null, little: null, mid: null, big: null};
  check(put[3] === JSON.stringify({enabled: true, policy: null, source: null, target_fps: null, eps: 0.003, margin: "10%", ceilings: none, floors: {...none, all: "40%"}}),
    `the form's values are sent as they are documented, null for what is empty: ${put[3]}`);
  check(JSON.stringify(await form()) === JSON.stringify({enabled: "true", eps: "0.3", margin: "10", "floors.all": "40%"}), "a preview leaves the form as it is");
  await page.getByRole("button", {name: "Save"}).click();
  await page.waitForSelector("text=Saved.");
  check((await sent(page, "profile", "put")).length === 2, "a profile is saved");
  check(JSON.stringify(await form()) === JSON.stringify({...saved, margin: "12.5"}), "and the form has what is saved now");
  await page.fill("[name=margin]", "8");
  await page.getByRole("button", {name: "Save"}).click();
  await page.waitForFunction(() => window.commands.filter(words => words[1] === "put").length === 3);
  check((await sent(page, "profile", "put"))[2][3] === JSON.stringify({enabled: true, policy: null, source: null, target_fps: [30, 60], eps: 0.003, margin: "8%", ceilings: {...none, big: "1.8GHz"}, floors: none}),
    "one value that is changed leaves the others");
  await page.waitForSelector("text=Saved.");
  const pressed = async () => (await page.locator("[aria-pressed=true]").allTextContents()).join();
  check(await pressed() === "As its profile says", "how the app is switched is shown");
  await answers(page, "profile show", {code: 0, stdout: SWITCHED_OFF});
  await page.getByRole("button", {name: "Off", exact: true}).click();
  await page.waitForSelector("[role=status]:text('Switched: Off.')");
  check((await sent(page, "app", "com.example.reader", "off")).length === 1 && await pressed() === "Off" && await focused(page) === "Off", "an app is switched off");
  await page.getByRole("button", {name: "Remove my profile"}).click();
  await page.waitForSelector("text=Removed.");
  check(JSON.stringify(await form()) === "{}" && await page.getAttribute("[name=margin]", "placeholder") === "not set here", "a removed profile leaves an empty form");
  await checkAccessible(page, "the editor");
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
  check(await focused(page) === "Start", "Start has the focus");
  await page.waitForFunction(() => window.commands.some(words => words[1] === "--background"));
  await page.evaluate(running => { window.answers = {...window.answers, "ab --show": {code: 0, stdout: JSON.stringify(running)}}; }, RUNNING);
  await page.waitForSelector("progress");
  check((await sent(page, "ab", "--background"))[0].join(" ") === "ab --background --app com.example.game --minutes 60", "a measurement is started in the background");
  check((await page.textContent("[role=status]")).includes("Window 5 of 30, about 26 minutes"), "how far it is is told");
  await checkAccessible(page, "measuring");
  await page.screenshot({path: path.join(folder, "measuring-dark.png")});
  const end = "End now, with what there is";
  check(await focused(page) === end, "the focus goes from Start to what ends it");
  await mark(page, "main button");
  const next = {...RUNNING, running: {...RUNNING.running, window: 5}};
  await answers(page, "ab --show", {code: 0, stdout: JSON.stringify(next)});
  await page.waitForSelector("[role=status]:text('Window 6 of 30, about 25 minutes')");
  check(await page.locator("main button[data-marked]").count() === 1 && await focused(page) === end && await page.evaluate(() => document.querySelector("progress").value) === 5, "a new window is told in place");
  await answers(page, "ab --show", RECORDED["ab --show"]);
  await page.getByRole("button", {name: "End now"}).click();
  await page.waitForFunction(() => window.commands.some(words => words.join(" ") === "ab --stop"));
  await page.waitForSelector("#measured");
  check(await focused(page) === "Start", "ended, the focus is on Start again");
  await answers(page, "ab --show", {code: 0, stdout: JSON.stringify(RUNNING)});
  await page.waitForSelector("progress");
  check(page.problems.length === 0, `measuring makes no complaint${page.problems}`);
  await page.selectOption("#language", "zh");
  await page.waitForSelector("main[data-ready=measure] progress");
  await page.screenshot({path: path.join(folder, "measuring-zh.png")});
  await page.context().close();
}

{
  // As `framegov web` serves it, the second one on the same port: without a manager, with a token that is another one now.
  const context = await chromium.newContext({viewport: {width: 390, height: 844}, locale: "en-GB"});
  const page = await context.newPage();
  const tokens = [];
  await page.route("**/api/run", async route => {
    tokens.push(route.request().headers()["x-framegov-token"]);
    const answer = RECORDED[route.request().postDataJSON().join(" ")];
    await (tokens.at(-1) === "second" ? route.fulfill({json: {stdout: "", stderr: "", ...answer}}) : route.fulfill({status: 403, body: "wrong token"}));
  });
  await page.goto(`${server.url}#token=first`);
  await page.waitForSelector("#trouble:text('wrong token')");
  check(tokens.every(each => each === "first") && !page.url().includes("token"), "the token leaves the address bar");
  await mark(page, "body");
  await page.evaluate(() => { location.hash = "token=second"; });
  await page.waitForSelector("canvas");
  check(await page.isHidden("#trouble") && await page.locator("body[data-marked]").count() === 1, "the address of another framegov web is taken in the open page");
  check(!page.url().includes("token") && await page.evaluate(() => sessionStorage.getItem("framegov-token")) === "second", "its token leaves the address bar too, and is kept");
  await page.reload();
  await page.waitForSelector("canvas");
  check(tokens.at(-1) === "second", "a page that is loaded again has it still");
  await context.close();
}

{
  // A browser that keeps nothing.
  const context = await chromium.newContext({viewport: {width: 390, height: 844}, locale: "en-GB"});
  const page = await context.newPage();
  const problems = [];
  page.on("pageerror", error => problems.push(String(error)));
  await page.addInitScript(() => { for (const name of ["sessionStorage", "localStorage"]) Object.defineProperty(window, name, {get() { throw new Error("kept from you"); }}); });
  await page.route("**/api/run", route => (route.request().headers()["x-framegov-token"] === "only"
    ? route.fulfill({json: {stdout: "", stderr: "", ...RECORDED[route.request().postDataJSON().join(" ")]}}) : route.fulfill({status: 403, body: "wrong token"})));
  await page.goto(`${server.url}#token=only`);
  await page.waitForSelector("canvas");
  check(problems.length === 0 && await page.isHidden("#trouble"), `a browser that keeps nothing shows the page${problems}`);
  await context.close();
}

const bytes = [...server.weight.values()].reduce((sum, each) => sum + each, 0);
check(bytes <= MOST_BYTES, `the page weighs ${bytes} bytes in ${server.weight.size} files`);
await chromium.close();
server.close();
finish();
