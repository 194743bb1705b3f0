/** Everything about an architecture is in its folder: no other file branches on a kind or names a model. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

/** Files that may name a model or reach into its folder, each for its own reason. */
const exceptions = {
  "src/cli/": "defaults and choices of options",
};
const patterns = [
  /kind\b[^\n]{0,12}(===|!==) "(tokens|hashed-ngrams|characters|words|love|bilstm|bag|ngrams)"/,
  /"[./]+architectures\/[^/"]+\//,
  // an augmentation's preset may have a paper's name
  /(?<!preset: )"(pearl-mini|love|bilstm|hashed-ngrams|Pearl[A-Z]\w*)"/,
  /"(words\.txt|characters\.json)"/,
];

it("finds no kind, no model's name and no import of its folder outside src/architectures", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" })
    .map((name) => join("src", name))
    .filter((path) => path.endsWith(".ts") && !path.startsWith("src/architectures/"));
  const found = files.flatMap((path) =>
    readFileSync(path, "utf8")
      .split("\n")
      .flatMap((line, i) => (patterns.some((own) => own.test(line)) ? [`${path}:${i + 1}: ${line}`] : [])),
  );
  const isOf = (line: string) => (exception: string) => line.startsWith(exception);
  expect(files.length).toBeGreaterThan(200);
  expect(found.filter((line) => !Object.keys(exceptions).some(isOf(line)))).toEqual([]);
  // an exception that is no longer needed goes
  expect(Object.keys(exceptions).filter((own) => !found.some((line) => isOf(line)(own)))).toEqual([]);
});

it("trains and encodes with an architecture from outside the package", () => {
  const output = execFileSync(process.execPath, ["examples/own-architecture.mjs"], { encoding: "utf8" });
  const [, same, other] = (/after training:.* (-?\d\.\d+),.* (-?\d\.\d+)/.exec(output) ?? []).map(Number);
  expect(same).toBeGreaterThan(other + 0.4);
}, 120_000);
