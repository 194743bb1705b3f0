/** Messages on tables and outputs that cannot be read or written as named: each names a cure, which is applied and works. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { Table } from "../../../src/table/table.js";
import { EmbeddingWriter } from "../../../src/table/write/embedding-writer.js";
import { pearl } from "../../cli/run-cli.js";
import { readTable, testFolder } from "../../table/folder.js";
import { mountSmallDisk } from "../small-disk.js";
import { type Case, claimCures } from "./cases.js";

const encode = "pearl encode --model pearl-strings -q";
const files = { "x.csv": "name,city\nAcme,Berlin\nToyota,Aichi\n" };
const tableCase = (wrong: string, says: string, cured: string): Case => ({ files: {}, wrong, says, cured });

/** An unfinished run on another table, in the layout that such a run leaves. */
const key = { fingerprint: "b", table: "c", dimension: 2, layout: "parquet", from: 0, to: 2 };
const unfinished = { version: 1, run: "a", ...key };
const keys = Array.from({ length: 1001 }, (_, row) => `{"key ${row}": "name ${row}"}\n`).join("");
const phrases = Array.from({ length: 1001 }, (_, row) => `{"phrase": "name ${row}"}\n`).join("");

const cases: Readonly<Record<string, Case>> = {
  "a number of no column": tableCase(
    `${encode} x.csv -c 3`,
    "x.csv: there is no column 3, only 2 (name, city). Choose one of these.",
    `${encode} x.csv -c 2 && ${encode} x.csv -c name`,
  ),
  "a name of no column": tableCase(
    `${encode} x.csv -c headquarters`,
    'no column "headquarters". The columns are name, city. Choose one of these.',
    `${encode} x.csv -c city`,
  ),
  "a header that was read as a row": {
    files: { "h.csv": "Zeugs\nAcme\nToyota\n" },
    wrong: `${encode} h.csv -c Zeugs`,
    says: 'no column "Zeugs". The columns are phrase. If the first line names them, add --header.',
    cured: `${encode} h.csv -c Zeugs --header`,
  },
  "a directory in place of a table": tableCase(
    `mkdir d && cp x.csv d; ${encode} d -c name`,
    "d is a directory. Give one file inside it.",
    `${encode} d/x.csv -c name`,
  ),
  "an empty table": tableCase(
    `printf '' > e.csv; ${encode} e.csv`,
    "e.csv is empty. Give a table with at least a header or one phrase.",
    `printf 'name\n' > e.csv && ${encode} e.csv --header && printf 'Acme\n' > e.csv && ${encode} e.csv --no-header`,
  ),
  "lines of JSON that are all blank": tableCase(
    `printf '\\n\\n' > e.jsonl; ${encode} e.jsonl`,
    "e.jsonl contains no JSON line. Give at least one object.",
    `printf '{"name":"Acme"}\\n' > e.jsonl && ${encode} e.jsonl`,
  ),
  "a temporary folder whose name has a question mark": tableCase(
    `mkdir 'a?b'; TMPDIR="$PWD/a?b" ${encode} x.csv -c name`,
    'in a folder with "?" in its path. Choose another folder; that of temporary files is --temp FOLDER or TMPDIR.',
    `mkdir a; TMPDIR="$PWD/a" ${encode} x.csv -c name && pearl dedupe x.csv -m none --memory 1g --temp a -q`,
  ),
  "a directory in place of an output": tableCase(
    `mkdir o.csv; ${encode} x.csv -c name -o o.csv`,
    "o.csv is a directory. Name a file, such as o.csv/embeddings.parquet.",
    `${encode} x.csv -c name -o o.csv/embeddings.parquet && test -s o.csv/embeddings.parquet`,
  ),
  "an output that is the input": tableCase(
    `${encode} x.csv -c name -o x.csv`,
    "x.csv is an input. Choose another output name.",
    `${encode} x.csv -c name -o y.csv && test -s y.csv`,
  ),
  "half of a surrogate pair": {
    files: { "s.jsonl": '{"name": "Acme \\ud800"}\n' },
    wrong: `${encode} s.jsonl`,
    says: "s.jsonl, line 1: a lone surrogate (\\ud800-\\udfff) is not a character. Remove it.",
    cured: `sed -i 's/ \\\\ud800//' s.jsonl && grep -q '"Acme"' s.jsonl && ${encode} s.jsonl`,
  },
  "a key twice in a line": {
    files: { "t.jsonl": '{"name": "Acme", "name": "Toyota"}\n' },
    wrong: `${encode} t.jsonl`,
    says: 't.jsonl, line 1: the key "name" occurs twice. Remove one, or rename it.',
    cured:
      `sed 's/"name": "Acme", //' t.jsonl > u.jsonl && ${encode} u.jsonl && ` +
      `sed -i 's/, "name"/, "other"/' t.jsonl && ${encode} t.jsonl -c name`,
  },
  "text as keys": {
    files: { "k.jsonl": keys, "ok.jsonl": phrases },
    wrong: `${encode} k.jsonl`,
    says: 'more than 1000 different keys so far. Put the text under one key, such as {"phrase": "..."}.',
    cured: `${encode} ok.jsonl`,
  },
  "no folder for temporary files": tableCase(
    `TMPDIR=$PWD/none ${encode} x.csv -c name`,
    "Set TMPDIR to a folder that can.",
    `mkdir some && TMPDIR=$PWD/some ${encode} x.csv -c name`,
  ),
  "an unfinished run on another table": {
    files: { "manifest.json": JSON.stringify(unfinished) },
    before:
      "mkdir v.parquet.partial && touch v.parquet.partial/vectors && mv manifest.json v.parquet.partial",
    wrong: `${encode} x.csv -c name -o v.parquet --resume`,
    says:
      "v.parquet.partial: the unfinished run cannot be resumed: the input table has changed since. " +
      "Start over without --resume, or choose another output name.",
    cured:
      `${encode} x.csv -c name -o w.parquet --resume && test -s w.parquet && ` +
      `${encode} x.csv -c name -o v.parquet && test -s v.parquet && test ! -e v.parquet.partial`,
  },
  "a foreign file in the place of the unfinished output": {
    files: { "v.parquet.partial": "half a download" },
    wrong: `${encode} x.csv -c name -o v.parquet`,
    says:
      "v.parquet.partial is a file, which no run of pearl has left: its place is needed for the unfinished output. " +
      "Move it away, or choose another output name.",
    cured:
      `${encode} x.csv -c name -o w.parquet && mv v.parquet.partial kept && ` +
      `${encode} x.csv -c name -o v.parquet && test -s kept && test ! -e v.parquet.partial`,
  },
  "an unfinished run whose manifest is damaged": {
    files: {},
    before:
      "mkdir v.parquet.partial && touch v.parquet.partial/vectors && echo { > v.parquet.partial/manifest.json",
    wrong: `${encode} x.csv -c name -o v.parquet --resume`,
    says: "). Start over without --resume.\n",
    cured: `${encode} x.csv -c name -o v.parquet && test -s v.parquet && test ! -e v.parquet.partial`,
  },
};

