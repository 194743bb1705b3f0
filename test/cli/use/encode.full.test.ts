/** The slow tests beside encode.test.ts. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import { GraphBuilder } from "../../../src/onnx/builder.js";
import { encodeModel } from "../../../src/onnx/io/file.js";
import { pearl } from "../run-here.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pearl-encode-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(folder, name), content);
  return name;
};
const encode = (...args: string[]): ReturnType<typeof pearl> => pearl(["encode", ...args], { cwd: folder });

/** Rows of a Parquet file, as a reader that shares no code with pearl sees them. */
async function readParquet(name: string): Promise<Record<string, unknown>[]> {
  return parquetReadObjects({ file: await asyncBufferFromFile(join(folder, name)) });
}

describe("pearl encode", () => {
  it("cuts a model that records its lengths to one of these, and names them for another one", async () => {
    const model = join(folder, "model");
    cpSync(resolve("models/pearl-strings"), model, { recursive: true });
    rmSync(join(model, "checksums.json"), { force: true });
    const config = JSON.parse(readFileSync(join(model, "config.json"), "utf8"));
    write("model/config.json", JSON.stringify({ ...config, matryoshka_dimensions: [8, 24, 56] }));
    write("in.txt", "one\ntwo\n");
    const cut = (length: string) => encode("in.txt", "--model", "model", "--dims", length, "-o", "out.jsonl");
    expect(await cut("24")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("2 rows × 24 dimensions"),
    });
    expect(await cut("16")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("must be one of 8, 24, 56, which the model was trained on, not 16\n"),
    });
  });

  it("writes phrases.embeddings.parquet for phrases.csv and names it", async () => {
    const sample = readFileSync(resolve("data/phrases.csv"), "utf8");
    write("phrases.csv", sample);
    const { code, stdout, stderr } = await encode("phrases.csv");
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^wrote phrases\.embeddings\.parquet: 65 rows × 600 dimensions, /),
    });
    expect(stderr).toMatch(/phrases from "phrase" of id, phrase, kind/);
    expect(readdirSync(folder).sort()).toEqual(["phrases.csv", "phrases.embeddings.parquet"]);

    const rows = await readParquet("phrases.embeddings.parquet");
    const phrases = rows.map((row) => row.phrase as string);
    expect(rows.map((row) => row.id)).toEqual(Array.from({ length: 65 }, (_, i) => String(i + 1)));
    const encoder = await PhraseEncoder.load();
    const vectors = await encoder.encode(phrases);
    await encoder.dispose();
    rows.forEach((row, i) => expect(Float32Array.from(row.embedding as number[])).toEqual(vectors[i]));
  });

  it("keeps rows with empty cells, odd text and repeats, in order, in every format", async () => {
    const phrases = ["Zürich", "", "🦪 pearl", "القاهرة", "a,b", 'say "pearl"', "Zürich", "  ", "e\u0301"];
    const quoted = phrases.map((phrase, i) => `${i},"${phrase.replaceAll('"', '""')}"`);
    write("in.csv", `id,name\n${quoted.join("\n")}\n`);
    for (const format of ["parquet", "csv", "jsonl", "npy"]) {
      expect((await encode("in.csv", "-o", `out.${format}`)).code, format).toBe(0);
    }
    const parquet = await readParquet("out.parquet");
    expect(parquet.map(({ name }) => name ?? "")).toEqual(phrases);
    const lines = readFileSync(join(folder, "out.jsonl"), "utf8").trimEnd().split("\n");
    const objects = lines.map((line) => JSON.parse(line) as { name: string | null; embedding: number[] });
    expect(objects.map(({ name }) => name ?? "")).toEqual(phrases);
    expect(objects[1].embedding.every((value) => value === 0)).toBe(true);
    expect(objects[0].embedding).toEqual(objects[6].embedding);
    const npy = readFileSync(join(folder, "out.npy"));
    expect(npy.subarray(0, 128).toString("latin1")).toMatch(/'shape': \(9, 600\)/);
    expect(npy.readFloatLE(npy.length - 9 * 600 * 4)).toBeCloseTo(objects[0].embedding[0], 6);
    expect(readFileSync(join(folder, "out.csv"), "utf8").split("\n")[0]).toBe("id,name,embedding");
  });

  it("encodes shards that are merged to the whole, and standard input", async () => {
    write("in.txt", `${Array.from({ length: 10 }, (_, i) => `phrase ${i}`).join("\n")}\n`);
    const parts = [2, 1, 3].map((index) => `in.embeddings.${index}-of-3.part`);
    for (const shard of ["1/3", "2/3", "3/3"]) {
      expect((await encode("in.txt", "--shard", shard, "-q")).code).toBe(0);
    }
    const merged = await pearl(["merge", ...parts], { cwd: folder });
    expect(merged).toMatchObject({
      code: 0,
      stdout: "wrote in.embeddings.parquet: 10 rows × 600 dimensions, 24.5 kB\n",
    });
    const phrases = (await readParquet("in.embeddings.parquet")).map((row) => row.phrase);
    expect(phrases).toEqual(Array.from({ length: 10 }, (_, i) => `phrase ${i}`));
    const piped = await pearl(["encode", "-", "-o", "piped.jsonl"], {
      cwd: folder,
      input: "phrase\nNYTimes\n",
    });
    expect(piped).toMatchObject({ code: 0, stdout: expect.stringMatching(/1 rows? × 600/) });
  });

  it("refuses a shard whose merge could not name the column of vectors", async () => {
    write("taken.csv", "name,Embedding\nSony,x\n");
    const refused = await encode("taken.csv", "-c", "name", "--shard", "1/1", "-o", "taken.part");
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("(--embedding-column)") });
    for (const cure of [
      ["--embedding-column", "vector"],
      ["--format", "npy"],
    ])
      expect(
        (await encode("taken.csv", "-c", "name", "--shard", "1/1", "-o", "taken.part", ...cure)).code,
      ).toBe(0);
  });

  it("leaves nothing in the temporary folder, ONNX Runtime's telemetry included", async () => {
    write("in.txt", "NYTimes\n");
    const temporary = join(folder, "temporary");
    mkdirSync(temporary);
    const { code } = await pearl(["encode", "in.txt"], { cwd: folder, environment: { TMPDIR: temporary } });
    expect({ code, left: readdirSync(temporary) }).toEqual({ code: 0, left: [] });
  });

  it("truncates a field of 1 MB and reports it; handles 10,000 equal rows", async () => {
    const compound = "Elektrotechnikgesellschaft";
    write("big.csv", `id,name\n1,${"x".repeat(1_000_000)}\n3,${compound}\n${"2,Zürich\n".repeat(10_000)}`);
    const { code, stdout, stderr } = await encode("big.csv");
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("10,002 rows") });
    expect(stderr).toMatch(
      /\n1 phrase cut: longer than the model reads \(14 words\), or with a very long word\. Shorten them, or use/,
    );
  });
});

