import { afterAll, describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import { explainPhrases, explanationLine } from "../../../src/join/explain.js";
import { fuzzyJoin } from "../../../src/join/fuzzy-join.js";
import {
  entityTypes,
  likeliestType,
  pairCosines,
  prepareColumn,
  writeTypeRoots,
} from "../../../src/match/columns.js";
import { featureNames } from "../../../src/match/evidence/features.js";
import { defaultScorer, type ScorerFile } from "../../../src/match/scorer.js";
import { dotRows } from "../../../src/search/vectors.js";

const encoder = await PhraseEncoder.load("pearl-mini");
afterAll(() => encoder.dispose());

/** Agreement of two lists of probabilities over the same labels. */
function agreementOf(labels: readonly string[], left: readonly number[], right: readonly number[]): number {
  const types = entityTypes(labels);
  const roots = new Float32Array(2 * types.names.length);
  writeTypeRoots(Float32Array.from(left), types, roots, 0);
  writeTypeRoots(Float32Array.from(right), types, roots, 1);
  return dotRows(roots, 0, roots, 1, types.names.length);
}

describe("agreement of types", () => {
  it("is the Bhattacharyya coefficient of the entity types, independent of the lexical class", () => {
    const labels = ["NP-ORG", "NP-GPE", "VP-ORG", "VP-OTHER"];
    const expected = Math.sqrt(0.8 * 0.5) + Math.sqrt(0.1 * 0.3) + Math.sqrt(0.1 * 0.2);
    expect(agreementOf(labels, [0.5, 0.1, 0.3, 0.1], [0, 0.3, 0.5, 0.2])).toBeCloseTo(expected, 6);
    expect(agreementOf(labels, [1, 0, 0, 0], [0, 0, 1, 0])).toBeCloseTo(1, 6);
    expect(agreementOf(labels, [1, 0, 0, 0], [0, 1, 0, 0])).toBe(0);
    expect(agreementOf(["person", "place"], [0.25, 0.75], [0.25, 0.75])).toBeCloseTo(1, 6);
  });

  it("uses the model's type probabilities for rows of both tables", async () => {
    const left = ["Barack Obama", "Berlin", "Microsoft Corporation"];
    const right = ["25 December 1999", "Paris"];
    const column = await prepareColumn({ left, right }, { encoder });
    const predicted = await encoder.types([...left, ...right]);
    const shares = predicted.map((types) => {
      const ofEntity = new Map<string, number>();
      for (const { type, probability } of types) {
        const entity = type.split("-")[1];
        ofEntity.set(entity, (ofEntity.get(entity) ?? 0) + probability);
      }
      return ofEntity;
    });
    for (const [row, ofLeft] of shares.slice(0, 3).entries()) {
      for (const [query, ofRight] of shares.slice(3).entries()) {
        let expected = 0;
        for (const [entity, share] of ofLeft) expected += Math.sqrt(share * (ofRight.get(entity) ?? 0));
        expect(pairCosines(column, query, row).types).toBeCloseTo(expected, 5);
      }
    }
    expect(column.entityTypes).toHaveLength(19);
    expect(likeliestType(column.base.types!, 0, column.entityTypes)).toMatchObject({ type: "PERSON" });
    expect(pairCosines(column, 1, 1).types).toBeGreaterThan(0.8);
    expect(pairCosines(column, 0, 0).types).toBeLessThan(0.3);
  });
});

/** The default scorer with another weight for agreement of types. */
function withTypesWeighed(weight: number): ScorerFile {
  const file = defaultScorer();
  const place = featureNames.indexOf("typesDiffer");
  const inputs = file.scorer.inputs.map((unit, at) =>
    unit.map((value, feature) => (feature === place ? -weight * Math.sign(file.scorer.outputs[at]) : value)),
  );
  return { ...file, scorer: { ...file.scorer, inputs } };
}

describe("a join with types", () => {
  const left = ["Washington, D.C.", "George Washington", "Lincoln, Nebraska", "Abraham Lincoln"];
  const right = ["President Washington", "Washington (city)"];

  it("ignores the feature without a type head or without a model", async () => {
    const plain = await PhraseEncoder.load("pearl-strings");
    for (const model of [plain, "none"] as const) {
      const usual = await fuzzyJoin(left, right, { encoder: model });
      const { explain, ...others } = await fuzzyJoin(left, right, {
        encoder: model,
        scorer: withTypesWeighed(9),
      });
      expect(JSON.stringify(others)).toBe(JSON.stringify({ ...usual, explain: undefined }));
      const pair = explain(0, 0);
      expect(pair.types).toBeUndefined();
      expect(pair.features.map(({ feature }) => feature)).not.toContain("typesDiffer");
    }
    await plain.dispose();
  });

  it("scores a pair lower the less its types agree, and explains it", async () => {
    const plain = await prepareColumn({ left, right }, {});
    const labels = ["PERSON", "GPE", "ORG"];
    /** The first pair explained with these types. */
    const explained = (ofLeft: readonly number[], ofRight: readonly number[]) => {
      const types = entityTypes(labels);
      const [base, queries] = [left, right].map(({ length }) => new Float32Array(length * labels.length));
      writeTypeRoots(Float32Array.from(ofLeft), types, base, 0);
      writeTypeRoots(Float32Array.from(ofRight), types, queries, 0);
      const column = {
        ...plain,
        dimension: 1,
        entityTypes: labels,
        base: { ...plain.base, vectors: new Float32Array(left.length), types: base },
        queries: { ...plain.queries, vectors: new Float32Array(right.length), types: queries },
      };
      return explainPhrases(column, withTypesWeighed(2), { left: 0, right: 0 });
    };
    const line = (of: ReturnType<typeof explained>) => explanationLine(of);
    const [same, alike, differ] = [
      explained([0.9, 0.1, 0], [0.8, 0.1, 0.1]),
      explained([0.4, 0.6, 0], [0.6, 0.1, 0.3]),
      explained([0.05, 0.95, 0], [0.9, 0, 0.1]),
    ];
    expect(same.score).toBeGreaterThan(alike.score);
    expect(alike.score).toBeGreaterThan(differ.score);
    expect(same.types).toMatchObject({ left: { type: "PERSON" }, right: { type: "PERSON" } });
    expect(line(same) + line(alike)).not.toContain("types");
    expect(line(differ)).toMatch(/; types differ: GPE, PERSON$/);
    const effect = differ.features.find(({ feature }) => feature === "typesDiffer")!;
    expect(effect.value).toBeCloseTo(0.79, 2);
    expect(effect.effect).toBeLessThan(0);
  });
});
