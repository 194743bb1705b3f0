/** Tables of every format are read with every row and every byte of a cell kept. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { Table } from "../../src/table/table.js";
import { readColumns, readWholeTable } from "../../src/table/whole-table.js";
import { writeRows } from "../../src/table/write/text-rows.js";
import { query, randomNumbers, readTable, testFolder } from "./folder.js";

const { file } = testFolder();
const python = "/usr/bin/python3";

describe("CSV", () => {
  it("finds delimiter, header and phrase column, and reports them in one line", async () => {
    const { phrases, description } = await readTable(
      file("a.csv", "id,name,city\n1,Acme,Rome\n2,Zeta,Bonn\n"),
    );
    expect(phrases).toEqual(["Acme", "Zeta"]);
    expect(description).toMatchObject({ delimiter: ",", header: true, column: "name", rowCount: 2 });
    expect(description.summary).toMatch(
      /a\.csv: comma-separated, header in the first line, 2 rows; phrases from "name" of id, name, city$/,
    );
  });
  it("may begin with the letters that mark a file of Parquet or bzip2", async () => {
    for (const code of ["PAR1250", "BZhang"])
      expect((await readTable(file("codes.csv", `${code}\nother\n`))).phrases).toEqual([code, "other"]);
  });
  it("keeps a row for every empty cell and, in one column, for every blank line", async () => {
    expect((await readTable(file("b.csv", 'name\nx\n\n""\ny\n\n'))).phrases).toEqual(["x", "", "", "y", ""]);
    expect((await readTable(file("b.csv", 'id,name\n1,\n2,""\n,\n'))).phrases).toEqual(["", "", ""]);
  });
  it("skips blank lines between rows of several columns, and says how many", async () => {
    const { phrases, description } = await readTable(file("c.csv", "id,name\n\n1,a\n\n\n2,b\n\n"));
    expect(phrases).toEqual(["a", "b"]);
    expect(description.summary).toContain("4 blank lines skipped");
  });
  it("reads quoted delimiters, quotes, line ends, and spaces around quoted cells", async () => {
    const content = 'id, name\n1, "Smith, John"\n2,"say ""hi"""\n3,"two\nlines" \n4,"two\r\nlines"\n';
    expect((await readTable(file("d.csv", content))).phrases).toEqual([
      "Smith, John",
      'say "hi"',
      "two\nlines",
      "two\r\nlines",
    ]);
  });
  it("keeps quotes inside an unquoted cell, and spaces", async () => {
    const content = 'id,name\n1,5" pipe\n2,a "b" c\n3,  padded \n4,\t"x"\n';
    expect((await readTable(file("e.csv", content))).phrases).toEqual([
      '5" pipe',
      'a "b" c',
      "  padded ",
      '\t"x"',
    ]);
  });
  it.each([
    ["CRLF", "id,name\r\n1,a\r\n2,b\r\n"],
    ["no last line end", "id,name\n1,a\n2,b"],
    ["old Mac CR", "id,name\r1,a\r2,b\r"],
    ["mixed", "id,name\r\n1,a\n2,b\r\n"],
    ["a byte order mark", "\ufeffid,name\n1,a\n2,b\n"],
    ["a byte order mark before a quoted header", '\ufeff"id","name"\n1,a\n2,b\n'],
  ])("reads line ends and starts of all kinds: %s", async (_, content) => {
    const { phrases, description } = await readTable(file("f.csv", content));
    expect(phrases).toEqual(["a", "b"]);
    expect(description.columns).toEqual(["id", "name"]);
  });
  it("keeps a CR inside a cell where lines end in LF", async () => {
    expect((await readTable(file("g.csv", "id,name\n1,a\rb\n"))).phrases).toEqual(["a\rb"]);
  });
  it("keeps emoji, combining marks, right-to-left text and control characters byte for byte", async () => {
    const phrases = [
      "👩‍👩‍👧 family",
      "e\u0301 not \u00e9",
      "שלום \u202eabc\u202c",
      "مرحبا",
      "a\u0001b\u007f",
      "\u00a0 x\u3000",
      "#x",
      "NULL",
      "\\N",
    ];
    expect(
      (await readTable(file("h.csv", `id,name\n${phrases.map((p, i) => `${i},${p}\n`).join("")}`))).phrases,
    ).toEqual(phrases);
  });
  it("accepts a header without rows: a table of no rows", async () => {
    const { phrases, description } = await readTable(file("i.csv", "id,name\n"));
    expect(phrases).toEqual([]);
    expect(description.rowCount).toBe(0);
  });
  it("distinguishes columns that differ only in case", async () => {
    const { columns } = await readTable(file("j.csv", "id,Name,name\n1,A,b\n"));
    expect(columns).toEqual({ id: ["1"], Name: ["A"], name: ["b"] });
  });
  it("reads a cell of 1 MB", async () => {
    const long = "x".repeat(1 << 20);
    expect((await readTable(file("k.csv", `id,name\n1,${long}\n2,b\n`))).phrases).toEqual([long, "b"]);
  });
  it("reads quotes as ordinary characters where asked to", async () => {
    const content = 'id\tname\n1\t"half quoted\n2\t"a" b\n';
    expect((await readTable(file("l.tsv", content), { quote: "none" })).phrases).toEqual([
      '"half quoted',
      '"a" b',
    ]);
  });
  it("reads gzip with several members", async () => {
    const packed = Buffer.concat([gzipSync("id,name\n1,a\n"), gzipSync("2,b\n")]);
    expect((await readTable(file("m.csv.gz", packed))).phrases).toEqual(["a", "b"]);
  });
  it("reads standard input", async () => {
    const script = `import { Table } from "./dist/table/table.js";
      const table = await Table.open("-", { column: "name" });
      for await (const chunk of table.phrases()) console.log(JSON.stringify(chunk));
      await table.close();`;
    const output = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
      input: "id,name\n1,a\n2,b\n",
    });
    expect(output.toString().trim()).toBe('["a","b"]');
  });

  it.skipIf(!existsSync(python))(
    "agrees with Python's csv module on 25 random tables (skipped without Python)",
    async () => {
      const random = randomNumbers(7);
      const alphabet = ["a", "B", " ", '"', ",", ";", "\n", "\r\n", "é", "字", "👍", "'", "\t", "1", "."];
      const oneOf = () => alphabet[Math.floor(random() * alphabet.length)];
      const cell = () => Array.from({ length: Math.floor(random() * 7) }, oneOf).join("");
      const tables = Array.from({ length: 25 }, (_, round) => {
        const width = 2 + Math.floor(random() * 3);
        const rows = Array.from({ length: 1 + Math.floor(random() * 30) }, () =>
          Array.from({ length: width }, cell),
        );
        return { path: file(`python${round}.csv`), rows, quoting: round % 2, end: round % 3 ? "\n" : "\r\n" };
      });
      const write = `import csv, json, sys
for given in json.load(sys.stdin):
    with open(given["path"], "w", newline="", encoding="utf-8") as out:
        csv.writer(out, quoting=given["quoting"], lineterminator=given["end"]).writerows(given["rows"])`;
      execFileSync(python, ["-c", write], { input: JSON.stringify(tables) });
      for (const { path, rows } of tables) {
        const { columns } = await readTable(path, { delimiter: ",", header: "absent" });
        expect(rows.map((_, row) => Object.values(columns).map((values) => values[row]))).toEqual(rows);
      }
    },
  );
});

describe("plain text", () => {
  it("has columns where a delimiter is given", async () => {
    const { columns } = await readTable(file("t.txt", "name\tcity\nAnn\tRome\n"), { delimiter: "tab" });
    expect(columns).toEqual({ name: ["Ann"], city: ["Rome"] });
  });
  it("takes each line as one phrase, including quotes, commas and blanks", async () => {
    const content = 'New York\r\n\r\n"quoted"\n a, b \n\n';
    const { phrases, description } = await readTable(file("a.txt", content));
    expect(phrases).toEqual(["New York", "", '"quoted"', " a, b ", ""]);
    expect(description.summary).toContain("one phrase a line, 5 rows");
  });
});

describe("JSON lines", () => {
  it("keeps the types that DuckDB has, and keeps other values as JSON", async () => {
    const lines = [
      '{"id": 1, "name": "a", "score": 0.5, "ok": true, "tags": ["x"], "big": 12345678901234567890}',
      "",
      '{"name": "b\\u0000\\n\\"", "id": 2, "late": "z", "score": 2}',
      '{"name": null}  ',
    ];
    const table = await Table.open(file("a.jsonl", lines.join("\r\n")));
    const types = Object.fromEntries(table.columns.map(({ name, type }) => [name, type]));
    expect(types).toEqual({
      id: "BIGINT",
      name: "VARCHAR",
      score: "DOUBLE",
      ok: "BOOLEAN",
      tags: "JSON",
      big: "JSON",
      late: "VARCHAR",
    });
    await table.close();
    const { phrases, columns } = await readTable(file("a.jsonl"));
    expect(phrases).toEqual(["a", 'b\0\n"', ""]);
    expect(columns.big).toEqual(["12345678901234567890", "", ""]);
    expect(columns.tags).toEqual(['["x"]', "", ""]);
  });
  it("keeps whole numbers of 64 bits as such to the last one, and larger ones as JSON", async () => {
    const last =
      '{"a": 9223372036854775807, "b": -9223372036854775808, "c": 9223372036854775808, "d": -9223372036854775809}';
    const table = await Table.open(file("long.jsonl", `${last}\n{"a":1,"b":1,"c":1,"d":1}\n`), {
      column: "a",
    });
    expect(table.columns.map(({ type }) => type)).toEqual(["BIGINT", "BIGINT", "JSON", "JSON"]);
    await table.close();
  });
  it("takes backslashes before ud800 for text, and whole pairs for a character", async () => {
    const line = String.raw`{"phrase": "C:\\udacity\\notes \ud83d\ude00", "\\ud800": {"a": "\\\\ude00"}}`;
    expect((await readTable(file("c.jsonl", line), { column: "phrase" })).phrases).toEqual([
      "C:\\udacity\\notes 😀",
    ]);
  });
  it("reads keys that repeat within values, and a string of 15 MB whole", async () => {
    const long = '"\\'.repeat(100_000) + "x".repeat(15_000_000);
    const lines = [
      '{"phrase": "a\\": b", "x": {"phrase": 1, "y": [{"phrase": 2}, {"phrase": 3}]}}',
      JSON.stringify({ phrase: long }),
    ];
    const { phrases, typed } = await readWholeTable(file("d.jsonl", lines.join("\n")), { column: "phrase" });
    expect(phrases[0]).toBe('a": b');
    expect(phrases[1] === long && typed.cells(1)[0] === long).toBe(true);
    expect(typed.cells(0)[1]).toEqual({ json: '{"phrase": 1, "y": [{"phrase": 2}, {"phrase": 3}]}' });
  });
  it("finds keys with slashes, tildes, quotes, dots and nothing in them", async () => {
    const keys = ["a/b", "a~1b", "it's", 'q"q', "a.b", "", "$"];
    const line = JSON.stringify(Object.fromEntries(keys.map((key, index) => [key, `value ${index}`])));
    const { columns } = await readTable(file("b.jsonl", line), { column: "a/b" });
    expect(columns).toEqual(Object.fromEntries(keys.map((key, index) => [key, [`value ${index}`]])));
  });
});

describe("Parquet", () => {
  it("reads every column, even under a name that looks like a pattern", async () => {
    const path = file("we[i]rd*.parquet");
    await query(`COPY (SELECT i AS id, 'name ' || i AS name, DATE '2020-01-01' + i::INT AS day FROM range(5000) r(i))
      TO '${path}' (FORMAT parquet)`);
    const { phrases, columns, description } = await readTable(path);
    expect(description).toMatchObject({ format: "parquet", column: "name", rowCount: 5000 });
    expect(phrases).toEqual(Array.from({ length: 5000 }, (_, row) => `name ${row}`));
    expect(columns.day[1]).toBe("2020-01-02");
  });
  it("keeps names that differ only in case, also behind columns with parts", async () => {
    const path = file("case.parquet");
    const columns = [{ name: "parts", type: "STRUCT(a INTEGER, b INTEGER[])" }, "Name", "name", "NAME"];
    await writeRows(path, columns, [[[{ json: '{"a":1,"b":[2]}' }, "x", "y", "z"]]]);
    const { columns: read, description } = await readTable(path, { column: "name" });
    expect(read).toEqual({ parts: ['{"a":1,"b":[2]}'], Name: ["x"], name: ["y"], NAME: ["z"] });
    expect(description.column).toBe("name");
  });
  it("takes no list of texts for the column of phrases", async () => {
    const path = file("lists.parquet");
    await query(`COPY (SELECT ['a'] AS name, 'b' AS other) TO '${path}'`);
    expect((await readTable(path)).phrases).toEqual(["b"]);
  });
});

describe("streaming", () => {
  it("gives 100,000 rows in order, in chunks and ranges of any size", async () => {
    const rows = Array.from({ length: 100_000 }, (_, row) => `${row},name ${row}\n`).join("");
    const table = await Table.open(file("big.csv", `id,name\n${rows}`));
    const sizes: number[] = [];
    let next = 0;
    for await (const chunk of table.phrases({ chunkRows: 1000 })) {
      sizes.push(chunk.length);
      for (const phrase of chunk)
        if (phrase !== `name ${next++}`) throw new Error(`row ${next - 1} holds ${phrase}`);
    }
    expect(next).toBe(100_000);
    expect(new Set(sizes)).toEqual(new Set([1000]));
    const part: string[] = [];
    for await (const chunk of table.phrases({ from: 33_333, to: 66_667 })) part.push(...chunk);
    expect([part.length, part[0], part.at(-1)]).toEqual([33_334, "name 33333", "name 66666"]);
    await table.close();
  });
  it("reads two streams of one table side by side", async () => {
    const table = await Table.open(file("side.csv", `id,name\n${"1,a\n".repeat(20_000)}`));
    const left = table.phrases();
    const right = table.columnValues("id");
    expect((await left.next()).value?.[0]).toBe("a");
    expect((await right.next()).value?.[0]).toBe("1");
    expect((await left.next()).value?.length).toBe(8192);
    await left.return(undefined);
    await right.return(undefined);
    await table.close();
  });
  it("reads a table whole that has columns of any name, and no others", async () => {
    const { columns } = await readWholeTable(file("names.csv", "__proto__,toString\n1,a\n2,b\n"));
    expect(Object.entries(columns)).toEqual([
      ["__proto__", ["1", "2"]],
      ["toString", ["a", "b"]],
    ]);
    expect(columns.constructor).toBeUndefined();
  });
  it("reads columns of a small table whole", async () => {
    const path = file("small.csv", "id,name,city\n1,a,x\n2,b,y\n");
    expect(await readColumns(path, ["city", "id"])).toEqual([
      ["x", "y"],
      ["1", "2"],
    ]);
  });
});

const benchmark = new URL("../../../shared/data/bench/autofj/Song/left.csv", import.meta.url);
it.skipIf(!existsSync(benchmark))(
  "reads a real benchmark table (skipped where ../shared/data is absent)",
  async () => {
    const { phrases, description } = await readTable(benchmark.pathname);
    expect(description.columns).toEqual(["id", "title"]);
    expect(phrases[0]).toBe("America the Beautiful");
    expect(readFileSync(benchmark, "utf8")).toContain(phrases.at(-1) as string);
  },
);
