/** Merged parts of `pearl encode` are one run's file, whatever the table, the format and the number of shards. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/random.js";
import { folderWith, run, runShards } from "./whole-and-shards.js";

const random = createRandom(28);
const upTo = (most: number): number => Math.floor(random() * (most + 1));
const words = ["New", "York", "Zürich", "東京", "co.", "Ltd", '"x"', "42", "a,b", "é", "alpha", "beta"];
const phrase = (): string =>
  upTo(30) === 0 ? "" : Array.from({ length: 1 + upTo(5) }, () => words[upTo(words.length - 1)]).join(" ");

const csv = (rows: number): string =>
  `id,name,note\n${Array.from({ length: rows }, (_, row) => `${row},"${phrase().replaceAll('"', '""')}",${upTo(1) ? "" : row / 7}`).join("\n")}\n`;
const jsonl = (rows: number): string =>
  Array.from(
    { length: rows },
    (_, row) => `${JSON.stringify({ name: phrase(), id: row, deep: { list: [row, null] } })}\n`,
  ).join("");

const formats = ["parquet", "npy", "csv", "tsv", "jsonl"];

/** Rows encoded at a time are 4,369 of 600 dimensions: sizes about its multiples, and small tables. Text of so many numbers is slow. */
const cases = [
  { input: "in.csv", rows: 1, shards: 3, options: [], outputs: formats },
  {
    input: "in.jsonl",
    rows: 4369,
    shards: 2,
    options: ["--prompt", "query: "],
    outputs: ["parquet", "jsonl"],
  },
  {
    input: "in.csv",
    rows: 4370,
    shards: 2,
    options: ["--embedding-column", "vector"],
    outputs: ["npy", "csv"],
  },
  {
    input: "in.jsonl",
    rows: 9000 + upTo(4000),
    shards: 1 + upTo(4),
    options: [],
    outputs: ["parquet", "tsv"],
  },
  {
    ...{ input: "in.csv", rows: 17_000, shards: 2, outputs: formats },
    options: ["--truncate-dim", "32", "--no-normalize"],
  },
];

describe("encode in shards", () => {
  it.each(cases)(
    "$rows rows of $input in $shards shards, $options",
    async ({ input, rows, shards, options, outputs }) => {
      const cwd = folderWith({ [input]: input === "in.csv" ? csv(rows) : jsonl(rows) });
      const encode = ["encode", input, "-c", "name", ...options];
      const parts = await runShards(cwd, shards, encode);
      for (const format of outputs) {
        await run(cwd, ...encode, "-o", `whole.${format}`);
        await run(cwd, "merge", ...parts, "-o", `merged.${format}`);
        for (const name of format === "npy" ? ["npy", "npy.keys.csv"] : [format]) {
          const [whole, merged] = ["whole", "merged"].map((one) => readFileSync(join(cwd, `${one}.${name}`)));
          expect(whole.equals(merged), `${input} to ${name}`).toBe(true);
        }
      }
    },
  );

  it("keeps the types of a Parquet table, and merges to standard output", async () => {
    const cwd = folderWith({ "in.jsonl": jsonl(5000) });
    await run(cwd, "encode", "in.jsonl", "-c", "name", "--truncate-dim", "8", "-o", "typed.parquet");
    const encode = ["encode", "typed.parquet", "-c", "name", "--embedding-column", "again"];
    const parts = await runShards(cwd, 2, encode);
    await run(cwd, ...encode, "-o", "whole.parquet");
    await run(cwd, "merge", ...parts, "-o", "merged.parquet");
    const [whole, merged] = ["whole", "merged"].map((one) => readFileSync(join(cwd, `${one}.parquet`)));
    expect(whole.equals(merged)).toBe(true);
    expect(await run(cwd, "merge", ...parts, "-o", "-")).toBe(await run(cwd, ...encode, "-o", "-"));
  });
});
