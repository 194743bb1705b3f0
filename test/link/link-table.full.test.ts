import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { sharingOf } from "../../src/files/shards/shard.js";
import { exportEntities } from "../../src/link/export.js";
import { entityHistory, undoLink } from "../../src/link/history.js";
import type { LinkOptions, LinkReport } from "../../src/link/link-table.js";
import { withStore } from "../../src/link/store.js";
import { createRandom, shuffled } from "../../src/random.js";
import { CellFile } from "../../src/table/read/cell-file.js";
import { type Table, tableWithDuplicates } from "../match/people.js";
import { agreement, linesOf, link, pairsOf, workFolder } from "./linking.js";

const { path, write, newStore } = workFolder("table");
/** Persons with up to three rows, no two rows equal. */
const { table, entities } = distinct(tableWithDuplicates(100));
const size = entities.length;
const whole = write("whole.csv", table);
const rows = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at);
/** Nine rows of ten, and the rest. */
const most = rows(0, size).filter((row) => row % 10 !== 5);
const rest = rows(0, size).filter((row) => row % 10 === 5);
const first = write("first.csv", table, most);
const second = write("second.csv", table, rest);
const keyed: Table = { id: entities.map((_, row) => `k${row}`), ...table };

function distinct({ table: given, entities: all }: ReturnType<typeof tableWithDuplicates>) {
  const texts = all.map((_, row) =>
    Object.values(given)
      .map((cells) => cells[row])
      .join(),
  );
  const kept = [...all.keys()].filter((row) => texts.indexOf(texts[row]) === row);
  const columns = Object.entries(given).map(([name, cells]) => [name, kept.map((row) => cells[row])]);
  return { table: Object.fromEntries(columns) as Table, entities: kept.map((row) => all[row]) };
}

/** Stores that hold nine rows of ten, without and with keys; tests take copies. */
const [plain, withKeys] = [newStore(), newStore()];
let before: LinkReport;
let keyedBefore: LinkReport;
let atOnce: LinkReport;
beforeAll(async () => {
  before = await link(first, plain);
  atOnce = await link(whole, newStore());
  keyedBefore = await link(write("keyed.csv", keyed), withKeys, { key: "id" });
});
function copyOf(store: string): string {
  const copy = newStore();
  copyFileSync(store, copy);
  return copy;
}

describe("a table that is linked", () => {
  it("has the entities that grouping finds, and the same ones in another order of its rows", async () => {
    const order = [...shuffled(size, createRandom(3))];
    const turned = await link(write("turned.csv", table, order), newStore());
    expect(agreement(atOnce.entityOf, entities)).toBeGreaterThan(0.95);
    expect(atOnce.promise.established).toBe(true);
    expect(pairsOf(turned.entityOf)).toEqual(pairsOf(order.map((row) => atOnce.entityOf[row])));
  });

  it("changes nothing the second time", async () => {
    const store = copyOf(plain);
    const lines = await linesOf(store);
    const again = await link(first, store);
    expect(again).toMatchObject({ known: most.length, added: 0, changed: 0, run: 0 });
    expect(again.entityOf).toEqual(before.entityOf);
    expect(await linesOf(store)).toEqual(lines);
  });

  it("is written with the entity in front", async () => {
    const { entityOf } = await link(second, copyOf(plain), { output: path("out.csv") });
    const [header, ...lines] = readFileSync(path("out.csv"), "utf8").trim().split("\n");
    expect(header).toBe("entity,name,city,born,phone");
    expect(lines.map((line) => line.split(",")[0])).toEqual(entityOf);
  });
});

