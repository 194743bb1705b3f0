/** Small tables of pairs in the words of the oracle's tokenizer ("t103", "t104", ...), and what trainings on them left. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRandom } from "../../src/random.js";
import { newFolder } from "../setup/new-folder.js";

/** Pairs that share two of their words; every third has a hard negative; the types alternate. */
export function somePairs(count: number, seed = 1): string[][] {
  const random = createRandom(seed);
  const word = () => `t${103 + Math.floor(random() * 390)}`;
  return Array.from({ length: count }, (_, i) => {
    const common = [word(), word()];
    const extra = Array.from({ length: 1 + Math.floor(random() * 6) }, word);
    const text = [...common, ...extra].join(" ");
    const positive = [word(), ...common].join(" ");
    const negative = i % 3 === 0 ? [common[0], word(), word()].join(" ") : "";
    return [text, positive, negative, i % 2 === 0 ? "even" : "odd"];
  });
}

export function writeTable(rows: readonly string[][], header: string[], name = "pairs.csv"): string {
  const path = join(newFolder(), name);
  writeFileSync(path, [header, ...rows].map((row) => `${row.join(",")}\n`).join(""));
  return path;
}

/** The metrics of a training, an object a step. */
export const metricsOf = (folder: string) =>
  readFileSync(join(folder, "metrics.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
