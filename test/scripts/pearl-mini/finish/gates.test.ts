/**
 * The gate layers, which set how much of an embedding is spelling, meaning and type, fitted to groups of
 * phrases.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../../../src/index.js";
import { testFolder } from "../../../table/folder.js";
import { partOf, smallWordModel } from "./small-word-model.js";

interface Group {
  sources?: string[];
  words?: "one" | "several";
  known?: "frequent" | "rare";
  letters?: "small" | "made small" | "made capital";
  characters: number;
  meaning: number;
  types: number;
}
const script = new URL("../../../../scripts/pearl-mini/finish/gates.mjs", import.meta.url).href;
type Pairs = [string, string][][];
interface Layer {
  groups: Group[];
  phrases: string[][];
  agree?: { weight: number; pairs: Pairs };
}
const { fitGates, pairsOfSources, phrasesOfGroups } = (await import(script)) as {
  fitGates: (folder: string, layers: { capitals: Layer; word: Layer; words: Layer }) => Promise<void>;
  pairsOfSources: (path: string, sources: string[], settings: { pairs: number; seed: number }) => Pairs;
  phrasesOfGroups: (
    path: string,
    groups: Partial<Group>[],
    settings: { phrases: number; seed: number; frequent?: string[] },
  ) => string[][];
};

const { path } = testFolder();
const gates = (characters: number, meaning: number, types: number) => ({ characters, meaning, types });

/** Logarithms of the three gates, centred. */
function logits(embedding: ArrayLike<number>): number[] {
  const logs = (["characters", "meaning", "types"] as const).map((part) =>
    Math.log(partOf(embedding, part).reduce((sum, value) => sum + value ** 2, 0)),
  );
  return centred(logs);
}
const centred = (logs: readonly number[]) => {
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  return logs.map((log) => log - mean);
};
const upper = (text: string) => text.toUpperCase();
const means = (rows: readonly number[][]) =>
  rows[0].map((_, i) => rows.reduce((sum, row) => sum + row[i], 0) / rows.length);

