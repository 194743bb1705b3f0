/** Each task's protocol on data small enough to be worked out by hand. */
import { describe, expect, it } from "vitest";
import { jaccardBaseline } from "../../src/benchmark/baselines/jaccard.js";
import { levenshteinBaseline } from "../../src/benchmark/baselines/pairwise.js";
import { tfidfBaseline } from "../../src/benchmark/baselines/tfidf.js";
import type { PhraseModel } from "../../src/benchmark/model.js";
import type { Protocol, Task } from "../../src/benchmark/task.js";
import { autofj } from "../../src/benchmark/tasks/autofj.js";
import { bird, parseBird } from "../../src/benchmark/tasks/bird.js";
import { bc5cdr, conll, parseMentions } from "../../src/benchmark/tasks/clustering.js";
import { parsePpdb, ppdb, ppdbFiltered } from "../../src/benchmark/tasks/ppdb.js";
import { parseQueries, umls, yago } from "../../src/benchmark/tasks/retrieval.js";
import { strings, withNoise } from "../../src/benchmark/tasks/strings.js";
import { hitOf, parseTurney, turney } from "../../src/benchmark/tasks/turney.js";
import { createRandom } from "../../src/random.js";
import { constantModel, letterModel, smallData, tableModel, writeData } from "./small-data.js";

const dataFolder = writeData();

interface RunSettings {
  readonly protocol?: Protocol;
  readonly dataset?: string;
  readonly folder?: string;
}

async function run(task: Task, model: PhraseModel, settings: RunSettings = {}) {
  const { protocol = "fair", dataset, folder = dataFolder } = settings;
  return task.run({ model, protocol, dataset, dataFolder: folder, seed: 0 });
}

async function scoresOf(task: Task, model: PhraseModel, settings: RunSettings = {}) {
  const { scores } = await run(task, model, settings);
  return Object.fromEntries(scores.map((score) => [`${score.dataset} ${score.metric}`, score.score]));
}

describe("autofj", () => {
  it("is the macro mean of the sets' accuracies, over rows that have a ground truth", async () => {
    // Cities: all three right; Fruits: its only row is nearest to the wrong title.
    const { scores } = await run(autofj, levenshteinBaseline());
    expect(scores.map(({ dataset, metric, score, n }) => [dataset, metric, score, n])).toEqual([
      ["macro mean of 2 sets", "accuracy", 0.5, 4],
      ["macro mean of 2 sets", "recall at precision 0.9", 0.5, 5],
      ["Cities", "accuracy", 1, 3],
      ["Fruits", "accuracy", 0, 1],
    ]);
  });

  it("counts the right row without a match in the join at a precision, and only there", async () => {
    const { scores } = await run(autofj, levenshteinBaseline(), { dataset: "Cities" });
    expect(scores).toHaveLength(1);
    expect(scores[0].details).toMatchObject({ left: 4, right: 4, withoutMatch: 1 });
    expect(scores[0].details.joinAtPrecision).toMatchObject({ reached: true, recall: 1, joined: 3 });
  });

  it("counts a tie as a fraction under the fair protocol and as the first title under the published one", async () => {
    expect(await scoresOf(autofj, constantModel, { dataset: "Cities" })).toEqual({
      "Cities accuracy": expect.closeTo(1 / 4, 12),
    });
    // The first left title is the right one for one row of three.
    expect(await scoresOf(autofj, constantModel, { dataset: "Cities", protocol: "published" })).toEqual({
      "Cities accuracy": expect.closeTo(1 / 3, 12),
    });
  });

  it("suggests the nearest set", async () => {
    const settings = { dataset: "cities" };
    await expect(run(autofj, letterModel, settings)).rejects.toThrow('no set "cities"');
    await expect(run(autofj, letterModel, settings)).rejects.toThrow("Did you mean Cities?");
  });
});

