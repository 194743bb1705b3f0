/** The first record decides columns and header, and the rows begin where it ends: with a blank line before it, and of any length. */
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readTable, testFolder } from "../folder.js";

const { file } = testFolder();

describe("a blank first line", () => {
  it.each([undefined, ","])(
    "is a row in a table of one column, which has no header (delimiter %j)",
    async (delimiter) => {
      for (const lineEnd of ["\n", "\r\n"]) {
        const path = file("blank.csv", ["", "", "name", "Paris", ""].join(lineEnd));
        const { phrases, description } = await readTable(path, { delimiter });
        expect([phrases, description.columns]).toEqual([["", "", "name", "Paris"], ["phrase"]]);
        expect((await readTable(path, { delimiter, header: "present" })).phrases).toEqual([
          "",
          "name",
          "Paris",
        ]);
      }
    },
  );
  it.each([undefined, ","])("is skipped in a table of several (delimiter %j)", async (delimiter) => {
    const { columns } = await readTable(file("blank.csv", "\n\nid,name\n1,Paris\n"), { delimiter });
    expect(columns).toEqual({ id: ["1"], name: ["Paris"] });
  });
  it("may be the only line", async () => {
    expect((await readTable(file("blank.csv", "\n"), { delimiter: "," })).phrases).toEqual([""]);
  });
});

describe("a first line that names the delimiter, as Excel writes it", () => {
  const rows = "name;city\nAcme, Inc.;Oslo\nBeta, Ltd.;Riga\n";
  const columns = { name: ["Acme, Inc.", "Beta, Ltd."], city: ["Oslo", "Riga"] };
  it.each([
    ["in LF", `sep=;\n${rows}`],
    ["in CRLF, behind a byte order mark", `\ufeffsep=;\r\n${rows.replaceAll("\n", "\r\n")}`],
    ["in CR", `sep=;\r${rows.replaceAll("\n", "\r")}`],
    ["quoted", `"SEP=;"\n${rows}`],
    ["with a delimiter that is not looked for", `sep=#\n${rows.replaceAll(";", "#")}`],
  ])("is no row, %s", async (_, content) => {
    expect((await readTable(file("sep.csv", content))).columns).toEqual(columns);
  });
  it("yields to a delimiter that is given", async () => {
    const path = file("sep.csv", `sep=,\n${rows}`);
    expect((await readTable(path, { delimiter: ";" })).columns).toEqual(columns);
  });
  it("counts as a line", async () => {
    const path = file("sep.csv", `sep=;\n${rows}Gamma\n`);
    await expect(readTable(path)).rejects.toThrow(/sep\.csv, line 5: 1 column, expected 2/);
    await expect(readTable(file("sep.csv", "sep=;\na;a\nb;c\n"), { header: "present" })).rejects.toThrow(
      /, line 2: /,
    );
  });
  it("is a table without a row where nothing follows", async () => {
    await expect(readTable(file("sep.csv", "sep=;\r\n"))).rejects.toThrow(/is empty/);
  });
  it.each(['sep="', "sep=a"])("is a row where %s names no delimiter", async (line) => {
    const path = file("sep.csv", `"${line.replace('"', '""')}"\nbanana\n`);
    expect((await readTable(path, { header: "absent" })).phrases).toEqual([line, "banana"]);
  });
  it("is a phrase in plain text", async () => {
    expect((await readTable(file("sep.txt", "sep=;\nParis\n"))).phrases).toEqual(["sep=;", "Paris"]);
  });
});

