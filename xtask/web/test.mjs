// Uses the page of `cargo xtask web` in a headless Chromium: at the size of a desktop with a mouse, and at the size of
// a phone with fingers. Everything is drawn on one canvas, so clicks are by place; the page's address tells the state.
// Pictures of each step go into the folder given second.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { chromium } from "playwright-core";

const [folder, pictures] = process.argv.slice(2);
const types = { ".html": "text/html", ".js": "text/javascript" };
const server = createServer(async (request, response) => {
  const path = new URL(request.url, "http://page").pathname;
  try {
    const content = await readFile(join(folder, path === "/" ? "index.html" : path));
    const type = path === "/" ? "text/html" : types[extname(path)] ?? "application/octet-stream";
    response.writeHead(200, { "content-type": type });
    response.end(content);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const root = `http://127.0.0.1:${server.address().port}/`;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: [
    "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic",
    "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
  ],
});

const DESKTOP = { viewport: { width: 1280, height: 820 } };
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 1 };

/// Opens the page with a query string, and waits until it has started.
const open = async (device, query) => {
  const context = await browser.newContext({ ...device, permissions: ["clipboard-read", "clipboard-write"] });
  const page = await context.newPage();
  page.on("pageerror", (error) => { throw error; });
  page.on("console", (line) => { if (line.type() === "error") throw new Error(line.text()); });
  await page.goto(root + query);
  const end = await page.waitForFunction(() => {
    const words = document.getElementById("words");
    return words === null ? "started" : /cannot run/.test(words.textContent) && words.textContent;
  }, { timeout: 120_000 });
  assert.equal(await end.jsonValue(), "started");
  return page;
};
const state = (page) => Object.fromEntries(new URL(page.url()).searchParams);
/// Waits until the address has these values; `null` is for one that is not there.
const until = (page, wanted) => page.waitForFunction((wanted) => {
  const now = new URL(location.href).searchParams;
  return Object.entries(wanted).every(([name, value]) => now.get(name) === value);
}, wanted, { timeout: 60_000 });
/// A picture once nothing changes any more.
const still = async (page, name) => {
  let last = await page.screenshot();
  for (;;) {
    await page.waitForTimeout(300);
    const now = await page.screenshot({ path: join(pictures, `${name}.png`) });
    if (now.equals(last)) return now;
    last = now;
  }
};

