/** Delimiter, header and phrase column are found by the rule that sniff.ts and columns.ts document. */
import { describe, expect, it } from "vitest";
import { choosePhraseColumn } from "../../../src/table/columns.js";
import { sniff } from "../../../src/table/read/sniff.js";

const options = { header: "auto", quote: "double", preferTab: false } as const;

function shapeOf(content: string, header: "auto" | "present" | "absent" = "auto") {
  return sniff(Buffer.from(content), { header, quote: "double", preferTab: false }, true);
}

describe("the delimiter", () => {
  it.each([
    [",", "id,name\n1,a\n2,b\n"],
    ["\t", "id\tname\n1\ta, b\n2\tb\n"],
    [";", "id;name;price\n1;a;1,5\n2;b;2,25\n"],
    ["|", "id|name\n1|a\n2|b, c\n"],
    [",", 'id,name\n1,"a;b"\n2,"c;d"\n3,"e;f"\n'],
    [",", "id,name\n1,a\n2,b,c\n3,d\n"],
  ])("is %j", (expected, content) => {
    expect(shapeOf(content).delimiter).toBe(expected);
  });
  it("is none in a list of phrases with commas in some of them", () => {
    const shape = shapeOf("New York\nSmith, John\nParis\nWashington, D.C.\nRome\n");
    expect(shape.delimiter).toBeUndefined();
    expect(shape.header).toBe(false);
  });
});

describe("the header", () => {
  it.each([
    [true, true, "id,name\n1,a\n"],
    [true, true, ",name,city\n0,a,b\n1,c,d\n"],
    [true, true, "phrase\nNew York\n"],
    [true, true, "Name\nNew York\n"],
    [false, false, "New York\nParis\n"],
    [false, true, "1,New York\n2,Paris\n"],
    [false, false, "Paris,Paris\nRome,Rome\n"],
    [false, true, "NYC,city\nParis,city\nRome,city\n"],
    [true, false, "alias,canonical\nNYC,New York City\nLA,Los Angeles\n"],
    [true, true, "name,2019,2020\na,1,2\n"],
    [true, true, "id_l,title_l,name\n3,a,b\n"],
    [true, false, "Beleg;Kunde;;\nR1;Meier;;\nR2;Kunz;;\n"],
    [false, true, "R0;;;\nR1;Meier;x;\nR2;Kunz;;\n"],
    [false, true, "R0;Meier;;\n"],
  ])("is present: %s (sure: %s) in %j", (header, headerIsSure, content) => {
    expect(shapeOf(content)).toMatchObject({ header, headerIsSure });
  });
  const firms = "Acme Ltd\nBravo AG\nCargo SE\nDelta KG\n";
  it.each([
    "supplier,customer,city,Firma,Ort,Company Name,product name,job title,vendor,e-mail,address,Firmenname,Kundennr.",
    "Raison sociale,razón social,Nazwa firmy,会社名,Компания,company_name,companyName,title_l,cpu_brand,Name 2",
  ])("above a single column may be any of %s", (headers) => {
    for (const header of headers.split(",")) {
      expect([header, shapeOf(`${header}\n${firms}`)]).toMatchObject([header, { header: true }]);
      expect(shapeOf(firms + header).header).toBe(false);
    }
  });
  it("may be an unknown word above numbers, dates or addresses", () => {
    for (const rows of ["12,5\n7\n9\n", "2020-01-02\n2020-01-03\n", "a@b.org\nc@d.org\n", "A-12\nB-77\n"])
      expect(sniff(Buffer.from(`Zeugs\n${rows}`), { ...options, delimiter: "\t" }, true).header).toBe(true);
  });
  it.each([
    ["a list of persons with their first names behind", "Smith, John\nDoe, Jane\nKern, Ida\nBerg, Ada\n"],
    ["the same without spaces", "Smith,John\nDoe,Jane\nKern,Ida\nBerg,Ada\n"],
    ["a list of words of headers", "city\ntown\nregion\nriver\n"],
    ["a list whose first word occurs again", "Firma\nAcme\nFirma\nBravo\n"],
    ["rows of years", "1999,2000\n2001,2002\n2004,2003\n"],
    [
      "abbreviations and what they stand for",
      "EMEA,Europe and Africa\nUTC,Unicode Committee\nDIC,Blood disease\n",
    ],
  ])("is not the first row of %s", (_, content) => {
    expect(shapeOf(content).header).toBe(false);
  });
  it.each([
    ["repeated words above numbers", "Firma;Firma;Umsatz\nAcme;Acme Holding;4000\nBravo;Bravo Holding;300\n"],
    ["years above other numbers", "Country,2019,2020\nFrance,5,6\nSpain,7,8\nItaly,9,1\n"],
    ["years beside an unknown word", "Zeugs,2019,2020\nFrance,5,6\nSpain,7,8\nItaly,9,1\n"],
    ["two words for persons", "last name, first name\nSmith, John\nDoe, Jane\nKern, Ida\nBerg, Ada\n"],
    ["short words that look otherwise than the rows", "left,right\nAcme Ltd,Bravo AG\nCargo SE,Delta KG\n"],
  ])("is the first line of %s, but may be data", (_, content) => {
    expect(shapeOf(content)).toMatchObject({ header: true, headerIsSure: false });
  });
  it("is what the caller decides", () => {
    expect(shapeOf("id,name\n1,a\n", "absent").header).toBe(false);
    expect(shapeOf("New York\nParis\n", "present").header).toBe(true);
  });
});