describe("a first record longer than the sample", () => {
  const long = 'line; of "text", and\tmore\n'.repeat(4000);
  const lines = "fifteen letters\n".repeat(2 ** 20 - 2 ** 16);
  const quoted = `"${long.replaceAll('"', '""')}"`;
  it.each([
    ["before others", `${quoted},1\nParis,2\n`, [long, "Paris"]],
    ["behind others", `1,${quoted}\n2,Paris\n`, [long, "Paris"]],
    ["in CRLF", `1,${quoted}\r\n2,Paris\r\n`, [long, "Paris"]],
    ["below blank lines", `\n\n1,${quoted}\n2,Paris\n`, [long, "Paris"]],
    ["alone", `${quoted}\nParis\n`, [long, "Paris"]],
    ["unquoted", `${"x".repeat(1e5)},1\nParis,2\n`, ["x".repeat(1e5), "Paris"]],
    ["of 15 MB", `"${lines}",1\nParis,2\n`, [lines, "Paris"]],
  ])("is read whole: %s", async (_, content, expected) => {
    const paths = [
      file("long.csv", content),
      file("long.csv.gz", gzipSync(content)),
      file("mark.csv", `\ufeff${content}`),
    ];
    for (const path of paths)
      for (const delimiter of [undefined, ","]) {
        const { phrases } = await readTable(path, { delimiter });
        expect(phrases.length === 2 && phrases.every((phrase, row) => phrase === expected[row])).toBe(true);
      }
  });
  it("may be the header", async () => {
    const path = file("long.csv", `"${"n".repeat(1e5)}",name\n1,Paris\n`);
    const { phrases, description } = await readTable(path);
    expect([phrases, description.header]).toEqual([["Paris"], true]);
  });
  it.each([
    [`"${"2,y\n".repeat(1e5)}`, /long\.csv, line 1: a quote opens here and is never closed/],
    [`"${"2,y\n".repeat(6e6)}`, /long\.csv, line 1: a row longer than 16 MB begins here/],
    [`"${"2,y\n".repeat(1e5)}" z\n`, /long\.csv, line 100001: text after a closing quote/],
  ])("is refused by what is wrong with it", async (content, expected) => {
    for (const delimiter of [undefined, ","])
      await expect(readTable(file("long.csv", content), { delimiter })).rejects.toThrow(expected);
  });
});

describe("a title above the header", () => {
  const rows = "id,name,city\n1,Acme Ltd,Oslo\n2,Beta Inc,Riga\n";
  it.each([
    ["a line", "Customers 2024\n", 1],
    ["cells, and a blank line", "Customers 2024,,\n\n", 2],
    ["empty cells", "Customers 2024,,\n,,\n", 2],
    ["a comma in the line", "Customers, and others\n", 1],
    ["a quoted line break", '"Customers\n2024",,\n', 2],
    ["a byte order mark and Excel's line", "\ufeffsep=,\nCustomers 2024\n", 1],
  ])("is left out, and the summary says so: %s", async (_, title, lines) => {
    for (const end of ["\n", "\r\n"]) {
      const path = file("title.csv", `${title}${rows}`.replaceAll("\n", end));
      const { columns, description } = await readTable(path);
      expect(columns).toEqual({ id: ["1", "2"], name: ["Acme Ltd", "Beta Inc"], city: ["Oslo", "Riga"] });
      const counted = lines === 1 ? "1 line" : `${lines} lines`;
      expect(description.summary).toContain(
        `header below a title of ${counted} (--no-header if these are rows)`,
      );
    }
  });
  it("counts in the line of an error", async () => {
    const path = file("title.csv", `Customers 2024,,\n\n${rows}3,Gamma\n`);
    await expect(readTable(path)).rejects.toThrow(/title\.csv, line 6: 2 columns, expected 3/);
  });
  it("is none above phrases that contain commas, which are refused as before", async () => {
    const cities = "Riga, capital\nKiel, 4\nBonn, 5\nUlm, 6\nTrier, 7\nKoln, 8\n";
    for (const start of ["phrase\nOslo\n", "Oslo\n", "name\n"])
      await expect(readTable(file("list.csv", start + cities))).rejects.toThrow(/2 columns, expected 1/);
  });
  it("is a row where the caller decides, or no record with a usual name follows", async () => {
    const titled = file("title.csv", `Customers 2024,,\n${rows}`);
    expect((await readTable(titled, { header: "absent", column: "2" })).phrases).toEqual([
      ...["", "name", "Acme Ltd", "Beta Inc"],
    ]);
    for (const second of ["Beta,Riga,b", "name,,", "name,3,b", "name,name,b"]) {
      const path = file("gaps.csv", `Acme,,\n${second}\nGamma,Rome,c\nDelta,Bern,d\n`);
      expect((await readTable(path, { column: "1" })).phrases).toHaveLength(4);
    }
  });
});
