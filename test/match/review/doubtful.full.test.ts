import { describe, expect, it } from "vitest";
import { groupRows } from "../../../src/group/group-rows.js";
import { matchTables, type TableMatches } from "../../../src/join/match-tables.js";
import { tableWithDuplicates, twoTables } from "../people.js";

const common = 200;
const { left, right } = twoTables(common, 100);
const encoder = "none";
const found = await matchTables(left, right, { encoder });
const isMatch = (a: number, b: number): boolean => a === b && a < common;
const has = ({ matches }: TableMatches, pair: { left: number; right: number }): boolean =>
  matches.some((match) => match.left === pair.left && match.right === pair.right);

/** The pairs of rows with equal labels. */
const pairsWithin = (labels: readonly number[]): { left: number; right: number }[] =>
  labels.flatMap((label, left) =>
    labels.flatMap((other, right) => (left < right && label === other ? [{ left, right }] : [])),
  );

describe("the pairs to judge first", () => {
  it("ask about each row once, and about no pair twice", async () => {
    const asked = found.doubtful(40);
    expect(new Set(asked.map((pair) => pair.left)).size).toBe(asked.length);
    expect(new Set(asked.map((pair) => pair.right)).size).toBe(asked.length);
    const known = asked.map((pair) => ({ ...pair, match: isMatch(pair.left, pair.right) }));
    const next = (await found.withKnown(known)).doubtful(1000);
    for (const pair of next)
      expect(known.some((one) => one.left === pair.left && one.right === pair.right)).toBe(false);
    for (const pair of asked) expect(pair.accepted).toBe(has(found, pair));
  });

  it("are the same for equal tables, and fewer if fewer are asked for", () => {
    expect(found.doubtful(5)).toEqual(found.doubtful(10).slice(0, 5));
    expect(found.doubtful(0)).toEqual([]);
  });

  it("are found also once a sample has established the promise", async () => {
    const few = twoTables(25, 20);
    const joined = await matchTables(few.left, few.right, { encoder });
    const rightPairs = joined.matches.map((pair) => ({ ...pair, match: pair.left === pair.right }));
    // A judged pair that no search found counts too.
    const answered = await joined.withKnown([...rightPairs, { left: 44, right: 43, match: true }]);
    expect(answered.promise).toMatchObject({ established: true, reason: expect.stringMatching(/at random/) });
    expect(has(answered, { left: 44, right: 43 })).toBe(true);
    for (const pair of answered.doubtful(20)) expect(pair.accepted).toBe(has(answered, pair));
    const { table, entities } = tableWithDuplicates(16);
    const known = pairsWithin(entities).map((pair) => ({ ...pair, match: true }));
    const grouped = await (await groupRows(table, { encoder })).withKnown(known);
    expect(grouped.promise).toMatchObject({ established: true, reason: expect.stringMatching(/at random/) });
    for (const pair of grouped.doubtful(20))
      expect(pair.accepted).toBe(grouped.groupOf[pair.left] === grouped.groupOf[pair.right]);
  });

  it("ask about a group, and about equal pairs, once", async () => {
    const { table } = tableWithDuplicates(24);
    const same = Object.fromEntries(
      Object.entries(table).map(([name, cells]) => [name, [...cells, ...cells]]),
    );
    const grouped = await groupRows(same, { encoder });
    // Every second pair is drawn at random.
    const asked = grouped.doubtful(24).filter((_, place) => place % 2 === 0);
    const groups = asked.flatMap((pair) => [
      ...new Set([grouped.groupOf[pair.left], grouped.groupOf[pair.right]]),
    ]);
    expect(new Set(groups).size).toBe(groups.length);
  });
});

describe("answers", () => {
  const known = found.doubtful(10).map((pair) => ({ ...pair, match: isMatch(pair.left, pair.right) }));

  it("hold whatever the columns say, at every promise", async () => {
    const contrary = known.map((pair) => ({ ...pair, match: !pair.match }));
    for (const answers of [known, contrary]) {
      const after = await found.withKnown(answers);
      for (const result of [after, after.atPrecision(0.99), after.atPrecision(0.5)])
        for (const pair of answers) expect(has(result, pair)).toBe(pair.match);
    }
  });

  it("that give a row two partners are both kept", async () => {
    const two = [0, 1].map((row) => ({ left: 5, right: 5 + row, match: true }));
    const after = await matchTables(left, right, { encoder, known: two, kind: "one-to-one" });
    for (const pair of two) expect(has(after, pair)).toBe(true);
  });

  it("give the same to a running and to a new matching", async () => {
    const again = await matchTables(left, right, { encoder, known });
    const after = await found.withKnown(known);
    expect(after.matches).toEqual(again.matches);
    expect(await after.labelEffect()).toEqual(await again.labelEffect());
    expect((await after.withKnown([])).matches).toEqual(found.matches);
  });

  it("are counted by what they changed", async () => {
    expect(await found.labelEffect()).toEqual({ decided: 0, gained: 0, lost: 0, replaced: 0 });
    const wrong = found.matches.slice(0, 3).map((match) => ({ ...match, match: false }));
    const { decided } = await (await found.withKnown(wrong)).labelEffect();
    expect(decided).toBe(3);
  });

  it("decide about rows of one table", async () => {
    const { table, entities } = tableWithDuplicates(90);
    const grouped = await groupRows(table, { encoder });
    const [first, second] = [entities.lastIndexOf(2) - 1, entities.lastIndexOf(2)];
    expect(grouped.groupOf[first]).toBe(grouped.groupOf[second]);
    const after = await grouped.withKnown([{ left: first, right: second, match: false }]);
    expect(after.groupOf[first]).not.toBe(after.groupOf[second]);
    expect((await after.labelEffect()).decided).toBeGreaterThan(0);
  });
});
