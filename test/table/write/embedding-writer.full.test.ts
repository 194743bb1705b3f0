/** Vectors are written beside their rows in every format; an output gets its name when it is complete. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Table } from "../../../src/table/table.js";
import { EmbeddingWriter, type EmbeddingWriterOptions } from "../../../src/table/write/embedding-writer.js";
import { query, randomNumbers, readTable, testFolder } from "../folder.js";

const { file } = testFolder();
const python = "/usr/bin/python3";
const hasNumpy = (() => {
  try {
    execFileSync(python, ["-c", "import numpy"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

/** Vectors with numbers that depend on row and place. */
function vectorsOf(rows: number, dimension: number, from = 0): Float32Array {
  return Float32Array.from({ length: rows * dimension }, (_, index) =>
    Math.fround((from + Math.floor(index / dimension)) / 3 + (index % dimension)),
  );
}

async function write(
  input: string,
  output: string,
  options: Partial<EmbeddingWriterOptions> & { dimension: number },
  appendRows = 777,
) {
  const table = await Table.open(input);
  try {
    const writer = await EmbeddingWriter.create(table, output, { fingerprint: "model a", ...options });
    const rowCount = (options.range?.to ?? table.description.rowCount) - (options.range?.from ?? 0);
    for (let row = writer.rowsDone; row < rowCount; ) {
      const rows = Math.min(appendRows, rowCount - row);
      await writer.append(vectorsOf(rows, options.dimension, row));
      row += rows;
    }
    const written = await writer.finish();
    await writer.close();
    return written;
  } finally {
    await table.close();
  }
}

/** The rows of an output table with the vector parsed, whatever its format. */
async function readOutput(path: string): Promise<{ columns: Record<string, string[]>; vectors: number[][] }> {
  const { columns } = await readTable(path, { column: "1", header: "present" });
  const { embedding, ...others } = columns;
  return { columns: others, vectors: embedding.map((list) => JSON.parse(list).map(Math.fround)) };
}

function expectedVectors(rows: number, dimension: number, from = 0): number[][] {
  const flat = vectorsOf(rows, dimension, from);
  return Array.from({ length: rows }, (_, row) => [...flat.subarray(row * dimension, (row + 1) * dimension)]);
}

describe.each(["parquet", "csv", "tsv", "jsonl"] as const)("as %s", (extension) => {
  it("keeps columns, order and row count of random tables, and every bit of a vector", async () => {
    const random = randomNumbers(extension.length);
    const pieces = [
      "a",
      "Z",
      " ",
      '"',
      ",",
      "\t",
      "\n",
      "\r",
      "é",
      "字",
      "👩‍👩‍👧",
      "ש",
      "\\",
      "{",
      "'",
      "#",
      "-",
      "0",
    ];
    const piece = () => pieces[Math.floor(random() * pieces.length)];
    for (const [rows, dimension] of [
      [1, 1],
      [5, 3],
      [2049, 7],
      [1100, 300],
      [0, 4],
    ]) {
      const cells = Array.from({ length: rows }, () =>
        Array.from({ length: 3 }, () => Array.from({ length: Math.floor(random() * 5) }, piece).join("")),
      );
      const quoted = cells.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(","));
      const input = file(
        "random-in.csv",
        `Name,name,"a ""b"", c"\n${quoted.map((row) => `${row}\n`).join("")}`,
      );
      const output = file(`random.${extension}`);
      expect(await write(input, output, { dimension })).toMatchObject({ path: output, rows });
      if (rows === 0 && extension === "jsonl") {
        expect(readFileSync(output, "utf8")).toBe("");
        continue;
      }
      const { columns, vectors } = await readOutput(output);
      const names = ["Name", "name", 'a "b", c'];
      expect(Object.keys(columns)).toEqual(names);
      names.forEach((name, index) => {
        expect(columns[name]).toEqual(cells.map((row) => row[index]));
      });
      expect(vectors).toEqual(expectedVectors(rows, dimension));
      expect(existsSync(`${output}.partial`)).toBe(false);
    }
  });

  it("writes a range of rows, as a shard", async () => {
    const rows = Array.from({ length: 130_000 }, (_, row) => `${row},name ${row}`).join("\n");
    const input = file("shards.csv", `id,name\n${rows}\n`);
    const output = file(`shard.${extension}`);
    const range = { from: 100_001, to: 129_000 };
    expect((await write(input, output, { dimension: 2, range })).rows).toBe(28_999);
    const { columns, vectors } = await readOutput(output);
    expect(columns.id).toEqual(Array.from({ length: 28_999 }, (_, row) => String(row + 100_001)));
    expect(vectors).toEqual(expectedVectors(28_999, 2));
  });
});

