/** `npm run quality-table` from measurement to pages, on a few rows of each set. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import type { ModelReport } from "../../../src/benchmark/runner.js";
import { writeData } from "../../benchmark/small-data.js";
import { testFolder } from "../../table/folder.js";

const { path } = testFolder();

it("measures all models under the protocol, with three seeds, and writes the table", () => {
  for (const file of ["scripts", "docs/judge.md"]) cpSync(file, join(path, file), { recursive: true });
  for (const folder of ["dist", "models", "node_modules"]) symlinkSync(resolve(folder), join(path, folder));
  mkdirSync(join(path, "benchmarks/results"), { recursive: true });
  const command = [join(path, "scripts/quality-table.mjs"), "--data", writeData()];
  execFileSync(process.execPath, command, { stdio: "pipe" });
  const recorded = readFileSync(join(path, "benchmarks/results/quality.json"), "utf8");
  const reports: ModelReport[] = JSON.parse(recorded);
  expect(reports.map(({ model }) => model.replace(/ of \d+/, ""))).toEqual([
    ...["pearl-mini", "pearl-small", "tfidf", "tfidf-words", "jaccard", "pearl-mini (first 128)"],
  ]);
  for (const report of reports) expect(report).toMatchObject({ protocol: "fair", seed: 0, seeds: 3 });
  const jaccard = reports
    .find(({ model }) => model === "jaccard")
    ?.results.find(({ task }) => task === "turney")?.score;
  const page = readFileSync(join(path, "docs/judge.md"), "utf8");
  expect(page).toMatch(/^Scores × 100 under the fair protocol, 3 seeds from 0 on, .* development half/m);
  const row = page.split("\n").find((line) => line.startsWith("| `jaccard` |"));
  expect(row?.split(" | ")[5]).toBe((100 * Number(jaccard)).toFixed(1));
});