const tests = {
  async "loading shows progress"() {
    const context = await browser.newContext(DESKTOP);
    const page = await context.newPage();
    await page.addInitScript(() => {
      window.seen = [];
      new MutationObserver(() => {
        const words = document.getElementById("words");
        if (words) window.seen.push(words.textContent);
      }).observe(document, { childList: true, subtree: true, characterData: true });
    });
    await page.goto(root);
    await page.waitForFunction(() => document.getElementById("loading") === null, null, { timeout: 120_000 });
    const seen = await page.evaluate(() => window.seen);
    assert.ok(seen.some((words) => /: \d\.\d of \d\.\d MB/.test(words)), JSON.stringify(seen));
    await context.close();
  },

  async "a new user sees a robot that moves"() {
    const page = await open(DESKTOP, "?theme=light");
    await until(page, { maze: "77x37", tick: null });
    const before = await page.screenshot({ path: join(pictures, "desktop-introduction.png") });
    await page.waitForTimeout(500);
    assert.ok(!before.equals(await page.screenshot()));
    await page.context().close();
  },

  async "a desktop: ticks, the end of a run, another world, a link"() {
    const page = await open(DESKTOP, "?theme=light&maze=41x31&open=30&seed=2&planner=rtd&tick=1");
    await until(page, { planner: "rtd", tick: "1" });
    await page.mouse.click(281, 16); // Next tick
    await until(page, { tick: "2" });
    await still(page, "desktop-tick");
    await page.keyboard.press("ArrowLeft");
    await until(page, { tick: "1" });
    for (let faster = 0; faster < 5; faster += 1) await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Space");
    await until(page, { tick: null });
    await still(page, "desktop-arrived");
    await page.keyboard.press("n");
    await until(page, { seed: "3", tick: null });
    await page.keyboard.press("c");
    await until(page, { compare: "forward-astar" });
    await page.keyboard.press("Space");
    await still(page, "desktop-compared");
    const link = page.url();
    const other = await open(DESKTOP, new URL(link).search);
    await until(other, { seed: "3", compare: "forward-astar", planner: "rtd" });
    assert.deepEqual({ ...state(other), tick: undefined }, { ...state(page), tick: undefined });
    await other.context().close();
    await page.context().close();
  },

  async "a micromouse: the whole mission, saved as a film"() {
    const page = await open(DESKTOP, "?theme=dark&map=maze-easy.txt&tick=1");
    for (let faster = 0; faster < 5; faster += 1) await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Space");
    await still(page, "desktop-mission");
    const download = page.waitForEvent("download");
    await page.mouse.click(...SAVE);
    const file = await (await download).path();
    assert.equal((await readFile(file)).subarray(0, 6).toString(), "GIF89a");
    await page.context().close();
  },

  async "a map that is dropped on the page is opened"() {
    const page = await open(DESKTOP, "?theme=light&maze=41x31&open=30&seed=2&tick=1");
    await until(page, { tick: "1" });
    const before = await still(page, "desktop-before-drop");
    await page.evaluate(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["S.#....\n..#.#..\n....#.G\n"], "dropped.map"));
      const canvas = document.querySelector("canvas");
      for (const type of ["dragover", "drop"]) {
        canvas.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
      }
    });
    await page.waitForTimeout(1000);
    await page.keyboard.press("End");
    assert.ok(!(await still(page, "desktop-dropped")).equals(before));
    // The address keeps the last state that a link can tell.
    assert.equal(state(page).tick, "1");
    await page.context().close();
  },

  async "a phone: drawer, one map, fingers"() {
    const page = await open(PHONE, "?theme=light&maze=41x31&open=30&seed=2&tick=9");
    await until(page, { tick: "9" });
    const before = await still(page, "phone");
    await page.touchscreen.tap(40, 20); // Settings
    const drawer = await still(page, "phone-drawer");
    assert.ok(!drawer.equals(before));
    await page.touchscreen.tap(370, 500); // beside the drawer
    assert.ok((await still(page, "phone-closed")).equals(before));

    const client = await page.context().newCDPSession(page);
    const touch = async (type, ...places) => {
      const touchPoints = places.map(([x, y], id) => ({ x, y, id }));
      await client.send("Input.dispatchTouchEvent", { type, touchPoints });
      await page.waitForTimeout(60);
    };
    await touch("touchStart", [160, 430], [230, 430]);
    for (let by = 10; by <= 90; by += 10) await touch("touchMove", [160 - by, 430], [230 + by, 430]);
    await touch("touchEnd");
    const zoomed = await still(page, "phone-zoomed");
    assert.ok(!zoomed.equals(before), "two fingers zoom");
    await touch("touchStart", [200, 430]);
    for (let by = 10; by <= 90; by += 10) await touch("touchMove", [200 - by, 430 + by]);
    await touch("touchEnd");
    const moved = await still(page, "phone-moved");
    assert.ok(!moved.equals(zoomed), "one finger moves the map");
    assert.equal(state(page).tick, "9");
    await page.touchscreen.tap(...PLAY);
    await until(page, { tick: null });
    await still(page, "phone-arrived");
    await page.context().close();
  },
};
// Places of buttons.
const SAVE = [861, 71];
const PLAY = [200, 20];

let failures = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
    console.log(`ok      ${name}`);
  } catch (error) {
    failures += 1;
    console.error(`failed  ${name}\n${error.stack}`);
  }
}
await browser.close();
server.close();
console.log(`pictures are in ${pictures}`);
process.exit(failures > 0 ? 1 : 0);