describe("as Parquet", () => {
  it("keeps the types of a Parquet input, nested ones too", async () => {
    const input = file("typed.parquet");
    await query(`COPY (SELECT i AS id, 'n' || i AS name, i / 4 AS ratio, DATE '2020-01-01' + i::INT AS day,
      [i, i + 1] AS pair, {'x': i, 'y': 'z'} AS point, (i % 2 = 0) AS even, NULL::VARCHAR AS nothing,
      (i / 100)::DECIMAL(9, 2) AS price, repeat('ab', i::INT)::BLOB AS bytes FROM range(3000) t(i)) TO '${input}'`);
    const output = file("typed-out.parquet");
    await write(input, output, { dimension: 5 });
    const described = `SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM '${input}')`;
    const columns = await query(described);
    expect(await query(described.replace(input, output))).toEqual([...columns, ["embedding", "FLOAT[]"]]);
    const differing = `SELECT count(*) FROM '${input}' a POSITIONAL JOIN (SELECT * EXCLUDE embedding FROM '${output}') b
      WHERE a IS DISTINCT FROM b`;
    expect(await query(differing)).toEqual([["0"]]);
  });
  it("leaves file metadata that agrees with its data", async () => {
    const input = file(
      "meta.csv",
      `id,name\n${Array.from({ length: 40_000 }, (_, i) => `${i},n${i % 7}\n`).join("")}`,
    );
    const output = file("meta.parquet");
    await write(input, output, { dimension: 256 });
    const [[groups, rows, values]] = await query(`SELECT count(DISTINCT row_group_id),
      sum(row_group_num_rows) FILTER (path_in_schema = 'id'), sum(num_values) FILTER (path_in_schema LIKE 'embedding%')
      FROM parquet_metadata('${output}')`);
    expect([Number(groups) > 1, Number(rows), Number(values)]).toEqual([true, 40_000, 40_000 * 256]);
    const [[wrong]] = await query(`SELECT count(*) FROM read_parquet('${output}', file_row_number = true)
      WHERE id::INT <> file_row_number OR embedding[256] <> (file_row_number / 3 + 255)::FLOAT OR len(embedding) <> 256`);
    expect(Number(wrong)).toBe(0);
    // A filter on a key column uses its statistics and dictionary, which must still be found.
    expect(await query(`SELECT count(*) FROM '${output}' WHERE name = 'n3'`)).toEqual([
      [String(Math.ceil((40_000 - 3) / 7))],
    ]);
  });
});

describe("as JSON lines", () => {
  it("keeps every byte of the input's lines", async () => {
    const lines = [
      '{"n": 1.10, "name": "a\\u0000é\\/"}',
      "{ }",
      '  {"x": {"y": [1e2]}, "name": "b"}  ',
      '{"n":12345678901234567890}',
      '{"name":\r"C#"\r}',
    ];
    const output = file("kept.jsonl.out.jsonl");
    await write(file("kept.jsonl", lines.join("\n")), output, { dimension: 2 });
    const written = readFileSync(output, "utf8").trimEnd().split("\n");
    expect(written.map((line) => line.replace(/,?"embedding":\[[^\]]*\]/, ""))).toEqual(
      lines.map((line) => line.trim()),
    );
    expect(JSON.parse(written[3]).embedding.map(Math.fround)).toEqual(expectedVectors(1, 2, 3)[0]);
  });
});

describe("as npy", () => {
  it("writes what NumPy's format asks for, and a table of keys", async () => {
    const input = file("keys.csv", 'id,name\n1,"New, York"\n2,\n3,"a\nb"\n');
    const output = file("matrix.npy");
    const written = await write(input, output, { dimension: 4 });
    expect(written).toEqual({ path: output, keysPath: `${output}.keys.csv`, rows: 3, bytes: 128 + 3 * 16 });
    const bytes = readFileSync(output);
    expect(bytes.subarray(0, 8)).toEqual(Buffer.from("\x93NUMPY\x01\x00", "latin1"));
    const header = bytes.toString("latin1", 10, 10 + bytes.readUInt16LE(8));
    expect(header).toMatch(/^\{'descr': '<f4', 'fortran_order': False, 'shape': \(3, 4\), \} *\n$/);
    expect(Array.from({ length: 12 }, (_, index) => bytes.readFloatLE(128 + index * 4))).toEqual([
      ...vectorsOf(3, 4),
    ]);
    expect(readFileSync(written.keysPath as string, "utf8")).toBe('id,name\n1,"New, York"\n2,\n3,"a\nb"\n');
  });
  it("keeps a row for each empty cell of a one-column table of keys", async () => {
    const output = file("one.npy");
    await write(file("one.txt", "a\n\n\nb\n"), output, { dimension: 1 });
    expect((await readTable(`${output}.keys.csv`)).phrases).toEqual(["a", "", "", "b"]);
  });
  it.skipIf(!hasNumpy)("is read by NumPy (skipped where Python has none)", async () => {
    const output = file("numpy.npy");
    await write(file("numpy.csv", `name\n${"x\n".repeat(3000)}`), output, { dimension: 9 });
    const script = `import numpy; m = numpy.load("${output}"); print(m.shape, m.dtype, float(m[2999, 8]), m.flags.c_contiguous)`;
    const expected = vectorsOf(3000, 9).at(-1);
    expect(execFileSync(python, ["-c", script]).toString()).toBe(`(3000, 9) float32 ${expected} True\n`);
  });
});

