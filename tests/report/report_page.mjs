// SPDX-License-Identifier: Apache-2.0
// The HTML report as a reader has it: what it says is true, nothing overlaps, and every run can be looked at.
// usage: report_page.mjs RENDER_SAMPLE FRAMEGOV OUTPUT_FOLDER; leaves the pages and pictures of them in OUTPUT_FOLDER.
import {execFileSync} from "node:child_process";
import {readFileSync, statSync, writeFileSync} from "node:fs";
import path from "node:path";
import {inflateSync} from "node:zlib";
import {browser, check, checkAccessible, finish, skipUnlessReady} from "../webui/tool.mjs";

const SIZES = [{width: 390, height: 844}, {width: 1280, height: 800}];
const MIB = 2 ** 20;
const [sampleProgram, framegov, output] = process.argv.slice(2);
const folder = path.resolve(output);
skipUnlessReady();

function simulated(name, ...options) {
  const file = path.join(folder, `${name}.html`);
  execFileSync(framegov, ["sim", ...options, "--html", file], {stdio: ["ignore", "ignore", "inherit"]});
  return file;
}
const sample = path.join(folder, "sample.html");
writeFileSync(sample, execFileSync(sampleProgram, {maxBuffer: 64 * MIB}));
const several = simulated("several", "synthetic:scroll@60:8s", "synthetic:fling@120:8s", "--device", "sm8250,sdm845", "--policy", "all", "--sweep-eps", "0.01");
// Longer than a page keeps of a run.
const one = simulated("one", "synthetic:fling@120:40s", "--device", "sm8250", "--policy", "mpc", "--no-bounds");
const dataOf = file => JSON.parse(readFileSync(file, "utf8").match(/<script id="data"[^>]*>(.*?)<\/script>/s)[1]);

const keepsAtMost = file => {
  const [, frames, mib] = readFileSync(file, "utf8").match(/data-most-frames="(\d+)" data-most-mib="(\d+)"/);
  return {frames: Number(frames), mib: Number(mib)};
};

const chromium = await browser();
async function open(file, size, colorScheme = "light") {
  const context = await chromium.newContext({viewport: size, colorScheme, offline: true});
  const page = await context.newPage();
  const said = [];
  page.on("console", message => said.push(message.text()));
  page.on("pageerror", error => said.push(error.message));
  await page.goto(`file://${file}`);
  await page.waitForSelector("html[data-ready] #timeline[data-run]", {state: "attached"});
  check(said.length === 0, `${path.basename(file)} at ${size.width} px, ${colorScheme}: nothing on the console ${said}`);
  return page;
}

/** Rows of the ranking as the page has them, figures and intervals read from the text. */
const rankingRows = page => page.evaluate(() => {
  const heads = [...document.querySelectorAll("#ranking th")].map(th => th.textContent);
  return [...document.querySelectorAll("#ranking tbody tr")].map(tr => Object.fromEntries([...tr.cells].map((cell, i) =>
    [heads[i].replaceAll("\u00a0", " "), {figure: cell.firstChild?.textContent ?? "", range: cell.querySelector("small")?.textContent ?? ""}])));
});
const ENERGY = "Energy, × oracle-strict (95 %)";
const AVOIDABLE = "Avoidable misses, % (95 %)";

async function checkTruth(page, data, name) {
  const rows = await rankingRows(page);
  check(rows.length === data.rankings[""].length && rows.length > 5, `${name}: ${rows.length} policies are ranked`);
  const key = row => [Number(row[AVOIDABLE].figure) > 100 * data.on_time ? 1 : 0, row["Others' work done, × schedutil-boost"].figure.endsWith("!") ? 1 : 0,
    Number(row[ENERGY].figure), Number(row[AVOIDABLE].figure)];
  const inOrder = (a, b) => {
    const [[lateA, delaysA, energyA, missA], [lateB, delaysB, energyB, missB]] = [key(a), key(b)];
    if (lateA !== lateB) return lateA < lateB;
    return lateA ? missA <= missB : delaysA !== delaysB ? delaysA < delaysB : energyA <= energyB;
  };
  check(rows.every((row, i) => i === 0 || inOrder(rows[i - 1], row)), `${name}: on time by energy first, then the late ones by misses`);
  const judged = row => {
    const {avoidable_low: low, avoidable_high: high} = data.rankings[""].find(each => each.policy === row.Policy.figure);
    return (key(row)[0] ? "late" : key(row)[1] ? "on time !" : "on time") + (low <= data.on_time && high > data.on_time ? ", unsure" : "");
  };
  check(rows.every(row => row.Policy.range === judged(row)), `${name}: each says whether it is on time, and whether that is sure`);
  check(new Set(rows.map(row => key(row)[0])).size === 2, `${name}: some are on time and some are late`);
  const text = await page.evaluate(() => document.body.innerText);
  check(!/physical limit/i.test(text) && text.includes("one OPP per stage"), `${name}: the line at 1 is called what it is`);
  const verdict = await page.textContent("#verdict");
  check(verdict.startsWith(`${rows[0].Policy.figure} ranks first`), `${name}: the verdict names the first: ${verdict.slice(0, 60)}`);
  const late = rows.filter(row => key(row)[0]).length;
  check(verdict.includes(`${late} of ${rows.length} policies are late`), `${name}: and counts the late`);

  const inside = (row, column) => {
    const [low, high] = row[column].range.split(" to ").map(Number);
    return low <= Number(row[column].figure) && Number(row[column].figure) <= high;
  };
  check(rows.every(row => inside(row, ENERGY)), `${name}: each energy is printed with an interval that holds it`);
  check(rows.some(row => inside(row, AVOIDABLE)), `${name}: so are misses, where recordings differ`);
  const drawn = await page.evaluate(() => [...document.querySelectorAll("#front .whisker")].map(line => ({
    wide: Math.abs(line.x2.baseVal.value - line.x1.baseVal.value), high: Math.abs(line.y2.baseVal.value - line.y1.baseVal.value)})));
  check(drawn.length === 2 * rows.length && drawn.filter(each => each.high > 0).length === rows.length &&
    drawn.some(each => each.wide > 0), `${name}: intervals are drawn`);
}

