/** Tables in other encodings than UTF-8 are read, and outputs look as their input does. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { Table, type TableOptions } from "../../src/table/table.js";
import { EmbeddingWriter } from "../../src/table/write/embedding-writer.js";
import { copyTable } from "../../src/table/write/output.js";
import { newFolder } from "../setup/new-folder.js";

let folder: string;
beforeEach(() => {
  folder = newFolder();
});

const file = (name: string, content: Buffer | string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

/** The cells of all columns, and how the table was read. */
async function read(name: string, content: Buffer, options: TableOptions = {}) {
  const table = await Table.open(file(name, content), { column: "1", header: "auto", ...options });
  const { columns, summary } = table.description;
  const cells: string[] = [];
  for (const column of columns) for await (const part of table.columnValues(column)) cells.push(...part);
  await table.close();
  return { cells, summary };
}

const refusal = (content: Buffer, options?: TableOptions): Promise<string> =>
  read("x.csv", content, options).then(String, (error: Error) => error.message);

const text = "name;city\r\nMüller & Söhne – “Nord”;Köln\r\nCafé d’Été;Genève\r\n";
const cells = ["Müller & Söhne – “Nord”", "Café d’Été", "Köln", "Genève"];
/** Of characters that Latin-1 has, and of those that Windows-1252 has at 0x80 to 0x9f. */
const windows = (content: string): Buffer =>
  Buffer.from(
    content.replace(/[–“”’€]/g, (sign) => "\x96\x93\x94\x92\x80"["–“”’€".indexOf(sign)]),
    "latin1",
  );
const longRow = `${"Smith ".repeat(100)}\n`;
const russian = Buffer.from("name;city\n\xc8\xe2\xe0\xed\xee\xe2;\xcc\xee\xf1\xea\xe2\xe0\n", "latin1");
const japanese = Buffer.from("name,city\n\x93\x8c\x8b\x9e\x83^\x83\x8f\x81[,\x93\x8c\x8b\x9e\n", "latin1");

describe("a table in another encoding", () => {
  it.each([
    ["Windows-1252", "x.csv", windows(text), "taken for windows-1252 (--encoding NAME if it is another)"],
    ["Windows-1252, packed", "x.csv.gz", gzipSync(windows(text)), "taken for windows-1252"],
    [
      "Windows-1252 behind the mark of UTF-8",
      "x.csv",
      Buffer.concat([Buffer.from("\ufeff"), windows(text)]),
      "taken for",
    ],
    ["UTF-16", "x.csv", Buffer.from(`\ufeff${text}`, "utf16le"), "read as utf-16le"],
    ["UTF-16, packed", "x.csv.gz", gzipSync(Buffer.from(`\ufeff${text}`, "utf16le")), "read as utf-16le"],
    ["UTF-16, big end first", "x.csv", Buffer.from(`\ufeff${text}`, "utf16le").swap16(), "read as utf-16be"],
    ["UTF-16 without a mark", "x.csv", Buffer.from(text, "utf16le").swap16(), "read as utf-16be"],
  ])("is read: %s", async (_, name, content, said) => {
    const found = await read(name, content);
    expect(found.cells).toEqual(cells);
    expect(found.summary).toContain(`2 rows, ${said}`);
  });

  it("is read as lines of text and as JSON lines too", async () => {
    expect((await read("x.txt", windows("Müller\nEté\n"))).cells).toEqual(["Müller", "Eté"]);
    const json = Buffer.from('\ufeff{"name":"東京"}\n', "utf16le");
    expect((await read("x.jsonl", json)).cells).toEqual(["東京"]);
  });

  it("is read where its first such byte comes after megabytes of ASCII, and where reads share a character", async () => {
    const late = windows(`name\n${longRow.repeat(2000)}Müller\n`);
    expect((await read("x.csv", late)).cells.at(-1)).toBe("Müller");
    const long = `name\n${"東京".repeat(700_000)}\nx\n`;
    expect((await read("x.csv", Buffer.from(`\ufeff${long}`, "utf16le"))).cells[0]).toHaveLength(1_400_000);
  });

  it("is read as --encoding says", async () => {
    expect((await read("x.csv", russian, { encoding: "cp1251" })).cells).toEqual(["Иванов", "Москва"]);
    expect((await read("x.csv", japanese, { encoding: "sjis" })).cells).toEqual(["東京タワー", "東京"]);
  });
});

