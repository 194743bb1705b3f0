/** Links of one column of phrases: they are grouped as dedupe groups them, and promise no more. */
import { expect, it } from "vitest";
import { dedupeTable } from "../../src/group/tables/dedupe-table.js";
import { createRandom } from "../../src/random.js";
import { link, workFolder } from "./linking.js";

const { path, write, newStore } = workFolder("phrases");

/** Names of places, which are alike and mean different things: each word occurs in many. */
function places(): string[] {
  const random = createRandom(3);
  const pick = (words: string): string => words.split(" ")[Math.floor(random() * 8)];
  const one = (): string =>
    `${pick("Upper Lower North South Old New Great Little")} ${pick("Ash Birch Cedar Elm Holly Maple Oak Rowan")}` +
    `${pick("ford ton ham by wick stead ley field")}, Count of ${pick("Arles Blois Calw Dreux Eu Foix Guise Holst")}`;
  return [...new Set(Array.from({ length: 400 }, one))];
}

it("promise nothing that only one column says, as dedupe; the likely rows are listed", async () => {
  const names = [...places(), "Upper Ashford, Count of Arles ", "Count of Arles, Upper Ashford"];
  const table = write("places.csv", { title: names });
  const found = await link(table, newStore(), { likelyOutput: path("likely.csv") });
  expect(found.promise).toMatchObject({ established: false });
  expect(found.linked).toBe("equal");
  const outputs = { kept: path("kept.csv") };
  const { promise, estimate, likely } = await dedupeTable(table, outputs, { encoder: "none" });
  expect(found).toMatchObject({ promise, estimate, columns: [{ name: "title", weights: [] }] });
  expect(found.likely > 0).toBe(likely > 0);
});

it("compare all rows again where new ones come, keep the names of entities, and refuse --no-relearn", async () => {
  const names = [
    "Acme Incorporated",
    "Siemens AG",
    "Siemens AG",
    "Bosch Power Tools",
    "Nestlé",
    "Toyota Motor",
  ];
  const store = newStore();
  const first = await link(write("first.csv", { name: names }), store);
  expect(first.entityOf).toEqual(["E1", "E2", "E2", "E3", "E4", "E5"]);
  const more = write("more.csv", { name: ["Siemens AG", "Acme Incorporated.", "Fiat"] });
  await expect(link(more, store, { learn: "never" })).rejects.toThrow(
    /compares one column of phrases \(name\).*Leave out --no-relearn/,
  );
  const second = await link(more, store, { likely: "accept" });
  expect(second).toMatchObject({ hasLearned: true, known: 1, added: 2 });
  expect(second.entityOf).toEqual(["E2", "E1", "E6"]);
  expect(await link(more, store)).toMatchObject({ hasLearned: false, run: 0, known: 3 });
});
