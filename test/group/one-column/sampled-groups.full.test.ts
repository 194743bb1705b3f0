import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import { type Duplicates, duplicatesByColumn } from "../../../src/group/roads.js";
import { createRandom } from "../../../src/random.js";
import { twoTables } from "../../match/people.js";
import { review } from "../../match/reviewer.js";

let encoder: PhraseEncoder;
beforeAll(async () => {
  encoder = await PhraseEncoder.load(undefined, { threads: 1 });
});
afterAll(() => encoder.dispose());

/**
 * Names of couples and the same with a letter less: no two rows are equal. A third row has the words of the second beside others, so
 * that none is in one row alone.
 */
const { left } = twoTables(180, 0);
const original = left.name.slice(0, 90).map((name, row) => `${name} and ${left.name[90 + row]}`);
const misspelt = original.map((name) => name.slice(0, 7) + name.slice(8));
const others = [original, misspelt].flatMap((names) =>
  names.map((name, row) => `${name.split(" ").slice(0, 2).reverse().join(" Trading Company ")} No. ${row}`),
);
const table = { name: [...original, ...misspelt, ...others] };
const entities = [...original.keys(), ...original.keys(), ...others.map((_, row) => 90 + row)];
const find = (threshold?: number): Promise<Duplicates> =>
  duplicatesByColumn(table, "name", { encoder, known: [], threshold });
const isEstablished = ({ report }: Duplicates): boolean => report.promise?.established === true;

function precisionOf({ report }: Duplicates, isMatch: (a: number, b: number) => boolean): number {
  const grouped = report.groups.flatMap(({ others }) => others);
  return grouped.filter(({ row, keptRow }) => isMatch(row, keptRow)).length / Math.max(1, grouped.length);
}

describe("answers about duplicates by one column", () => {
  it("establish a promise where the groups are right", async () => {
    const isMatch = (a: number, b: number): boolean => entities[a] === entities[b];
    const first = await find();
    expect(isEstablished(first)).toBe(false);
    const { results, known } = await review(first, isMatch, isEstablished);
    const { report } = results.at(-1)!;
    expect(report.promise?.reason).toMatch(/^\d+ of \d+ pairs drawn at random from \d+ are right$/);
    expect(precisionOf(results.at(-1)!, isMatch)).toBeGreaterThanOrEqual(0.9);
    expect(report.low).toBeGreaterThanOrEqual(0.9);
    expect(known.length).toBeLessThan(report.groups.flatMap(({ others }) => others).length);
  });

  it("never establish it where they are wrong, as long as wrong ones are among them", async () => {
    const random = createRandom(1);
    // Some rows are other couples of the same name.
    const couple = entities.map((entity, row) => (random() < 0.3 ? `${row}` : `entity ${entity}`));
    const isMatch = (a: number, b: number): boolean => couple[a] === couple[b];
    const { results, known } = await review(await find(), isMatch, () => false);
    expect(results.slice(0, 5).some(isEstablished)).toBe(false);
    for (const result of results.filter(isEstablished))
      expect(precisionOf(result, isMatch)).toBeGreaterThanOrEqual(0.9);
    const { groupOf } = results.at(-1)!.table;
    expect(known.filter(({ match }) => !match).length).toBeGreaterThan(5);
    for (const { left, right, match } of known) expect(groupOf[left] === groupOf[right]).toBe(match);
  });

  it("are not asked for a sample where a threshold is given, which promises nothing", async () => {
    const found = await find(0.8);
    const answered = await found.withKnown(
      found.doubtful(30).map(({ left, right }) => {
        return { left, right, match: entities[left] === entities[right] };
      }),
    );
    expect(answered.report.promise).toBeUndefined();
  });
});