describe("turney", () => {
  it("never counts a tie as a hit: a model that cannot distinguish phrases scores one fifth", async () => {
    expect(await scoresOf(turney, constantModel)).toEqual({
      "turney/turney.txt accuracy": expect.closeTo(0.2, 12),
    });
    expect(await scoresOf(turney, constantModel, { protocol: "published" })).toEqual({
      "turney/turney.txt accuracy": 1,
    });
  });

  it("compares cosines under the fair protocol and raw inner products under the published one", async () => {
    const vectors = {
      ...{ q: [1, 0], right: [2, 0], long: [3, 3], a: [0, 1], b: [0, 1], c: [0, 1] },
    };
    const folder = writeData({ "turney/turney.txt": "q | right | q | q | long | a | b | c\n" });
    const model = tableModel(vectors);
    expect(Object.values(await scoresOf(turney, model, { folder }))).toEqual([1]);
    expect(Object.values(await scoresOf(turney, model, { folder, protocol: "published" }))).toEqual([0]);
  });

  it("gives 1/k where k choices share the top", () => {
    expect(hitOf(Float64Array.of(0.5, 0.5, 0.5, 0.1, 0), "fair")).toBeCloseTo(1 / 3, 12);
    expect(hitOf(Float64Array.of(0.5, 0.5 + 5e-7, 0, 0, 0), "fair")).toBeCloseTo(1 / 2, 12);
    expect(hitOf(Float64Array.of(0.4, 0.5, 0, 0, 0), "fair")).toBe(0);
    expect(hitOf(Float64Array.of(0.4, 0.5, 0, 0, 0), "published")).toBe(0);
    expect(hitOf(Float64Array.of(0.5, 0.5, 0, 0, 0), "published")).toBe(1);
  });

  it("works for string methods", async () => {
    // "red wines" wins its question, "sea birds" beats "gull".
    expect(Object.values(await scoresOf(turney, jaccardBaseline()))).toEqual([0.5]);
  });
});

describe("bird", () => {
  const vectors = {
    "green tea": [1, 0],
    "green teas": [0.9, Math.sqrt(1 - 0.81)],
    "green car": [0.5, Math.sqrt(0.75)],
    sparrow: [0.1, Math.sqrt(0.99)],
  };

  it("is 1 for a model with cosines equal to the ratings", async () => {
    const scores = await scoresOf(bird, tableModel(vectors));
    expect(scores["bird/bird.txt pearson"]).toBeCloseTo(1, 6);
    expect(scores["bird/bird.txt spearman"]).toBeCloseTo(1, 12);
  });

  it("has one number under the published protocol", async () => {
    expect(Object.keys(await scoresOf(bird, letterModel, { protocol: "published" }))).toEqual([
      "bird/bird.txt pearson",
    ]);
  });

  it("is an error, not a NaN, if all similarities are equal", async () => {
    await expect(run(bird, constantModel)).rejects.toThrow("all numbers of one side are equal");
  });
});

