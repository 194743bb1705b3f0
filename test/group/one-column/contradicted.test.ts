/** Rows that are equal in one column, and what the rest of the table says. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import { duplicatesByColumn } from "../../../src/group/roads.js";
import type { KnownPair } from "../../../src/match/compare-tables.js";
import { contradictions } from "../../../src/match/phrase-column.js";

let encoder: PhraseEncoder;
beforeAll(async () => {
  encoder = await PhraseEncoder.load(undefined, { threads: 1 });
});
afterAll(() => encoder.dispose());

const people = {
  surname: ["Smith", "Smith", "Smith", "Smith", "Moss", "Moss"],
  first: ["Ann", "Ann Mary", "Otto", "", "Eve", "Rob"],
  city: ["Leeds", "leeds", "York", "York", "Bath", "Hull"],
  email: ["ann@x.org", "ann@x.org", "otto@y.org", "", "", ""],
  // numbering tells nothing
  id: ["1", "2", "3", "4", "5", "6"],
};

describe("rows with the same surname", () => {
  const differ = contradictions(people, "surname");

  it("are two things where most other columns differ", () => {
    expect(differ?.(0, 2)).toBe(true);
    expect(differ?.(0, 1)).toBe(false);
  });

  it("are believed where fewer than two other columns are filled, or a person confirmed them", async () => {
    expect(differ?.(0, 3)).toBe(false);
    expect(differ?.(4, 5)).toBe(true);
    const promiseWith = async (known: readonly KnownPair[]) => {
      const found = await duplicatesByColumn(people, "surname", { encoder, known });
      return found.report.promise;
    };
    expect(await promiseWith([])).toMatchObject({
      established: false,
      reason: expect.stringMatching("2 of 4 rows are like another"),
    });
    const rows = [0, 1, 2, 3].flatMap((left) => [1, 2, 3].map((right) => ({ left, right, match: true })));
    const confirmed = rows.filter(({ left, right }) => left < right);
    expect(await promiseWith([...confirmed, { left: 4, right: 5, match: true }])).toMatchObject({
      established: true,
    });
  });

  it("are believed in a table with one other column", () => {
    const { surname, city } = people;
    expect(contradictions({ surname, city }, "surname")).toBeUndefined();
  });
});

describe("rows with the same name, in a table of names alone", () => {
  const letters = [..."bcdfglmnrstv"];
  const persons = letters.flatMap((given) => letters.map((family) => `${given}anna ${family}orner`));

  it("may be namesakes where chance makes as many", async () => {
    const names = [...persons, ...persons.slice(0, 8)];
    const { report } = await duplicatesByColumn({ names }, "names", { encoder, known: [] });
    expect(report.promise).toMatchObject({
      established: false,
      reason:
        "equal rows may be different things: of 8 pairs of equal rows, chance would make 68 by its words alone",
    });
    const known = report.groups.flatMap(({ kept, others }) =>
      others.map(({ row }) => ({ left: kept, right: row, match: true })),
    );
    const answered = await duplicatesByColumn({ names }, "names", { encoder, known });
    expect(answered.report.promise?.established).toBe(true);
  });

  it("are not promised by answers about rows whose words are in another order", async () => {
    const swapped = persons.slice(20, 110).map((person) => person.split(" ").reverse().join(", "));
    const names = [...persons, ...persons.slice(0, 20), ...swapped];
    const personOf = names.map((name) => name.split(", ").reverse().join(" "));
    let found = await duplicatesByColumn({ names }, "names", { encoder, known: [] });
    const known: KnownPair[] = [];
    for (let asked = found.doubtful(20); asked.length > 0; asked = found.doubtful(20)) {
      for (const { left, right } of asked)
        known.push({ left, right, match: personOf[left] === personOf[right] });
      found = await found.withKnown(known);
    }
    expect(known.length).toBeGreaterThan(80);
    expect(found.report.promise).toMatchObject({
      established: false,
      reason: expect.stringMatching("of 20 pairs of equal rows, chance would make"),
    });
  });

  it("are one thing where their words recur nowhere else", async () => {
    const rare = letters.map((letter) => `${letter}avanna ${letter}udda`);
    const names = [...rare, ...rare];
    const { report } = await duplicatesByColumn({ names }, "names", { encoder, known: [] });
    expect(report.promise?.established).toBe(true);
  });
});
