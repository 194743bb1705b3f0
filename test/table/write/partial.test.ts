/** The folder of an unfinished output: kept for a run that resumes, and only there. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keepTemporaryFilesIn } from "../../../src/files/object-storage/temporary-folder.js";
import { Table } from "../../../src/table/table.js";
import { EmbeddingWriter, type EmbeddingWriterOptions } from "../../../src/table/write/embedding-writer.js";
import { testFolder } from "../folder.js";

const { file } = testFolder();
const temporary = file("temporary");
beforeAll(() => {
  mkdirSync(temporary);
  keepTemporaryFilesIn(temporary);
});
afterAll(() => keepTemporaryFilesIn(undefined));

/** Writes three rows of a table of three, or fewer, and ends. */
async function write(output: string, rows: number, resume?: EmbeddingWriterOptions["resume"]) {
  const table = await Table.open(file("in.csv", "name\na\nb\nc\n"));
  const options = { dimension: 1, fingerprint: "x", format: "csv", resume } as const;
  let writer: EmbeddingWriter | undefined;
  try {
    writer = await EmbeddingWriter.create(table, output, options);
    await writer.append(new Float32Array(rows));
    if (rows === 3) await writer.finish();
    return writer;
  } finally {
    await writer?.close();
    await table.close();
  }
}

describe("what has the name of the folder", () => {
  it("is left alone where it is a file", async () => {
    file("data.csv.partial", "half a download");
    await expect(write(file("data.csv"), 3)).rejects.toThrow(
      /data\.csv\.partial is a file, which no run of pearl has left: .* Move it away, or choose another output name\.$/,
    );
    expect(readFileSync(file("data.csv.partial"), "utf8")).toBe("half a download");
  });

  it.each(["start-over", "continue", "never"] as const)(
    "is left alone where it holds other files: %s",
    async (resume) => {
      mkdirSync(file("other.csv.partial"), { recursive: true });
      for (const name of ["vectors", "notes.txt"]) file(`other.csv.partial/${name}`, "mine");
      await expect(write(file("other.csv"), 3, resume)).rejects.toThrow(
        /other\.csv\.partial holds notes\.txt, which/,
      );
      expect(readdirSync(file("other.csv.partial"))).toEqual(["notes.txt", "vectors"]);
    },
  );

  it("is replaced where a run has left it, or where it is empty", async () => {
    await write(file("left.csv"), 2);
    for (const name of ["tmp_keys.parquet", "whole.csv", "manifest.json.123"])
      file(`left.csv.partial/${name}`, "");
    mkdirSync(file("empty.csv.partial"));
    for (const name of ["left.csv", "empty.csv"]) {
      await write(file(name), 3);
      expect([existsSync(file(name)), existsSync(file(`${name}.partial`))], name).toEqual([true, false]);
    }
  });
});

describe.skipIf(process.platform === "win32")("a run that no other can resume", () => {
  it("leaves no vectors of a device, which has no folder beside it", async () => {
    expect((await write("/dev/null", 2)).isResumable).toBe(false);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it("leaves none where its output is a temporary file", async () => {
    expect((await write(file("never.csv"), 2, "never")).isResumable).toBe(false);
    expect(existsSync(file("never.csv.partial"))).toBe(false);
    expect((await write(file("kept.csv"), 2)).isResumable).toBe(true);
    expect(existsSync(file("kept.csv.partial"))).toBe(true);
  });

  it.skipIf(!existsSync("/dev/full"))(
    "does not promise on a full device that --resume continues",
    async () => {
      await expect(write("/dev/full", 3)).rejects.toThrow(
        /^\/dev\/full: no space left on the disk\. Free some, then try again\.$/,
      );
      expect(readdirSync(temporary)).toEqual([]);
    },
  );
});
