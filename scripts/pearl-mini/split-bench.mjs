/**
 * Splits a benchmark folder in two parts of about half its items: choose on part a, report on part b.
 *
 *     node scripts/pearl-mini/split-bench.mjs -o PARTS [--data ../shared/data]
 *
 * PARTS/a/bench and PARTS/b/bench are laid out as DATA/bench. An item goes to a part by the hash of its text, so that the
 * parts are the same on every machine; what shares a first phrase (BIRD), a table (AutoFJ) or a sentence stays together.
 */
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { defaultData } from "./recipe.mjs";

const { values } = parseArgs({
  options: { data: { type: "string", default: defaultData }, output: { type: "string", short: "o" } },
});
if (values.output === undefined) {
  console.error("error: -o is missing: give a folder for the two parts, -o PARTS");
  process.exit(2);
}
const bench = join(resolve(values.data), "bench");

const isInA = (/** @type {string} */ text) => createHash("sha256").update(`part\t${text}`).digest()[0] < 128;

/** @type {[file: string, header: number, key: (line: string) => string][]} */
const lineFiles = [
  ["turney/turney.txt", 0, (line) => line],
  ["bird/bird.txt", 1, (line) => line.split("\t")[1]],
  ["yago/yago_test_samples.txt", 0, (line) => line],
  ["conll2003/dev.json", 0, (line) => line],
  ["bc5cdr/dev.json", 0, (line) => line],
];

for (const part of ["a", "b"]) {
  const output = join(values.output, part, "bench");
  const belongs = (/** @type {string} */ text) => isInA(text) === (part === "a");
  const write = (/** @type {string} */ file, /** @type {string} */ text) => {
    mkdirSync(dirname(join(output, file)), { recursive: true });
    writeFileSync(join(output, file), text);
  };
  for (const [file, header, key] of lineFiles) {
    const lines = readFileSync(join(bench, file), "utf8").split(/\r?\n/).filter(Boolean);
    const own = lines.filter((line, at) => at < header || belongs(key(line)));
    write(file, own.map((line) => `${line}\n`).join(""));
  }
  for (const file of ["ppdb/ppdb.json", "ppdb/ppdb_filtered.json"]) {
    const pairs = JSON.parse(readFileSync(join(bench, file), "utf8"));
    write(file, JSON.stringify(pairs.filter((/** @type {string[]} */ [a, b]) => belongs(`${a}\t${b}`))));
  }
  for (const [at, name] of readdirSync(join(bench, "autofj")).sort().entries())
    if ((at % 2 === 0) === (part === "a"))
      cpSync(join(bench, "autofj", name), join(output, "autofj", name), { recursive: true });
  for (const name of readdirSync(join(bench, "yago")).filter((name) => name.startsWith("yago_kb")))
    cpSync(join(bench, "yago", name), join(output, "yago", name));
}
