/** Clusters and duplicates of a list: thresholds, estimates and what distinguishes phrases. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../src/encoder/phrase-encoder.js";
import { cluster } from "../../src/group/cluster.js";
import { dedupe } from "../../src/group/dedupe.js";
import { compareWithin } from "../../src/group/same-table.js";
import { termCosine, termRows } from "../../src/match/candidates/grams.js";
import { foldPhrase } from "../../src/match/evidence/phrase.js";
import { createRandom } from "../../src/random.js";

it("compares phrases by their spelling where none is embedded", async () => {
  const phrases = ["New York Times", "The New York Times", "Le Monde", "Le Monde Times", "LE MONDE"];
  const numbered = { isNumbered: new Uint8Array(5), numbers: new Int32Array(5) };
  const { links, similarity } = await compareWithin(phrases, { alone: ["Figaro"], numbered }, {});
  const { left, right } = termRows(phrases.map(foldPhrase), ["figaro"]);
  const found = Array.from(links.scores, (score, link) => [links.left[link], links.right[link], score]);
  // Equal but for case, and a word more.
  expect(found).toContainEqual([2, 4, 1]);
  expect(similarity(2, 3)).toBeCloseTo(termCosine(left, 2, left, 3), 6);
  expect(similarity(2, 3)).toBeGreaterThan(0.5);
  expect(similarity(0, 2)).toBe(0);
  expect(similarity(2, 5)).toBe(termCosine(left, 2, right, 0));
});

it("takes long phrases for the same only if they are to their ends", async () => {
  const random = createRandom(8);
  const letter = (): string => String.fromCharCode(97 + Math.floor(26 * random()));
  const text = (words: number): string =>
    Array.from({ length: words }, () => Array.from({ length: 10 }, letter).join("")).join(" ");
  const [long, rest] = [text(100), text(200)];
  const phrases = [`${long} ${rest}`, `${long} ${text(200)}`, `${long.toUpperCase()} ${rest}!`];
  const numbered = { isNumbered: new Uint8Array(3), numbers: new Int32Array(3) };
  const { similarity } = await compareWithin(phrases, { alone: [], numbered }, {});
  expect(similarity(0, 2)).toBe(1);
  expect(similarity(0, 1)).toBeLessThan(1);
});

describe("cluster and dedupe", () => {
  let encoder: PhraseEncoder;
  beforeAll(async () => {
    encoder = await PhraseEncoder.load(undefined, { threads: 1 });
  });
  afterAll(() => encoder.dispose());

  const phrases = [
    "The New York Times",
    "New York Times",
    "Acme Inc.",
    "Acme, Inc",
    "Acme Inc.",
    "Season 2009",
    "Season 2010",
    " ",
    "",
    "Le Monde",
  ];

  it("groups variants, separates seasons of different years, and leaves empty rows alone", async () => {
    const { groups, groupOf, similarity } = await cluster(phrases, { encoder, threshold: 0.7 });
    expect(groups.map(({ rows }) => rows)).toEqual([[0, 1], [2, 3, 4], [5], [6], [7], [8], [9]]);
    expect([...groupOf]).toEqual([0, 0, 1, 1, 1, 2, 3, 4, 5, 6]);
    expect(groups[0].representative).toBe(0);
    expect(phrases[groups[1].representative]).toBe("Acme Inc.");
    expect(similarity[4]).toBe(1);
    expect(similarity[3]).toBeGreaterThan(0.7);
  });

  it("groups only phrases equal except for case and punctuation at a precision of 1", async () => {
    const acmes = ["Acme North", "Acme South", "Acme West", "Acme East", "acme, NORTH"];
    const crowded = ["Station 1", ...acmes, "C", "C++"];
    const { groups, estimate } = await cluster(crowded, { encoder, precision: 1 });
    expect(estimate).toBe(1);
    expect(groups.filter(({ rows }) => rows.length > 1).map(({ rows }) => rows)).toEqual([[1, 5]]);
  });

  it("establishes a precision only by equal rows and those written anew, and returns likely groups otherwise", async () => {
    const names = ["Acme North.", "Acme North", "Apex Ltd", "Apex Limited", "Le Monde"];
    const { promise, groups, estimate, low, high } = await cluster(names, { encoder });
    expect(promise).toMatchObject({ target: 0.9, established: false });
    expect(groups.map(({ rows }) => rows)).toEqual([[0, 1], [2, 3], [4]]);
    // Of the two rows that are grouped with another, one is equal to it, and one has its words: one of one, by Wilson .2065.
    expect(low).toBeCloseTo((1 + 0.2065) / 2, 4);
    expect(estimate).toBeGreaterThanOrEqual(low!);
    expect(high).toBe(1);
    expect((await cluster(names, { encoder, precision: 0.5 })).promise!.established).toBe(true);
    expect((await cluster(["Le Monde", "Acme"], { encoder })).promise!.reason).toBe("no two rows are alike");
    expect((await cluster(names, { encoder, threshold: 0.9 })).promise).toBeUndefined();
  });

  it("proposes pairs near the threshold for review, each row once", async () => {
    const { doubtful, groupOf } = await cluster(phrases, { encoder, threshold: 0.7 });
    const pairs = doubtful(3);
    const rows = pairs.flatMap(({ left, right }) => [left, right]);
    expect(new Set(rows).size).toBe(rows.length);
    for (const { left, right, accepted, probability } of pairs) {
      expect(accepted).toBe(groupOf[left] === groupOf[right]);
      expect(probability > 0 && probability <= 1).toBe(true);
    }
    expect(doubtful(1)).toEqual(pairs.slice(0, 1));
  });

  it("separates phrases that differ in the same two words again and again", async () => {
    const states = ["Alabama", "Georgia", "Florida", "Kansas", "Oregon", "Nevada", "Texas", "Ohio"];
    const names = states.flatMap((state) =>
      ["Golden Eagles", "Red Hawks", "Blue Devils"].map((name) => `${state} ${name}`),
    );
    const teams = names.flatMap((name) => [`${name} football`, `${name} baseball`]);
    const apart = await cluster(teams, { encoder, threshold: 0.6 });
    expect(apart.groupOf[0]).not.toBe(apart.groupOf[1]);
    // If every other team has a different sport, the difference does not recur.
    const lone = [
      ...teams.slice(0, 2),
      ...names.slice(1).map((name, row) => `${name} ${row % 2 ? "foot" : "base"}ball`),
    ];
    const together = await cluster(lone, { encoder, threshold: 0.6 });
    expect(together.similarityOf(0, 1)).toBeGreaterThan(1.5 * apart.similarityOf(0, 1));
  });

  it("groups spellings of one language with those of all, and no words of other signs", async () => {
    const one = "Æro Design|Weißwasser Bau|Łódź Hotel|Müller|Jäger|Hans Köhler GmbH|Göthe".split("|");
    const other = "Aero Design|Weisswasser Bau|Lodz Hotel|Mueller|Jaeger|Hans Koehler GmbH|Goethe".split("|");
    const apart = "C|C++|C#|F|F#|Perl|Zebra Park|Quantum Lab|Mathis Jr|Mathis Sr|Bauer|Bär".split("|");
    const { groupOf } = await cluster([...one, ...other, ...apart], { encoder });
    const together = one.map((_, row) => row);
    expect([...groupOf.slice(0, 2 * one.length)]).toEqual([...together, ...together]);
    expect(new Set(groupOf.slice(2 * one.length)).size).toBe(apart.length);
    const found = await dedupe([...one, ...other], { encoder, likely: "remove" });
    expect([...found.kept]).toEqual(together);
  });

  it("separates a phrase with an added word, unless it is the word for the kind of thing", async () => {
    const places = ["Lindeby", "Norrhult", "Vallda", "Askersund", "Torekov", "Hjortkvarn"].flatMap((town) =>
      ["North", "South"].map((side) => `${town} ${side} Hospital`),
    );
    const added = [...places, "Vallda Dental North Hospital", "Torekov North Hospital II", "Torekov South"];
    // Distinguishing words reduce a similarity to 0.5 at most.
    const { similarityOf, groupOf } = await cluster(added, { encoder, threshold: 0.51 });
    const row = (phrase: string): number => added.indexOf(phrase);
    expect(groupOf[row("Torekov South")]).toBe(groupOf[row("Torekov South Hospital")]);
    for (const [short, long] of [
      ["Vallda North Hospital", "Vallda Dental North Hospital"],
      ["Torekov North Hospital", "Torekov North Hospital II"],
    ]) {
      expect(groupOf[row(short)]).not.toBe(groupOf[row(long)]);
      expect(similarityOf(row(short), row(long))).toBeLessThanOrEqual(0.5);
    }
  });

  it("makes exactly k groups, and rejects a k above the number of different phrases", async () => {
    const { groups, threshold } = await cluster(phrases, { encoder, k: 3 });
    expect(groups.filter(({ rows }) => phrases[rows[0]].trim() !== "").length).toBe(3);
    expect(threshold).toBeUndefined();
    await expect(cluster(["a", "b", "a"], { encoder, k: 3 })).rejects.toThrow(
      "k is 3, but there are only 2 different phrases",
    );
  });

  it("rejects conflicting options, and accepts an empty list", async () => {
    await expect(cluster(phrases, { encoder, k: 2, threshold: 0.5 })).rejects.toThrow("give only one of");
    await expect(cluster(phrases, { encoder, threshold: 1.5 })).rejects.toThrow("between 0 and 1");
    for (const k of [undefined, 3]) expect((await cluster([], { encoder, k })).groups).toEqual([]);
    expect((await cluster(["one"], { encoder })).groups).toEqual([{ rows: [0], representative: 0 }]);
  });

  it("keeps the most complete row of a group, else the first, and reports it for each removed row", async () => {
    const first = await dedupe(phrases, { encoder, threshold: 0.7 });
    expect([...first.kept]).toEqual([0, 2, 5, 6, 7, 8, 9]);
    expect(first.removed.map(({ row, keptRow }) => [row, keptRow])).toEqual([
      [1, 0],
      [3, 2],
      [4, 2],
    ]);
    const completeness = phrases.map((_, row) => (row === 3 || row === 4 ? 2 : 1));
    const complete = await dedupe(phrases, { encoder, threshold: 0.7, completeness });
    expect([...complete.kept]).toEqual([0, 3, 5, 6, 7, 8, 9]);
    expect(complete.removed.find(({ row }) => row === 4)?.keptRow).toBe(3);
  });

  it("removes only equal rows if the promise is not established, unless likely ones are to go, too", async () => {
    const { removed, groups, promise } = await dedupe(phrases, { encoder });
    expect(promise!.established).toBe(false);
    expect(removed).toEqual([{ row: 4, keptRow: 2, probability: 1 }]);
    expect(groups.map(({ kept, others }) => [kept, ...others.map(({ row }) => row)])).toContainEqual([
      2, 3, 4,
    ]);
    const all = await dedupe(phrases, { encoder, likely: "remove" });
    expect(all.removed).toEqual(groups.flatMap(({ others }) => others).sort((a, b) => a.row - b.row));
  });

  it("removes confirmed rows, keeps rejected ones, and counts confirmed ones as sure", async () => {
    const known = [
      { left: 9, right: 0, match: true },
      { left: 2, right: 4, match: false },
    ];
    const { removed } = await dedupe(phrases, { encoder, known });
    expect(removed).toEqual([{ row: 9, keptRow: 0, probability: 1 }]);
    const lone = ["New York", "Big Apple", "Paris"];
    const decided = await dedupe(lone, { encoder, known: [{ left: 0, right: 1, match: true }] });
    expect(decided.promise).toMatchObject({ established: true });
    expect([...decided.kept]).toEqual([0, 2]);
  });
});
