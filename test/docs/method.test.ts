/** docs/method.md leads from the paper's sentences to files, and to all of src/pearl in at most two hops. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, it } from "vitest";

const text = readFileSync("docs/method.md", "utf8");
const named = [...text.matchAll(/`((?:src|test|benchmarks)\/[^`]+)`/g)].map(([, path]) => path);
const paper = readdirSync("src/pearl", { recursive: true, encoding: "utf8" })
  .map((name) => join("src/pearl", name))
  .filter((path) => path.endsWith(".ts"));

/** The files that a file imports, types too. */
const importsOf = (file: string): string[] =>
  [...readFileSync(file, "utf8").matchAll(/from "(\.[^"]+)\.js"/g)].map(([, path]) =>
    normalize(join(dirname(file), `${path}.ts`)),
  );

it("names only files and folders that exist", () => {
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
});

it("names a file and its test in each row of its tables", () => {
  const rows = text.split("\n").filter((line) => /^\| (?!The paper|---)/.test(line));
  expect(rows.length).toBeGreaterThan(25);
  for (const row of rows)
    expect(row).toMatch(/^\| [^|]+ \| `src\/[^`]+\.ts` \| `test\/[^`]+\.test\.ts` \|.* \|$/);
});

it("names each file of src/pearl, or a file that imports it", () => {
  const files = named.filter((path) => path.endsWith(".ts"));
  const reached = new Set([...files, ...files.flatMap(importsOf)]);
  expect(paper.length).toBeGreaterThan(5);
  expect(paper.filter((path) => !reached.has(path))).toEqual([]);
});
