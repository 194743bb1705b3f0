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
import { readOptions, refuse } from "../options.mjs";

const { values } = readOptions("data= output,o");
if (values.output === undefined) refuse("-o is missing: give a folder for the two parts, -o PARTS");
const bench = join(resolve(values.data), "bench");
const partOf = (text) => (createHash("sha256").update(`part\t${text}`).digest()[0] < 128 ? "a" : "b");
const namesIn = (folder, start) => readdirSync(join(bench, folder)).filter((name) => name.startsWith(start));

const wholeLine = (line) => line;
const lineFiles = {
  "turney/turney.txt": wholeLine,
  "bird/bird.txt": (line) => line.split("\t")[1],
  "yago/yago_test_samples.txt": wholeLine,
  "conll2003/dev.json": wholeLine,
  "bc5cdr/dev.json": wholeLine,
};
const hasHeader = (path) => path === "bird/bird.txt";

for (const part of ["a", "b"]) {
  const output = join(values.output, part, "bench");
  const copy = (path) => cpSync(join(bench, path), join(output, path), { recursive: true });
  const write = (path, select) => {
    mkdirSync(dirname(join(output, path)), { recursive: true });
    writeFileSync(join(output, path), select(readFileSync(join(bench, path), "utf8")));
  };
  for (const [path, keyOf] of Object.entries(lineFiles))
    write(path, (text) => {
      const lines = text.split(/\r?\n/).filter(Boolean);
      const isOwn = (line, at) => (at === 0 && hasHeader(path)) || partOf(keyOf(line)) === part;
      return lines
        .filter(isOwn)
        .map((line) => `${line}\n`)
        .join("");
    });
  for (const path of ["ppdb/ppdb.json", "ppdb/ppdb_filtered.json"])
    write(path, (text) => JSON.stringify(JSON.parse(text).filter(([a, b]) => partOf(`${a}\t${b}`) === part)));
  for (const [at, name] of namesIn("autofj", "").sort().entries())
    if ("ab"[at % 2] === part) copy(`autofj/${name}`);
  for (const name of namesIn("yago", "yago_kb")) copy(`yago/${name}`);
}
