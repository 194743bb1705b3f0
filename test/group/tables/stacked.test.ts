import { describe, expect, it } from "vitest";
import { readStacked } from "../../../src/group/tables/stacked.js";
import { testFolder } from "../../table/folder.js";

const { file } = testFolder();
const shop = file("shop.csv", "id,name,city\n1,Acme Corp,Berlin\n2,Foo Bar Ltd,Leeds\n3,Zed AG,Bonn\n");
const fair = file("fair.tsv", "Firm\tCITY\tphone\nAcme Corp\tBerlin\t030 1234\nMüller\tUlm\t0731 99\n");
const web = file("web.jsonl", '{"name":"Nokia","employees":5}\n{"name":"Lego","employees":7.50}\n');

describe("several tables", () => {
  it("are one, whose columns are found by header or by what they hold", async () => {
    const notes: string[] = [];
    const { table, ignored } = await readStacked([shop, fair, web], {}, (note) => notes.push(note));
    expect({ ...table.columns }).toEqual({
      source: ["shop", "shop", "shop", "fair", "fair", "web", "web"],
      id: ["1", "2", "3", "", "", "", ""],
      name: ["Acme Corp", "Foo Bar Ltd", "Zed AG", "Acme Corp", "Müller", "Nokia", "Lego"],
      city: ["Berlin", "Leeds", "Bonn", "Berlin", "Ulm", "", ""],
      phone: ["", "", "", "030 1234", "0731 99", "", ""],
      employees: ["", "", "", "", "", "5", "7.5"],
    });
    expect(table.phrases).toHaveLength(7);
    expect(table.cells(3)).toEqual(["fair", "", "Acme Corp", "Berlin", "030 1234", ""]);
    expect(table.description).toMatchObject({ path: shop, rowCount: 7 });
    expect(notes.filter((note) => note.includes("compared as"))).toEqual([
      `${fair}: Firm is compared as name`,
      `${fair}: CITY is compared as city`,
    ]);
    // Ids of one table say nothing about rows of another.
    expect(ignored).toEqual(["source", "id"]);
  });

  it("keep the types of their values, as text where the types differ, and absent where a table lacks the column", async () => {
    const { typed } = (await readStacked([web, shop], {})).table;
    expect(typed.cells(1)).toEqual(["web", "Lego", { json: "7.50" }, undefined, undefined]);
    expect(typed.cells(2)).toEqual(["shop", "Acme Corp", undefined, "1", "Berlin"]);
    const counts = file("counts.jsonl", '{"employees":"many"}\n');
    const mixed = (await readStacked([web, counts], {})).table.typed;
    expect(mixed.cells(1)).toEqual(["web", "Lego", "7.50"]);
    expect(mixed.cells(2)).toEqual(["counts", undefined, "many"]);
  });

  it("have another name for their source where the first has such a column", async () => {
    const own = file("own.csv", "source,name\nradio,Acme\npress,Zed\n");
    const { table } = await readStacked([own, shop], {});
    expect(Object.keys(table.columns)).toEqual(["source_", "source", "name", "id", "city"]);
  });
});
