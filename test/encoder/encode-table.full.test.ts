/** A run that is interrupted in the middle of a chunk and resumed ends with the bytes of a run without interruption. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { encodeTable } from "../../src/encoder/encode-table.js";
import { PhraseEncoder } from "../../src/encoder/phrase-encoder.js";
import { testFolder } from "../table/folder.js";

const { path: folder } = testFolder();

it("resumes to the same bytes, although low-order bits depend on the other phrases of a batch", async () => {
  const words = ["north", "Acme", "river", "of", "Zürich", "steel", "works", "17", "lake", "union"];
  const phrases = Array.from({ length: 16_000 }, (_, i) =>
    [i, i >> 3, i >> 5, i >> 7]
      .slice(0, 2 + (i % 3))
      .map((n) => words[n % 10] + (n % 7))
      .join(" "),
  );
  // in the first chunk, whose counts a resumed run reports too
  phrases.splice(100, 2, "", `${"river ".repeat(600)}end`);
  const lines = phrases.map((phrase, i) => phrase && `${phrase} ${i}`);
  writeFileSync(join(folder, "in.csv"), `name\n${lines.join("\n")}\n`);
  const table = join(folder, "in.csv");
  const encoder = await PhraseEncoder.load();
  try {
    const [whole, stopped] = ["whole.parquet", "stopped.parquet"].map((name) => join(folder, name));
    const uninterrupted = await encodeTable(table, whole, encoder);
    expect([uninterrupted.empty, uninterrupted.truncated]).toEqual([1, 1]);
    const stop = new AbortController();
    const notes: string[] = [];
    const interrupted = encodeTable(table, stopped, encoder, {
      onNote: (note) => notes.push(note),
      signal: stop.signal,
      // the first chunk of 4,405 rows is written by then, and others are still to come
      onProgress: (done) => done > 4_500 && stop.abort(),
    });
    await expect(interrupted).rejects.toHaveProperty("name", "AbortError");
    expect(notes.join()).toContain("--resume");
    const report = await encodeTable(table, stopped, encoder, { resume: "continue" });
    expect(report.resumedRows).toBeGreaterThan(0);
    expect(report.resumedRows).toBeLessThan(16_000);
    expect([report.empty, report.truncated]).toEqual([1, 1]);
    expect(readFileSync(stopped).equals(readFileSync(whole))).toBe(true);
  } finally {
    await encoder.dispose();
  }
});

it.each(["/dev/null", "-"])(
  "does not promise that --resume continues an interrupted run into %s",
  async (output) => {
    const table = join(folder, "few.csv");
    writeFileSync(table, `name\n${Array.from({ length: 2_000 }, (_, i) => `lake ${i}`).join("\n")}\n`);
    const encoder = await PhraseEncoder.load("pearl-strings");
    try {
      const stop = new AbortController();
      const notes: string[] = [];
      const interrupted = encodeTable(table, output, encoder, {
        ...{ format: "csv", batchSize: 64, signal: stop.signal },
        onNote: (note) => notes.push(note),
        onProgress: () => stop.abort(),
      });
      await expect(interrupted).rejects.toHaveProperty("name", "AbortError");
      expect(notes.at(-1)).toMatch(/^stopped with \d+ of 2000 rows encoded; they are not kept$/);
    } finally {
      await encoder.dispose();
    }
  },
);

it("continues a run with the same column and batch size alone, since they change vectors", async () => {
  const table = join(folder, "short.csv");
  writeFileSync(
    table,
    `name,other\n${Array.from({ length: 60_000 }, (_, i) => `lake ${i},sea ${i}`).join("\n")}\n`,
  );
  const encoder = await PhraseEncoder.load("pearl-strings");
  try {
    const output = join(folder, "short.npy");
    const stop = new AbortController();
    const interrupted = encodeTable(table, output, encoder, {
      ...{ batchSize: 64, signal: stop.signal },
      onProgress: (done) => done > 16_384 && stop.abort(),
    });
    await expect(interrupted).rejects.toHaveProperty("name", "AbortError");
    const resumed = (batchSize: number, column = "name") =>
      encodeTable(table, output, encoder, { resume: "continue", batchSize, table: { column } });
    const trouble = "it used another column, another model or other options";
    await expect(resumed(65)).rejects.toThrow(trouble);
    await expect(resumed(64, "other")).rejects.toThrow(trouble);
    expect((await resumed(64)).resumedRows).toBeGreaterThan(0);
  } finally {
    await encoder.dispose();
  }
});
