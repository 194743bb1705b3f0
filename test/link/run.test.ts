import { expect, it } from "vitest";
import { type Table, tableWithDuplicates } from "../match/people.js";
import { link, workFolder } from "./linking.js";

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
