/** Hard negatives of pairs, against a search that compares every text with every candidate, one rule after another. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import { type MinePairsOptions, minePairs } from "../../../src/methods/pairs/mine-pairs.js";
import { type Pair, readPairs } from "../../../src/methods/pairs/pairs.js";

let encoder: PhraseEncoder;
const folder = mkdtempSync(join(tmpdir(), "pearl-mine-pairs-"));
beforeAll(async () => {
  encoder = await PhraseEncoder.load(undefined, { threads: 1 });
});
afterAll(async () => {
  await encoder.dispose();
  rmSync(folder, { recursive: true });
});

let tables = 0;
function table(lines: readonly string[]): string {
  const path = join(folder, `${tables++}.csv`);
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}

async function mined(path: string, options: MinePairsOptions = {}) {
  const output = join(folder, `${tables++}.csv`);
  const report = await minePairs(path, output, { encoder, ...options });
  return { report, pairs: (await readPairs(output)).pairs };
}

const negativesOf = (pairs: readonly Pair[], text: string) =>
  pairs.filter((pair) => pair.text === text && pair.negative !== "").map(({ negative }) => negative);

const firms = "data/pairs.csv";
/** Texts, positives and their cosines with all positives. */
async function compared() {
  const { pairs } = await readPairs(firms);
  const names = [...new Set(pairs.map(({ positive }) => positive))];
  const scores = await encoder.similarity(
    pairs.map(({ text }) => text),
    names,
  );
  return pairs.map(({ text, positive }, row) => {
    const others = names.map((name, place) => ({ name, score: scores[row][place] }));
    const own = others.find(({ name }) => name === positive)?.score as number;
    const rest = others.filter(({ name }) => name !== positive).sort((a, b) => b.score - a.score);
    return { text, own, rest };
  });
}

describe("negatives of pairs", () => {
  it("are the nearest below the margins and within the limits, and else none", async () => {
    const all = await compared();
    const settings = { relativeMargin: 0.3, margin: 0.2, minScore: 0.3, maxScore: 0.5, skip: 1, nearest: 6 };
    const { report, pairs } = await mined(firms, { ...settings, negatives: 2 });
    const expected = all.map(({ own, rest }) =>
      rest
        .slice(1, 6)
        .filter(({ score }) => score <= 0.7 * own && score <= own - 0.2 && score >= 0.3 && score <= 0.5)
        .slice(0, 2),
    );
    for (const [row, { text }] of all.entries())
      expect(negativesOf(pairs, text)).toEqual(expected[row].map(({ name }) => name));
    const found = expected.flat();
    expect(report.negatives).toBe(found.length);
    expect(report.withNegatives).toBe(expected.filter(({ length }) => length > 0).length);
    expect(report.withNegatives).toBeLessThan(report.pairs);
    expect(new Set(pairs.map(({ text }) => text)).size).toBe(report.pairs);
    const meanOf = (values: number[]) => values.reduce((sum, x) => sum + x, 0) / values.length;
    expect(report.negativeScore).toBeCloseTo(meanOf(found.map(({ score }) => score)), 5);
    expect(report.positiveScore).toBeCloseTo(meanOf(all.map(({ own }) => own)), 5);
  });

  it("are drawn from the nearest by a seed", async () => {
    const settings = { sampling: "random", nearest: 8, negatives: 3, relativeMargin: 0 } as const;
    const [first, again, other] = [
      await mined(firms, settings),
      await mined(firms, settings),
      await mined(firms, { ...settings, seed: 1 }),
    ];
    expect(again.pairs).toEqual(first.pairs);
    expect(other.pairs).not.toEqual(first.pairs);
    for (const { text, own, rest } of await compared()) {
      const allowed = rest.slice(0, 8).filter(({ score }) => score <= own);
      const drawn = negativesOf(first.pairs, text);
      expect(new Set(drawn).size).toBe(Math.min(3, allowed.length));
      expect(allowed.map(({ name }) => name)).toEqual(expect.arrayContaining(drawn));
    }
  });

  it("are found by the graph as by the exact search", async () => {
    const exact = await mined(firms, { search: "exact", negatives: 3 });
    expect((await mined(firms, { search: "hnsw", negatives: 3 })).pairs).toEqual(exact.pairs);
  });

  it("are no phrase that pairs connect, in no spelling, and none that the table gives", async () => {
    const path = table([
      "text,positive,negative",
      ...["IBM,International Business Machines,", "I.B.M.,Big Blue,", "Acme,ACME Inc,Acne", "Acme,ACME Inc,"],
      ...["Siemens,Siemens AG,", "Akme,Akmé Ltd,"],
    ]);
    const among = table(["name", "ibm", "Big Blue", "Big Blues", "acne!", "Acme Inc.", "Siemens", "akme"]);
    const { pairs } = await mined(path, { among, negatives: 10, relativeMargin: 0, nearest: 10 });
    const ibm = negativesOf(pairs, "IBM");
    expect(ibm).toContain("Big Blues");
    expect(ibm.filter((name) => ["ibm", "Big Blue"].includes(name))).toEqual([]);
    const acme = negativesOf(pairs, "Acme");
    expect(acme).toContain("Acne");
    expect(acme.filter((name) => ["acne!", "Acme Inc."].includes(name))).toEqual([]);
    expect(acme).toContain("akme");
  });

  it("are not of the label of the text, also where a phrase has two", async () => {
    const path = table([
      "text,label",
      "jaguar,animal",
      "jaguar,car",
      "puma,animal",
      "Volvo,car",
      "jaguars,shop",
      "pumas,shop",
    ]);
    const { pairs } = await mined(path, { negatives: 10, relativeMargin: 0, minScore: -1, maxScore: 1 });
    const own = { animal: ["jaguar", "puma"], car: ["jaguar", "Volvo"], shop: ["jaguars", "pumas"] };
    for (const pair of pairs) {
      const forbidden = Object.values(own).filter((names) => names.includes(pair.text));
      expect(own[pair.label as keyof typeof own]).toContain(pair.text);
      expect(forbidden.flat()).not.toContain(pair.negative);
    }
    expect(pairs.some(({ negative }) => negative !== "")).toBe(true);
    // pairs of two labels connect their phrases too
    const chain = table([
      "text,positive,label",
      "Mars,Mars Inc,firm",
      "Mars Inc,Mars Bar,food",
      "Twix,Twixes,food",
    ]);
    const { pairs: chained } = await mined(chain, { negatives: 10, relativeMargin: 0 });
    expect(negativesOf(chained, "Mars")).toEqual(["Twixes"]);
  });

  it("of settings that make none are refused", async () => {
    const refused = (options: MinePairsOptions) => expect(mined(firms, options)).rejects;
    await refused({ negatives: 0 }).toThrow("negatives must be a whole number of at least 1, not 0");
    await refused({ skip: 5, nearest: 5 }).toThrow("nearest must be a whole number of at least 6, not 5");
    await refused({ minScore: 0.5, maxScore: 0.4 }).toThrow(
      "minScore must be at most the largest score, 0.4, not 0.5",
    );
    await refused({ relativeMargin: -1 }).toThrow("relativeMargin must be from 0 to 2, not -1");
    await refused({ among: table(["name", '""']) }).toThrow("the table has no phrases. Give candidates");
  });
});
