/**
 * Runs the tests of test/slow whose subject changed since they last passed. test/slow/subjects.json says which folders or files a
 * test, or a folder of tests, is about; one that it does not name always runs. test/slow/passed.json holds a digest of the
 * subjects and of the test itself, for each that passed. A tenth of the others runs as well, by turns from day to day, as a
 * subject may be missing from the list.
 *
 *     node scripts/slow-tests.mjs            run what is due
 *     node scripts/slow-tests.mjs kill web   run what is due of these folders, or of tests that begin so
 *     node scripts/slow-tests.mjs --all      run all
 *     node scripts/slow-tests.mjs --record   and record what passed
 *     node scripts/slow-tests.mjs --list     print what would run, and why
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { readOptions, root } from "./options.mjs";

const { values, positionals } = readOptions("all? record? list?");

/** Files at or below a path, by name. */
function filesOf(/** @type {string} */ path) {
  if (statSync(join(root, path)).isFile()) return [path];
  const entries = readdirSync(join(root, path), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => relative(root, join(parentPath, name))).sort();
}
const readJson = (/** @type {string} */ path) => JSON.parse(readFileSync(join(root, path), "utf8"));

/** @type {Record<string, string[]>} */
const subjects = readJson("test/slow/subjects.json");
/** @type {Record<string, string>} */
const passed = readJson("test/slow/passed.json");
const tests = filesOf("test/slow")
  .filter((path) => path.endsWith(".test.ts"))
  .map((path) => path.slice("test/slow/".length))
  .filter((test) => positionals.length === 0 || positionals.some((start) => test.startsWith(start)));

/** Subjects of a test: its own and those of the folders that it is in. */
function subjectsOf(/** @type {string} */ test) {
  const names = test.split("/").map((_, at, parts) => parts.slice(0, at + 1).join("/"));
  const found = names.flatMap((name) => subjects[name] ?? []);
  return found.length === 0 ? undefined : [...found, `test/slow/${test}`];
}

function digestOf(/** @type {string[]} */ paths) {
  const hash = createHash("sha256");
  for (const file of [...paths, "package-lock.json"].flatMap(filesOf))
    hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest("hex").slice(0, 16);
}

const turn = Math.floor(Date.now() / 86_400_000) % 10;
const due = tests.flatMap((test, at) => {
  const about = subjectsOf(test);
  const digest = about && digestOf(about);
  /** @type {[boolean | undefined, string][]} */
  const reasons = [
    [values.all, "all run"],
    [digest === undefined, "it always runs"],
    [digest !== passed[test], "its subjects changed"],
    [at % 10 === turn, "it is its turn"],
  ];
  const why = reasons.find(([holds]) => holds)?.[1];
  return why === undefined ? [] : [{ test, why, digest }];
});

console.log(`${due.length} of ${tests.length} slow tests are due`);
if (values.list) for (const { test, why } of due) console.log(`${test}: ${why}`);
else if (due.length > 0 && !run()) process.exitCode = 1;

/** Runs what is due, two tests at a time where they leave a core idle. @returns whether all passed */
function run() {
  const groups = [["commands", "--fileParallelism", "--maxWorkers", "2"], ["slow"], ["memory"]];
  return groups
    .map(([project, ...how], at) => {
      const results = join(tmpdir(), `pearl-slow-${process.pid}-${at}.json`);
      const { status } = spawnSync(
        "npx",
        [
          ...["vitest", "run", "--config", "vitest.slow.config.ts", "--project", project, ...how],
          ...["--passWithNoTests", "--reporter=default", "--reporter=json", `--outputFile.json=${results}`],
          ...due.map(({ test }) => `test/slow/${test}`),
        ],
        { cwd: root, stdio: "inherit" },
      );
      if (values.record && existsSync(results)) record(JSON.parse(readFileSync(results, "utf8")));
      return status === 0;
    })
    .every((isPassed) => isPassed);
}

/** @typedef {{ testResults: { name: string, status: string, assertionResults: { status: string }[] }[] }} Results */

function record(/** @type {Results} */ { testResults }) {
  for (const { test, digest } of due) {
    const result = testResults.find(({ name }) => name.endsWith(`/test/slow/${test}`));
    // a skipped test has shown nothing
    const isPassed = result?.assertionResults.every(({ status }) => status === "passed");
    if (isPassed && result?.status === "passed" && digest !== undefined) passed[test] = digest;
  }
  const sorted = Object.fromEntries(Object.entries(passed).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(join(root, "test/slow/passed.json"), `${JSON.stringify(sorted, null, 2)}\n`);
}
