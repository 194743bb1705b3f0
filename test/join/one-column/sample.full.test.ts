import { describe, expect, it } from "vitest";
import { type Joined, joinColumns } from "../../../src/join/roads.js";
import { createRandom } from "../../../src/random.js";
import { twoTables } from "../../match/people.js";
import { review } from "../../match/reviewer.js";

const common = 60;

/**
 * Misspelt names of persons. The left table also has a sibling of each, so the promise is refused: a row without its partner
 * would match the sibling. Rows below `common` are pairs.
 */
function join(seed: number, options: Partial<Parameters<typeof joinColumns>[2]> = {}): Promise<Joined> {
  const { left, right } = twoTables(common, 20, seed);
  const siblings = left.name.map((name) => `${name}s`);
  const tables = { left: { name: [...left.name, ...siblings] }, right: { name: right.name } };
  const plan = {
    pairs: [["name", "name"]] as const,
    alone: [[], []] as const,
    dropped: [],
    profiles: new Map(),
  };
  return joinColumns(tables, plan, { encoder: "none", threads: 1, known: [], ...options });
}

const isEstablished = ({ findings }: Joined): boolean => findings.promise.established;
const bySample = ({ findings }: Joined): boolean => findings.promise.reason.includes("drawn at random");
const pairsOf = ({ matches }: Joined): string[] => matches.map(({ left, right }) => `${left} ${right}`);

describe("answers about a join by one column whose promise is refused", () => {
  it.each([undefined, "one-to-one"] as const)(
    "establish it where the matches are right (%s)",
    async (kind) => {
      const first = await join(1, { kind });
      expect(first.findings.promise).toMatchObject({ established: false });
      const { results, known } = await review(first, (a, b) => a === b && a < common, isEstablished);
      const { findings, matches } = results.at(-1)!;
      expect(findings.promise).toMatchObject({ established: true });
      expect(findings.promise.reason).toMatch(/^\d+ of \d+ pairs drawn at random from \d+ are right$/);
      expect(findings.low).toBeGreaterThanOrEqual(0.9);
      const good = matches.filter(({ left, right }) => left === right && left < common).length;
      expect(good / matches.length).toBeGreaterThan(0.9);
      expect(known.length).toBeLessThan(common);
    },
  );

  it("never establish it where they are wrong, as long as wrong ones are among the matches", async () => {
    const truth = createRandom(1);
    const isRight = Array.from({ length: 2 * (common + 20) }, () => truth() < 0.7);
    const isMatch = (a: number, b: number): boolean => a === b && isRight[a];
    const { results, known } = await review(await join(1), isMatch, () => false);
    expect(results.slice(0, 6).some(bySample)).toBe(false);
    for (const { matches } of results.filter(bySample)) {
      const good = matches.filter(({ left, right }) => isMatch(left, right)).length;
      expect(good / matches.length).toBeGreaterThanOrEqual(0.9);
    }
    const rejected = known.filter(({ match }) => !match).map(({ left, right }) => `${left} ${right}`);
    expect(rejected.length).toBeGreaterThan(5);
    expect(pairsOf(results.at(-1)!).filter((pair) => rejected.includes(pair))).toEqual([]);
  });

  it("are asked for from the matches and from doubtful pairs by turns, each pair once", async () => {
    const first = await join(1);
    const asked = first.doubtful(200);
    const pairs = asked.map(({ left, right }) => `${left} ${right}`);
    expect(new Set(pairs).size).toBe(pairs.length);
    const matched = new Set(pairsOf(first));
    expect(asked.map(({ accepted }) => accepted)).toEqual(pairs.map((pair) => matched.has(pair)));
    expect([...matched].every((pair) => pairs.includes(pair))).toBe(true);
  });

  it("give the same as a new comparison with them", async () => {
    const first = await join(2, { kind: "one-to-one" });
    const known = first.doubtful(20).map(({ left, right }) => ({ left, right, match: left === right }));
    const [answered, anew] = [await first.withKnown(known), await join(2, { kind: "one-to-one", known })];
    expect(answered.matches).toEqual(anew.matches);
    expect(answered.findings).toEqual(anew.findings);
  });
});
