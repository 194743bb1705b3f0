import { expect, it } from "vitest";
import { equalRows } from "../../src/link/attach.js";
import { undoLink } from "../../src/link/history.js";
import { type Store, withStore } from "../../src/link/store.js";
import { degreeLevels } from "../../src/match/evidence/levels.js";
import { createRandom } from "../../src/random.js";
import { type Table, tableWithDuplicates } from "../match/people.js";
import { linesOf, link, workFolder } from "./linking.js";

const { write, newStore } = workFolder("run");
const { table, entities } = tableWithDuplicates(100);
const keyed: Table = { id: entities.map((_, row) => `k${row}`), ...table };

it("rows with keys are known by their cells where a table comes without a key, and a note tells of others", async () => {
  const store = newStore();
  const notes: string[] = [];
  const onNote = (note: string): void => {
    if (note.includes("--key")) notes.push(note);
  };
  const { entityOf } = await link(write("keyed.csv", keyed), store, { key: "id" });
  const again = await link(write("keyed.csv", keyed), store, { onNote });
  expect(again).toMatchObject({ known: entities.length, added: 0, run: 0, entityOf });
  const elsewhere = await link(write("other.csv", { ...keyed, city: keyed.city.map(() => "Ulm") }), store, {
    onNote,
  });
  expect(elsewhere.added).toBeGreaterThan(0);
  expect(notes).toEqual([]);
  const city = keyed.city.map((cell, row) => (row === 7 ? "Zwickau" : cell));
  expect(await link(write("keyed.csv", { ...keyed, city }), store, { onNote })).toMatchObject({ added: 1 });
  expect(notes).toEqual([
    expect.stringMatching(/^keyed: the store knows rows of it by their keys\. Without --key/),
  ]);
});

const placesOf = (store: string): Promise<unknown> =>
  withStore(store, "existing", (opened: Store) =>
    opened.query('SELECT "row", place FROM "row" WHERE until IS NULL ORDER BY "row"'),
  );

it("rows have the places of the table before once a run is taken back, however often they moved", async () => {
  const store = newStore();
  const rows = [...entities.keys()];
  const last = rows.at(-1)!;
  const linked = (order: readonly number[], changed: Table = keyed) =>
    link(write("places.csv", changed, order), store, { key: "id", learn: "never" });
  await linked(rows.slice(0, -1));
  const [lines, places] = [await linesOf(store), await placesOf(store)];
  const city = keyed.city.map((cell, row) => (row === 5 ? "Zwickau" : cell));
  await linked([last, ...rows.slice(0, -1)], { ...keyed, city });
  const moved = await placesOf(store);
  const back = rows.toReversed();
  expect(await linked(back, { ...keyed, city })).toMatchObject({ run: 0 });
  expect(await placesOf(store)).not.toEqual(moved);
  await undoLink(store);
  expect(await placesOf(store)).toEqual(places);
  expect(await linesOf(store)).toEqual(lines);
});

it("a store of before takes the places of a reordered table", async () => {
  const store = newStore();
  const rows = [...entities.keys()];
  await link(write("before.csv", keyed), store, { key: "id" });
  await withStore(store, "existing", (opened) => opened.query("DROP TABLE moved"));
  await link(write("before.csv", keyed, rows.toReversed()), store, { key: "id" });
  expect(await placesOf(store)).toEqual(rows.map((row) => ({ row: row + 1, place: rows.length - row })));
  await undoLink(store);
});

it("a store whose model was learned from other evidence learns again", async () => {
  const store = newStore();
  await link(write("learned.csv", table), store);
  const learnedIn = () =>
    withStore(store, "existing", (opened) => opened.query<{ run: number }>("SELECT run FROM learned"));
  await withStore(store, "existing", (opened) =>
    opened.query(`UPDATE learned SET model = replace(model, '"levels":5', '"levels":4')`),
  );
  const [{ run }] = await learnedIn();
  await link(write("one.csv", table, [0]), store);
  expect((await learnedIn()).map((line) => line.run)).toEqual([run, run + 1]);
});

it("a store whose coordinates were compared as other numbers learns again", async () => {
  const store = newStore();
  const degrees = (entity: number) => (10 + ((entity * 7919) % 4000) / 100).toFixed(4);
  const places = {
    ...table,
    lat: entities.map((entity) => degrees(entity)),
    lon: entities.map((entity) => degrees(entity + 1)),
  };
  await link(write("places.csv", places), store);
  const learnedIn = () =>
    withStore(store, "existing", (opened) =>
      opened.query<{ run: number; model: string }>("SELECT run, model FROM learned"),
    );
  const [{ run, model }] = await learnedIn();
  const changed = model.replaceAll(`"levels":${degreeLevels}`, '"levels":7');
  expect(changed).not.toBe(model);
  await withStore(store, "existing", (opened) =>
    opened.query(`UPDATE learned SET model = '${changed.replaceAll("'", "''")}'`),
  );
  await link(write("place.csv", places, [0]), store);
  expect((await learnedIn()).map((line) => line.run)).toEqual([run, run + 1]);
});

it("equal rows of a table are each found with the first other one, in time that grows as their number", async () => {
  const found = async (rows: number) =>
    withStore(newStore(), "any", (store) =>
      store.transaction(async () => {
        const cells = (row: number): string => (row % 100 === 0 ? `[${Math.ceil(row / 200)}]` : "[same]");
        const lines = Array.from({ length: rows }, (_, at) => at + 1);
        await store.append(
          "row",
          lines.map((row) => [row % 3 === 0 ? 1 : 2, null, row, "t", null, row, cells(row)]),
        );
        const before = process.cpuUsage();
        const pairs = await equalRows(store, 2);
        const { user, system } = process.cpuUsage(before);
        return { pairs: pairs.sort(([a], [b]) => a - b), seconds: (user + system) / 1e6 };
      }),
    );
  const { pairs } = await found(400);
  expect(pairs.slice(0, 3).join(" ")).toBe("1,2 2,1 4,1");
  expect(pairs.filter(([a]) => a % 100 === 0).join(" ")).toBe("100,200 200,100 400,300");
  expect((await found(60_000)).seconds).toBeLessThan(5);
});

it("leaves out columns that say nothing, unless they were named, and reads them in later tables", async () => {
  const { table: persons } = tableWithDuplicates(150);
  const random = createRandom(3);
  const withNoise: Table = { ...persons, added: persons.name.map(() => `A${Math.floor(random() * 1e6)}`) };
  const all = [...persons.name.keys()];
  const [most, rest] = [all.filter((row) => row % 5 > 0), all.filter((row) => row % 5 === 0)];
  const store = newStore();
  const { dropped, promise } = await link(write("noise.csv", withNoise, most), store);
  expect(dropped).toEqual([{ name: "added", reason: "agrees in matches as often as in any two rows" }]);
  expect(promise.established).toBe(true);
  expect((await link(write("more.csv", withNoise, rest), store)).linked).toBe("established");
  const named = await link(write("noise.csv", withNoise, most), newStore(), { on: Object.keys(withNoise) });
  expect(named.columns.map(({ name }) => name)).toContain("added");
});
