/** `pearl evaluate` as users run it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { pearl } from "../run-here.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-evaluate-command-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const names = ["Anna Schmidt,Berlin", "Anna Schmidt,Berlin", "Peter Vogel,Bremen", "Zoe Quist,Lund"];
writeFileSync(
  join(folder, "t.csv"),
  `group,name,city\n${names.map((row, place) => `${"aabb"[place]},${row}`).join("\n")}\n`,
);
writeFileSync(join(folder, "truth.csv"), "left_row,right_row\n1,2\n3,9\n");

const evaluate = (...words: string[]) => pearl(["evaluate", ...words, "-m", "none"], { cwd: folder });

it("prints the scores with intervals, the promise and a table by threshold, and writes all it is asked for", async () => {
  const outputs = ["-o", "mistakes.csv", "--chart", "curve.svg", "--json", "report.json"];
  const { code, stdout } = await evaluate("t.csv", "--truth-column", "group", ...outputs);
  expect(code).toBe(0);
  expect(stdout.split("\n").slice(0, 6)).toEqual([
    "the truth is taken as complete: pairs that it lacks are wrong (--partial: only judged pairs count)",
    "1 pair found, 1 right, of 2 true pairs",
    "           measured  95 % interval",
    "precision  1.000     0.207 to 1.000",
    "recall     0.500     0.095 to 0.905",
    "F1         0.667     0.000 to 1.000",
  ]);
  expect(stdout).toMatch(/^promised: .*\nmeasured: precision 1\.000, (within|above) the range$/m);
  expect(stdout).toMatch(/^ *probability +pairs +precision +recall +F1\n +all +1 +1\.000 +0\.500 +0\.667$/m);
  expect(stdout).toContain("wrote mistakes.csv: 0 wrong pairs, 1 missed pair\n");
  const [, missed] = readFileSync(join(folder, "mistakes.csv"), "utf8").split("\n");
  expect(missed).toMatch(/^yes,\d\.\d{4},no,3,4,/);
  expect(readFileSync(join(folder, "curve.svg"), "utf8")).toContain("</svg>");
  const report = JSON.parse(readFileSync(join(folder, "report.json"), "utf8"));
  expect(report).toMatchObject({ truth: "complete", truePairs: 2, right: 1, precision: { value: 1 } });
});

it.each([
  [["t.csv"], 2, "name the known matches: --truth FILE or, of one table, --truth-column NAME"],
  [["t.csv", "--truth", "truth.csv", "--truth-column", "group"], 2, "name the known matches"],
  [["t.csv", "u.csv", "--truth-column", "group"], 2, "--truth-column and -c are of one table"],
  [
    ["t.csv", "--truth", "truth.csv", "-c", "name", "--on", "city"],
    2,
    "cannot be used with option '-c, --column <name>'",
  ],
  [["t.csv", "--truth", "truth.csv", "--chart", "c.png"], 2, "The name must end in .svg."],
  [["t.csv", "--truth", "truth.csv", "-o", "truth.csv"], 1, "truth.csv"],
  [
    ["t.csv", "--truth", "truth.csv"],
    1,
    'truth.csv, row 2: right_row is "9", expected the number of a row, 1 to 4',
  ],
  [["t.csv", "--truth", "absent.csv"], 1, "absent.csv"],
])("pearl evaluate %s: exit code %i", async (words, code, message) => {
  const outcome = await evaluate(...words);
  expect(outcome.stderr).toContain(message);
  expect(outcome.code).toBe(code);
});