/** No text of the chart lies on another or on a point, and each policy has one. */
async function checkLabels(page, policies, name) {
  const found = await page.evaluate(() => {
    const box = e => { const r = e.getBoundingClientRect(); return {l: r.left, r: r.right, t: r.top, b: r.bottom, what: e.textContent}; };
    const hit = (a, b) => a.l < b.r - 0.5 && b.l < a.r - 0.5 && a.t < b.b - 0.5 && b.t < a.b - 0.5;
    const texts = [...document.querySelectorAll("#front text")].filter(e => e.textContent).map(box);
    const points = [...document.querySelectorAll("#front circle")].map(box);
    const frame = document.querySelector("#front svg").getBoundingClientRect();
    const overlaps = texts.flatMap((a, i) => [...texts.slice(i + 1), ...points].filter(b => hit(a, b)).map(b => `${a.what} / ${b.what}`));
    return {overlaps, labels: [...document.querySelectorAll("#front .label")].filter(e => e.textContent).length, points: points.length,
      outside: texts.filter(t => t.l < frame.left - 1 || t.r > frame.right + 1 || t.t < frame.top - 1 || t.b > frame.bottom + 1).map(t => t.what)};
  });
  check(found.overlaps.length === 0, `${name}: no label lies on another or on a point ${found.overlaps.slice(0, 3)}`);
  check(found.outside.length === 0, `${name}: no label is cut off ${found.outside}`);
  check(found.labels === policies && found.points === policies, `${name}: ${found.labels} of ${policies} policies have a label`);
  const axes = await page.$$eval("#front .axis", list => list.map(e => e.textContent));
  check(axes.length === 2 && axes[0].includes("%") && axes[1].includes("×"), `${name}: both axes have a title and a unit: ${axes}`);
  const ticks = await page.$$eval("#front .tick", list => list.map(e => Number(e.textContent)));
  check(ticks.length > 5 && ticks.every(tick => /^0$|^[1-9]\d?0*$/.test(String(tick).replace(/^0?\.0*|\./g, ""))), `${name}: ticks are round: ${ticks}`);
}

/** How many pixels a reader would have to scroll sideways. */
const overflow = page => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

async function checkLayout(file, name, policies, themes) {
  for (const size of SIZES) {
    for (const theme of themes) {
      const page = await open(file, size, theme);
      const what = `${name} at ${size.width} px, ${theme}`;
      const over = await overflow(page);
      check(over <= 0, `${what}: no horizontal overflow (${over} px)`);
      await checkLabels(page, policies, what);
      await page.screenshot({path: path.join(folder, `${name}-${size.width}-${theme}.png`)});
      for (const part of ["front", "run"]) {
        await page.evaluate(id => document.getElementById(id).scrollIntoView(), `${part}-title`);
        await page.screenshot({path: path.join(folder, `${name}-${size.width}-${theme}-${part}.png`)});
      }
      if (size === SIZES[0]) await checkAccessible(page, what);
      await page.context().close();
    }
  }
}

/** Columns of a packed timeline, as sim/report/run_timeline.h describes them. */
function states(timeline) {
  const bytes = inflateSync(Buffer.from(timeline.packed, "base64"));
  const values = [];
  for (let i = 0, value = 0; i < timeline.frames; ++i) values.push(value += bytes.readInt32LE(4 * (4 * timeline.frames + i)));
  return values;
}