describe("ppdb", () => {
  it("is the area under the curve of the similarity if no probe can be trained, with the reason", async () => {
    const outcome = await run(ppdb, tfidfBaseline());
    expect(outcome.scores).toHaveLength(1);
    expect(outcome.scores[0]).toMatchObject({ metric: "auc", score: 1, n: 2 });
    expect((await run(ppdbFiltered, tfidfBaseline())).scores[0]).toMatchObject({ score: 0 });
    const [note] = outcome.notes ?? [];
    expect(note).toMatch(/^ppdb: the probe needs vectors, which .* does not give; cosine AUC shown$/);
    expect((await run(ppdb, letterModel)).notes).toEqual([
      "ppdb: 2 pairs are too few for the probe; cosine AUC shown",
    ]);
  });

  it("gives no score under the published protocol without a probe, with the reason", async () => {
    const outcome = await run(ppdb, tfidfBaseline(), { protocol: "published" });
    expect(outcome.scores).toEqual([]);
    expect(outcome.notApplicable).toContain("the probe needs vectors");
  });

  it("is the accuracy of probes that learn from the embeddings, the same for a rescaled model", async () => {
    const random = createRandom(2);
    const vectors: Record<string, number[]> = {};
    const list = Array.from({ length: 1200 }, (_, i) => {
      const sign = i % 4 < 2 ? 1 : -1;
      for (const [side, factor] of [
        ["a", 1],
        ["b", sign],
      ] as const)
        vectors[`${side}${i}`] = [2 * factor, ...Array.from({ length: 3 }, () => random() - 0.5)];
      return [`a${i}`, `b${i}`, sign > 0 ? "pos" : "neg"];
    });
    const folder = writeData({ "ppdb/ppdb.json": JSON.stringify(list) });
    const scaled = Object.fromEntries(
      Object.entries(vectors).map(([phrase, vector]) => [phrase, vector.map((x) => 8 * x)]),
    );
    const { scores, notes } = await run(ppdb, tableModel(vectors), { folder });
    expect(scores.map(({ metric }) => metric)).toEqual(["probe accuracy", "auc"]);
    expect(scores[0].score).toBeGreaterThan(0.9);
    expect(scores[0].details).toMatchObject({ positives: 600, tested: 180 });
    expect(scores[0].details.accuracies).toHaveLength(5);
    expect(notes).toBeUndefined();
    const again = await run(ppdb, tableModel(scaled), { folder });
    expect(again.scores[0].score).toBe(scores[0].score);
    const published = await run(ppdb, tableModel(vectors), { folder, protocol: "published" });
    expect(published.scores.map(({ metric }) => metric)).toEqual(["probe accuracy"]);
    expect(published.scores[0].details.accuracies).toHaveLength(1);
  });
});

describe("conll and bc5cdr", () => {
  const vectors = {
    "Ann Lee": [1, 0.01, 0],
    Bob: [5, 0, 0],
    Rome: [0, 1, 0],
    ACME: [0, 0, 1],
    aspirin: [1, 0, 0],
    headache: [0, 1, 0],
  };

  it("are 1 if directions match the types, at any length", async () => {
    const { scores } = await run(conll, tableModel(vectors));
    expect(scores[0]).toMatchObject({ dataset: "conll2003/dev.json", metric: "nmi", n: 4 });
    expect(scores[0].score).toBeCloseTo(1, 12);
    expect(scores[0].details).toMatchObject({ file: "conll2003/dev.json", seeds: 5, starts: 10 });
  });

  it("depend on length under the published protocol", async () => {
    // Three raw clusters: Bob alone is far away; the others fall into two.
    const { scores } = await run(conll, tableModel(vectors), { protocol: "published" });
    expect(scores[0].score).toBeLessThan(1);
    expect(scores[0].details).toMatchObject({ seeds: 1 });
  });

  it("prefer test.json, the published file", async () => {
    expect((await run(bc5cdr, tableModel(vectors))).scores[0].details.file).toBe("bc5cdr/test.json");
  });

  it("need embeddings, or give an error that asks for them", async () => {
    const outcome = await run(conll, tfidfBaseline());
    expect(outcome.scores).toEqual([]);
    expect(outcome.notApplicable).toBe("conll: clustering needs vectors, and tfidf compares strings");
  });
});