describe("an unfinished run", () => {
  const rows = 5000;
  const input = () =>
    file("resume-in.csv", `id,name\n${Array.from({ length: rows }, (_, i) => `${i},n\n`).join("")}`);
  const options = { dimension: 256, fingerprint: "model a" };
  async function interrupted(output: string, done: number) {
    const table = await Table.open(input());
    const writer = await EmbeddingWriter.create(table, output, options);
    await writer.append(vectorsOf(done, 256));
    await writer.close();
    await table.close();
  }

  it.each(["parquet", "npy", "csv"])("resumes from its last whole page: %s", async (extension) => {
    const output = file(`resume.${extension}`);
    await interrupted(output, 3500);
    expect(existsSync(output)).toBe(false);
    const table = await Table.open(input());
    const writer = await EmbeddingWriter.create(table, output, { ...options, resume: "continue" });
    expect(writer.rowsDone).toBe(3072);
    expect(writer.note).toBeUndefined();
    await writer.append(vectorsOf(rows - 3072, 256, 3072));
    await writer.finish();
    await table.close();
    const whole = file(`whole.${extension}`);
    await write(input(), whole, options);
    expect(readFileSync(output).equals(readFileSync(whole))).toBe(true);
  });
  it("keeps the counts of whole chunks, and forgets later ones and a line that was cut off", async () => {
    const output = file("counted.parquet");
    const table = await Table.open(input());
    const writer = await EmbeddingWriter.create(table, output, options);
    expect(await writer.keptCounts(1000)).toEqual([]);
    for (let chunk = 0; chunk < 4; chunk++)
      await writer.append(vectorsOf(1000, 256, chunk * 1000), [chunk, 2 * chunk]);
    await writer.close();
    const keptOf = async (counts?: string) => {
      if (counts !== undefined) writeFileSync(`${output}.partial/counts`, counts);
      const resumed = await EmbeddingWriter.create(table, output, { ...options, resume: "continue" });
      await resumed.close();
      return resumed.keptCounts(1000);
    };
    const [first, second, third] = [0, 1, 2].map((chunk) => [chunk, 2 * chunk]);
    expect(await keptOf()).toEqual([first, second, third]);
    expect(await keptOf("0 0\n1 2\n2 ")).toEqual([first, second]);
    expect(readFileSync(`${output}.partial/counts`, "utf8")).toBe("0 0\n1 2\n");
    await table.close();
  });
  it("starts over by default, and reports it", async () => {
    const output = file("over.parquet");
    await interrupted(output, 3500);
    const table = await Table.open(input());
    const writer = await EmbeddingWriter.create(table, output, options);
    expect([writer.rowsDone, writer.note]).toEqual([
      0,
      expect.stringContaining("which an unfinished run had left"),
    ]);
    await writer.close();
    expect(existsSync(`${output}.partial`)).toBe(false);
    await table.close();
  });
  it("loses no row where its file was cut anywhere, or where it ended while finishing", async () => {
    const whole = file("uncut.parquet");
    await write(input(), whole, options);
    const output = file("cut.parquet");
    for (const size of [0, 3, 4, 5000, 1_100_000, 2_200_001, "rubbish"] as const) {
      await interrupted(output, 4096);
      const vectors = `${output}.partial/vectors`;
      if (size === "rubbish") writeFileSync(vectors, Buffer.alloc(9_000_000, 1), { flag: "a" });
      else truncateSync(vectors, size);
      await write(input(), output, { ...options, resume: "continue" });
      expect(readFileSync(output).equals(readFileSync(whole))).toBe(true);
    }
  });
  it.each([
    ["another model", { fingerprint: "model b" }, /it used another column, another model or other options/],
    ["another dimension", { dimension: 128 }, /it used another column, another model or other options/],
    ["another range", { range: { from: 1 } }, /it was for rows 0 to 5000, not 1 to 5000/],
  ])("is not resumed for %s", async (_, change, expected) => {
    const output = file("other.parquet");
    await interrupted(output, 1024);
    const table = await Table.open(input());
    await expect(
      EmbeddingWriter.create(table, output, { ...options, ...change, resume: "continue" }),
    ).rejects.toThrow(expected);
    await table.close();
  });
  it("is not resumed for a changed input", async () => {
    const output = file("changed.parquet");
    await interrupted(output, 1024);
    const table = await Table.open(
      file("resume-in.csv", readFileSync(input(), "utf8").replace("7,n", "7,m")),
    );
    await expect(EmbeddingWriter.create(table, output, { ...options, resume: "continue" })).rejects.toThrow(
      /the input table has changed since\. Start over without --resume, or choose another output name/,
    );
    await table.close();
  });
  it("refuses a second run on the same output until the first has ended", async () => {
    const output = file("twice.parquet");
    const table = await Table.open(file("two.csv", "name\na\n"));
    const begin = () => EmbeddingWriter.create(table, output, { dimension: 1, fingerprint: "x" });
    const first = await begin();
    await expect(begin()).rejects.toThrow(/twice\.parquet\.partial is locked: process \d+ is writing to it/);
    await first.append(new Float32Array(1));
    await first.close();
    const second = await begin();
    await second.append(new Float32Array([5]));
    await second.finish();
    expect((await readOutput(output)).vectors).toEqual([[5]]);
    await table.close();
  });
});