async function checkRuns(page, data, name) {
  const wrong = [];
  for (const [index, run] of data.runs.entries()) {
    const shown = await page.evaluate(async ({index, run}) => {
      for (const part of ["input", "device", "policy"]) {
        const select = document.getElementById(`run-${part}`);
        if (select.value === run[part]) continue;
        select.value = run[part];
        select.dispatchEvent(new Event("change"));
      }
      const box = document.getElementById("timeline");
      for (let tries = 0; box.dataset.run !== `${index}` && tries < 500; ++tries) await new Promise(done => setTimeout(done, 20));
      return {run: box.dataset.run, title: document.getElementById("run-name").textContent, charts: box.querySelectorAll("canvas").length};
    }, {index, run: {input: run.input, device: run.device, policy: run.policy}});
    if (shown.run !== `${index}`) wrong.push(`${index} is not shown`);
    const timeline = data.timelines[index];
    if (shown.title !== `${run.policy} on ${run.device}: ${run.input}`) wrong.push(`${index} is titled ${shown.title}`);
    if (shown.charts !== 2 + timeline.clusters.length) wrong.push(`${index} has ${shown.charts} charts`);
    const missed = states(timeline).filter(state => state === 2).length;
    if (timeline.frames === timeline.of && missed !== run.missed_deadlines) wrong.push(`${index}: ${missed} missed frames, ${run.missed_deadlines} in the figures`);
  }
  check(wrong.length === 0, `${name}: each of ${data.runs.length} runs can be chosen, and its frames are its own ${wrong.slice(0, 3)}`);
}

async function checkSearch(page, data) {
  const isRow = run => run.device === "sm8250" && run.policy.includes("mpc");
  await page.fill("#search", "SM8250 mpc");
  const rows = await page.locator("#runs tbody tr").count();
  check(rows === data.runs.filter(isRow).length && rows > 0, `search finds the ${rows} runs of a policy on a phone`);
  await page.locator("#runs tbody tr button").last().focus();
  await page.keyboard.press("Enter");
  const index = data.runs.findLastIndex(isRow);
  await page.waitForSelector(`#timeline[data-run="${index}"]`);
  check(true, "the keyboard opens a run from the list");
  await page.focus("#timeline .chart");
  const before = await page.locator("#timeline .chart").first().screenshot();
  await page.keyboard.press("+");
  await page.waitForTimeout(100);
  check(!before.equals(await page.locator("#timeline .chart").first().screenshot()), "the keyboard zooms a chart");
}

for (const [file, name, themes] of [[several, "several", ["light", "dark"]], [sample, "sample", ["light"]]]) {
  const data = dataOf(file);
  await checkLayout(file, name, data.rankings[""].length, themes);
  const page = await open(file, SIZES[1]);
  await checkTruth(page, data, name);
  check(!await page.$("img, b:not(summary b)"), `${name}: names from data stay text`);
  if (file === several) {
    await checkRuns(page, data, name);
    await checkSearch(page, data);
    const facts = await page.textContent("#facts");
    for (const fact of ["phone (", "strict: a frame", "1, one for all runs", "bootstrap over 2 recordings"]) check(facts.includes(fact), `the head of the page says "${fact}"`);
    await page.selectOption("#device", "sdm845");
    check((await rankingRows(page))[0].Policy.figure === data.rankings.sdm845[0].policy, "a phone's ranking is its own");
    check(await page.locator("#front .sweep").count() === 1, "and has the curve over targets");
  }
  await page.context().close();
  const packed = data.timelines.reduce((bytes, each) => bytes + each.packed.length, 0);
  check(packed <= keepsAtMost(file).mib * MIB && statSync(file).size < 16 * MIB, `${name}: ${(statSync(file).size / MIB).toFixed(2)} MiB, ${(packed / MIB).toFixed(2)} of them frames`);
  check(!/(src|href)\s*=\s*["']?https?:|@import|url\(/.test(readFileSync(file, "utf8")), `${name}: nothing is loaded from outside`);
}
const page = await open(one, SIZES[0]);
check((await page.textContent("#facts")).includes("none: they are over recordings"), "one recording alone has no interval");
check(await overflow(page) <= 0, "one at 390 px: no horizontal overflow");
const [timeline] = dataOf(one).timelines;
const keeps = keepsAtMost(one);
const cut = await page.textContent("#run-left-out");
check(timeline.frames === keeps.frames && timeline.of > keeps.frames, `${keeps.frames} of ${timeline.of} frames are kept`);
check(cut.includes(`first ${timeline.frames} of ${timeline.of} frames`) && cut.includes(`at most ${keeps.frames} of a run, and ${keeps.mib} MiB`),
  `a run that was cut says so: ${cut}`);
check((await page.textContent("#legend")).includes("1: schedutil-boost (stock)"), "without bounds stock is the measure, and is called so");
await page.context().close();
await chromium.close();
finish();
