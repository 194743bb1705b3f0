/** A word encoder's model folder: written (graph, words.txt, config.json), and read as the start of a training. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ModelError } from "../../errors.js";
import { writeModelFolder } from "../../files/sealed-folder.js";
import { writeWholeJson } from "../../files/whole-file.js";
import { createNet, fromTensors, number, type WeightSource } from "../../nn/net.js";
import { prune } from "../../onnx/graph.js";
import { readModel, writeModel } from "../../onnx/io/file.js";
import type { Model } from "../../onnx/model.js";
import { dequantizedTables, quantizeDynamic } from "../../onnx/rewrite/quantize.js";
import type { Tensor } from "../../onnx/tensor.js";
import {
  type Assembled,
  type Columns,
  dimsSection,
  EMBEDDING,
  type ModelFolder,
  type ModelPart,
  type PartSettings,
  type StartOptions,
  type TrainingStart,
  TYPE_LOGITS,
  type VectorLayout,
} from "../architecture.js";
import { phraseVector } from "../compose.js";
import { contextLoss, readContext, writeContext } from "./context.js";
import { wordEncoder } from "./encoder.js";
import { firstWordWeights } from "./first-weights.js";
import { declareWordInputs, readWords, WORDS_FILE, type WordReading, type WordsFeature } from "./inputs.js";
import { embeddingWidth, typeWidth, type WordEncoderSizes } from "./sizes.js";

interface WordModel {
  readonly weights: WeightSource;
  readonly sizes: WordEncoderSizes;
  /** The vocabulary, in the order of the graph's table. */
  readonly words: readonly string[];
  readonly reading: WordReading;
  /** Labels of `type_logits`; default: they have no names. */
  readonly types?: readonly string[];
  /** What the vector is: all parts, or the meaning alone, as pretraining leaves it. Default all, with types. */
  readonly embedding?: "all" | "meaning";
  /** Prefixes that it is trained on too; default none. */
  readonly dims?: readonly number[];
  /** Tables as int8 rows, dequantised when they are looked up; default float32. */
  readonly tables?: "float32" | "int8";
  /** Replace `weights`. Those of the context's encoder have a file of their own, with which a later training continues. */
  readonly trained?: ReadonlyMap<string, Tensor>;
}

/** Length of raw vectors (`normalize: false`), as of pooled states: a probe learns nothing from small numbers. */
const RAW_LENGTH = 10;

/** The graph for use: outputs `embedding` and, for all parts, `type_logits`. */
export function wordModelGraph(model: Pick<WordModel, "weights" | "sizes" | "embedding" | "tables">): Model {
  const { weights, sizes, embedding = "all", tables } = model;
  const net = createNet(weights);
  const { g } = net;
  const encoded = wordEncoder(net, declareWordInputs(g), sizes);
  const vectors = embedding === "all" ? encoded.embedding : encoded.meaning;
  const long = g.add("Mul", [vectors, number(net, RAW_LENGTH)]);
  g.output(EMBEDDING, long, "float32", ["phrases", dimensionOf(model)]);
  if (embedding === "all") {
    // class and type are predicted separately: the logit of a pair is the sum of both
    const classes = g.add("Unsqueeze", [encoded.classes, g.ints(2)]);
    const types = g.add("Unsqueeze", [encoded.types, g.ints(1)]);
    const pairs = g.add("Reshape", [g.add("Add", [classes, types]), g.ints(-1, sizes.classes * sizes.types)]);
    g.output(TYPE_LOGITS, pairs, "float32", ["phrases", sizes.classes * sizes.types]);
  }
  prune(g.graph);
  return tables === "int8" ? quantizeDynamic(g.model(), { products: "kept" }) : g.model();
}

const dimensionOf = ({ sizes, embedding = "all" }: Pick<WordModel, "sizes" | "embedding">): number =>
  embedding === "all" ? embeddingWidth(sizes) : sizes.meaning;

/** @param texts further files by name @throws ModelError; ArgumentError where the folder exists */
export function writeWordModel(
  folder: string,
  model: WordModel,
  texts: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { sizes, words, reading, types, trained } = model;
  const weights: WeightSource = (name, dims, initialiser) =>
    trained?.get(name) ?? model.weights(name, dims, initialiser);
  return writeModelFolder(folder, async (temporary) => {
    await mkdir(join(temporary, "onnx"), { recursive: true });
    writeModel(wordModelGraph({ ...model, weights }), join(temporary, "onnx", "model.onnx"));
    const config = {
      model_type: "pearl",
      architectures: ["PearlWords"],
      ...dimsSection(model.dims, dimensionOf(model)),
      pearl: {
        format: 1,
        dimension: dimensionOf(model),
        device: "cpu",
        features: [{ kind: "words", ...reading }],
        ...(types && { types }),
        word_encoder: sizes,
      },
    };
    await writeWholeJson(join(temporary, "config.json"), config);
    await writeFile(join(temporary, WORDS_FILE), `${words.join("\n")}\n`);
    if (trained) writeContext(temporary, trained);
    for (const [name, text] of Object.entries(texts)) await writeFile(join(temporary, name), text);
  });
}

