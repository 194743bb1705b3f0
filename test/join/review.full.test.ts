/** Simulated reviews: a person answers 5, 20 or 100 proposed pairs of a join. */
import { describe, expect, it } from "vitest";
import { fuzzyJoin } from "../../src/join/fuzzy-join.js";
import type { JoinResult } from "../../src/join/options.js";
import type { KnownPair, RowMatch } from "../../src/match/compare-tables.js";
import { createRandom } from "../../src/random.js";

const random = createRandom(4);
const pick = (items: readonly string[]): string => items[Math.floor(random() * items.length)];
const syllables = "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zu bran clo dre fli gro".split(
  " ",
);
const word = (): string =>
  Array.from({ length: 2 + Math.floor(random() * 2) }, () => pick(syllables)).join("");
const kinds = ["Shipping", "Foods", "Mills", "Optics", "Textiles", "Records", "Software", "Insurance"];
const left = [...new Set(Array.from({ length: 320 }, () => `${word()} ${word()} ${pick(kinds)}`))];
/** A row as another writer has it: a letter or a word less, or another company. */
const right = left.map((name) => {
  const place = 1 + Math.floor(random() * (name.length - 2));
  const draw = random();
  if (draw < 0.5) return name.slice(0, place) + name.slice(place + 1);
  const words = name.split(" ");
  return draw < 0.8 ? `${words[0]} ${words[2]}` : `${words[0]} ${word()} ${pick(kinds)}`;
});
const join = (known?: readonly KnownPair[]): Promise<JoinResult> =>
  fuzzyJoin(left, right, { encoder: "none", known, threads: 1 });

/** A person who confirms 60 in 100 of the right proposals: the estimate without labels is too high. */
const strict = createRandom(9);
const answers = right.map((_, row) => ({ row, isMatch: strict() < 0.6 }));
const plain = await join();
const label = ({ left: a, right: b }: RowMatch, match = a === b && answers[b].isMatch): KnownPair => ({
  left: a,
  right: b,
  match,
});
const pairOf = ({ left: a, right: b }: { left: number; right: number }): string => `${left[a]} | ${right[b]}`;
const doubtful = plain.doubtful(right.length);
const shuffler = createRandom(5);
const shuffled = plain.proposals
  .map((pair) => ({ pair, key: shuffler() }))
  .sort((a, b) => a.key - b.key)
  .map(({ pair }) => pair);

/** Matches of rows without an answer that are there before and not after, or the other way. */
function changedOthers(before: JoinResult, after: JoinResult, labels: readonly KnownPair[]): number {
  const answered = new Set(labels.map((known) => known.right));
  const [old, now] = [before, after].map(
    ({ matches }) => new Set(matches.filter((match) => !answered.has(match.right)).map(pairOf)),
  );
  return [...old].filter((pair) => !now.has(pair)).length + [...now].filter((pair) => !old.has(pair)).length;
}

describe("a review", () => {
  it.each([5, 20, 100])(
    "of the %i most doubtful pairs keeps what is confirmed and never returns what is rejected",
    async (count) => {
      const known = doubtful.slice(0, count).map((pair) => label(pair));
      for (const kind of ["many-to-one", "one-to-one", "many-to-many"] as const) {
        const options = { encoder: "none", known, kind, precision: 0.95, threads: 1 } as const;
        const found = new Set((await fuzzyJoin(left, right, options)).matches.map(pairOf));
        for (const pair of known) expect(found.has(pairOf(pair))).toBe(pair.match);
      }
    },
  );

  it.each([
    [5, 0.05],
    [20, 0.1],
  ])(
    "of %i answers changes few of the other matches, even if all of the doubtful pairs are rejected",
    async (count, most) => {
      const honest = ({ left: a, right: b }: RowMatch): boolean => a === b;
      for (const labels of [
        doubtful.slice(0, count).map((pair) => label(pair, honest(pair))),
        shuffled.slice(0, count).map((pair) => label(pair, honest(pair))),
        doubtful.slice(0, count).map((pair) => label(pair, false)),
      ]) {
        const after = await join(labels);
        const changed = changedOthers(plain, after, labels);
        expect(changed).toBeLessThanOrEqual(most * plain.matches.length);
        const { decided, gained, lost, replaced } = await after.labelEffect();
        expect(gained + lost + replaced).toBeLessThanOrEqual(changed);
        expect(decided).toBeLessThanOrEqual(count);
        expect(decided + gained + lost + replaced === 0).toBe(
          JSON.stringify(after.matches.map(pairOf)) === JSON.stringify(plain.matches.map(pairOf)),
        );
      }
    },
  );

  it("brings the estimates nearer to the answers, the more answers there are", async () => {
    const truth = (pair: { left: number; right: number }): number =>
      Number(pair.left === pair.right && answers[pair.right].isMatch);
    const errorAfter = async (count: number): Promise<number> => {
      const { proposals } = await join(shuffled.slice(0, count).map((pair) => label(pair)));
      const rest = new Set(shuffled.slice(100).map(({ right: row }) => row));
      const others = proposals.filter((pair) => rest.has(pair.right));
      return Math.abs(others.reduce((sum, pair) => sum + pair.probability - truth(pair), 0) / others.length);
    };
    const errors = [await errorAfter(0), await errorAfter(5), await errorAfter(20), await errorAfter(100)];
    expect(errors).toEqual([...errors].sort((a, b) => b - a));
    expect(errors[3]).toBeLessThan(errors[0] / 2);
  });
});
