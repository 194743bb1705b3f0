/** A word encoder as what a training begins with: its graph from the sizes in config.json, and its weights. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { FINE_PHRASE_TYPES, PHRASE_TYPES } from "../corpus/phrase-types.js";
import { type Assembled, phraseVector } from "../encoder/assemble.js";
import { type ModelFolder, WORDS_FILE, type WordsFeature } from "../encoder/model-folder.js";
import { dequantizedTables } from "../encoder/quantize.js";
import { ModelError } from "../errors.js";
import { createNet, type WeightSource } from "../nn/index.js";
import {
  declareWordInputs,
  embeddingWidth,
  typeWidth,
  type WordEncoderSizes,
  wordEncoder,
} from "../nn/words/index.js";
import { prune, readModel, type Tensor } from "../onnx/index.js";
import { WordVocabulary } from "../text/word-vocabulary.js";
import type { VectorLayout } from "./pair-program.js";
import { readContext } from "./pretrain/context-file.js";
import { firstWordWeights } from "./pretrain/first-weights.js";
import { writeWordModel } from "./word-model.js";

/** A word encoder before its training. */
export interface WordStart {
  /** The graph whose {@link phraseVector} holds all that losses read. */
  readonly assembled: Assembled;
  readonly layout: VectorLayout;
  readonly sizes: WordEncoderSizes;
  readonly words: readonly string[];
  readonly reading: WordsFeature;
  /** First weights by name. */
  readonly weights: WeightSource;
  readonly tables: "float32" | "int8";
}

/** The sizes of a folder's word encoder, or undefined where it holds another model. */
export const wordSizes = ({ config }: Pick<ModelFolder, "config">): WordEncoderSizes | undefined =>
  (config.pearl as { word_encoder?: WordEncoderSizes } | undefined)?.word_encoder;

/**
 * Reads a folder that `pearl pretrain` or an earlier training wrote; parts it has not yet begin anew.
 * @param seed of these
 * @throws ModelError where the folder lacks what it should have
 */
export async function readWordStart(folder: ModelFolder, seed: number): Promise<WordStart> {
  const sizes = wordSizes(folder);
  const reading = folder.features.find(({ kind }) => kind === "words") as WordsFeature | undefined;
  if (!sizes || !reading) throw new ModelError(`${folder.path}/config.json: there is no word encoder`);
  const text = await readFile(join(folder.path, WORDS_FILE), "utf8").catch((error: unknown) => {
    throw new ModelError(`${folder.path}: ${WORDS_FILE} is missing`, { cause: error });
  });
  const words = text.replace(/\n$/, "").split("\n");
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
  return {
    ...trainingGraph(weights, sizes, reading),
    ...{ sizes, words, reading, weights, tables: tables.size > 0 ? "int8" : "float32" },
  };
}

function trainingGraph(weights: WeightSource, sizes: WordEncoderSizes, reading: WordsFeature) {
  const net = createNet(weights);
  const { g } = net;
  const { parts, fineTypes, classes } = wordEncoder(net, declareWordInputs(g), sizes);
  g.add("Concat", [...parts, fineTypes, classes], { axis: 1 }, { outputs: [phraseVector] });
  const layout = layoutOf(sizes);
  const [, width] = layout.embedding;
  g.output(phraseVector, phraseVector, "float32", ["phrases", layout.logits.classes[1]]);
  const model = g.model();
  prune(model.graph);
  const labels = sizes.kinds ? FINE_PHRASE_TYPES : PHRASE_TYPES;
  const assembled: Assembled = { model, width, features: [reading], types: labels };
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
    ...{ parts, shares: [parts.characters, parts.phrase, parts.types] },
    ...(prefix && {
      prefix: [[0, prefix.characters], [characters, characters + prefix.meaning], parts.types] as const,
    }),
    logits: { types: [width, width + types], classes: [width + types, width + types + classes] },
  } as const satisfies VectorLayout;
}

/** Writes the encoder with trained weights, in the precision it came with. @throws ModelError, ArgumentError */
export function writeTrainedWords(
  folder: string,
  { sizes, words, reading, weights, tables }: WordStart,
  trained: ReadonlyMap<string, Tensor>,
  texts: Readonly<Record<string, string>> = {},
): Promise<void> {
  const source: WeightSource = (name, dims, initialiser) =>
    trained.get(name) ?? weights(name, dims, initialiser);
  const { kind: _, ...options } = reading;
  // a further training with contexts goes on with theirs
  return writeWordModel(
    folder,
    { weights: source, sizes, words, reading: options, tables, context: trained },
    texts,
  );
}
