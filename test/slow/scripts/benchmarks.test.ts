/** Benchmarks run seldom: what src renames or removes must be noticed without running them whole. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { makeOracleModel } from "../../encoder/oracle-model.js";
import { newFolder } from "../../setup/new-folder.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));
/** Errors of TypeScript about modules, exports, members and arguments that do not exist, or are missing. */
const broken = /^(\S+\.mjs\(.*error TS(?:2305|2307|2339|2551|2554|2741):.*)$/gm;

it("no benchmark uses a module, an export, a member or an argument that does not exist", () => {
  const config = join(newFolder(), "tsconfig.json");
  const compilerOptions = {
    ...{ allowJs: true, checkJs: true, strict: false, maxNodeModuleJsDepth: 0 },
    typeRoots: [join(root, "node_modules/@types")],
  };
  const include = [join(root, "benchmarks/**/*.mjs")];
  writeFileSync(config, JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, include }));
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [compiler, "-p", config], { cwd: root, encoding: "utf8" });
  expect([...stdout.matchAll(broken)].map(([, error]) => error)).toEqual([]);
}, 120_000);

const benchmarks = readdirSync(join(root, "benchmarks"))
  .filter((name) => name.endsWith(".mjs"))
  .filter((name) =>
    /^const .* = (?:parseArgs|readOptions)\(/m.test(readFileSync(join(root, "benchmarks", name), "utf8")),
  );
const start = (name: string, ...words: string[]) =>
  spawnSync(process.execPath, [join(root, "benchmarks", name), ...words], {
    ...{ cwd: newFolder(), encoding: "utf8", timeout: 100_000 },
  });

it.each(benchmarks)("%s reads its options, after all that it imports", (name) => {
  expect(start(name, "--no-such-option").stderr).toContain("Unknown option '--no-such-option'");
});

it.each([
  ["table-speed.mjs", "--rows", "200", "--dimension", "8"],
  ["large-tables.mjs", "--command", "link", "--rows", "200", "--runs", "1", "--model", "none"],
  ["match-scale.mjs", "--rows", "200", "--only", "pearl"],
])(
  "%s measures a tiny table",
  (name, ...words) => {
    const { status, stderr } = start(name, ...words);
    expect(status, stderr).toBe(0);
  },
  120_000,
);

it("train-speed.mjs takes pearl's training steps", () => {
  const batches = [["apple", "pear", "new york", "toyota", "red apple", "a pear", "york", "motor"]];
  const settings = join(newFolder(), "settings.json");
  writeFileSync(
    settings,
    JSON.stringify({ folder: makeOracleModel("encoder.folded.onnx"), threads: 1, batches }),
  );
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, "benchmarks/train-speed.mjs"), "--child", settings],
    { input: "0\n0\n", encoding: "utf8" },
  );
  const losses = stdout
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => JSON.parse(line).loss);
  expect(losses, stderr).toHaveLength(2);
  expect(losses.every(Number.isFinite)).toBe(true);
});