/** What a folder holds of a word encoder. */
async function readWordFolder(folder: ModelFolder) {
  const sizes = (folder.config.pearl as { word_encoder?: WordEncoderSizes } | undefined)?.word_encoder;
  const reading = folder.features.find(({ kind }) => kind === "words") as WordsFeature | undefined;
  if (!sizes || !reading) throw new ModelError(`${folder.path}/config.json: there is no word encoder`);
  const { initializers } = readModel(folder.graph).graph;
  const quantised = dequantizedTables(initializers);
  return { sizes, reading, words: await readWords(folder), initializers, quantised };
}

/**
 * The word encoder of a folder as a part beside a transformer, with its weights.
 * @throws ModelError where its vectors have another length
 */
export async function readWordPart(
  folder: ModelFolder,
  { width }: Pick<PartSettings, "width">,
): Promise<ModelPart> {
  const { sizes, reading, words, initializers, quantised } = await readWordFolder(folder);
  if (width !== undefined && width !== embeddingWidth(sizes))
    throw new ModelError(`${folder.path}: its vectors have ${embeddingWidth(sizes)} numbers, not ${width}`);
  const weights = fromTensors(new Map([...initializers, ...quantised]), folder.graph);
  return {
    features: [reading],
    width: embeddingWidth(sizes),
    files: { [WORDS_FILE]: `${words.join("\n")}\n` },
    section: { word_encoder: sizes },
    build: (net) => wordEncoder({ ...net, weights }, declareWordInputs(net.g), sizes).embedding,
  };
}

/**
 * Reads a folder that `pearl pretrain` or an earlier training wrote; parts that it lacks start from new weights.
 * @throws ModelError for a folder of another architecture
 */
export async function readWordStart(
  folder: ModelFolder,
  { seed, types, fineTypes, dims }: StartOptions,
): Promise<TrainingStart> {
  const { sizes, reading, words, initializers, quantised } = await readWordFolder(folder);
  const fresh = firstWordWeights({ sizes, words, allWords: words, reading, seed });
  const known = new Map([...initializers, ...quantised, ...readContext(folder.path)]);
  const stored = fromTensors(known, folder.graph);
  const weights: WeightSource = (name, ...shape) => (known.has(name) ? stored : fresh)(name, ...shape);
  const { kind: _, ...options } = reading;
  const tables = quantised.size > 0 ? "int8" : "float32";
  return {
    ...trainingGraph(weights, { sizes, reading, types: sizes.kinds ? fineTypes : types }),
    words,
    contextWords: sizes.contextWords ?? sizes.vocabulary,
    context: contextLoss(sizes, weights),
    write: (target, trained, texts) =>
      writeWordModel(
        target,
        { weights, sizes, words, reading: options, tables, types, dims, trained },
        texts,
      ),
  };
}

function trainingGraph(
  weights: WeightSource,
  { sizes, reading, types }: { sizes: WordEncoderSizes; reading: WordsFeature; types: readonly string[] },
) {
  const net = createNet(weights);
  const { g } = net;
  const encoded = wordEncoder(net, declareWordInputs(g), sizes);
  const columns = [...encoded.parts, encoded.fineTypes, encoded.classes];
  g.add("Concat", columns, { axis: 1 }, { outputs: [phraseVector] });
  // columns in the order in which the graph above joins them
  const { characters, meaning, prefix } = sizes;
  const first = { characters: prefix?.characters ?? 0, phrase: characters + (prefix?.meaning ?? 0) };
  const width = embeddingWidth(sizes);
  const logits = width + typeWidth(sizes);
  const all = logits + sizes.classes;
  const forTypes: Columns = [characters + meaning, width];
  const parts = { characters: [0, characters], phrase: [characters, forTypes[0]] } as const;
  const layout: VectorLayout = {
    // as encoder.ts joins them for use
    order: [
      ...[forTypes, [0, first.characters], [characters, first.phrase]],
      ...[
        [first.characters, characters],
        [first.phrase, forTypes[0]],
      ],
    ] as const,
    ...{ embedding: [0, width], parts, gates: [parts.characters, parts.phrase, forTypes] },
    ...(prefix && {
      prefix: [[0, first.characters], [characters, first.phrase], forTypes],
    }),
    logits: { types: [width, logits], classes: [logits, all] },
  };
  g.output(phraseVector, phraseVector, "float32", ["phrases", all]);
  prune(g.graph);
  const assembled: Assembled = { model: g.model(), width, features: [reading], types };
  return { assembled, layout };
}
