// SPDX-License-Identifier: Apache-2.0
// The pictures of the README, from recorded answers: node tests/webui/screenshots.mjs [docs/images]
import {mkdirSync} from "node:fs";
import path from "node:path";
import {fileURLToPath} from "node:url";
import {installManager, RECORDED} from "./recorded.mjs";
import {browser, serve, skipUnlessReady} from "./tool.mjs";

/** Name of the picture -> what it shows. recorded_phone.mjs holds the committed ones to these and to their size. */
export const PICTURES = {"page-now.png": {view: "now", theme: "light"}, "page-apps.png": {view: "apps", theme: "dark"}};

async function take(folder) {
  mkdirSync(folder, {recursive: true});
  const server = await serve();
  const chromium = await browser();
  for (const [name, {view, theme}] of Object.entries(PICTURES)) {
    const context = await chromium.newContext({viewport: {width: 390, height: 844}, hasTouch: true, colorScheme: theme, locale: "en-GB"});
    const page = await context.newPage();
    await page.addInitScript(installManager, RECORDED);
    await page.goto(`${server.url}#${view}`);
    await page.waitForSelector(`main[data-ready="${view}"]`);
    await page.screenshot({path: path.join(folder, name)});
    await context.close();
  }
  await chromium.close();
  server.close();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  skipUnlessReady();
  await take(process.argv[2] ?? "docs/images");
}