describe("rows that come later", () => {
  it("join the entities of their persons by the weights learned before; no other row moves", async () => {
    const store = copyOf(plain);
    const added = await link(second, store);
    expect(added).toMatchObject({ known: 0, added: rest.length, merged: 0, hasLearned: false });
    const truth = [...most, ...rest].map((row) => entities[row]);
    expect(agreement([...before.entityOf, ...added.entityOf], truth)).toBeGreaterThan(0.95);
    const all = await link(whole, store);
    expect(all).toMatchObject({ known: size, added: 0, run: 0 });
    expect(most.map((row) => all.entityOf[row])).toEqual(before.entityOf);
  });

  const cut = Math.floor(0.65 * size);
  const parts = [rows(0, cut), rows(cut, size)];
  const linkParts = async (learn: LinkOptions["learn"]) => {
    const store = newStore();
    const [part, other] = parts.map((some, place) => write(`part-${place}.csv`, table, some));
    const started = await link(part, store);
    const ended = await link(other, store, { learn });
    return { started, ended, entityOf: (await link(whole, store)).entityOf };
  };

  it("lead to learning again when the store has grown by half: as if all had come at once", async () => {
    const { ended, entityOf } = await linkParts("when-grown");
    expect([ended.hasLearned, ended.learnedFrom]).toEqual([true, size]);
    expect(pairsOf(entityOf)).toEqual(pairsOf(atOnce.entityOf));
  });

  it("keep to the first weights if so asked, and nearly give the entities of all at once", async () => {
    const { started, ended, entityOf } = await linkParts("never");
    expect([ended.hasLearned, ended.learnedFrom]).toEqual([false, started.rows]);
    expect(agreement(entityOf, atOnce.entityOf)).toBeGreaterThan(0.95);
  });

  it("merge two entities that they link; the younger name stays an alias", async () => {
    const person = { name: "Bada Fekiro", city: "Halle", born: "1950-03-04", phone: "0123 4567890" };
    const store = newStore();
    const extended: Table = Object.fromEntries(
      Object.entries(table).map(([name, cells]) => [name, [...cells]]),
    );
    const push = (cells: Partial<typeof person>): void => {
      for (const [name, column] of Object.entries(extended))
        column.push(cells[name as keyof typeof person] ?? "");
    };
    push({ name: person.name, city: person.city });
    push({ born: person.born, phone: person.phone });
    const one = await link(write("apart.csv", extended), store);
    const [left, right] = one.entityOf.slice(-2);
    expect(left).not.toBe(right);
    push(person);
    const two = await link(write("together.csv", extended, [size + 2]), store);
    expect(two.merged).toBe(1);
    expect(two.entityOf).toEqual([left]);
    const history = await entityHistory(store, right);
    expect(history).toMatchObject({ entity: left, aliases: [right] });
    expect(history.rows).toHaveLength(3);
    expect(history.events.map(({ kind }) => kind)).toEqual(["created", "created", "joined", "merged"]);
    expect(history.events.at(-1)).toMatchObject({ entity: left, other: right, run: 2 });
  });
});

