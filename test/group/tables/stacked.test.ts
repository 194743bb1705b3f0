import { mkdirSync } from "node:fs";
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

  it("keep a column whose header the first table has, though another one holds the same", async () => {
    const first = file("first.csv", "name,city\nAcme Corp,Berlin\nFoo Ltd,Leeds\nZed AG,Bonn\n");
    const second = file("second.csv", "name,place,CITY\nNokia,Berlin,\nLego,Leeds,\nVolvo,Bonn,\n");
    const { table } = await readStacked([first, second], {});
    const cells = { city: table.columns.city.slice(3), place: table.columns.place.slice(3) };
    expect(cells).toEqual({ city: ["", "", ""], place: ["Berlin", "Leeds", "Bonn"] });
  });

  it("put together what two later tables call alike, and keep apart what only looks like a name", async () => {
    const [a, b, c] = [
      file("a.csv", "name,city\nAcme Corp,Berlin\nFoo Ltd,Leeds\nZed AG,Bonn\n"),
      file("b.csv", "title,town\nAcme Corp,Berlin\nFoo Ltd,Leeds\n"),
      file("c.csv", "title,town,floor\nRoche,Basel,7\nABB,Baden,2\n"),
    ];
    const { table } = await readStacked([a, b, c], {});
    expect(Object.keys(table.columns)).toEqual(["source", "name", "city", "floor"]);
    expect(table.columns.city).toEqual(["Berlin", "Leeds", "Bonn", "Berlin", "Leeds", "Basel", "Baden"]);
    const goods = file("goods.csv", "product,qty\nOak desk,9\nPine shelf,4\n");
    expect(Object.keys((await readStacked([a, goods], {})).table.columns)).toEqual([
      ...["source", "name", "city", "product", "qty"],
    ]);
  });

  it("put one column of both coordinates together with two columns, whichever comes first", async () => {
    const pairs = Array.from({ length: 19 }, (_, row) => `Firm ${row},"52.5${row}, 13.4"`);
    const one = file("one.csv", `name,location\n${pairs.join("\n")}\nFoo,unknown\n`);
    const two = file("two.csv", "name,lat,lon\nAcme,52.52,13.4\nBar,47.1,8.5\n");
    const notes: string[] = [];
    const { columns, typed } = (await readStacked([one, two], {}, (note) => notes.push(note))).table;
    expect(Object.keys(columns)).toEqual(["source", "name", "location latitude", "location longitude"]);
    expect(columns["location latitude"].slice(18)).toEqual(["52.518", "", "52.52", "47.1"]);
    expect(typed.cells(18)).toEqual(["one", "Firm 18", "52.518", "13.4"]);
    expect(typed.cells(19)).toEqual(["one", "Foo", "unknown", ""]);
    expect(notes).toContain(`${one}: location is taken apart into location latitude and location longitude`);
    expect(notes).toContain(`${two}: lat is compared as location latitude`);
    const turned = (await readStacked([two, one], {})).table;
    expect(Object.keys(turned.columns)).toEqual(["source", "name", "lat", "lon"]);
    const alone = (await readStacked([one, shop], {})).table;
    expect(alone.columns.location[0]).toBe("52.50, 13.4");
  });

  it("do not put counts together with the numbers of another table's rows", async () => {
    const firms = file("firms.csv", "id,name\n1,Acme Corp\n2,Foo Ltd\n3,Zed AG\n4,Ray SA\n");
    const sales = file("sales.csv", "firm,orders\nAcme Corp,3\nFoo Ltd,1\nYak Inc,3\n");
    const { table, ignored } = await readStacked([firms, sales], {});
    expect(Object.keys(table.columns)).toEqual(["source", "id", "name", "orders"]);
    expect(ignored).toEqual(["source", "id"]);
  });

  it("compare a column that numbers the rows of one table alone", async () => {
    const flats = file("flats.csv", "name,floor\nAnn,1\nBob,2\nEve,3\n");
    const more = file("more.csv", "name,floor\nAnn,7\nJoe,7\nSue,9\n");
    expect((await readStacked([flats, more], {})).ignored).toEqual(["source"]);
  });

  it("take the column of phrases that is named, of whichever table, and refuse one that none has", async () => {
    const { table } = await readStacked([shop, fair], { column: "phone" });
    expect(table.description.column).toBe("phone");
    expect(table.phrases).toEqual(["", "", "", "030 1234", "0731 99"]);
    await expect(readStacked([shop, fair], { column: "fax" })).rejects.toThrow('no column "fax"');
  });

  it("are told apart by their paths where their files have one name", async () => {
    mkdirSync(file("old"));
    const same = file("old/shop.csv", "name,city\nNokia,Espoo\n");
    const { table } = await readStacked([shop, same], {});
    expect([...new Set(table.columns.source)]).toEqual([shop, same]);
  });

  it("have another name for their source where one has such a column", async () => {
    const own = file("own.csv", "source,name\nradio,Acme\npress,Zed\n");
    const { table } = await readStacked([own, shop], {});
    expect(Object.keys(table.columns)).toEqual(["source_", "source", "name", "id", "city"]);
    const turned = await readStacked([shop, own], {});
    expect(Object.keys(turned.table.columns)).toEqual(["source_", "id", "name", "city", "source"]);
  });
});
