/** Writes a word encoder as a model folder: graph, words.txt, config.json, and what else it is given. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeWholeFolder } from "../../files/whole-folder.js";
import { createNet, number, type WeightSource } from "../../nn/net.js";
import { prune } from "../../onnx/graph.js";
import { writeModel } from "../../onnx/io/file.js";
import type { Model } from "../../onnx/model.js";
import { quantizeDynamic } from "../../onnx/rewrite/quantize.js";
import type { Tensor } from "../../onnx/tensor.js";
import { EMBEDDING, TYPE_LOGITS } from "../architecture.js";
import { writeContext } from "./context.js";
import { wordEncoder } from "./encoder.js";
import { declareWordInputs, WORDS_FILE, type WordReading } from "./inputs.js";
import { embeddingWidth, type WordEncoderSizes } from "./sizes.js";

export interface WordModel {
  readonly weights: WeightSource;
  readonly sizes: WordEncoderSizes;
  /** The vocabulary, in the order of the graph's table. */
  readonly words: readonly string[];
  readonly reading: WordReading;
  /** Labels of `type_logits`; default: they have no names. */
  readonly types?: readonly string[];
  /** What the vector is: all parts, or the meaning alone, as pretraining leaves it. Default all, with types. */
  readonly embedding?: "all" | "meaning";
  /** Tables as int8 rows, dequantised when they are looked up; default float32. */
  readonly tables?: "float32" | "int8";
  /** Weights of a context's encoder among others, which are kept in a file of their own; default none. */
  readonly context?: ReadonlyMap<string, Tensor>;
}

/**
 * Length of vectors that are not made unit length (`normalize: false`): like a transformer's pooled states, since
 * what learns from them by small steps, as the probe of PPDB does, learns nothing from small numbers.
 */
const RAW_LENGTH = 10;

/** The graph for use: outputs `embedding` and, for all parts, `type_logits`. */
export function wordModelGraph({
  weights,
  sizes,
  embedding = "all",
  tables,
}: Pick<WordModel, "weights" | "sizes" | "embedding" | "tables">): Model {
  const net = createNet(weights);
  const { g } = net;
  const encoded = wordEncoder(net, declareWordInputs(g), sizes);
  const width = embedding === "all" ? embeddingWidth(sizes) : sizes.meaning;
  const vectors = embedding === "all" ? encoded.embedding : encoded.meaning;
  const long = g.add("Mul", [vectors, number(net, RAW_LENGTH)]);
  g.output(EMBEDDING, long, "float32", ["phrases", width]);
  if (embedding === "all") {
    // a class and a type are judged apart: the logit of a pair is the sum of theirs
    const classes = g.add("Unsqueeze", [encoded.classes, g.ints(2)]);
    const types = g.add("Unsqueeze", [encoded.types, g.ints(1)]);
    const pairs = g.add("Reshape", [g.add("Add", [classes, types]), g.ints(-1, sizes.classes * sizes.types)]);
    g.output(TYPE_LOGITS, pairs, "float32", ["phrases", sizes.classes * sizes.types]);
  }
  const model = g.model();
  prune(model.graph);
  return tables === "int8" ? quantizeDynamic(model, { products: "kept" }) : model;
}

/** @param texts further files by name @throws ModelError, ArgumentError where something stands there */
export function writeWordModel(
  folder: string,
  model: WordModel,
  texts: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { sizes, embedding = "all", words, reading, types, context } = model;
  return writeWholeFolder(folder, async (temporary) => {
    await mkdir(join(temporary, "onnx"), { recursive: true });
    writeModel(wordModelGraph(model), join(temporary, "onnx", "model.onnx"));
    const config = {
      model_type: "pearl",
      architectures: ["PearlWords"],
      pearl: {
        format: 1,
        dimension: embedding === "all" ? embeddingWidth(sizes) : sizes.meaning,
        device: "cpu",
        features: [{ kind: "words", ...reading }],
        ...(types && { types }),
        word_encoder: sizes,
      },
    };
    await writeFile(join(temporary, "config.json"), `${JSON.stringify(config, null, 2)}\n`);
    await writeFile(join(temporary, WORDS_FILE), `${words.join("\n")}\n`);
    if (context) writeContext(temporary, context);
    for (const [name, text] of Object.entries(texts)) await writeFile(join(temporary, name), text);
  });
}
