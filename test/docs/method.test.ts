/** docs/method.md points from the paper's sentences to files: each file must exist. */
import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const text = readFileSync("docs/method.md", "utf8");

it("names only files and folders that exist", () => {
  const named = [...text.matchAll(/`(src\/[^`]+)`/g)].map(([, path]) => path);
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
});

it("names a file in each row of its tables", () => {
  const rows = text.split("\n").filter((line) => /^\| (?!The paper|---)/.test(line));
  expect(rows.length).toBeGreaterThan(25);
  for (const row of rows) expect(row).toMatch(/^\| [^|]+ \| `src\/[^`]+\.ts` \|.* \|$/);
});
