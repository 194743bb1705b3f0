/** Everything about an architecture is in its folder: no other file branches on a kind or names a model. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

/** Files that may name a model, each for its own reason. */
const exceptions = [
  /^src\/cli\//, // defaults
  /^src\/benchmark\//, // published tables
  /^src\/pearl\/presets\//, // the recipes' choices
  /^src\/hub\/locate\.ts$/, // the name of the default model
  /^src\/methods\/pretrain\//, // trains the word encoder alone
  /^src\/methods\/characters\//, // trains character encoders alone
];
const patterns = [
  /kind\b[^\n]{0,12}(===|!==) "(tokens|hashed-ngrams|characters|words|love|bilstm|bag|ngrams)"/,
  /architectures\/(pearl-mini|love|bilstm|ngrams)\//,
  /"(pearl-mini|love|bilstm|hashed-ngrams)"/,
  /"(words\.txt|characters\.json)"/,
];

it("finds no kind and no model's name outside src/architectures", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" })
    .map((name) => join("src", name))
    .filter((path) => path.endsWith(".ts") && !path.startsWith("src/architectures/"))
    .filter((path) => !exceptions.some((exception) => exception.test(path)));
  const found = files.flatMap((path) =>
    readFileSync(path, "utf8")
      .split("\n")
      .flatMap((line, i) => (patterns.some((own) => own.test(line)) ? [`${path}:${i + 1}: ${line}`] : [])),
  );
  expect(files.length).toBeGreaterThan(200);
  expect(found).toEqual([]);
});

it("trains and encodes with an architecture from outside the package", () => {
  const output = execFileSync(process.execPath, ["examples/own-architecture.mjs"], { encoding: "utf8" });
  const [, same, other] = (/after training:.* (-?\d\.\d+),.* (-?\d\.\d+)/.exec(output) ?? []).map(Number);
  expect(same).toBeGreaterThan(other + 0.4);
}, 120_000);
