/**
 * Draws docs/review.png: the page of `pearl review` on the sample tables, after some answers.
 *
 *     npm run build && node scripts/draw-review.mjs [CHROMIUM]
 *
 *   CHROMIUM  the browser; default /usr/bin/chromium
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { PhraseEncoder } from "../dist/encoder/phrase-encoder.js";
import { joinTables } from "../dist/join/join-tables.js";
import { startReview } from "../dist/serve/review/server.js";

const folder = await mkdtemp(join(tmpdir(), "review-"));
const [tables, ignore] = [["data/companies.csv", "data/suppliers.csv"], ["orders"]];
const reviewPath = join(folder, "review.csv");
const encoder = await PhraseEncoder.load();
await joinTables(...tables, join(folder, "joined.csv"), { encoder, ignore, reviewPath });
await encoder.dispose();
const review = await startReview(reviewPath, { matching: { tables, ignore }, nextCommand: "" });
const browser = await chromium.launch({
  executablePath: process.argv[2] ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
const page = await browser.newPage({ viewport: { width: 800, height: 770 } });
await page.goto(review.url);
for (const [place, key] of [..."yynyy"].entries()) {
  await page.getByText(`from ${place} answer`).waitFor();
  await page.keyboard.press(key);
}
await page.getByText("from 5 answers").waitFor();
await page.screenshot({ path: "docs/review.png" });
await browser.close();
await review.close();
await rm(folder, { recursive: true });