describe("yago and umls", () => {
  it("give accuracy, recall@10 and mean reciprocal rank by exact search", async () => {
    const scores = await scoresOf(yago, jaccardBaseline());
    // Both answers lead: " Wi" … share most n-grams with "Bill Lumpkin", "Rome" with "Rome City".
    expect(scores).toEqual({
      "yago/yago_test_samples.txt accuracy": 1,
      "yago/yago_test_samples.txt recall@10": 1,
      "yago/yago_test_samples.txt mrr": 1,
    });
  });

  it("give the expected score of ties broken at random", async () => {
    // Three names tie for each of two queries.
    const scores = await scoresOf(yago, constantModel);
    expect(scores["yago/yago_test_samples.txt accuracy"]).toBeCloseTo(1 / 3, 12);
    expect(scores["yago/yago_test_samples.txt mrr"]).toBeCloseTo((1 + 1 / 2 + 1 / 3) / 3, 12);
  });

  it("use the published file names if they exist", async () => {
    const { scores } = await run(umls, letterModel);
    expect(scores[0].details).toMatchObject({ file: "umls/umls_test.txt", dictionary: "umls/umls_kb.txt" });
  });

  it("count an answer that is not in the dictionary as a miss", async () => {
    const folder = writeData({ ...smallData, "yago/yago_test_samples.txt": "Rome\tRome\nx\tAtlantis\n" });
    const { scores } = await run(yago, letterModel, { folder });
    expect(scores[0].score).toBe(0.5);
    expect(scores[0].details.notInDictionary).toBe(1);
  });

  it("need a dimension that is a multiple of 24 under the published protocol", async () => {
    const outcome = await run(yago, letterModel, { protocol: "published" });
    expect(outcome.scores).toEqual([]);
    expect(outcome.notApplicable).toContain("cuts vectors into 24 parts, and the 26 dimensions of toy");
  });
});

describe("strings", () => {
  it("reports one and two edits separately, the same for the same seed", async () => {
    const first = await run(strings, levenshteinBaseline());
    const second = await run(strings, levenshteinBaseline());
    expect(first.scores.map(({ metric, n }) => [metric, n])).toEqual([
      ["precision@1, 1 edit", 5],
      ["precision@1, 2 edits", 5],
    ]);
    expect(first.scores[0].score).toBe(1);
    expect(second.scores.map(({ score }) => score)).toEqual(first.scores.map(({ score }) => score));
  });

  it("makes queries of the given number of edits, never the word itself", () => {
    const random = createRandom(4);
    const kinds = new Set<number>();
    for (let index = 0; index < 500; index++) {
      const noisy = withNoise("retrieval", 1, random);
      kinds.add(noisy.length);
      expect(noisy).not.toBe("retrieval");
      expect(isOneEdit("retrieval", noisy)).toBe(true);
    }
    expect([...kinds].sort()).toEqual([10, 8, 9]);
    expect(withNoise("a", 2, random)).not.toBe("a");
  });
});

/** True for one deletion, insertion or swap of neighbours, tried out one by one. */
function isOneEdit(word: string, noisy: string): boolean {
  const letters = "abcdefghijklmnopqrstuvwxyz";
  for (let at = 0; at <= word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at)];
    if (before + after.slice(1) === noisy) return true;
    if (before + (after[1] ?? "") + after[0] + after.slice(2) === noisy) return true;
    for (const letter of letters) if (before + letter + after === noisy) return true;
  }
  return false;
}

describe("broken files", () => {
  it("are named with line and cure", () => {
    expect(() => parseTurney(["a | b | c"], "t.txt")).toThrow(
      't.txt, line 1: expected 8 fields separated by " | "',
    );
    expect(() => parseBird(["head", "a\tb"], "b.txt")).toThrow(
      "b.txt, line 2: expected tab-separated columns",
    );
    expect(() => parseQueries(["a\tb", "c"], "q.txt")).toThrow("q.txt, line 2: expected a name, a tab");
    expect(() => parsePpdb("[[", "p.json")).toThrow("p.json: not valid JSON");
    expect(() => parsePpdb('[["a","b","maybe"]]', "p.json")).toThrow('p.json: field "0.2"');
    expect(() => parseMentions(["{}"], "m.json", ["PER"])).toThrow('m.json, line 1: field "sentences"');
    expect(() => parseMentions([], "m.json", ["PER"])).toThrow("m.json: found 0 mentions");
  });
});
