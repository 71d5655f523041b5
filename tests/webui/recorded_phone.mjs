// SPDX-License-Identifier: Apache-2.0
// The page as a root manager shows it: its ksu.exec, with answers that were recorded.
// usage: node recorded_phone.mjs OUTPUT_FOLDER     leaves VIEW-THEME.png and STATE-SIZE-THEME-LANGUAGE.png there
import {existsSync, readFileSync, statSync} from "node:fs";
import path from "node:path";
import {DEAD, installManager, NIGHT, NO_SERVICE, PAUSED, POWERSAVE, RECORDED, RUNNING, STILL, STUTTER, UNFIT} from "./recorded.mjs";
import {PICTURES} from "./screenshots.mjs";
import {browser, check, checkAccessible, finish, hasChineseFont, ROOT, serve, skipUnlessReady} from "./tool.mjs";
import {textProblems} from "./texts_test.mjs";

skipUnlessReady();
const folder = process.argv[2] ?? ".";
const VIEWS = ["now", "apps", "measure", "history", "doctor"];
const STATUS = "status --seconds --json";
const MOST_BYTES = 150_000;

if (!hasChineseFont()) console.log("no Chinese font is here: Chinese screenshots show boxes (Debian: fonts-wqy-microhei)");
const server = await serve();
const chromium = await browser();

/** The manager's own: no browser has them, and a letter stands for each. */
const isIcon = url => url.startsWith("ksu://icon/");

