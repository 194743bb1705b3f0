/** Every kind of broken table gives a one-line error that names the file, the line and the cure. */
import { readdirSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { TableOptions } from "../../src/table/table.js";
import { refusalOf, testFolder } from "./folder.js";

const { file } = testFolder();

const csv = (content: string | Uint8Array, options: TableOptions = {}) =>
  refusalOf(file("phrases.csv", content), options);

describe("a path without a table", () => {
  it("says that there is no such file", async () => {
    expect(await refusalOf(file("nowhere.csv"))).toMatch(/^nowhere\.csv: no such file\. Check the name/);
  });
  it("names a directory", async () => {
    await mkdir(file("dir.csv"), { recursive: true });
    expect(await refusalOf(file("dir.csv"))).toBe("dir.csv is a directory. Give one file inside it.");
  });
  it("says that a file is empty, with or without a byte order mark", async () => {
    expect(await csv("")).toMatch(/^phrases\.csv is empty\./);
    expect(await csv("\ufeff")).toMatch(/^phrases\.csv is empty\./);
    expect(await refusalOf(file("phrases.csv.gz", gzipSync("")))).toMatch(/is empty/);
  });
});

describe("a malformed row is reported with its line", () => {
  it("names a row with too many cells", async () => {
    const rows = Array.from({ length: 15 }, (_, row) => `${row},a,b\n`).join("");
    expect(await csv(`id,name,city\n${rows}17,a,b,c\n`)).toBe(
      "phrases.csv, line 17: 4 columns, expected 3. Quote fields that contain commas.",
    );
  });
  it("names a row with too few cells", async () => {
    expect(await csv("id;name\n1;a\n2\n", { delimiter: ";" })).toBe(
      "phrases.csv, line 3: 1 column, expected 2. Add the missing semicolons.",
    );
    expect(await csv("1;a\n2;b\n2\n", { delimiter: ";", header: "absent" })).toBe(
      "phrases.csv, line 3: 1 column, expected 2. Add the missing semicolons, " +
        "or use --input-format text if each line is one phrase.",
    );
  });
  it("counts the lines inside quoted cells, blank lines and CRLF", async () => {
    expect(await csv('id,name\r\n1,"a\nb\nc"\r\n\r\n2,x,y\r\n')).toMatch(
      /^phrases\.csv, line 6: 3 columns, expected 2/,
    );
  });
  it("finds it a million bytes into the file", async () => {
    const row = `1,${"x".repeat(98)}\n`;
    const content = `id,name\n${row.repeat(30_000)}1,2,3\n${row.repeat(10_000)}`;
    expect(await csv(content)).toMatch(/^phrases\.csv, line 30002: 3 columns, expected 2/);
  });
  it("names the line where an unclosed quote opens, not the end of the file", async () => {
    expect(await csv('id,name\n1,a\n2,"b\n3,c\n')).toMatch(
      /line 3: a quote opens here and is never closed\. Close/,
    );
  });
  it("names the line with text after a closing quote", async () => {
    expect(await csv('id,name\n1,"x\ny" z\n')).toMatch(
      /line 3: text after a closing quote\. .*write each quote twice/,
    );
  });
  it("refuses two columns of one name", async () => {
    const both = 'phrases.csv, line 1: columns 2 and 3 are both called "name". Rename one';
    // Without options of a table, as where labels are read, no option is named.
    expect(await csv("id,name,name\n1,a,b\n")).toBe(`${both}.`);
    expect(await csv("id,name,name\n1,a,b\n", { header: "auto" })).toBe(
      `${both}, or use --no-header if the first line is data.`,
    );
  });
});

describe("bytes that are not text", () => {
  it("names the line that is not UTF-8, where the lines before are, and what to do", async () => {
    const rows = [Buffer.from("id,name\n1,Orléans\n"), Buffer.from("2,Orléans\n", "latin1")];
    const message = await csv(Buffer.concat(rows));
    expect(message).toMatch(
      /^phrases\.csv, line 3: bytes that are not UTF-8\. Correct the line, or convert the file to UTF-8\./,
    );
  });
  it("refuses UTF-32", async () => {
    expect(await csv(Buffer.from("\xff\xfe\0\0i\0\0\0", "latin1"))).toMatch(
      / is UTF-32 text\. Convert it: iconv/,
    );
  });
  it("names the line of a NUL byte", async () => {
    expect(await csv("id,name\n1,a\n2,b\0c\n")).toMatch(/^phrases\.csv, line 3: a NUL byte/);
  });
  it.each([
    [
      "a zip file",
      [0x50, 0x4b, 3, 4, 20],
      /not a workbook that pearl can read .*Save the sheet as .xlsx or CSV/,
    ],
    ["a picture", [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10], /is a binary file/],
    ["a Parquet file", [0x50, 0x41, 0x52, 0x31, 21], /is a Parquet file, whatever its name says/],
    ["control characters", [1, 2, 3, 4, 5, 6, 7, 8], /is a binary file/],
    ["a zstd file", [0x28, 0xb5, 0x2f, 0xfd], /compression that pearl does not read/],
  ])("knows %s under the name of a CSV file", async (_, start, expected) => {
    expect(await csv(Uint8Array.from([...start, ...Array(64).fill(7)]))).toMatch(expected);
  });
  it("says that gzip data is cut off", async () => {
    const packed = gzipSync(`id,name\n${"1,some name\n".repeat(50_000)}`).subarray(0, -200);
    expect(await refusalOf(file("phrases.csv.gz", packed))).toMatch(/gzip data is damaged or cut off/);
  });
});

describe("JSON lines", () => {
  const jsonl = (content: string) => refusalOf(file("phrases.jsonl", content));
  it("names the line that is not JSON", async () => {
    expect(await jsonl('{"name":"a"}\n{"name":\n')).toMatch(
      /^phrases\.jsonl, line 2: not valid JSON .*Each line must hold/,
    );
  });
  it("says how to turn an array into lines", async () => {
    expect(await jsonl('[{"name":"a"}]')).toMatch(/line 1: not a JSON object\. .*jq -c/);
    expect(await jsonl('[\n{"name":"a"}\n]')).toMatch(/line 1: not valid JSON .*jq -c/);
  });
  it("refuses a lone surrogate, which UTF-8 cannot hold", async () => {
    expect(await jsonl('{"name":"ok \\ud83d\\ude00"}\n{"name":"\\ud83d"}\n')).toMatch(
      /line 2: a lone surrogate/,
    );
  });
  it.each([
    ['{"a":"x","a":"y"}', "a"],
    ['{"a" : 1, "b":{"a":2},"a":3}', "a"],
    ['{"q\\"":1,"\\u0071\\"":2}', 'q\\"'],
  ])("refuses a key that a line has twice: %s", async (line, key) => {
    expect(await jsonl(`{"a":1}\n${line}\n`)).toBe(
      `phrases.jsonl, line 2: the key "${key}" occurs twice. Remove one, or rename it.`,
    );
  });
  it("refuses keys that are data", async () => {
    const lines = Array.from({ length: 1200 }, (_, row) => `{"key${row}":"x"}`).join("\n");
    expect(await jsonl(lines)).toMatch(/more than 1000 different keys/);
  });
  it("refuses a file of blank lines", async () => {
    expect(await jsonl("\n\n")).toMatch(/contains no JSON line/);
  });
});

describe("Parquet", () => {
  it("says that a file is damaged, cut off or not Parquet", async () => {
    expect(await refusalOf(file("a.parquet", "PAR1 rubbish PAR1"))).toMatch(
      /^a\.parquet is not a readable Parquet file/,
    );
    expect(await refusalOf(file("b.parquet", "id,name\n1,a\n"))).toBe(
      "b.parquet is not a Parquet file but text. Name its format: --input-format csv, tsv, jsonl or text.",
    );
    for (const name of ["c.parquet.gz", "c.gz"])
      expect(await refusalOf(file(name, gzipSync("PAR1\0\x01\0\x01PAR1")))).toMatch(
        / Unpack it: gunzip < \S+ > unpacked\.parquet$/,
      );
  });
});

describe("the phrase column", () => {
  it("suggests the nearest name", async () => {
    expect(await csv("id,titel,city\n1,a,b\n", { column: "title" })).toBe(
      'phrases.csv: no column "title". The columns are id, titel, city. Did you mean "titel"?',
    );
  });
  it("lists the names where none is near, and the number of columns", async () => {
    expect(await csv("id,name\n1,a\n", { column: "description" })).toMatch(
      /are id, name\. Choose one of these\.$/,
    );
    expect(await csv("id,name\n1,a\n", { column: "5" })).toMatch(/there is no column 5, only 2/);
  });
  it("refuses a delimiter of several characters", async () => {
    for (const delimiter of ["||", "constructor"])
      expect(await csv("id,name\n1,a\n", { delimiter })).toMatch(/cannot be a delimiter/);
  });
});

it("leaves no temporary folder behind after a failure", async () => {
  const work = file("work");
  await mkdir(work);
  await refusalOf(file("phrases.csv", 'id,name\n1,"a\n'), { workFolder: work });
  expect(readdirSync(work)).toEqual([]);
});