describe("a title", () => {
  const rows = ["Meier", "Kunz", "Lehmann", "Vogel", "Braun"].map((name, row) => `${name};${1234 + row};;\n`);
  it.each([
    ["Auszug vom 12.03.2024;;;\n;;;\n", "Kunde;Betrag;;\n"],
    ["Auszug\n\n", "Kunde;Betrag;;\n"],
    ["Report;;;\n", "Name;Amount;;\n"],
  ])("%j is left out above the header %j", (title, header) => {
    const shape = shapeOf(title + header + rows.join(""));
    expect(shape.firstCells.slice(0, 2)).toEqual(header.split(";").slice(0, 2));
    expect([shape.header, shape.title.bytes]).toEqual([true, title.length]);
  });
  it("is a row where the next full record does not differ from those below", () => {
    const { header, title } = shapeOf(`Auszug;;;\nKunde;7;;\n${rows.join("")}`);
    expect([header, title.lines]).toEqual([false, 0]);
  });
});

describe("a header", () => {
  const fields = "company;Where the customer works\nname;How the customer is called\nbirthday;A day\n";
  it.each([
    [";description\n", fields],
    ["code;name\n", "n/a;text;\nK1;product;\nK2;phrase;\nK3;word;\nK4;term;\nK5;query;\n"],
    ["code;name;\n", "n/a;text\nK1;product\nK2;phrase\nK3;word\nK4;term\nK5;query\n"],
  ])(
    "is no title, though it is shorter or longer than its rows, or names one column of two: %j",
    (header, rows) => {
      const shape = shapeOf(header + rows);
      expect([shape.title.lines, shape.header]).toEqual([0, true]);
      expect(shape.firstCells.join(";")).toBe(header.trim());
    },
  );
});

describe("the phrase column", () => {
  const column = (name: string, ...sample: string[]) => ({ name, isText: true, sample });
  const choose = (columns: ReturnType<typeof column>[], wanted?: string) =>
    columns[choosePhraseColumn("x.csv", columns, wanted)].name;
  it("is the given one: by name, without case, or by number", () => {
    const columns = [column("id", "1"), column("Name", "a"), column("2", "b")];
    expect(choose(columns, "Name")).toBe("Name");
    expect(choose(columns, "name")).toBe("Name");
    expect(choose(columns, "1")).toBe("id");
    expect(choose(columns, "2")).toBe("2");
  });
  it("is one with a usual name, best first", () => {
    expect(choose([column("id", "1"), column("Title", "a"), column("TEXT", "b")])).toBe("TEXT");
  });
  it("is otherwise the first text that is not a number, code, date or address", () => {
    const columns = [
      column("nr", "1", "2"),
      column("sku", "AB-12", "AB-13"),
      column("when", "2020-01-02"),
      column("page", "https://example.org"),
      column("artikel", "Stuhl", "Tisch 2"),
    ];
    expect(choose(columns)).toBe("artikel");
  });
});
