/** The folder of an unfinished output: kept for a run that resumes, and only there. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
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

/** Opens an output of one row; `finish` gives it its vector. */
async function begin(output: string, resume?: EmbeddingWriterOptions["resume"]) {
  const table = await Table.open(file("one.csv", "name\na\n"));
  const options = { dimension: 1, fingerprint: "x", format: "csv", resume } as const;
  const writer = await EmbeddingWriter.create(table, output, options).catch(async (error: unknown) => {
    await table.close();
    throw error;
  });
  const finish = async (vector: number) => {
    await writer.append(Float32Array.of(vector));
    await writer.finish();
  };
  const close = async () => {
    await writer.close();
    await table.close();
  };
  return { finish, close };
}

/** A folder with a lock as a killed run on another machine leaves it. */
function leaveLock(folder: string): void {
  mkdirSync(folder, { recursive: true });
  file("lock", JSON.stringify({ pid: 1, host: "another", started: null, token: "t" }));
  renameSync(file("lock"), `${folder}/lock`);
}

describe("the lock of an unfinished output", () => {
  it("does not outlive a run that could not begin", async () => {
    await write(file("odd.csv"), 2);
    renameSync(file("odd.csv.partial/vectors"), file("vectors"));
    mkdirSync(file("odd.csv.partial/vectors"));
    for (const _ of [1, 2])
      await expect(write(file("odd.csv"), 3, "continue")).rejects.toThrow(
        /odd\.csv\.partial: it is a folder/,
      );
    await write(file("odd.csv"), 3);
    expect(existsSync(file("odd.csv"))).toBe(true);
  });

  it("of another machine is taken over by a run that none resumes, such as a queue's merge", async () => {
    leaveLock(file("far.csv.partial"));
    for (const resume of ["start-over", "continue"] as const)
      await expect(begin(file("far.csv"), resume)).rejects.toThrow(
        /process 1 on another is writing to it\. .*; if it has died, remove \S+far\.csv\.partial.lock\.$/,
      );
    await write(file("far.csv"), 3, "never");
    expect(existsSync(file("far.csv.partial"))).toBe(false);
  });

  it("was taken over from a run that is not dead: that run ends with an error, and harms nothing", async () => {
    const first = await begin(file("two.csv"), "never");
    leaveLock(file("two.csv.partial"));
    const second = await begin(file("two.csv"), "never");
    await expect(first.finish(1)).rejects.toThrow("another run has started on the same output");
    await first.close();
    await second.finish(2);
    const third = await begin(file("two.csv"), "never");
    await second.close();
    await third.finish(3);
    await third.close();
    expect(readFileSync(file("two.csv"), "utf8")).toMatch(/^a,.*3/m);
  });
});
