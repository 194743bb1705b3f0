/** Trainings on pairs with other objectives and views than the default, on the tiny encoder of the oracle. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type FinetuneOptions, finetune } from "../../../src/methods/pairs/finetune.js";
import { readPairs } from "../../../src/methods/pairs/pairs.js";
import { withObjective } from "../../../src/methods/pairs/views.js";
import { readModel } from "../../../src/onnx/io/file.js";
import { lossNames } from "../../../src/pearl/loss/program.js";
import { makeOracleModel } from "../../encoder/oracle-model.js";
import { newFolder } from "../../setup/new-folder.js";
import { metricsOf, somePairs, writeTable } from "../../training/pairs-folder.js";

const header = ["text", "positive", "negative", "label", "score"];
const rows = (count: number) =>
  somePairs(count).map(([text, positive, negative], i) => [
    ...[text, positive, negative, `c${i % 7}`, i % 4 === 0 ? "0" : "0.9"],
  ]);
const phrases = (count: number) =>
  writeTable(
    somePairs(count).map(([text]) => [text]),
    ["phrase"],
  );
const start = (more: Partial<FinetuneOptions> = {}): FinetuneOptions & { output: string } => ({
  base: makeOracleModel("encoder.folded.onnx"),
  pairs: writeTable(rows(20), header),
  output: join(newFolder(), "tuned"),
  steps: 15,
  learningRate: 1e-3,
  ...more,
});
const graphOf = (folder: string) => readFileSync(join(folder, "onnx", "model.onnx"));

describe("an objective", () => {
  // test/slow/objectives.test.ts trains all of them; three of these have weights that serve the training alone
  it.each(["nt-xent", "nce", "gaussian", "soft-nearest"] as const)(
    "%s brings its loss down on a batch, and is in record and card",
    async (objective) => {
      const options = start({ objective });
      const { settings, output } = await finetune(options);
      const losses = metricsOf(output).map(({ loss }) => loss);
      expect(losses.every(Number.isFinite)).toBe(true);
      expect(losses.at(-1)).toBeLessThan(losses[0]);
      expect(settings.objective.name).toBe(objective);
      const card = readFileSync(join(output, "README.md"), "utf8");
      expect(card).toContain(objective === "nt-xent" ? "loss: NT-Xent" : `loss: ${objective}`);
      // weights that serve the training alone are not written
      const { initializers } = readModel(join(output, "onnx", "model.onnx")).graph;
      const helpers = [...initializers.keys()].filter((name) => /^(gaussian|nce|soft_nearest)\./.test(name));
      expect(helpers).toEqual([]);
    },
  );

  it("takes the place of NT-Xent among PEARL's terms, whose others stay", () => {
    const objective = { name: "triplet", settings: { margin: 0.2, mining: "all" } } as const;
    const terms = [
      { name: lossNames.contrastive, weight: 1, add: () => "" },
      { name: lossNames.type, weight: 1, add: () => "" },
    ];
    const options = { objective, scores: "none", negatives: "used", width: 4 } as const;
    const [contrast, type] = withObjective(options)(terms);
    expect(contrast.name).toBe("triplet");
    expect(type).toBe(terms[1]);
  });

  it("of no name is NT-Xent, bit for bit", async () => {
    const [without, named] = [start({ steps: 3 }), start({ steps: 3, objective: "nt-xent" })];
    await finetune(without);
    await finetune(named);
    expect(graphOf(named.output)).toEqual(graphOf(without.output));
  });

  it.each(["nce", "gaussian", "triplet"] as const)(
    "%s computes the same in chunks of a few phrases as in one pass",
    async (objective) => {
      const [one, chunked] = [start({ objective, steps: 2 }), start({ objective, steps: 2, chunkCells: 40 })];
      await finetune(one);
      await finetune(chunked);
      const many = metricsOf(chunked.output);
      for (const [i, { loss, gradientNorm }] of metricsOf(one.output).entries()) {
        expect(Math.abs(many[i].loss - loss)).toBeLessThan(1e-4);
        expect(Math.abs(many[i].gradientNorm / gradientNorm - 1)).toBeLessThan(1e-3);
      }
    },
  );

  it("does not make a phrase with two labels its own negative", async () => {
    // two pairs must differ; words are all that the model reads
    const twice = ["t103 t104", "t103  t104"].map((text, i) => [text, "t103 t104", `label ${i}`]);
    const pairs = writeTable(twice, ["text", "positive", "label"]);
    const options = start({ pairs, objective: "sup-con", steps: 1 });
    await finetune(options);
    expect(metricsOf(options.output)[0].loss).toBeCloseTo(0, 5);
  });

  it("trains its own single numbers", async () => {
    const settings = { learning: "learned" };
    const options = start({
      objective: "soft-nearest",
      objectiveSettings: settings,
      steps: 2,
      learningRate: 1e-30,
    });
    const fixed = start({ objective: "soft-nearest", steps: 2, learningRate: 1e-30 });
    await finetune(options);
    await finetune(fixed);
    const [learned, constant] = [options, fixed].map(({ output }) => metricsOf(output)[0]);
    expect(learned.loss).toBeCloseTo(constant.loss, 5);
    expect(learned.gradientNorm).toBeGreaterThan(constant.gradientNorm);
  });

  it("that lacks its column says which, and shows two lines of such a table; nothing is written", async () => {
    const pairs = writeTable(
      somePairs(5).map((row) => row.slice(0, 2)),
      ["text", "positive"],
    );
    for (const [objective, column] of [
      ["sup-con", "label"],
      ["regression", "score"],
    ] as const) {
      const options = start({ objective, pairs });
      const error: Error = await finetune(options).catch((thrown) => thrown);
      expect(error.message).toMatch(
        new RegExp(
          `^pairs\\.csv: the objective ${objective} needs the column ${column}, .*has text, positive\\.`,
        ),
      );
      const [, names, ...lines] = error.message.split("\n").map((line) => line.trim());
      expect(lines).toHaveLength(2);
      const table = writeTable(
        lines.map((line) => line.split(",")),
        names.split(","),
      );
      expect((await readPairs(table, { objective })).pairs).toHaveLength(2);
      expect(existsSync(options.output)).toBe(false);
    }
  });

  it("of an unknown name, setting or view is refused with the known ones", async () => {
    const unknown = { objective: "arcface" } as unknown as Partial<FinetuneOptions>;
    await expect(finetune(start(unknown))).rejects.toThrow(/no objective "arcface"\. Objectives: nt-xent, /);
    await expect(finetune(start({ objective: "triplet", temperature: 0.1 }))).rejects.toThrow(
      "the objective triplet has no setting temperature. Its settings: margin, mining.",
    );
    const view = { view: "blur" } as unknown as Partial<FinetuneOptions>;
    await expect(finetune(start(view))).rejects.toThrow(
      'no view "blur". Views: dropout, cutoff, mixup, punctuation.',
    );
  });
});

describe("labels and scores", () => {
  it("of texts without positives give each text the next one of its label", async () => {
    const table = writeTable(
      [
        ["a", "x"],
        ["b", "y"],
        ["c", "x"],
        ["d", "x"],
        ["e", ""],
      ],
      ["Text", "label"],
    );
    const { pairs } = await readPairs(table, { objective: "sup-con" });
    expect(pairs.map(({ text, positive }) => text + positive)).toEqual(["ac", "bb", "cd", "da", "ee"]);
  });

  it("are mapped to 0 to 1, and must be numbers", async () => {
    const table = writeTable(
      [
        ["a", "b", "1"],
        ["a", "c", "5"],
        ["b", "c", "2"],
        ["c", "d", ""],
      ],
      [...["text", "positive", "score"]],
    );
    const read = await readPairs(table, { objective: "regression" });
    expect(read.pairs.map(({ score }) => score)).toEqual([0, 1, 0.25]);
    expect(read).toMatchObject({ mapped: [1, 5], empty: 1, needed: "text or positive or score" });
    const plain = writeTable(
      [
        ["a", "b", "0.2"],
        ["a", "c", "0.5"],
      ],
      ["text", "positive", "score"],
    );
    expect((await readPairs(plain, { objective: "contrastive" })).pairs.map(({ score }) => score)).toEqual([
      0.2, 0.5,
    ]);
    const words = writeTable(
      [
        ["a", "b", "0.2"],
        ["a", "c", "high"],
      ],
      ["text", "positive", "score"],
    );
    await expect(readPairs(words, { objective: "regression" })).rejects.toThrow(
      'pairs.csv, row 2: the score "high" is not a number.',
    );
    const same = writeTable(
      [
        ["a", "b", "3"],
        ["a", "c", "3"],
      ],
      ["text", "positive", "score"],
    );
    await expect(readPairs(same, { objective: "regression" })).rejects.toThrow("all scores are 3.");
  });

  it("are left alone by objectives that do not read them, and a note says so", async () => {
    const notes: string[] = [];
    await finetune(start({ steps: 1, onNote: (note) => notes.push(note) }));
    expect(notes).toContain("the objective nt-xent does not read the column score");
    const { pairs } = await readPairs(writeTable(rows(5), header));
    expect(Object.keys(pairs[0])).toEqual(["text", "positive", "negative", "type", "label"]);
  });
});

describe("a view", () => {
  it.each(["dropout", "cutoff", "mixup"] as const)("%s trains on phrases alone", async (view) => {
    const options = start({ pairs: phrases(20), view });
    const { settings, data, output } = await finetune(options);
    expect(data.pairs).toBe(20);
    expect(settings).toMatchObject({ view, dropout: view === "dropout" ? 0.1 : 0 });
    const losses = metricsOf(output).map(({ loss }) => loss);
    expect(Math.min(...losses.slice(-3))).toBeLessThan(losses[0]);
    // the views differ: a batch of equal views would have no attraction to learn
    expect(losses[0]).toBeGreaterThan(1e-3);
  });

  it.each(["dropout", "cutoff", "mixup"] as const)(
    "%s continues bit for bit after an interruption",
    async (view) => {
      const options = start({ pairs: phrases(20), view, steps: 4, objective: "info-nce" });
      const whole = { ...options, output: join(newFolder(), "whole") };
      await finetune(whole);
      const stop = new AbortController();
      const onStep = ({ step }: { step: number }) => step === 2 && stop.abort();
      await expect(finetune({ ...options, signal: stop.signal, onStep })).rejects.toThrow();
      await finetune({ ...options, resume: "continue" });
      expect(graphOf(options.output)).toEqual(graphOf(whole.output));
    },
  );

  it("is needed for phrases alone, and dropout needs a place", async () => {
    await expect(finetune(start({ pairs: phrases(5) }))).rejects.toThrow(
      /found one column \(phrase\), expected two.*Phrases alone need a view, such as --view cutoff, or a teacher\.$/,
    );
    await expect(finetune(start({ pairs: phrases(5), view: "dropout", dropout: 0 }))).rejects.toThrow(
      /the view dropout needs a model with a transformer and a dropout above 0/,
    );
  });

  it("asks for the column of phrases where there are several, and takes the one called text", async () => {
    const columns = writeTable(
      [
        ["1", "t103 t104"],
        ["2", "t105 t106"],
      ],
      ["id", "phrase"],
    );
    await expect(finetune(start({ pairs: columns, view: "cutoff" }))).rejects.toThrow(
      /pairs\.csv: a view needs to know which of the columns id, phrase holds the phrases\. Name it text/,
    );
    const named = writeTable(
      [
        ["1", "t103 t104"],
        ["2", "t105 t106"],
      ],
      ["id", "text"],
    );
    const { pairs } = await readPairs(named, { positives: "view" });
    expect(pairs.map(({ text, positive }) => [text, positive])).toEqual([
      ["t103 t104", "t103 t104"],
      ["t105 t106", "t105 t106"],
    ]);
  });

  it("cutoff says how many phrases have one word", async () => {
    const notes: string[] = [];
    const pairs = writeTable([["t103 t104"], ["t105"], ["t106 t107"]], ["phrase"]);
    await finetune(start({ pairs, view: "cutoff", steps: 1, onNote: (note) => notes.push(note) }));
    expect(notes).toContain("phrases of one word, which cutoff leaves as they are: 1");
  });
});