describe("the gates", () => {
  it("approximate the targets of each group and match their mean", async () => {
    const folder = await smallWordModel(join(path, "model"), 5);
    const groups = [gates(0.8, 0.1, 0.1), gates(0.2, 0.6, 0.2)];
    const phrases = [
      Array.from({ length: 30 }, (_, i) => `xylo${i} corp.`),
      Array.from({ length: 90 }, (_, i) => `word${i % 40} of the word${(i * 7) % 40}`),
    ];
    const reversed = { groups: [...groups].reverse(), phrases: phrases.map((own) => own.map(upper)) };
    const single = {
      groups: [gates(0.1, 0.1, 0.8)],
      phrases: [["xylo", "corp", "of", "the"]],
    };
    await fitGates(folder, { capitals: reversed, word: single, words: { groups, phrases } });
    const encoder = await PhraseEncoder.load(folder);
    const measured = [];
    for (const own of phrases) measured.push(means((await encoder.encode(own)).map(logits)));
    // the same words in capitals use a layer fitted to the groups in reverse order
    const inCapitals = means((await encoder.encode(phrases[0].map(upper))).map(logits));
    const [, , typesOfOne] = means((await encoder.encode(single.phrases[0])).map(logits));
    await encoder.dispose();
    expect(inCapitals[0]).toBeLessThan(inCapitals[1]);
    expect(typesOfOne).toBeCloseTo(centred([0.1, 0.1, 0.8].map(Math.log))[2], 1);
    const wanted = groups.map(({ characters, meaning, types }) =>
      centred([characters, meaning, types].map(Math.log)),
    );
    measured.forEach((group, at) => {
      group.forEach((logit, i) => {
        expect(Math.abs(logit - wanted[at][i])).toBeLessThan(0.25);
      });
    });
    // a regression with an intercept matches the mean, here with equal weights of both groups
    means(measured).forEach((logit, i) => {
      expect(logit).toBeCloseTo(means(wanted)[i], 3);
    });
  });

  it("differ less between the two names of a pair as the weight of agreement grows", async () => {
    const groups = [gates(0.8, 0.1, 0.1), gates(0.2, 0.6, 0.2)];
    const phrases = [
      Array.from({ length: 30 }, (_, i) => `xylo${i} corp.`),
      Array.from({ length: 30 }, (_, i) => `word${i} of the word${(i * 7) % 40}`),
    ];
    const pairs = phrases[0].map((name, i): [string, string] => [name, phrases[1][i]]);
    const distances = [];
    for (const weight of [0, 0.5, 50]) {
      const folder = await smallWordModel(join(path, `agree-${weight}`), 5);
      const layer = { groups, phrases, agree: { weight, pairs: [pairs.slice(0, 10), pairs.slice(10)] } };
      await fitGates(folder, { capitals: layer, word: layer, words: layer });
      const encoder = await PhraseEncoder.load(folder);
      const [left, right] = [0, 1].map((side) => pairs.map((pair) => pair[side]));
      const [a, b] = [await encoder.encode(left), await encoder.encode(right)];
      await encoder.dispose();
      const apart = a.map((row, i) => Math.abs(logits(row)[0] - logits(b[i])[0]));
      distances.push(apart.reduce((sum, value) => sum + value, 0) / apart.length);
    }
    expect(distances[1]).toBeLessThan(0.9 * distances[0]);
    expect(distances[2]).toBeLessThan(0.1 * distances[0]);
  });

  it("are fitted to distinct phrases of the given sources and lengths", () => {
    const table = join(path, "synonyms.tsv");
    const rows = [
      "phrase\tsynonym\tsource",
      "IBM\tBig Blue\tnames",
      "IBM\tI.B.M.\tnames",
      "car\tauto mobile\tgloss",
    ];
    writeFileSync(table, `${rows.join("\n")}\n`);
    const groups = [
      { sources: ["names"] },
      { words: "one" as const },
      { sources: ["gloss"], words: "several" as const },
      {},
    ];
    const found = phrasesOfGroups(table, groups, { phrases: 10, seed: 0 });
    expect(found.map((all) => [...all].sort())).toEqual([
      ["Big Blue", "I.B.M.", "IBM"],
      ["I.B.M.", "IBM", "car"],
      ["auto mobile"],
      ["Big Blue", "I.B.M.", "IBM", "auto mobile", "car"],
    ]);
    expect(phrasesOfGroups(table, [{}], { phrases: 2, seed: 0 })[0]).toHaveLength(2);
    const [ofNames, ofGloss] = pairsOfSources(table, ["names", "gloss"], { pairs: 2, seed: 0 });
    expect(ofNames).toHaveLength(2);
    expect(new Set(ofNames.flat())).toEqual(new Set(["IBM", "Big Blue", "I.B.M."]));
    expect(ofGloss).toEqual([["car", "auto mobile"]]);
    const known = [{ known: "frequent" as const }, { known: "rare" as const, words: "several" as const }];
    const letters = [
      { letters: "small" as const },
      { letters: "made small" as const, sources: ["names"] },
      { letters: "made capital" as const, sources: ["gloss"] },
    ];
    const written = phrasesOfGroups(table, letters, { phrases: 10, seed: 0 });
    expect(written.map((all) => [...all].sort())).toEqual([
      ["auto mobile", "car"],
      ["big blue", "i.b.m.", "ibm"],
      ["Auto mobile", "Car"],
    ]);
    const split = phrasesOfGroups(table, known, {
      phrases: 10,
      seed: 0,
      frequent: ["car", "auto", "ibm", "blue"],
    });
    expect(split.map((all) => [...all].sort())).toEqual([
      ["IBM", "car"],
      ["Big Blue", "auto mobile"],
    ]);
  });
});
