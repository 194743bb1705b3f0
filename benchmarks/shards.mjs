/**
 * What shards cost: CPU seconds of a join in one run, and of its first pass, shards and merge, each on one thread. Compares the
 * bytes of both results. `node benchmarks/shards.mjs [rows] [shards]`
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const [rows = 28_000, shards = 4] = process.argv.slice(2).map(Number);
const pearl = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "pearl-shards-"));

let state = 7;
const upTo = (/** @type {number} */ most) => {
  state = (state * 48_271) % 2_147_483_647;
  return state % most;
};
const one = (/** @type {readonly string[]} */ items) => items[upTo(items.length)];
const first = "anna peter maria john olga kofi chen ivan lucia omar sara tom nina raj eva".split(" ");
const last =
  "schmidt vogel muller smith petrov mensah wei garcia haddad jensen novak rossi kumar larsen meyer brown".split(
    " ",
  );
const cities = "Berlin Paris Rome Oslo Accra Delhi Lima Prague".split(" ");
const two = (/** @type {number} */ number) => String(number).padStart(2, "0");

/** A letter less, two letters exchanged, or as it is. */
function typed(/** @type {string} */ text) {
  const at = upTo(text.length - 1);
  const kind = upTo(3);
  if (kind === 0) return text.slice(0, at) + text.slice(at + 1);
  return kind === 1 ? text.slice(0, at) + text[at + 1] + text[at] + text.slice(at + 2) : text;
}

function makeTables() {
  const header = "id,name,city,born,phone";
  const [left, right] = [[header], [header]];
  for (let row = 0; row < rows; row++) {
    const name = `${one(first)} ${one(last)} ${one(last)}${upTo(900)}`;
    const city = one(cities);
    const born = `${1940 + upTo(70)}-${two(1 + upTo(12))}-${two(1 + upTo(28))}`;
    const phone = `0${100_000 + upTo(899_999)}`;
    left.push([row, name, city, born, phone].join());
    if (upTo(3) > 0) {
      const written = typed(name);
      const kept = [upTo(5) ? city : one(cities), upTo(6) ? born : "", upTo(4) ? phone : ""];
      right.push([10_000 + row, written, ...kept].join());
    }
    if (upTo(10) === 0)
      right.push([20_000 + row, `${one(first)} ${one(last)}`, one(cities), "1970-01-01", ""].join());
  }
  writeFileSync(join(folder, "left.csv"), `${left.join("\n")}\n`);
  writeFileSync(join(folder, "right.csv"), `${right.join("\n")}\n`);
  console.log(`${left.length - 1} × ${right.length - 1} rows, ${shards} shards`);
}

/** Runs `pearl` and prints the CPU seconds that it took. */
function measure(/** @type {string} */ name, /** @type {string[]} */ words) {
  const before = cpuOfChildren();
  execFileSync(process.execPath, [pearl, ...words, "-q", "--threads", "1"], { cwd: folder, stdio: "pipe" });
  console.log(`  ${name}: ${(cpuOfChildren() - before).toFixed(1)} s`);
}

/** CPU time of ended children (proc(5): fields 16 and 17 of stat, in hundredths of a second). */
function cpuOfChildren() {
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

makeTables();
for (const columns of [["--on", "name"], []])
  for (const passes of [1, 2]) {
    console.log(`join ${columns.join(" ")}, ${passes === 1 ? "one pass" : "two passes"}`);
    const words = ["join", "left.csv", "right.csv", ...columns];
    measure("one run", [...words, "-o", "whole.csv"]);
    if (passes === 2) measure("first pass", [...words, "--learn", "learned.part"]);
    const learned = passes === 2 ? ["--learned", "learned.part"] : [];
    const parts = Array.from({ length: shards }, (_, place) => `${place + 1}.part`);
    parts.forEach((part, place) =>
      measure(`shard ${place + 1}`, [...words, ...learned, "--shard", `${place + 1}/${shards}`, "-o", part]),
    );
    measure("merge", ["merge", ...parts, "-o", "merged.csv"]);
    const [whole, merged] = ["whole.csv", "merged.csv"].map((file) => readFileSync(join(folder, file)));
    if (!whole.equals(merged)) throw new Error("the merged bytes differ");
  }
rmSync(folder, { recursive: true });
