/** A step of the whole method against PyTorch (scripts/make-step-fixture.py): two encoders, hard negatives, types. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  type Assembled,
  concatenate,
  type Featurizer,
  type ModelFolder,
  type ModelPart,
} from "../../../src/architectures/architecture.js";
import {
  type CharacterEncoderOptions,
  characterEncoder,
} from "../../../src/architectures/characters/encoder.js";
import { characterFeaturizer } from "../../../src/architectures/characters/features.js";
import {
  type CharactersFeature,
  declareCharacterInputs,
} from "../../../src/architectures/characters/inputs.js";
import { assembleModel, phraseVector } from "../../../src/architectures/compose.js";
import { love } from "../../../src/architectures/love/love.js";
import { type BertConfig, encoderGraph } from "../../../src/architectures/transformer/bert.js";
import { tokenFeaturizer } from "../../../src/architectures/transformer/reading.js";
import { type Tensor, tensor } from "../../../src/onnx/tensor.js";
import { contrastiveBatch, type ReadPhrases } from "../../../src/pearl/contrastive-batch.js";
import { lossNames, pairProgram, prepareForTraining } from "../../../src/pearl/loss/program.js";
import type { Feeds } from "../../../src/runtime/tensor.js";
import { fromTensors } from "../../../src/train.js";
import { paddedLength } from "../../../src/training/gradients/chunks.js";
import { GradientSum, numbersOf, openGradients } from "../../../src/training/gradients/gradients.js";
import { difference, largest, meaningful } from "../../autodiff/oracle-claims.js";
import { denseGradient } from "../../training/dense-gradient.js";

interface Stored {
  dims: number[];
  data: number[];
}
interface Fixture {
  config: BertConfig;
  characters: Omit<CharacterEncoderOptions, "encoder">;
  types: number;
  temperature: number;
  phrases: { tokens: number[]; words: [unit: number, capital: number][][] }[];
  batch: { anchors: number[]; positives: number[]; types: number[] };
  weights: Record<string, Stored>;
  losses: { total: number; contrastive: number; type: number };
  gradients: Record<string, Stored>;
}

const fixture: Fixture = JSON.parse(
  readFileSync(new URL("../../oracles/whole_step.json", import.meta.url), "utf8"),
);
const { config, phrases, batch, losses } = fixture;
const weights = new Map<string, Tensor>(
  Object.entries(fixture.weights).map(([name, { dims, data }]) => [name, tensor("float32", dims, data)]),
);
const tokensFeature = { kind: "tokens", maximumLength: 12 } as const;
const charactersFeature: CharactersFeature = {
  kind: "characters",
  units: "characters",
  positions: fixture.characters.positions,
  phraseLength: 8,
};

/** BERT, LOVE and head put together as a training does, with the fixture's weights. */
function assembled(): Assembled {
  const source = fromTensors(weights);
  const folder = {
    ...{ path: "fixture", graph: "fixture", pooling: "mean", dimension: config.hidden_size },
    ...{ features: [tokensFeature], types: [], config: {} },
  } as unknown as ModelFolder;
  const characters: ModelPart = {
    features: [charactersFeature],
    width: fixture.characters.outputs as number,
    build: ({ g }) =>
      characterEncoder({ g, weights: source }, declareCharacterInputs(g), {
        ...fixture.characters,
        encoder: love,
      }),
  };
  const types = Array.from({ length: fixture.types }, (_, i) => `type ${i}`);
  const base = { folder, model: encoderGraph(config, source) };
  const made = assembleModel({ base, characters, types, seed: 0 });
  for (const [name, value] of weights)
    if (name.startsWith("type_head.")) made.model.graph.initializers.set(name, value);
  return made;
}

/** The fixture's phrases as featurizers would read them from text. */
function readFixture(
  inputNames: readonly string[],
  padded = (longest: number): number => longest,
): ReadPhrases {
  const tokenizer = {
    padId: 0,
    encode: () => ({ ids: new Int32Array(), truncated: false }),
    opening: () => [],
    closing: [],
    vocabulary: () => [],
  };
  const tokenInputs = inputNames.filter((name) => /^(input_ids|attention_mask|token_type_ids)$/.test(name));
  const tokens = tokenFeaturizer(tokenizer, tokenInputs);
  const vocabulary = { characters: ["a"], pieces: [] };
  const features: [Featurizer, number[][]][] = [
    [tokens, phrases.map((phrase) => phrase.tokens)],
    [
      characterFeaturizer(charactersFeature, vocabulary),
      phrases.map(({ words }) =>
        words.flatMap((word) => [word.length, ...word.map(([unit, capital]) => 2 * unit + capital)]),
      ),
    ],
  ];
  const rows = features.map(([featurizer, lists]) => ({
    featurizer,
    padded: (longest: number) => (featurizer === tokens ? padded(longest) : longest),
    rows: concatenate(lists.map((list) => Int32Array.from(list))),
    lengths: Int32Array.from(lists, (list) => list.length),
  }));
  const groups = Int32Array.from(phrases, (_, i) => i);
  return { features: rows, lengths: rows[0].lengths, groups, truncated: 0 };
}

describe("a step of the whole method", () => {
  it.each<[string, number, number, typeof paddedLength?]>([
    ["in one pass", Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    ["in chunks", 20, 0],
    ["in one pass, padded as on a GPU", Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, paddedLength],
    ["in chunks, padded as on a GPU", 20, 0, paddedLength],
  ])(
    "has PyTorch's losses to 1e-5 and gradients to 1e-4 of each tensor's largest entry: %s",
    async (_, cells, overhead, padded) => {
      const made = assembled();
      const graph = prepareForTraining(made.model);
      const sample = readFixture(
        graph.graph.inputs.map(({ name }) => name),
        padded,
      );
      const program = pairProgram(graph, {
        ...{ sample, width: made.width, types: fixture.types, temperature: fixture.temperature },
        ...{ negatives: "none", seed: 0 },
      });
      expect(program.cut).toBe(phraseVector);
      const inputNames = new Set(program.model.graph.inputs.map(({ name }) => name));
      const feeds = contrastiveBatch(batch, sample, {
        ...{ types: fixture.types, inputNames, seed: 1, cells, overhead },
      });
      expect(feeds.chunks === undefined).toBe(cells === Number.POSITIVE_INFINITY);
      const shapes = (feeds.chunks ?? [feeds]).map(({ feeds: { input_ids } }) => input_ids.dims[1]);
      if (padded) expect(shapes).toEqual(shapes.map(() => 8));
      else expect(Math.max(...shapes)).toBeLessThan(8);

      const runner = await openGradients(program);
      const sum = new GradientSum();
      const now = Object.fromEntries(runner.weights.map((name) => [name, weights.get(name)])) as Feeds;
      const found = numbersOf(await runner.run(feeds, now, sum));
      await runner.release();
      const closeTo = (value: number, right: number) =>
        expect(Math.abs(value / right - 1)).toBeLessThan(1e-5);
      closeTo(found[lossNames.total], losses.total);
      closeTo(found[lossNames.contrastive], losses.contrastive);
      closeTo(found[lossNames.type], losses.type);

      const gradients = sum.gradients();
      expect([...gradients.keys()].sort()).toEqual(Object.keys(fixture.gradients).sort());
      for (const [name, gradient] of gradients) {
        const right = fixture.gradients[name].data;
        if (!meaningful(name)) continue;
        const values = denseGradient(gradient, weights.get(name) as Tensor);
        expect(difference(values, right) / largest(right), name).toBeLessThan(1e-4);
      }
    },
  );
});