describe("rows with a key", () => {
  const relink = (changed: Table, store: string) => link(write("keyed.csv", changed), store, { key: "id" });

  it("stay the same row when their cells change", async () => {
    const city = keyed.city.map((name, row) => (row === 7 ? "Zwickau" : name));
    const store = copyOf(withKeys);
    const after = await relink({ ...keyed, city }, store);
    expect(after).toMatchObject({ known: size - 1, added: 0, changed: 1 });
    const { rows: stored, events } = await entityHistory(store, after.entityOf[7]);
    expect(stored.find(({ key }) => key === "k7")?.cells.city).toBe("Zwickau");
    expect(events.at(-1)).toMatchObject({ kind: "changed", run: 2, rows: ["keyed k7"] });
    expect(after.entityOf).toEqual(keyedBefore.entityOf);
  });

  it("leave their entity when they become another person, and the entity keeps its name", async () => {
    const row = entities.lastIndexOf(5);
    const other = entities.indexOf(50);
    const { entityOf } = keyedBefore;
    expect(entityOf[row]).toBe(entityOf[row - 1]);
    const columns = Object.entries(keyed).map(([name, cells]) => {
      return [name, cells.map((cell, at) => (at === row && name !== "id" ? cells[other] : cell))];
    });
    const after = await relink(Object.fromEntries(columns), copyOf(withKeys));
    expect(after).toMatchObject({ changed: 1, split: 1 });
    expect(after.entityOf).toEqual(entityOf.map((name, at) => (at === row ? entityOf[other] : name)));
  });

  it("are those of the store's one source, whatever the file's name, unless another is named", async () => {
    const store = copyOf(withKeys);
    const notes: string[] = [];
    const next = write("keyed-2.csv", keyed, [...most.slice(0, 20), ...rest]);
    const same = await link(next, store, { key: "id", onNote: (note) => notes.push(note) });
    expect(same).toMatchObject({ known: 20 + rest.length, added: 0, changed: 0 });
    expect(notes.at(-1)).toMatch("keys are those of keyed, the one source of the store");
    const other = await link(next, store, { key: "id", source: "keyed-2" });
    expect(other).toMatchObject({ known: 0, added: 20 + rest.length, changed: 0 });
  });

  it("are refused where they belong to other rows in the store's one source", async () => {
    const store = copyOf(withKeys);
    const turned = { ...keyed, id: [...keyed.id].reverse() };
    const next = write("keyed-3.csv", turned, most.slice(0, 20));
    await expect(link(next, store, { key: "id" })).rejects.toThrow(/say --source keyed/);
    const named = await link(next, store, { key: "id", source: "keyed-3" });
    expect(named).toMatchObject({ known: 0, added: 20 });
  });
});

describe("taking a run back", () => {
  it.each([
    ["that joined rows", second, {}],
    ["that learned again", whole, { learn: "again" }],
    ["that asked for more", second, { precision: 0.97 }],
  ] as const)("leaves the store as it was before one %s", async (_, file, options) => {
    const store = copyOf(plain);
    const { run } = await link(file, store, options);
    expect(await undoLink(store)).toMatchObject({ run });
    expect(await linesOf(store)).toEqual(await linesOf(plain));
  });

  it("restores rows that had changed, and uses no name again", async () => {
    const store = copyOf(withKeys);
    const moved = { ...keyed, name: keyed.name.map((name, row) => (row < 9 ? keyed.phone[row] : name)) };
    const more = { ...table, id: entities.map((_, row) => `m${row}`), name: table.city };
    const changed = await link(write("keyed.csv", moved), store, { key: "id" });
    expect(changed.changed).toBe(9);
    const one = await link(write("more.csv", more, rest), store, { key: "id" });
    await undoLink(store);
    await undoLink(store);
    expect(await linesOf(store)).toEqual(await linesOf(withKeys));
    const two = await link(path("more.csv"), store, { key: "id" });
    const fresh = ({ entityOf }: LinkReport): number[] =>
      entityOf.map((name) => Number(name.slice(1))).filter((name) => name > keyedBefore.entitiesAfter);
    expect(Math.min(...fresh(two))).toBeGreaterThan(Math.max(...fresh(one)));
  });

  it("ends at the beginning", async () => {
    const store = copyOf(plain);
    await undoLink(store);
    await expect(undoLink(store)).rejects.toThrow("has no run to take back");
    const { added, entitiesBefore, entityOf } = await link(first, store, { ignore: ["phone"] });
    expect([added, entitiesBefore]).toEqual([most.length, 0]);
    const { rows: stored } = await entityHistory(store, entityOf[0]);
    expect(Object.keys(stored[0].cells)).toEqual(["born", "city", "name"]);
    expect(await link(second, store)).toMatchObject({ run: 3, rows: rest.length });
  });
});

