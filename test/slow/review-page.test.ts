/** The review page in Debian's Chromium: a review by keyboard, a crash, two tabs, and what assistive technology reads. */
import { type ChildProcess, spawn } from "node:child_process";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { entry } from "../cli/run-cli.js";
import { reviewFolder } from "../serve/review/review-folder.js";
import { hasChromium, startChromium, violations } from "./chromium.js";

let browser: Browser;
let folder: Awaited<ReturnType<typeof reviewFolder>>;
let server: ChildProcess;
/** What the command printed. */
let printed: string;
/** What the browser printed: a refused script or style, an error. */
let complaints: string[];

/** Runs the command until it prints the address of its page. */
async function start(...parameters: string[]): Promise<string> {
  printed = "";
  server = spawn(process.execPath, [entry, "review", "review.csv", ...parameters, "--no-open"], {
    cwd: folder.folder,
  });
  for (const stream of [server.stdout, server.stderr])
    stream?.on("data", (chunk: Buffer) => {
      printed += chunk;
    });
  await expect.poll(() => printed, { timeout: 30_000 }).toMatch(/http:\/\/127\.0\.0\.1:\d+\/.+\//);
  return /http:\S+/.exec(printed)![0];
}

async function openPage(url: string): Promise<Page> {
  const page = await browser.newPage();
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(url);
  await page.getByRole("table").waitFor();
  return page;
}

/** Presses a key and waits until the page says that the answer is on disk. */
async function press(page: Page, key: string, status: string): Promise<void> {
  await page.keyboard.press(key);
  await page.getByRole("status").getByText(status).waitFor();
}

/** The left row of the pair that the page asks about. */
const shownRow = async (page: Page): Promise<number> =>
  Number(
    (await page.getByRole("columnheader", { name: "Left, row" }).textContent())!.slice("Left, row ".length),
  );

const end = (): Promise<number | null> =>
  new Promise((resolve) =>
    server.exitCode === null ? server.on("close", resolve) : resolve(server.exitCode),
  );

describe.skipIf(!hasChromium)("the review page", () => {
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    folder = await reviewFolder();
    complaints = [];
  });
  afterEach(() => {
    server.kill("SIGKILL");
    // A second answer is refused, and a stopped server gives none.
    expect(
      complaints.filter((text) => !/^Failed to load resource: .*(409|REFUSED|RESET)/.test(text)),
    ).toEqual([]);
  });

  it("takes a whole review by keyboard, and prints the command that applies it", async () => {
    const page = await openPage(await start("left.jsonl", "right.jsonl", "--ignore", "city"));
    await page.getByRole("img", { name: /^Estimated precision: .* with 0 answers/ }).waitFor();
    const rows = [await shownRow(page)];
    await press(page, "y", "Saved: same. 1 of 4");
    rows.push(await shownRow(page));
    await press(page, "y", "Saved: same. 2 of 4");
    await press(page, "u", "Undone. 1 of 4");
    expect(await shownRow(page)).toBe(rows[1]);
    await press(page, "n", "Saved: different. 2 of 4");
    await press(page, "?", "Saved: not sure. 3 of 4");
    rows.push(await shownRow(page));
    await press(page, "y", "Saved: same. 4 of 4");
    await page.getByRole("heading", { name: "All pairs are answered" }).waitFor();
    await page.getByRole("img", { name: /^Number of matches: .* with 3 answers/ }).waitFor();
    const answers = rows.map((row, place) => [row, place !== 1] as const);
    expect(new Map(await folder.decisions())).toEqual(new Map(answers));
    await page.getByRole("button", { name: "End the review" }).press("Enter");
    await page.getByRole("heading", { name: "The review has ended" }).waitFor();
    const command = "pearl join left.jsonl right.jsonl --ignore city --review review.csv -o joined.csv";
    expect(await page.getByRole("code").textContent()).toBe(command);
    expect(await end()).toBe(0);
    expect(printed).toContain(`4 of 4 pairs answered. Apply the answers with:\n\n  ${command}\n`);
  });

  it("loses no answer in a crash, says that pearl has stopped, and continues with the open pairs", async () => {
    const page = await openPage(await start());
    await press(page, "y", "1 of 4");
    server.kill("SIGKILL");
    await end();
    await page.keyboard.press("y");
    await page.getByRole("alert").getByText("pearl has stopped").waitFor();
    expect(await folder.decisions()).toEqual([[1, true]]);
    const again = await openPage(await start());
    expect(await again.getByRole("columnheader", { name: "Left, row 2" }).count()).toBe(1);
    await press(again, "n", "2 of 4");
    expect(await folder.decisions()).toEqual([
      [1, true],
      [2, false],
    ]);
  });

  it("keeps the answers of two tabs, the first one where both answer the same pair", async () => {
    const url = await start();
    const [first, second] = [await openPage(url), await openPage(url)];
    await press(first, "y", "1 of 4");
    await press(second, "n", "answered in another tab");
    await Promise.all([press(second, "n", "Saved: different"), first.getByRole("table").waitFor()]);
    await press(first, "n", "answered in another tab");
    await press(first, "y", "3 of 4");
    expect(await folder.decisions()).toEqual([
      [1, true],
      [2, false],
      [3, true],
    ]);
  });

  it("shows cells as text, marks differences, and has no fault that axe finds, light, dark and narrow", async () => {
    const page = await openPage(await start());
    await press(page, "y", "1 of 4");
    const cell = page.getByRole("cell", { name: "Acme <script>document.title='run'</script>" });
    expect(await cell.textContent()).toBe("Acme <script>document.title='run'</script>");
    expect(await cell.locator("mark").allTextContents()).toEqual([
      "Acme",
      "<script>document.title='run'</script>",
    ]);
    expect(await page.title()).toBe("Review of review.csv");
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(page)).toEqual([]);
    }
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
  });
});
