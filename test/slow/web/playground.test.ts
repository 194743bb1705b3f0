/** The playground in Debian's Chromium: two files in, the command line's result out, and no request leaves the machine. */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Papa from "papaparse";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { pearl } from "../../cli/run-cli.js";
import { hasChromium, startChromium, violations } from "../chromium.js";
import { type Site, startSite } from "./pages.js";

let browser: Browser;
/** A user's windows: their requests to other machines go through the proxy, those of Chromium itself do not. */
let context: BrowserContext;
let site: Site;
let page: Page;
/** Counts requests, and answers none. */
let outside: Server;
let left: string[];
/** What the browser printed: a refused script, an error. */
let complaints: string[];

const newFolder = () => mkdtempSync(join(tmpdir(), "pearl-playground-"));

const parsed = (text: string) =>
  Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true }).data;

async function match(button: string, ...files: string[]): Promise<void> {
  for (const [place, file] of files.entries())
    await page.locator("input[type=file]").nth(place).setInputFiles(file);
  await page.getByRole("button", { name: button, exact: true }).press("Enter");
}

async function saved(button: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: button, exact: true }).press("Enter"),
  ]);
  return readFileSync(await download.path(), "utf8");
}

describe.skipIf(!hasChromium)("the playground", () => {
  beforeAll(async () => {
    left = [];
    outside = createServer((request, response) => {
      left.push(request.url ?? "");
      // Chromium asks for no icon where a page names one, and does so when it pleases elsewhere.
      response.setHeader("content-type", "text/html");
      response.end('<link rel="icon" href="data:,">outside');
    });
    outside.on("connect", ({ url }, socket) => {
      // Chromium itself connects to its search engine when it starts; no file of the page names it.
      if (url !== "www.google.com:443") left.push(url ?? "");
      socket.end();
    });
    await new Promise<void>((resolve) => outside.listen(0, "127.0.0.1", resolve));
    site = await startSite();
    browser = await startChromium();
    const proxy = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
    context = await browser.newContext({ proxy: { server: proxy, bypass: "127.0.0.1" } });
  });
  afterAll(async () => {
    await browser.close();
    outside.close();
    site.server.close();
  });
  beforeEach(async () => {
    complaints = [];
    page = await context.newPage();
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(site.address);
    await page.getByRole("heading", { name: "Match two tables" }).waitFor();
  });
  afterEach(async () => {
    await page.close();
    expect(complaints).toEqual([]);
    expect(left).toEqual([]);
  });

  it("matches two tables as pearl join does, and saves the result", async () => {
    await match("Match the tables", "data/companies.csv", "data/suppliers.csv");
    await page.getByRole("status").getByText("Done").waitFor();
    const output = join(newFolder(), "joined.csv");
    const { stderr } = await pearl([
      "join",
      "data/companies.csv",
      "data/suppliers.csv",
      "--explain",
      "-o",
      output,
    ]);
    const own = parsed(readFileSync(output, "utf8"));
    const found = parsed(await saved("Download the matches"));
    expect(own.length).toBeGreaterThan(3);
    const numbers = ({ left_id, right_supplier }: Record<string, string>) => `${left_id} ${right_supplier}`;
    expect(found.map(numbers).sort()).toEqual(own.map(numbers).sort());
    expect(Object.keys(found[0])).toEqual(Object.keys(own[0]));
    const line = stderr.split("\n").find((text) => text.includes("estimated precision"))!;
    expect(await page.getByRole("region").locator("p").first().textContent()).toBe(`${line}.`);
    expect(await page.getByRole("listitem").count()).toBe(found.length);
    expect(await page.getByRole("listitem").first().textContent()).toContain(found[0].why);
  });

  it("matches with the model that is chosen", async () => {
    const choice = page.getByLabel("Model");
    expect(await choice.inputValue()).toBe("pearl-mini");
    await choice.selectOption("pearl-strings");
    expect(await choice.inputValue()).toBe("pearl-strings");
    await match("Match the tables", "data/companies.csv", "data/suppliers.csv");
    await page.getByRole("status").getByText("Done").waitFor();
    expect(await page.getByRole("listitem").count()).toBeGreaterThan(3);
  });

  it("finds the duplicates of one table", async () => {
    await match("Find duplicates", "data/customers.csv");
    await page.getByRole("status").getByText("Done").waitFor();
    const rows = parsed(readFileSync("data/customers.csv", "utf8"));
    const kept = parsed(await saved("Download the table without duplicates"));
    const groups = parsed(await saved("Download the groups"));
    expect(groups.length).toBeGreaterThan(0);
    const known = new Set(rows.map((row) => JSON.stringify(row)));
    for (const row of kept) expect(known).toContain(JSON.stringify(row));
    for (const { row, group: _, kept: __, probability: ___, why: ____, ...cells } of groups)
      expect(cells).toEqual(rows[Number(row) - 1]);
  });

  it("shows cells as text, and has no fault that axe finds, light, dark and narrow", async () => {
    const file = join(newFolder(), "names.csv");
    const cell = "<script>document.title='run'</script> Acme Foods";
    writeFileSync(file, `name\n${cell}\n${cell}\nBorealis Motors\nCedar Labs\n`);
    expect(await violations(page)).toEqual([]);
    await match("Find duplicates", file);
    await page.getByRole("status").getByText("Done").waitFor();
    expect(await page.getByRole("listitem").first().textContent()).toContain(cell);
    expect(await page.title()).toBe("Match two tables");
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(page)).toEqual([]);
    }
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
  });

  it("says what is wrong with a file, and stops when asked", async () => {
    const folder = newFolder();
    writeFileSync(join(folder, "latin.csv"), Buffer.from("name\nZürich\n", "latin1"));
    await match("Find duplicates", join(folder, "latin.csv"));
    await page.getByRole("alert").getByText("latin.csv is not in UTF-8").waitFor();
    const names = Array.from({ length: 20_000 }, (_, row) => `name ${row} ${row * row}\n`);
    writeFileSync(join(folder, "long.csv"), `name\n${names.join("")}`);
    await match("Find duplicates", join(folder, "long.csv"));
    await page.getByRole("button", { name: "Stop" }).press("Enter");
    await page.getByRole("alert").getByText("Stopped.").waitFor();
  });

  it("cannot reach another server, from the page or from a worker", async () => {
    const reach = `fetch("http://outside.test/").then(() => "reached", () => "refused")`;
    expect(await page.evaluate(reach)).toBe("refused");
    const worker = page.workers()[0] ?? (await startWorker());
    expect(await worker.evaluate(reach)).toBe("refused");
    expect(complaints.splice(0).filter((text) => !/Content Security Policy|violates/.test(text))).toEqual([]);
    expect(left).toEqual([]);
    // the counter counts: a page without a policy does reach the proxy
    const other = await context.newPage();
    await other.goto("http://outside.test/");
    await other.close();
    expect(left.splice(0)).toContain("http://outside.test/");
  });

  async function startWorker() {
    const started = page.waitForEvent("worker");
    await match("Find duplicates", "data/customers.csv");
    return started;
  }
});