describe("an output that cannot be written is refused before any work", () => {
  async function refusal(output: string, options: Partial<EmbeddingWriterOptions> = {}) {
    const table = await Table.open(file("in.csv", "id,Embedding,name\n1,x,a\n"));
    const before = readdirSync(file("."));
    try {
      await EmbeddingWriter.create(table, output, {
        dimension: 2,
        fingerprint: "x",
        column: "vector",
        ...options,
      });
    } catch (error) {
      expect(readdirSync(file("."))).toEqual(before);
      return (error as Error).message;
    } finally {
      await table.close();
    }
    throw new Error("nothing was refused");
  }
  it("names a file in the place of its folder", async () => {
    expect(await refusal(file("in.csv/out.csv"))).toMatch(/in\.csv is a file, not a folder/);
  });
  it("names a directory at the output's path", async () => {
    mkdirSync(file("taken.csv"));
    expect(await refusal(file("taken.csv"))).toMatch(/taken\.csv is a directory\. Name a file, such as/);
  });
  it("names the known extensions", async () => {
    expect(await refusal(file("out.xlsx"))).toMatch(
      /for "\.xlsx"\. End the name in \.parquet, \.csv, \.tsv, \.jsonl or \.npy/,
    );
  });
  it("names the column that already exists, in any case", async () => {
    expect(await refusal(file("out.csv"), { column: "embedding" })).toMatch(
      /already has a column "Embedding"\. Name the column of vectors differently \(--embedding-column\)/,
    );
  });
  it("does not overwrite its input", async () => {
    expect(await refusal(file("in.csv"))).toMatch(/is an input/);
    const keys = await Table.open(file("keyed.npy.keys.csv", "name\na\n"));
    const options = { dimension: 1, fingerprint: "x" };
    await expect(EmbeddingWriter.create(keys, file("keyed.npy"), options)).rejects.toThrow(
      /keyed\.npy\.keys\.csv is an input/,
    );
    await keys.close();
  });
});

it("replaces an older output only when the new one is complete", async () => {
  const output = file("older.csv", "older");
  const table = await Table.open(file("older-in.csv", "name\na\nb\n"));
  const writer = await EmbeddingWriter.create(table, output, { dimension: 1, fingerprint: "x" });
  await writer.append(new Float32Array([1]));
  await expect(writer.finish()).rejects.toThrow("found 1 of 2 vectors. Append the rest first.");
  await expect(writer.append(new Float32Array(2))).rejects.toThrow(/found 2 rows, expected at most 1 more/);
  expect(readFileSync(output, "utf8")).toBe("older");
  await writer.append(new Float32Array([2]));
  await writer.finish();
  expect(readFileSync(output, "utf8")).toBe("name,embedding\na,[1.0]\nb,[2.0]\n");
  await table.close();
});