function truncatedGraph(): Uint8Array {
  return readFileSync(resolve("models/pearl-strings/onnx/model.onnx")).subarray(0, 500_000);
}

/** A graph whose input is a picture. */
function foreignGraph(): Uint8Array {
  const g = new GraphBuilder();
  g.output("embedding", g.add("Relu", [g.input("pixels", "float32", ["n", 4])]), "float32", ["n", 4]);
  return encodeModel(g.model());
}

describe("pearl encode with bad input: one clear line, the right code, no output", () => {
  const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13);
  const cases: [string, string | Uint8Array | undefined, string[], RegExp, number][] = [
    ["no file", undefined, [], /in\.csv: no such file/, 1],
    ["an empty file", "", [], /empty/, 1],
    ["a binary file", png, [], /in\.csv/, 1],
    ["a wrong column", "id,name\n1,a\n", ["-c", "nmae"], /no column "nmae".*Did you mean "name"/, 1],
    ["a ragged row", "id,name\n1,a\n2,b,c\n", [], /in\.csv, line 3: /, 1],
    ["an unclosed quote", 'id,name\n1,a\n2,"b\n3,c\n', [], /in\.csv, line 3/, 1],
    ["bad UTF-8", Buffer.from("id,name\n1,a\n2,\xff\xfe\n", "latin1"), [], /in\.csv, line 3.*UTF-8/, 1],
    [
      "UTF-16 cut off",
      Buffer.from("\ufeffid,name\n1,a\n2", "utf16le").subarray(0, -1),
      [],
      /line 3.*not utf-16le/,
      1,
    ],
    ["an unknown encoding", "a\nb\n", ["--encoding", "latin-99"], /not a known encoding/, 2],
    ["an unknown model", "a\nb\n", ["-m", "pearl-strngs"], /did you mean pearl-strings/, 1],
    ["a file as model", "a\nb\n", ["-m", "in.csv"], /a model is a folder/, 1],
    ["an unknown device", "a\nb\n", ["--device", "gpu"], /auto, cpu, webgpu, cuda/, 2],
    ["a device that is not there", "a\nb\n", ["--device", "cuda"], /cuda does not work here/, 1],
    [
      "too many dimensions",
      "a\nb\n",
      ["--truncate-dim", "999"],
      /^pearl: --dims must be between 1 and 600/,
      2,
    ],
    ["no number", "a\nb\n", ["--batch-size", "many"], /whole number/, 2],
    ["an output of unknown kind", "a\nb\n", ["-o", "x.xlsx"], /x\.xlsx/, 2],
    ["an output in a file", "a\nb\n", ["-o", "in.csv/x.csv"], /is a file, not a folder/, 1],
    ["the input as output", "a\nb\n", ["-o", "in.csv"], /in\.csv/, 1],
  ];
  it.each(cases)("%s", async (_name, content, options, message, expected) => {
    if (content !== undefined) write("in.csv", content);
    const before = readdirSync(folder);
    const { code, stdout, stderr } = await encode("in.csv", "-q", ...options);
    expect({ code, stdout }).toEqual({ code: expected, stdout: "" });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at /);
    if (expected === 1) expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(readdirSync(folder)).toEqual(before);
    if (content !== undefined) expect(readFileSync(join(folder, "in.csv"))).toEqual(Buffer.from(content));
  });

  it.each([
    ["a corrupt config", { "config.json": "{" }, /config\.json: not valid JSON/],
    ["no graph", { "config.json": "{}" }, /model\.onnx is missing/],
    ["a graph that is none", { "config.json": "{}", "onnx/model.onnx": "not a graph" }, /model\.onnx/],
    ["a truncated graph", { "config.json": "{}", "onnx/model.onnx": truncatedGraph() }, /model\.onnx/],
    [
      "inputs we do not know",
      { "config.json": "{}", "onnx/model.onnx": foreignGraph() },
      /does not know: pixels/,
    ],
  ])("a model folder with %s", async (_name, files, message) => {
    write("in.txt", "a\n");
    mkdirSync(join(folder, "model/onnx"), { recursive: true });
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, "model", name), content);
    const { code, stdout, stderr } = await encode("in.txt", "-q", "-m", "./model");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(readdirSync(folder).sort()).toEqual(["in.txt", "model"]);
  });
});