claimCures(cases, { files });

describe("the cure in a message of EmbeddingWriter", () => {
  const { file } = testFolder();
  const options = { dimension: 1, fingerprint: "x" };
  const vectorsIn = async (path: string) =>
    (await readTable(path, { column: "1", header: "present" })).columns.embedding;

  it("of an output with vectors missing works", async () => {
    const table = await Table.open(file("some.csv", "name\na\nb\n"));
    const writer = await EmbeddingWriter.create(table, file("some-out.csv"), options);
    await writer.append(new Float32Array([1]));
    await expect(writer.finish()).rejects.toThrow("found 1 of 2 vectors. Append the rest first.");
    await writer.append(new Float32Array([2]));
    expect(await writer.finish()).toMatchObject({ rows: 2 });
    expect(await vectorsIn(file("some-out.csv"))).toEqual(["[1.0]", "[2.0]"]);
    await table.close();
  });

  it("of two runs on one output works", async () => {
    const table = await Table.open(file("two.csv", "name\na\n"));
    const begin = async (output: string, value: number) => {
      const writer = await EmbeddingWriter.create(table, file(output), options);
      await writer.append(new Float32Array([value]));
      return writer;
    };
    const finish = async (writer: EmbeddingWriter) => {
      await writer.finish();
      await writer.close();
    };
    const first = await begin("two-out.csv", 1);
    await expect(begin("two-out.csv", 2)).rejects.toThrow("is writing to it. Wait until it has finished");
    // One finishes, and then the other runs.
    await finish(first);
    expect(await vectorsIn(file("two-out.csv"))).toEqual(["[1.0]"]);
    await finish(await begin("two-out.csv", 2));
    expect(await vectorsIn(file("two-out.csv"))).toEqual(["[2.0]"]);
    // Both run at once, under different names.
    const both = [await begin("left.csv", 3), await begin("right.csv", 4)];
    for (const writer of both) await finish(writer);
    expect(await vectorsIn(file("left.csv"))).toEqual(["[3.0]"]);
    expect(await vectorsIn(file("right.csv"))).toEqual(["[4.0]"]);
    await table.close();
  });
});

