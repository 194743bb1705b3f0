/** Messages on the stores of indexes, locked or damaged: each names a cure, which is applied and works. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import { indexTable } from "../../../src/search/phrase-index.js";
import { VectorIndex } from "../../../src/search/vector-index.js";
import { pearl } from "../../cli/run-here.js";
import { type Case, claimCures } from "./cases.js";

const table = "name,city\nAcme,Berlin\nToyota,Aichi\n";
const build = "pearl index build x.csv -c name -o i.index --backend hnsw --model pearl-strings -q";
const search = "pearl search i.index Acme";
const generation = "i.index/generation-1";
const elsewhere = JSON.stringify({ pid: 1, host: "elsewhere", started: null, token: "x" });

/** Damage to rows: the cure is the backup, and without one a new build, which removes the folder first. */
const rowsCase = (damage: string, says: string): Case => ({
  files: {},
  wrong: `${damage}; ${search}`,
  says: `${says} Restore the index from a backup, or remove i.index and build it again: pearl index build TABLE -o i.index`,
  cured: `rm -r i.index && cp -r backup i.index && ${search} && ${damage} && rm -r i.index && ${build} && ${search}`,
});
/** Damage to the graph: the cure keeps the rows. */
const graphCase = (damage: string, says: string): Case => ({
  files: {},
  wrong: `${damage}; ${search}`,
  says: `${says} The rows are safe. Build the graph again: pearl index check i.index --repair`,
  cured: `pearl index check i.index --repair && ${search} | grep Toyota`,
});

const cases: Readonly<Record<string, Case>> = {
  "vectors that are overwritten": rowsCase(
    `echo x | dd of=${generation}/vectors conv=notrunc status=none`,
    "vectors is damaged: its checksum differs.",
  ),
  "vectors that are missing": rowsCase(`rm ${generation}/vectors`, "vectors is damaged: it is missing."),
  "a graph that is missing": graphCase(`rm ${generation}/hnsw-2-32axes`, "is damaged: it is missing."),
  "axes of a graph that are missing": graphCase(
    `rm ${generation}/hnsw-2-32axes.axes`,
    "axes is damaged: it is missing.",
  ),
  "an index without its index.json": {
    files: {},
    wrong: `rm i.index/index.json; ${search}`,
    says:
      "i.index is not an index: index.json is missing beside its rows. Restore it from a backup, or remove the folder and " +
      "build the index again: pearl index build FILE -o i.index",
    cured:
      `cp backup/index.json i.index && ${search} | grep Toyota && rm i.index/index.json && ` +
      `rm -r i.index && ${build} && ${search} | grep Toyota`,
  },
  "an empty condition": {
    files: {},
    wrong: `${search} --where ""`,
    says: "where, character 1 (the end): expected a column, as in city = 'Ulm' or \"founded in\" > 2001.",
    cured: `${search} --where "city = 'Aichi'" | grep Toyota && ${search}`,
  },
  "a condition on a column that the index lacks": {
    files: {},
    wrong: `${search} --where "town = 'Aichi'"`,
    says: "where, character 1 (at town = 'Aichi'): the index has no column town. It has name, city.",
    cured: `${search} --where "city = 'Aichi'" | grep Toyota`,
  },
  "a text without quotes in a condition": {
    files: {},
    wrong: `${search} --where "city = Aichi"`,
    says: "where, character 8 (at Aichi): expected a number, or a text in single quotes, such as 'Ulm'.",
    cured: `${search} --where "city = 'Aichi'" | grep Toyota`,
  },
  "a text compared with a column of numbers": {
    files: { "n.jsonl": '{"name":"Acme","size":5}\n{"name":"Toyota","size":50}\n' },
    before: "pearl index build n.jsonl -c name -o n.index --model pearl-strings -q",
    wrong: `pearl search n.index Acme --where "size > '9'"`,
    says: "where, character 8 (at '9'): size holds numbers. Write a number without quotes.",
    cured: `pearl search n.index Acme --where "size > 9" | grep Toyota`,
  },
  "a lock of a process on another machine": {
    files: { lock: elsewhere },
    wrong: "mv lock i.index; pearl index add i.index x.csv -q",
    says: "process 1 on elsewhere is writing to it. Wait until it has finished; if it has died, remove i.index/lock.",
    cured: "rm i.index/lock && pearl index add i.index x.csv -q",
  },
};

claimCures(cases, { files: { "x.csv": table }, before: `${build} && cp -r i.index backup` });

describe("the cure in a message of VectorIndex", () => {
  const root = mkdtempSync(join(tmpdir(), "pearl-cures-index-"));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const options = { dimension: 2, columns: ["id"], phraseColumn: "id" } as const;
  const rows = (...ids: string[]) => ({
    vectors: Float32Array.from(ids.flatMap(() => [1, 2])),
    cells: ids.map((id) => [id]),
  });

  it("of a lock works", async () => {
    const path = join(root, "locked");
    const writer = await VectorIndex.build(path, [rows("a")], options);
    const other = await VectorIndex.open(path);
    await expect(other.add(rows("b"))).rejects.toThrow(
      `process ${process.pid} is writing to it. Wait until it has finished.`,
    );
    await writer.close();
    await other.add(rows("b"));
    expect((await other.describe()).rows).toBe(2);
    await other.close();
  });

  it("of an interrupted build works", async () => {
    const [path, names, more] = ["unfinished", "names.txt", "more.txt"].map((name) => join(root, name));
    writeFileSync(names, "name\n".repeat(8193));
    writeFileSync(more, "another\n");
    const encoder = await PhraseEncoder.load("pearl-strings", { device: "cpu" });
    const stop = new AbortController();
    const stopped = { signal: stop.signal, onProgress: () => stop.abort() };
    await expect(indexTable(names, path, encoder, stopped)).rejects.toThrow(/abort/i);
    await encoder.dispose();
    for (const change of [
      ["add", path, more],
      ["delete", path, "--keys", "1"],
    ])
      expect(await pearl(["index", ...change])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(
          `${path} is unfinished: its build was interrupted. Finish it first: run that \`pearl index build\` again with --resume.`,
        ),
      });
    const build = ["index", "build", names, "-o", path, "-m", "pearl-strings", "--resume", "-q"];
    expect((await pearl(build)).stdout).toContain("1 row added, 8,193 in all");
    expect((await pearl(["index", "add", path, more, "-q"])).stdout).toContain("1 row added, 8,194 in all");
    expect((await pearl(["index", "delete", path, "--keys", "1"])).stdout).toContain(
      "1 row deleted, 8,193 left",
    );
  });

  it("of vectors without cells works", async () => {
    const index = await VectorIndex.build(join(root, "cells"), [rows("a")], options);
    await expect(index.add({ vectors: new Float32Array([1, 2]), cells: [] })).rejects.toThrow(
      "There are 1 vectors, but cells of 0 rows. Pass one row of cells per vector.",
    );
    await index.add({ vectors: new Float32Array([1, 2]), cells: [["b"]] });
    expect((await index.describe()).rows).toBe(2);
    await index.close();
  });
});
