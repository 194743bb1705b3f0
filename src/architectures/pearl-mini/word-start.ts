/** A word encoder as what a training begins with: its graph from the sizes in config.json, and its weights. */
import { ModelError } from "../../errors.js";
import { createNet, type WeightSource } from "../../nn/net.js";
import { prune } from "../../onnx/graph.js";
import { readModel } from "../../onnx/io/file.js";
import { dequantizedTables } from "../../onnx/rewrite/quantize.js";
import type { Assembled, ModelFolder, StartOptions, TrainingStart, VectorLayout } from "../architecture.js";
import { phraseVector } from "../compose.js";
import { contextLoss } from "./context.js";
import { readContext } from "./context-file.js";
import { wordEncoder } from "./encoder.js";
import { readWords, type WordsFeature } from "./feature.js";
import { firstWordWeights } from "./first-weights.js";
import { declareWordInputs } from "./inputs.js";
import { embeddingWidth, typeWidth, type WordEncoderSizes } from "./sizes.js";
import { writeWordModel } from "./word-model.js";
import { WordVocabulary } from "./word-vocabulary.js";

/** A word encoder before its training. */
export interface WordStart extends TrainingStart {
  readonly sizes: WordEncoderSizes;
  readonly reading: WordsFeature;
  /** First weights by name. */
  readonly weights: WeightSource;
  readonly tables: "float32" | "int8";
}

/**
 * Reads a folder that `pearl pretrain` or an earlier training wrote; parts that it lacks begin anew.
 * @throws ModelError where the folder lacks what it should have
 */
export async function readWordStart(
  folder: ModelFolder,
  { seed, types, fineTypes }: StartOptions,
): Promise<WordStart> {
  const sizes = (folder.config.pearl as { word_encoder?: WordEncoderSizes } | undefined)?.word_encoder;
  const reading = folder.features.find(({ kind }) => kind === "words") as WordsFeature | undefined;
  if (!sizes || !reading) throw new ModelError(`${folder.path}/config.json: there is no word encoder`);
  const words = await readWords(folder);
  const vocabulary = new WordVocabulary(words, reading);
  const fresh = firstWordWeights({ sizes, words, allWords: words, vocabulary, seed });
  const { initializers } = readModel(folder.graph).graph;
  const tables = dequantizedTables(initializers);
  const known = new Map([...initializers, ...tables, ...readContext(folder.path)]);
  const weights: WeightSource = (name, dims, initialiser) => {
    const found = known.get(name);
    if (!found) return fresh(name, dims, initialiser);
    if (found.type === "float32" && String(found.dims) === String(dims)) return found;
    throw new ModelError(`${folder.graph}: ${name} is ${found.type} [${found.dims}], not float32 [${dims}]`);
  };
  const precision = tables.size > 0 ? ("int8" as const) : ("float32" as const);
  const { kind: _, ...options } = reading;
  return {
    ...trainingGraph(weights, { sizes, reading, types: sizes.kinds ? fineTypes : types }),
    ...{ sizes, words, reading, weights, tables: precision },
    contextWords: sizes.contextWords ?? sizes.vocabulary,
    context: contextLoss(sizes, weights),
    write(target, trained, texts) {
      const source: WeightSource = (name, dims, initialiser) =>
        trained.get(name) ?? weights(name, dims, initialiser);
      // a later training with contexts continues with theirs
      const model = { weights: source, sizes, words, reading: options, tables: precision, context: trained };
      return writeWordModel(target, { ...model, types }, texts);
    },
  };
}

function trainingGraph(
  weights: WeightSource,
  { sizes, reading, types }: { sizes: WordEncoderSizes; reading: WordsFeature; types: readonly string[] },
) {
  const net = createNet(weights);
  const { g } = net;
  const { parts, fineTypes, classes } = wordEncoder(net, declareWordInputs(g), sizes);
  g.add("Concat", [...parts, fineTypes, classes], { axis: 1 }, { outputs: [phraseVector] });
  const layout = layoutOf(sizes);
  const [, width] = layout.embedding;
  g.output(phraseVector, phraseVector, "float32", ["phrases", layout.logits.classes[1]]);
  const model = g.model();
  prune(model.graph);
  const assembled: Assembled = { model, width, features: [reading], types };
  return { assembled, layout };
}

/** Columns in the order in which the graph above joins them. */
function layoutOf(sizes: WordEncoderSizes) {
  const { characters, meaning, classes, prefix } = sizes;
  const types = typeWidth(sizes);
  const width = embeddingWidth(sizes);
  const parts = {
    characters: [0, characters],
    phrase: [characters, characters + meaning],
    types: [characters + meaning, width],
  } as const;
  return {
    embedding: [0, width],
    ...{ parts, gates: [parts.characters, parts.phrase, parts.types] },
    ...(prefix && {
      prefix: [[0, prefix.characters], [characters, characters + prefix.meaning], parts.types] as const,
    }),
    logits: { types: [width, width + types], classes: [width + types, width + types + classes] },
  } as const satisfies VectorLayout;
}