async function open(view, theme, options = {}) {
  const context = await chromium.newContext({viewport: {width: 390, height: 844}, deviceScaleFactor: 2, hasTouch: true, colorScheme: theme, locale: "en-GB", ...options});
  const page = await context.newPage();
  page.problems = [];
  page.on("console", message => { if (message.type() === "error" && !isIcon(message.location().url)) page.problems.push(message.text()); });
  page.on("pageerror", error => page.problems.push(String(error)));
  page.on("request", request => { if (!isIcon(request.url()) && !request.url().startsWith(server.url) && !request.url().startsWith("data:")) page.problems.push(`loads ${request.url()}`); });
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

// What an owner sees first, in every state, at both sizes, in both themes and languages: looked at by people, kept by the test.
const STATES = {healthy: {}, paused: {[STATUS]: PAUSED}, dead: DEAD, unsupported: UNFIT};
const SIZES = {phone: {width: 390, height: 844}, desk: {width: 1280, height: 800}};
for (const [state, changed] of Object.entries(STATES)) {
  for (const [size, viewport] of Object.entries(SIZES)) {
    for (const theme of ["light", "dark"]) {
      for (const locale of ["en-GB", "zh-CN"]) {
        const page = await open("now", theme, {viewport, locale, deviceScaleFactor: 1, recorded: {...RECORDED, ...changed}});
        const what = `${state}-${size}-${theme}-${locale.slice(0, 2)}`;
        await page.waitForTimeout(200);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        check(wide <= 0 && page.problems.length === 0, `${what}: fits and makes no complaint${page.problems}`);
        await checkAccessible(page, what);
        await page.screenshot({path: path.join(folder, `${what}.png`)});
        await page.context().close();
      }
    }
  }
}

{
  const page = await open("now", "light");
  const verdict = () => page.textContent(".verdict:visible h2");
  check(await verdict() === "Smooth" && (await page.textContent(".verdict")).includes("3 of 2,940 frames were late in the last minute. Big cores were kept to 41 % of their top speed."), "the verdict is in words");
  await page.waitForSelector(".verdict:has-text('measured')");
  check((await page.textContent(".verdict")).includes("About 9 % (6 to 11) less power than stock in Feed, measured "), `with what was measured: ${await page.textContent(".verdict")}`);
  check((await page.getAttribute(".bands", "aria-label")).includes("Late in 2 of the last 60 seconds. The slowest frame took 24.3 ms"), "the chart tells itself in words");
  const sentences = (await page.locator(".sentences li").allTextContents()).join("|");
  check(sentences === "nowFeed: 60 frames a second, 1 late. They ran on middle cores at 0.8 to 1.4 GHz.|19 sA heavy frame took 24.3 ms, the deadline was 16.6 ms; the speed was raised at once.|41 sScreen still: nothing held.|48 scom.example.game: 60 frames a second, 2 late. They ran on middle cores at 0.8 to 1.4 GHz.|54 sA heavy frame took 24.3 ms, the deadline was 16.6 ms.",
    `the minute is told in sentences, newest first: ${sentences}`);
  check((await sent(page, "explain")).length === 0, "single decisions are behind a fold");
  await page.getByText("All decisions").click();
  await page.waitForSelector(".decisions li");
  check((await page.locator(".decisions li").allTextContents()).join("|") === "0.02 s ago: A frame took 9.1 of 16.6 ms; the speed steps up within the frame. It needs 1150 MHz of the fastest core; 1200 MHz were chosen. Limits: CPU 0-3 up to 900 MHz, CPU 4-5 1200 to 1500 MHz, CPU 6-7 free.|1.31 s ago: No frame came for a while; the screen is still, nothing is held.",
    "which opens on sentences made from codes");
  await answers(page, STATUS, STUTTER);
  await page.waitForSelector("h2:text('It stutters')");
  await answers(page, STATUS, STILL);
  await page.waitForSelector("h2:text('Nothing moves')");
  const power = page.getByRole("switch", {name: "Govern"});
  check(await power.getAttribute("aria-checked") === "true", "the switch of everything is on");
  await power.focus();
  await page.keyboard.press("Space");
  await page.waitForFunction(() => window.commands.some(words => words[0] === "pause"));
  await answers(page, STATUS, PAUSED);
  await page.waitForSelector("h2:text('Paused')");
  check((await sent(page, "pause")).length === 1 && await power.getAttribute("aria-checked") === "false", "it pauses");
  check(await page.evaluate(() => document.activeElement.getAttribute("role")) === "switch", "and keeps the focus");
  await page.getByRole("button", {name: "1 hour"}).click();
  await page.waitForFunction(() => window.commands.some(words => words.join(" ") === "pause --for 1h"));
  await power.click();
  await page.waitForFunction(() => window.commands.some(words => words[0] === "resume"));
  await answers(page, STATUS, RECORDED[STATUS]);
  await page.waitForSelector("h2:text('Smooth')");
  check((await sent(page, "resume")).length === 1, "it resumes");

  const choice = page.getByRole("group", {name: "This app"});
  const pressed = async () => (await choice.locator("[aria-pressed=true]").allTextContents()).join();
  check(await pressed() === "Power save" && (await choice.getByRole("button").allTextContents()).join() === "Like all apps,Power save,Balance,Performance,Fast,Left alone", "the app on top has its own mode: a button for each way, one pressed");
  const buttons = await choice.getByRole("button").evaluateAll(all => all.map(each => each.getBoundingClientRect()).map(({width, height}) => Math.min(width, height)));
  check(buttons.every(least => least >= 44), `they are large enough for a finger: ${buttons.map(Math.round)}`);
  await choice.getByRole("button", {name: "Fast"}).focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  await page.waitForSelector("text=Changed to: Left alone.");
  check((await sent(page, "app", "com.example.reader", "off")).length === 1 && await pressed() === "Left alone" && await focused(page) === "Left alone", "it is left alone by keyboard, and the focus stays");
  await page.getByRole("button", {name: "Undo"}).click();
  await page.waitForFunction(() => window.commands.some(words => words.join(" ") === "app com.example.reader auto"));
  await page.waitForSelector("text=Changed to: Power save.");
  check((await sent(page, "mode", "powersave", "--app", "com.example.reader")).length === 1 && await pressed() === "Power save", "and undone");
  await page.evaluate(() => {
    const named = name => [...document.querySelectorAll("[aria-label='This app'] button")].find(each => each.textContent === name);
    named("Left alone").click();
    named("Fast").click();
  });
  await page.waitForSelector("text=Changed to: Fast.");
  check((await sent(page, "app", "com.example.reader", "auto")).length === 2 && await pressed() === "Fast", "of two quick taps the second goes from where the first led");
  await choice.getByRole("button", {name: "Power save"}).click();
  await page.waitForSelector("text=Changed to: Power save.");
  await answers(page, "mode", {code: 3, stderr: "no mode is called 'balance'"});
  await choice.getByRole("button", {name: "Balance"}).click();
  await page.waitForSelector("#trouble:not([hidden])");
  check(await pressed() === "Power save", "what could not be done is not shown as done");
  await answers(page, "mode", RECORDED.mode);

  await answers(page, STATUS, POWERSAVE);
  const save = page.locator(".modes button", {hasText: "Power save"});
  check((await save.textContent()).includes("Less power"), "each mode says what it does");
  await save.focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector(".modes button[aria-pressed=true]:has-text('Power save')");
  check((await sent(page, "mode", "powersave")).length === 3 && await page.locator(".modes [aria-pressed=true]").count() === 1, "the mode is switched");
  await page.waitForTimeout(1500);
  check((await focused(page)).startsWith("Power save"), "and the focus stays on its button");
  await answers(page, STATUS, NIGHT);
  await page.waitForSelector(".modes button[aria-pressed=true]:has-text('night')");
  check((await focused(page)).startsWith("Power save") && await page.locator(".modes [aria-pressed=true]").count() === 1, "a mode of one's own gets a button");
  await answers(page, "mode", {code: 3, stderr: "no mode is called 'fast'"});
  await page.locator(".modes button", {hasText: "Fast"}).click();
  await page.waitForSelector("#trouble:not([hidden])");
  await page.waitForTimeout(1500);
  check((await page.textContent("#trouble")).includes("no mode is called"), "what a button could not do stays to be read");
  for (const [words, answer] of Object.entries(DEAD)) await answers(page, words, answer);
  await page.waitForSelector("h2:visible:text('framegov is not running')");
  check(await page.locator(".stale").count() === 1 && (await page.textContent("main")).includes("framegov does not answer now"), "a service that is gone leaves its last data, dimmed");
  await page.evaluate(() => {
    window.writes = 0;
    new MutationObserver(changes => { window.writes += changes.length; }).observe(document.querySelector("main"), {childList: true, characterData: true, attributes: true, subtree: true});
  });
  await page.waitForTimeout(2500);
  check(await page.evaluate(() => window.writes) === 0, "told once: what is written again is read out again");
  await page.getByRole("button", {name: "Start framegov"}).click();
  await page.waitForFunction(() => window.commands.some(words => words.join(" ").startsWith("sh /data/adb/modules/framegov/service.sh")));
  await answers(page, STATUS, RECORDED[STATUS]);
  await page.waitForFunction(() => !document.querySelector(".stale"));
  check(await page.textContent(".verdict:visible h2") === "Smooth", "a button starts it, and the page is live again");
  await page.getByRole("link", {name: "Check", exact: true}).focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector("main[data-ready=doctor]");
  check(page.problems.length === 0, `tabs work by keyboard${page.problems}`);
  check(await page.textContent(".verdict h2") === "framegov can govern this phone" && await page.locator(".verdict .findings li").count() === 3, "the check says its verdict first, then what is not well");
  await page.selectOption("#language", "zh");
  // The page is ready in the old language until it is drawn anew.
  const translated = page.waitForFunction(() => document.querySelector("main[data-ready=doctor] .verdict .findings")?.textContent.includes("看不到游戏的帧"));
  check(await translated.then(() => true, () => false), "what the check found is translated by its codes");
  check(await page.getByRole("link", {name: "检查"}).count() === 1 && await page.evaluate(() => document.documentElement.lang) === "zh-CN", "in Chinese too");
  await page.screenshot({path: path.join(folder, "doctor-zh.png")});
  check(await page.locator(".findings [lang=en]:text('governor schedutil')").count() === 1 && await page.locator(".findings [lang=en]:text('处理办法')").count() === 0, "what framegov says is marked as English");
  await page.locator("summary", {hasText: "日志"}).click();
  await page.waitForSelector("pre [lang=en]");
  const logged = await page.textContent("pre");
  check(logged.includes("framegov 开始调度。") && await page.locator("pre [lang=en]:text('governing 3 clusters')").count() === 1, `lines of the log say what they mean by their codes: ${logged}`);
  await page.context().close();
}

{
  const page = await open("now", "light", {recorded: {...RECORDED, ...DEAD}});
  check(await page.textContent(".verdict h2") === "framegov is not running" && await page.locator(".bands").count() === 0, "without a service there is no status");
  await page.waitForTimeout(1500);
  await answers(page, STATUS, RECORDED[STATUS]);
  await page.waitForSelector(".bands");
  check(await page.textContent(".verdict:visible h2") === "Smooth", "it comes when the service does");
  check(page.problems.length === 0, `and makes no complaint${page.problems}`);
  await page.context().close();
}

for (const [view, words, every_ms] of [["now", STATUS, 1000], ["measure", "ab --show --json", 3000]]) {
  const page = await open("doctor", "light", {recorded: {...RECORDED, [words]: {...(RECORDED[words] ?? RECORDED["ab --show"]), after_ms: 800}}});
  const go = name => page.evaluate(where => { location.hash = where; }, name);
  await go(view);
  await page.waitForFunction(wanted => window.commands.some(command => command.join(" ").startsWith(wanted)), words);
  await go("doctor");
  await page.waitForSelector("main[data-ready=doctor]");
  await page.waitForTimeout(800 + every_ms + 500);
  check((await sent(page, ...words.split(" "))).length === 1, `${view}: left before its first answer, it asks no more`);
  await go(view);
  await page.waitForSelector("canvas, .bands");
  await go("doctor");
  await page.waitForSelector("main[data-ready=doctor]");
  await page.waitForTimeout(1000);
  const before = (await sent(page, ...words.split(" "))).length;
  await page.waitForTimeout(every_ms + 500);
  check((await sent(page, ...words.split(" "))).length === before && await page.locator("canvas, .bands").count() === 0, `${view}: left later too`);
  check(page.problems.length === 0, `${view}: leaving makes no complaint${page.problems}`);
  await page.context().close();
}

for (const view of ["doctor"]) {
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
  const rows = async () => (await page.locator(".apps li strong").allTextContents()).join();
  check(await rows() === "Feed,com.example.game.with.a.very.long.package.name,org.example.bank,com.example.game,org.example.maps,net.example.chat", `the apps: used ones first, then those with settings, then the rest: ${await rows()}`);
  check((await page.textContent(".apps li:nth-child(1)")).includes("on top now") && (await page.textContent(".apps li:nth-child(3)")).includes("Left alone"), "with what is known of each");
  await page.fill("#package", "FEE");
  check(await rows() === "Feed", "names are searched too");
  await page.fill("#package", "x'; reboot");
  await page.keyboard.press("Enter");
  check(await page.getAttribute("#package", "aria-invalid") === "true", "what is no package name is refused");
  await page.fill("#package", "com.example.rea");
  await page.keyboard.press("Enter");
  await page.waitForSelector("[name=margin]", {state: "attached"});
  const pressed = async () => (await page.locator("[aria-pressed=true]").allTextContents()).join();
  check(await pressed() === "Power save" && await focused(page) === "Feed", "an app opens with its own mode, and has the focus");
  await page.getByRole("button", {name: "Left alone", exact: true}).click();
  await page.waitForSelector("[role=status]:has-text('Changed to: Left alone.')");
  check((await sent(page, "app", "com.example.reader", "off")).length === 1 && await pressed() === "Left alone" && await focused(page) === "Left alone", "an app is left alone");
  check((await page.textContent(".apps .state")) === "Left alone", "and the list says so");
  await page.getByRole("button", {name: "Undo"}).click();
  await page.waitForFunction(() => window.commands.some(words => words.join(" ") === "mode powersave --app com.example.reader"));
  await page.waitForSelector("[aria-pressed=true]:text('Power save')");
  check((await sent(page, "app", "com.example.reader", "auto")).length === 1, "which can be undone");
  await page.selectOption("#kind", "game");
  await page.waitForSelector("[role=status]:has-text('Changed to: Game.')");
  check((await sent(page, "profile", "put"))[0][3] === JSON.stringify({kind: "game"}), "its kind is chosen");
  await page.getByRole("button", {name: "Undo"}).click();
  await page.waitForSelector("[role=status]:has-text('Undone.')");
  check((await sent(page, "profile", "put"))[1][3].includes('"kind":"reader"'), "and undone");

  await page.getByText("Every setting").click();
  await answers(page, "profile show", RECORDED["profile show"]);
  const form = () => page.evaluate(() => Object.fromEntries([...document.querySelector("form.profile").elements].filter(each => each.name && each.value).map(each => [each.name, each.value])));
  const saved = {enabled: "true", target_fps: "30, 60", eps: "0.3", margin: "12.5", "ceilings.big": "1.8GHz"};
  check(JSON.stringify(await form()) === JSON.stringify(saved), `the form has what was saved before${JSON.stringify(await form())}`);
  check(await page.locator("td:text('own')").count() === 0, "and the table has what holds only");
  await page.fill("[name=margin]", "80");
  await page.getByRole("button", {name: "Preview"}).click();
  check(await page.getAttribute("[name=margin]", "aria-invalid") === "true", "a value out of range is marked");
  check((await sent(page, "profile", "put")).length === 2, "and not sent");
  await page.fill("[name=margin]", "10");
  await page.fill("[name=target_fps]", "");
  await page.fill("[name='ceilings.big']", "");
  await page.fill("[name='floors.all']", "40%");
  await page.getByRole("button", {name: "Preview"}).click();
  await page.waitForSelector("text=Not saved yet");
  const put = (await sent(page, "profile", "put"))[2];
  check(put[2] === "com.example.reader" && put.at(-1) === "--preview", "a preview saves nothing");
  const none = {all: null, little: null, mid: null, big: null};
  check(put[3] === JSON.stringify({enabled: true, policy: null, source: null, target_fps: null, eps: 0.003, margin: "10%", ceilings: none, floors: {...none, all: "40%"}}),
    `the form's values are sent as they are documented, null for what is empty: ${put[3]}`);
  check(JSON.stringify(await form()) === JSON.stringify({enabled: "true", eps: "0.3", margin: "10", "floors.all": "40%"}), "a preview leaves the form as it is");
  await page.locator("form.profile").getByRole("button", {name: "Save", exact: true}).click();
  await page.waitForSelector("text=Saved.");
  check((await sent(page, "profile", "put")).length === 4, "a profile is saved");
  check(JSON.stringify(await form()) === JSON.stringify(saved), "and the form has what is saved now");
  await page.fill("[name=margin]", "8");
  await page.locator("form.profile").getByRole("button", {name: "Save", exact: true}).click();
  await page.waitForFunction(() => window.commands.filter(words => words[1] === "put").length === 5);
  check((await sent(page, "profile", "put"))[4][3] === JSON.stringify({enabled: true, policy: null, source: null, target_fps: [30, 60], eps: 0.003, margin: "8%", ceilings: {...none, big: "1.8GHz"}, floors: none}),
    "one value that is changed leaves the others");
  await page.waitForSelector("text=Saved.");
  await page.getByRole("button", {name: "Remove my settings"}).click();
  await page.waitForSelector("text=Removed.");
  check(JSON.stringify(await form()) === "{}" && await page.getAttribute("[name=margin]", "placeholder") === "not set here", "a removed profile leaves an empty form");
  await page.getByRole("button", {name: "Undo"}).click();
  await page.waitForSelector("text=Undone.");
  check(JSON.parse((await sent(page, "profile", "put"))[5][3]).modes.night.target_fps[0] === "30", "the whole of it comes back");
  const back = await page.evaluate(async () => (await import("./views/apps.js")).wayBack({a: "1", limits: {big: "1"}}, {a: "2", b: "3", limits: {big: "2", all: "4"}, floors: {all: "1"}}));
  check(JSON.stringify(back) === JSON.stringify({a: "1", limits: {big: "1", all: null}, b: null, floors: {all: null}}), "a way back takes out what was not there");
  await page.locator("summary", {hasText: "What holds"}).click();
  await checkAccessible(page, "the editor");
  await page.screenshot({path: path.join(folder, "editor.png"), fullPage: true});
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
    const words = route.request().postDataJSON();
    const answer = RECORDED[words.join(" ")] ?? RECORDED[words.slice(0, 2).join(" ")];
    await (tokens.at(-1) === "second" ? route.fulfill({json: {stdout: "", stderr: "", ...answer}}) : route.fulfill({status: 403, body: "wrong token"}));
  });
  await page.goto(`${server.url}#token=first`);
  await page.waitForSelector("main:has-text('wrong token')");
  check(tokens.every(each => each === "first") && !page.url().includes("token"), "the token leaves the address bar");
  await mark(page, "body");
  await page.evaluate(() => { location.hash = "token=second"; });
  await page.waitForSelector(".bands");
  check(await page.isHidden("#trouble") && await page.locator("body[data-marked]").count() === 1, "the address of another framegov web is taken in the open page");
  check(!page.url().includes("token") && await page.evaluate(() => sessionStorage.getItem("framegov-token")) === "second", "its token leaves the address bar too, and is kept");
  await page.reload();
  await page.waitForSelector(".bands");
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
    ? route.fulfill({json: {stdout: "", stderr: "", ...(RECORDED[route.request().postDataJSON().join(" ")] ?? RECORDED[route.request().postDataJSON().slice(0, 2).join(" ")])}}) : route.fulfill({status: 403, body: "wrong token"})));
  await page.goto(`${server.url}#token=only`);
  await page.waitForSelector(".bands");
  check(problems.length === 0 && await page.isHidden("#trouble"), `a browser that keeps nothing shows the page${problems}`);
  await context.close();
}

