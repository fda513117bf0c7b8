// Opens the page of `cargo xtask web` in a headless Chromium, clicks "Next tick" and then "Play", and
// says whether the window followed. Pictures of each step go into the folder given second.
import { createServer } from "node:http";
import { readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { chromium } from "playwright-core";

const [folder, pictures] = process.argv.slice(2);
const types = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };
const server = createServer(async (request, response) => {
  const path = new URL(request.url, "http://page").pathname;
  try {
    const content = await readFile(join(folder, path === "/" ? "index.html" : path));
    response.writeHead(200, { "content-type": types[extname(path)] ?? "text/html" });
    response.end(content);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
const failures = [];
const page = await browser.newPage({ viewport: { width: 1280, height: 820 } });
page.on("pageerror", (error) => failures.push(`the page failed: ${error}`));
page.on("console", (line) => line.type() === "error" && !/favicon/.test(line.location().url) && failures.push(`the console says: ${line.text()}`));

const shot = async (name) => {
  const image = await page.screenshot();
  await writeFile(join(pictures, `${name}.png`), image);
  return image;
};
/// Waits until two pictures, half a second apart, are the same, or different.
const until = async (same, what) => {
  for (let tries = 0; tries < 120; tries += 1) {
    const before = await page.screenshot();
    await page.waitForTimeout(500);
    if (before.equals(await page.screenshot()) === same) return;
  }
  failures.push(`${what} never happened`);
};
// Where the buttons are, in a window of this size.
const NEXT_TICK = [281, 16];
const PLAY = [202, 16];

const { port } = server.address();
await page.goto(`http://127.0.0.1:${port}/?theme=light&maze=41x31&open=30&seed=2&planner=dstar-lite`);
const words = await page.waitForFunction(() => {
  const words = document.getElementById("words");
  return words === null ? "started" : /cannot run/.test(words.textContent) && words.textContent;
}, { timeout: 120_000 });
if ((await words.jsonValue()) !== "started") {
  console.error(`error: ${await words.jsonValue()}`);
  process.exit(1);
}
await until(true, "a still window");
const opened = await shot("1-opened");
await page.mouse.click(...NEXT_TICK);
await page.mouse.move(700, 640);
await until(true, "a still window after a tick");
const ticked = await shot("2-ticked");
if (opened.equals(ticked)) failures.push("a click on the button for a tick changed nothing");
await page.mouse.click(...PLAY);
await page.mouse.move(700, 640);
await until(true, "the end of the walk");
const arrived = await shot("3-arrived");
if (ticked.equals(arrived)) failures.push("a click on the button to play changed nothing");

await browser.close();
server.close();
for (const failure of failures) console.error(`error: ${failure}`);
if (failures.length > 0) process.exit(1);
console.log(`the page works; pictures are in ${pictures}`);