const folder = mkdtempSync(join(tmpdir(), "pearl-cures-disk-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const small = join(folder, "small");
const { isMounted, resize, empty } = mountSmallDisk(small, "100k");

describe.skipIf(!isMounted)("the cure of a full disk of temporary files", () => {
  const says =
    "no space left on the disk. Free some, or choose another folder (TMPDIR moves the temporary files).";
  const fill = join(small, "fill");
  const names = Array.from({ length: 3000 }, (_, row) => `${row},name number ${row}\n`).join("");
  const other = join(folder, "other");
  const encoded = (TMPDIR: string) => {
    const line = ["encode", "n.csv", "-c", "name", "--model", "pearl-strings", "-o", "n.parquet", "-q"];
    return pearl(line, { cwd: folder, environment: { TMPDIR } });
  };
  beforeEach(() => {
    expect(empty()).toBe(true);
    writeFileSync(join(folder, "n.csv"), `id,name\n${names}`);
    mkdirSync(other, { recursive: true });
  });

  it.each([
    [
      "no room",
      102_400,
      "cannot hold the temporary files (ENOSPC: no space left on device, write). Set TMPDIR",
    ],
    ["too little room", 82_000, says],
  ])("works where there is %s", async (_, bytes, message) => {
    writeFileSync(fill, Buffer.alloc(bytes));
    const failed = await encoded(small);
    expect(failed.stderr).toContain(message);
    expect(failed.code).toBe(1);
    expect(await encoded(other)).toMatchObject({ code: 0 });
    expect(resize("30m")).toBe(true);
    rmSync(fill);
    expect(await encoded(small)).toMatchObject({ code: 0 });
  });

  it("works for an output that is made there first", async () => {
    const line = ["encode", "n.csv", "-c", "name", "--model", "pearl-strings", "-o", "-", "-q"];
    const printed = (TMPDIR: string) => pearl(line, { cwd: folder, environment: { TMPDIR } });
    writeFileSync(fill, Buffer.alloc(102_400));
    const failed = await printed(small);
    expect(failed.stderr).toMatch(/no space left|cannot hold the temporary files/);
    expect(resize("2500k")).toBe(true);
    expect((await printed(small)).stderr).toContain(
      `${small}: no space left on the disk that holds unfinished outputs. ` +
        "Free some, or choose another folder (TMPDIR, or --temp where the command has it).",
    );
    expect(await printed(other)).toMatchObject({ code: 0 });
  });
});