describe("bytes of which the encoding is not certain", () => {
  it.each([
    ["Cyrillic", russian],
    ["Japanese", japanese],
    ["Polish", Buffer.from("name;city\n\xa3ukasz Ko\xb3;\xa3\xf3d\x9f\nMa\xb3gorzata;Gda\xf1sk\n", "latin1")],
    ["DOS", Buffer.from("name;city\nM\x81ller;K\x94ln\n", "latin1")],
    ["the old Mac", Buffer.from("name;city\nM\x9fller;K\x9aln\nG\x8artner;D\x9fren\n", "latin1")],
  ])("are refused: %s", async (_, content) => {
    expect(await refusal(content)).toMatch(
      /x\.csv, line 2: bytes that are not UTF-8\..* --encoding shift_jis/,
    );
  });

  it("are refused with their line where they come later", async () => {
    const later = Buffer.concat([
      windows(`name\nMüller\n${longRow.repeat(2000)}`),
      ...Array(50_000).fill(russian.subarray(10)),
    ]);
    expect(await refusal(later)).toMatch(
      /x\.csv, line 2003: bytes that are not windows-1252\. Name the encoding/,
    );
  });
});

describe("a wrong encoding", () => {
  it.each([
    [
      "Shift-JIS of Windows-1252",
      windows("name\nMüller\n"),
      "shift_jis",
      /line 2: bytes that are not shift_jis/,
    ],
    ["UTF-16 of UTF-8", Buffer.from("name\nSmith\n"), "utf-16le", /line 1: the text is UTF-8, not utf-16le/],
    ["Windows-1252 of UTF-8", Buffer.from("name\nMüller\n"), "latin1", /the text is UTF-8, not windows-1252/],
    ["UTF-8 of Windows-1252", windows("name\nMüller\n"), "utf8", /line 2: bytes that are not UTF-8/],
    [
      "an unknown one",
      Buffer.from("name\n"),
      "latin-99",
      /"latin-99" is not a known encoding\. Give one such as/,
    ],
  ])("is refused: %s", async (_, content, encoding, message) => {
    expect(await refusal(content, { encoding })).toMatch(message);
  });
});

describe("an output in the format of its input", () => {
  const styled = '\ufeffname;city\r\n"a;""b""\nc";x,y\r\n';

  it("keeps delimiter, byte order mark and line ends", async () => {
    const path = file("x.csv", styled);
    await copyTable(path, join(folder, "y.csv"));
    expect(readFileSync(join(folder, "y.csv"), "utf8")).toBe(styled);
    await copyTable(path, join(folder, "y.tsv"));
    expect(readFileSync(join(folder, "y.tsv"), "utf8")).toBe('name\tcity\n"a;""b""\nc"\tx,y\n');
  });

  it("keeps them beside embeddings", async () => {
    const table = await Table.open(file("x.csv", styled), { column: "1" });
    const writer = await EmbeddingWriter.create(table, join(folder, "y.csv"), {
      dimension: 2,
      fingerprint: "f",
    });
    await writer.append(Float32Array.of(1, 2));
    await writer.finish();
    await table.close();
    expect(readFileSync(join(folder, "y.csv"), "utf8")).toBe(
      '\ufeffname;city;embedding\r\n"a;""b""\nc";x,y;[1.0, 2.0]\r\n',
    );
  });

  it("of JSON lines keeps their ends too", async () => {
    const lines = '\ufeff{"name":"a"}\r\n{"name":"b"}\r\n';
    await copyTable(file("x.jsonl", lines), join(folder, "y.jsonl"));
    expect(readFileSync(join(folder, "y.jsonl"), "utf8")).toBe(lines);
  });
});
