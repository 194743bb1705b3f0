/** What a store gives out: cells of columns that are not compared, and golden records. */
import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { exportEntities, goldenEntities } from "../../src/link/export.js";
import { entityHistory, undoLink } from "../../src/link/history.js";
import { withStore } from "../../src/link/store.js";
import { linesOf, link, workFolder } from "./linking.js";

const { path, newStore } = workFolder("export");
const on = { on: ["name", "city"], likely: "accept" } as const;

function file(name: string, ...lines: string[]): string {
  writeFileSync(path(name), `${lines.join("\n")}\n`);
  return path(name);
}

const june = file(
  "june.csv",
  "id,name,city,phone,updated,note",
  "1,Ann Miller,Berlin,111,2024-01-01,first",
  "2,Ann Miller,Berlin,,2024-05-01,",
  "3,Bob Jones,Leeds,333,2023-01-01,",
);
/** Another phone, an emptied note, a column more, and one less. */
const july = file(
  "july.csv",
  "id,name,city,phone,note,vat",
  "1,Ann Miller,Berlin,999,,DE1",
  "4,Eve Ray,Rome,,,",
);

async function exported(store: string): Promise<Record<string, string>[]> {
  await exportEntities(store, path("all.jsonl"));
  const lines = readFileSync(path("all.jsonl"), "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line));
}

async function linkedBoth(): Promise<string> {
  const store = newStore();
  await link(june, store, { ...on, key: "id" });
  await link(july, store, { key: "id", source: "june" });
  return store;
}

it("columns that are not compared are kept, too, by the last table that has them; undo gives back those before", async () => {
  const store = newStore();
  await link(june, store, { ...on, key: "id" });
  const [first, before] = [await exported(store), await linesOf(store)];
  expect(first[0]).toEqual({
    ...{ entity: "E1", source: "june", row: 1, key: "1", name: "Ann Miller", city: "Berlin" },
    ...{ id: "1", phone: "111", updated: "2024-01-01", note: "first" },
  });
  expect(await link(july, store, { key: "id" })).toMatchObject({ known: 1, renewed: 1, added: 1, run: 2 });
  const [ann, , , eve] = await exported(store);
  expect(ann).toMatchObject({ phone: "999", updated: "2024-01-01", note: "", vat: "DE1" });
  expect(eve).toMatchObject({ key: "4", updated: "", vat: "" });
  const [row] = (await entityHistory(store, "E1")).rows;
  expect(row).toMatchObject({ cells: { name: "Ann Miller" }, rest: { phone: "999", vat: "DE1" } });
  expect(await link(july, store, { key: "id" })).toMatchObject({ known: 2, renewed: 0, run: 0 });
  await undoLink(store);
  expect(await exported(store)).toEqual(first);
  const { run: _, ...lines } = (await linesOf(store)) as Record<string, unknown>;
  const { run: __, ...linesBefore } = before as Record<string, unknown>;
  expect(lines).toEqual(linesBefore);
});

it("news in other columns alone are a run of their own, which compares nothing, also of a store of phrases", async () => {
  const store = newStore();
  await link(june, store, { on: ["name"], key: "id" });
  const renewed = file("june.csv", ...readFileSync(june, "utf8").replace("333", "334").trim().split("\n"));
  const report = await link(renewed, store, {
    key: "id",
    encoder: () => Promise.reject(new Error("no model")),
  });
  expect(report).toMatchObject({ known: 3, renewed: 1, run: 2, hasLearned: false, created: 0 });
  expect((await exported(store))[2].phone).toBe("334");
  await undoLink(store);
  expect((await exported(store))[2].phone).toBe("333");
  file("june.csv", ...readFileSync(june, "utf8").replace("334", "333").trim().split("\n"));
});

it("a row that another source has, too, gets the columns that it lacks, and keeps its cells", async () => {
  const store = newStore();
  await link(file("a.csv", "name,city,phone", "Ann,Berlin,111", "Bob,Leeds,222"), store, on);
  const other = file("b.csv", "name,city,phone,vat", "Ann,Berlin,999,DE1");
  expect(await link(other, store)).toMatchObject({ known: 1, renewed: 1 });
  expect((await exported(store))[0]).toMatchObject({ source: "a", phone: "111", vat: "DE1" });
  expect(await link(path("a.csv"), store)).toMatchObject({ known: 2, renewed: 0, run: 0 });
  expect(await link(other, store)).toMatchObject({ known: 1, renewed: 0, run: 0 });
});

it("golden records have the entity's name and a cell of its rows for each column, whose origin is told", async () => {
  const store = await linkedBoth();
  const [golden, origins] = [path("golden.csv"), path("origins.jsonl")];
  const survivors = { phone: "newest:updated", note: "longest" } as const;
  const written = await goldenEntities(store, golden, { survivors, origins });
  expect(written).toMatchObject({
    records: 3,
    merged: 1,
    survivors: { id: "first", phone: "newest:updated" },
  });
  // Of Ann's two rows the second has the latest date, but no phone.
  expect(readFileSync(golden, "utf8").trim().split("\n")).toEqual([
    "entity,source,city,name,id,note,phone,updated,vat",
    "E1,june,Berlin,Ann Miller,1,,999,2024-01-01,DE1",
    "E2,june,Leeds,Bob Jones,3,,333,2023-01-01,",
    "E3,june,Rome,Eve Ray,4,,,,",
  ]);
  const [line] = readFileSync(origins, "utf8").split("\n");
  expect(JSON.parse(line)).toMatchObject({
    ...{ entity: "E1", rows: ["june 1", "june 2"] },
    cells: { phone: { value: "999", rows: ["june 1"] }, name: { rows: ["june 1", "june 2"] } },
  });
});

it("golden records and exports are not written over the store, nor over each other", async () => {
  const store = await linkedBoth();
  const own = "is the store. Choose another name for the table or the output.";
  await expect(exportEntities(store, store, "csv")).rejects.toThrow(own);
  await expect(goldenEntities(store, path("g.csv"), { origins: store })).rejects.toThrow(own);
  await expect(goldenEntities(store, path("o.jsonl"), { origins: path("o.jsonl") })).rejects.toThrow(
    "Two outputs",
  );
  await expect(goldenEntities(store, path("g.csv"), { survivors: { fax: "longest" } })).rejects.toThrow(
    /no column "fax"/,
  );
  expect(await exported(store)).toHaveLength(4);
});

it("a store of before is read, and gets the cells of the next table", async () => {
  const store = newStore();
  await link(june, store, { ...on, key: "id" });
  await withStore(store, "existing", (opened) => opened.query('DROP TABLE "rest"'));
  expect((await exported(store))[0]).not.toHaveProperty("phone");
  expect(await link(june, store, { key: "id" })).toMatchObject({ known: 3, renewed: 3 });
  expect((await exported(store))[0].phone).toBe("111");
});