describe("a promise that is refused", () => {
  const few = write("few.csv", table, [...rows(0, 40), 0, 2]);

  it("links equal rows only and lists the likely ones, until these are accepted", async () => {
    const store = newStore();
    const careful = await link(few, store, { likelyOutput: path("likely.csv") });
    expect(careful.promise.established).toBe(false);
    expect(careful.entityOf.at(-1)).toBe(careful.entityOf[2]);
    expect(careful).toMatchObject({ entitiesAfter: 40, matches: 2 });
    expect(careful.likely).toBeGreaterThan(10);
    const [header, ...lines] = readFileSync(path("likely.csv"), "utf8").trim().split("\n");
    expect(header).toBe(
      "entity,source,row,key,likely_entity,likely_source,likely_row,likely_key,probability,reason",
    );
    expect(lines).toHaveLength(careful.likely);
    const later = await link(write("few-2.csv", table, [40, 41, 3]), store);
    expect(later.entitiesAfter - later.entitiesBefore).toBe(2);
    const accepted = await link(few, store, { likely: "accept", likelyOutput: path("likely.csv") });
    expect(accepted.likely).toBe(0);
    expect(readFileSync(path("likely.csv"), "utf8").trim()).toBe(header);
    expect(accepted.merged).toBeGreaterThan(10);
  });
});

describe("pairs that a person judged", () => {
  it("are linked or kept apart, also by later runs, although the promise is refused", async () => {
    const [some, store, review] = [[...rows(0, 40)], newStore(), path("review.csv")];
    const few = write("judged.csv", table, some);
    const { reviewed } = await link(few, store, { reviewOutput: review });
    const [header, ...lines] = readFileSync(review, "utf8").trim().split("\n");
    expect(header).toMatch(/^decision,probability,joined,left_row,right_row,/);
    expect(lines).toHaveLength(reviewed!);
    const semicolons = path("judged-semicolons.csv");
    writeFileSync(
      semicolons,
      `\uFEFF${readFileSync(few, "utf8").replaceAll(",", ";").replaceAll("\n", "\r\n")}`,
    );
    await link(semicolons, newStore(), { reviewOutput: path("semicolons.csv") });
    expect(readFileSync(path("semicolons.csv"), "utf8")).toMatch(/^\uFEFFdecision;probability;.*\r\n/);
    const pairs = lines.map((line) =>
      line
        .split(",")
        .slice(3, 5)
        .map((row) => Number(row) - 1),
    );
    const isSame = pairs.map(([a, b]) => entities[a] === entities[b]);
    const answered = lines.map((line, at) => line.replace(/^[^,]*/, isSame[at] ? "yes" : "no"));
    writeFileSync(review, [header, ...answered].join("\n"));
    const { entityOf, run } = await link(few, store, { review });
    expect(pairs.map(([a, b]) => entityOf[a] === entityOf[b])).toEqual(isSame);
    expect(isSame).toContain(true);
    await link(write("judged-2.csv", table, [40, 41]), store);
    expect((await link(few, store)).entityOf).toEqual(entityOf);
    await undoLink(store);
    expect(await undoLink(store)).toMatchObject({ run });
    expect((await link(few, store)).entitiesAfter).toBeGreaterThan(new Set(entityOf).size);
  });
});

describe("all rows of a store", () => {
  it("are exported with their entities", async () => {
    const { entityOf } = before;
    expect(await exportEntities(copyOf(plain), path("all.csv"))).toBe(most.length);
    const [header, ...lines] = readFileSync(path("all.csv"), "utf8").trim().split("\n");
    expect(header).toBe("entity,source,row,key,born,city,name,phone");
    expect(lines.map((line) => line.split(",")[0]).sort()).toEqual([...entityOf].sort());
  });
});