{
  // A language more is a file more: nothing else of the page knows how many there are.
  const page = await open("now", "dark", {locale: "de-DE"});
  check(await page.textContent(".verdict:visible h2") === "Flüssig" && await page.evaluate(() => document.documentElement.lang) === "de", "a third language is taken from the phone");
  check(!(await page.textContent("main")).includes(".."), "a German date ends no sentence twice");
  await page.screenshot({path: path.join(folder, "now-de.png")});
  check(page.problems.length === 0, `it makes no complaint${page.problems}`);
  await page.context().close();
}

for (const problem of textProblems()) check(false, problem);
check(textProblems().length === 0, "every text, every code of framegov's, is there in every language and used");
// Of the languages only one is loaded.
const isText = name => name.startsWith("texts/");
// The README's drawing, with a narrow and with wide fonts: no word leaves its box or the picture.
for (const font of ["sans-serif", "monospace", "'DejaVu Sans'"]) {
  const context = await chromium.newContext({viewport: {width: 760, height: 300}});
  const page = await context.newPage();
  await page.setContent(readFileSync(path.join(ROOT, "docs/picture.svg"), "utf8").replaceAll("system-ui, sans-serif", font));
  const clipped = await page.evaluate(() => [...document.querySelectorAll("svg text")].filter(word => {
    const {x, y, width, height} = word.getBBox();
    const boxes = [...document.querySelectorAll("svg rect")].map(rect => rect.getBBox());
    const box = boxes.find(each => x + width / 2 > each.x && x + width / 2 < each.x + each.width && y + height / 2 > each.y && y + height / 2 < each.y + each.height) ?? {x: 0, width: 760};
    return x < box.x || x + width > box.x + box.width;
  }).map(word => word.textContent));
  check(clipped.length === 0, `the drawing in ${font}: every word fits its box ${clipped}`);
  await context.close();
}

const most = Math.max(...[...server.weight].filter(([name]) => isText(name)).map(([, size]) => size));
const bytes = [...server.weight].filter(([name]) => !isText(name)).reduce((sum, [, size]) => sum + size, most);
check(bytes <= MOST_BYTES, `the page weighs ${bytes} bytes with its longest language`);
// The README shows these; a reader loads both.
const shown = Object.keys(PICTURES).map(name => path.join(ROOT, "docs/images", name));
const readme = readFileSync(path.join(ROOT, "README.md"), "utf8");
check(shown.every(file => existsSync(file) && readme.includes(path.relative(ROOT, file))), "the README's pictures are those that screenshots.mjs takes");
check(shown.reduce((sum, file) => sum + statSync(file).size, 0) < 200_000, "the README's pictures weigh less than 200 kB");
await chromium.close();
server.close();
finish();