describe("columns of a table", () => {
  it("are named in any case or by number, and unknown ones are refused", async () => {
    const [name, ...others] = Object.keys(table);
    const [store, file] = [newStore(), write("named.csv", keyed)];
    const { columns } = await link(file, store, {
      key: "ID",
      ignore: [name.toUpperCase()],
      kindOf: { [name]: "text" },
    });
    const compared = columns.filter(({ kind }) => kind !== undefined);
    expect(compared.map((column) => column.name).sort()).toEqual(others.sort());
    await link(file, store, { key: "1", ignore: ["2"] });
    await expect(link(file, newStore(), { ignore: [`${name}x`] })).rejects.toThrow(`Did you mean "${name}"?`);
    const kindOf = { none: "date" } as const;
    await expect(link(file, newStore(), { kindOf })).rejects.toThrow('no column "none"');
  });

  it("may be called as those that an export adds", async () => {
    const [store, output] = [newStore(), path("doubled.jsonl")];
    const [name, ...others] = Object.keys(table);
    const named: Table = {
      source: table[name],
      ...Object.fromEntries(others.map((other) => [other, table[other]])),
    };
    await link(write("doubled.csv", named), store);
    await exportEntities(store, output);
    const [line] = readFileSync(output, "utf8").split("\n");
    expect(Object.keys(JSON.parse(line)).slice(0, 4)).toEqual(["entity", "source_", "row", "key"]);
    expect(table[name]).toContain(JSON.parse(line).source);
  });
});

describe("columns of a later table", () => {
  const renamed = ({ name, born, city, phone }: Table): Table => ({
    PHONE: phone,
    Ort: city,
    born,
    Who: name,
  });

  it("are compared as those of the store that hold the same, by header and then by cells", async () => {
    const [store, asGiven] = [copyOf(plain), copyOf(plain)];
    const notes: string[] = [];
    const other = write("renamed.csv", renamed(table), rest);
    const output = path("renamed.out.csv");
    const found = await link(other, store, { output, onNote: (note) => notes.push(note) });
    const { entityOf } = await link(second, asGiven);
    expect(found.entityOf).toEqual(entityOf);
    for (const [column, own] of [
      ["PHONE", "phone"],
      ["Ort", "city"],
      ["Who", "name"],
    ])
      expect(notes).toContain(`${other}: ${column} is compared as ${own}`);
    expect(readFileSync(output, "utf8").split("\n")[0]).toBe("entity,PHONE,Ort,born,Who");
    const again = await link(other, store);
    expect(again).toMatchObject({ known: rest.length, added: 0, entityOf });
    const exported = path("renamed.jsonl");
    await exportEntities(store, exported);
    expect(Object.keys(JSON.parse(readFileSync(exported, "utf8").split("\n")[0])).toSorted()).toEqual([
      "born",
      "city",
      "entity",
      "key",
      "name",
      "phone",
      "row",
      "source",
    ]);
  });

  it("may be named with the options of the first run, by the store's names and by their own", async () => {
    const { born, city, name, phone } = table;
    const said = { on: ["name", "born", "city"], ignore: ["phone"], kindOf: { born: "date" } } as const;
    const store = newStore();
    await link(write("said.csv", table, most), store, said);
    const other = write("said-again.csv", { Name: name, Ort: city, born, phone }, rest);
    const plainly = await link(other, copyOf(store));
    for (const on of [said.on, ["NAME", "born", "Ort"], ["1", "born", "city"]])
      expect((await link(other, copyOf(store), { ...said, on })).entityOf).toEqual(plainly.entityOf);
    await expect(link(other, store, { on: ["Name", "phone"] })).rejects.toThrow("columns do not change.");
    await expect(link(other, store, { on: ["Nam"] })).rejects.toThrow('no column "Nam".');
  });

  it("are found with the rows of the store in a file, where memory is limited", async () => {
    const store = copyOf(plain);
    const other = write("limited.csv", renamed(table), rest);
    const spied = vi.spyOn(CellFile.prototype, "column");
    const memory = { bytes: 2 ** 31, folder: path(".") };
    await link(other, store, { memory, learn: "never" });
    const counts = spied.mock.calls.map(([, count]) => count);
    expect(counts.filter((count) => count === most.length)).toHaveLength(Object.keys(table).length);
    spied.mockRestore();
  });

  it("are refused where two hold the same, or none does", async () => {
    const { name, ...others } = table;
    const twice = write(
      "twice.csv",
      { ...others, first: name, second: name.map((cell) => cell.toUpperCase()) },
      rest,
    );
    await expect(link(twice, copyOf(plain))).rejects.toThrow(
      /has no column name, and (first and second|second and first) both hold what .* Rename the one that is name\.$/,
    );
    const cases = write("cases.csv", { ...others, Name: name, NAME: name }, rest);
    await expect(link(cases, copyOf(plain))).rejects.toThrow(/Rename the one that is name\.$/);
    const strange = write("strange.csv", { ...others, remark: name.map((_, row) => `x${row}y`) }, rest);
    await expect(link(strange, copyOf(plain))).rejects.toThrow(/has no column name: .* new store\.$/);
  });
});

describe("a store that does not fit", () => {
  const refused = async (store: string, text: string | RegExp, options = {}): Promise<void> => {
    await expect(link(second, store, options)).rejects.toThrow(text);
  };

  it("is refused in one line with the cure", async () => {
    const store = copyOf(plain);
    const narrow = write("narrow.csv", { name: table.name });
    await expect(link(narrow, store)).rejects.toThrow(
      /has no column born, city, phone: .* start a new store\.$/,
    );
    await refused(store, /columns do not change\. Leave out --on/, { on: ["name"] });
    await refused(store, /need a run that learns again/, { precision: 0.99, learn: "never" });
    writeFileSync(path("text"), "name\nno store\n");
    await refused(path("text"), /text: is not a store of pearl link\. Choose another name/);
    await refused(path("none/store"), /the folder .*none does not exist\. Make it/);
    await expect(entityHistory(path("absent"), "E1")).rejects.toThrow(/no such store/);
    expect(existsSync(path("absent"))).toBe(false);
    await expect(entityHistory(store, "E99999")).rejects.toThrow(/has no entity E99999/);
  });

  it("is refused where it has another format, or keys that do not tell rows apart", async () => {
    const store = copyOf(plain);
    await withStore(store, "existing", (opened) => opened.query("UPDATE meta SET version = 9"));
    await refused(store, /has format 9; this pearl reads format 7/);
    const late = copyOf(plain);
    await withStore(late, "existing", async (opened) => {
      await opened.query("PRAGMA disable_checkpoint_on_shutdown");
      await opened.query("UPDATE meta SET version = 9");
    });
    expect(existsSync(`${late}.wal`)).toBe(true);
    // A shard reads a copy of the store.
    await refused(late, /has format 9/, { sharing: sharingOf({ index: 1, count: 2 }) });
    await refused(newStore(), /rows \d+ and \d+ have the same key "\w+"|the key is empty/, { key: "city" });
  });

  it("is empty after a first run that was killed", async () => {
    const store = newStore();
    await withStore(store, "any", async () => {});
    const trouble = `${store} is empty: no run has ended. Link a table: pearl link TABLE --store ${store}`;
    await expect(entityHistory(store, "E1")).rejects.toThrow(trouble);
    await expect(exportEntities(store, path("none.csv"))).rejects.toThrow(trouble);
  });

  it("is called damaged where bytes changed or are missing", async () => {
    const bytes = readFileSync(plain);
    for (const damaged of [
      bytes.fill(7, bytes.length / 2, bytes.length / 2 + 999),
      bytes.subarray(0, bytes.length / 2),
    ]) {
      const store = newStore();
      writeFileSync(store, damaged);
      await refused(
        store,
        /is damaged \(.*\)\. Restore a copy, or link the tables again into a new store\.$/,
      );
    }
  });

  it("is in use while another run holds it", async () => {
    const store = copyOf(plain);
    const both = await Promise.allSettled([link(first, store), link(second, store)]);
    const failed = both.filter((one) => one.status === "rejected");
    expect(failed).toHaveLength(1);
    expect(String(failed[0].reason)).toMatch(/is in use by this process\. Wait until it has finished\./);
  });

  it("is not linked where doubtful pairs would be written over the decisions", async () => {
    const review = path("own-review.csv");
    writeFileSync(review, "decision,left_row,right_row\nyes,1,2\n");
    const both = { review, reviewOutput: review };
    await refused(copyOf(plain), "own-review.csv is an input. Choose another output name.", both);
  });

  it("is not left behind by a first run that fails", async () => {
    const store = newStore();
    const signal = AbortSignal.abort(new Error("stopped"));
    await refused(store, "stopped", { signal });
    await refused(store, /no column "nothing"/, { key: "nothing" });
    expect(existsSync(store)).toBe(false);
  });
});

describe("a table without rows", () => {
  const empty = path("empty.csv");
  writeFileSync(empty, `${Object.keys(table).join(",")}\n`);
  const outputs = { output: path("out.csv"), reviewOutput: path("no-review.csv") };
  const semicolons = path("empty-semicolons.csv");
  writeFileSync(semicolons, Object.keys(table).join(";"));

  it("makes no store, and changes nothing of one, also after its only run was taken back", async () => {
    const none = newStore();
    const first = await link(empty, none, outputs);
    expect(first).toMatchObject({ rows: 0, run: 0, reviewed: 0, promise: { established: true } });
    expect(readFileSync(outputs.output, "utf8")).toBe("entity,name,city,born,phone\n");
    await link(semicolons, none, outputs);
    expect(readFileSync(outputs.reviewOutput, "utf8")).toMatch(/^decision;probability;/);
    expect(existsSync(none)).toBe(false);
    const store = copyOf(plain);
    expect(await link(empty, store)).toMatchObject({ rows: 0, run: 0, entitiesAfter: before.entitiesAfter });
    expect(await linesOf(store)).toEqual(await linesOf(plain));
    await undoLink(store);
    expect(await link(empty, store)).toMatchObject({ run: 0, entitiesAfter: 0 });
    await expect(link(empty, none, { key: "id" })).rejects.toThrow('no column "id"');
  });

  it("ends a shard also while the store is in use", async () => {
    const sharing = sharingOf({ index: 1, count: 2 });
    await withStore(copyOf(plain), "existing", ({ path: used }) =>
      expect(link(empty, used, { sharing })).rejects.toThrow("only adds to what the store has learned"),
    );
  });
});

describe("a limit of memory", () => {
  const memory = { bytes: 2 ** 32, folder: path("") };

  it("changes nothing in the store: the first link, later rows, and learning again", async () => {
    const [free, bounded] = [newStore(), newStore()];
    for (const [store, options] of [
      [free, {}],
      [bounded, { memory, threads: 1 }],
    ] as const) {
      await link(first, store, options);
      await link(second, store, { ...options, learn: "never" });
      await link(second, store, { ...options, learn: "again" });
    }
    expect(await linesOf(bounded)).toEqual(await linesOf(free));
  });

  it("that is too small is refused with the least, which will do, and the store stays as it was", async () => {
    const folder = path("");
    const least = async (run: (bytes: number) => Promise<unknown>): Promise<number> => {
      const message = String(await run(2 ** 20).catch(String));
      return Number(/--memory (\d+)m$/.exec(message)?.[1]) * 2 ** 20;
    };
    const store = newStore();
    const learning = (bytes: number) => link(first, store, { memory: { bytes, folder } });
    const needed = await least(learning);
    expect(existsSync(store)).toBe(false);
    await learning(needed);
    const adding = (bytes: number) => link(second, store, { memory: { bytes, folder }, learn: "never" });
    const before = await linesOf(store);
    const neededLater = await least(adding);
    expect(await linesOf(store)).toEqual(before);
    expect((await adding(neededLater)).added).toBe(rest.length);
  });

  it("needs a folder that exists", async () => {
    const missing = link(first, newStore(), { memory: { ...memory, folder: path("none") } });
    await expect(missing).rejects.toThrow(/none: no such folder for temporary files/);
  });
});
