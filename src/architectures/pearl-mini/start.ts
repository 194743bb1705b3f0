/** A word encoder as what a training begins with: its graph from the sizes in config.json, and its weights. */
import { ModelError } from "../../errors.js";
import { createNet, type WeightSource } from "../../nn/net.js";
import { prune } from "../../onnx/graph.js";
import { readModel } from "../../onnx/io/file.js";
import { dequantizedTables } from "../../onnx/rewrite/quantize.js";
import type {
  Assembled,
  Columns,
  ModelFolder,
  StartOptions,
  TrainingStart,
  VectorLayout,
} from "../architecture.js";
import { phraseVector } from "../compose.js";
import { contextLoss, readContext } from "./context.js";
import { wordEncoder } from "./encoder.js";
import { firstWordWeights } from "./first-weights.js";
import { declareWordInputs, readWords, type WordsFeature } from "./inputs.js";
import { writeWordModel } from "./model.js";
import { embeddingWidth, typeWidth, type WordEncoderSizes } from "./sizes.js";

/**
 * Reads a folder that `pearl pretrain` or an earlier training wrote; parts that it lacks start from new weights.
 * @throws ModelError where the folder is no word encoder's
 */
export async function readWordStart(
  folder: ModelFolder,
  { seed, types, fineTypes }: StartOptions,
): Promise<TrainingStart> {
  const sizes = (folder.config.pearl as { word_encoder?: WordEncoderSizes } | undefined)?.word_encoder;
  const reading = folder.features.find(({ kind }) => kind === "words") as WordsFeature | undefined;
  if (!sizes || !reading) throw new ModelError(`${folder.path}/config.json: there is no word encoder`);
  const words = await readWords(folder);
  const fresh = firstWordWeights({ sizes, words, allWords: words, reading, seed });
  const { initializers } = readModel(folder.graph).graph;
  const quantised = dequantizedTables(initializers);
  const known = new Map([...initializers, ...quantised, ...readContext(folder.path)]);
  const weights: WeightSource = (name, dims, initialiser) => {
    const found = known.get(name);
    if (!found) return fresh(name, dims, initialiser);
    if (found.type === "float32" && String(found.dims) === String(dims)) return found;
    throw new ModelError(`${folder.graph}: ${name} is ${found.type} [${found.dims}], not float32 [${dims}]`);
  };
  const { kind: _, ...options } = reading;
  const tables = quantised.size > 0 ? "int8" : "float32";
  return {
    ...trainingGraph(weights, { sizes, reading, types: sizes.kinds ? fineTypes : types }),
    words,
    contextWords: sizes.contextWords ?? sizes.vocabulary,
    context: contextLoss(sizes, weights),
    write(target, trained, texts) {
      const source: WeightSource = (name, dims, initialiser) =>
        trained.get(name) ?? weights(name, dims, initialiser);
      // the trained weights include the context's encoder, so that a later training can continue with it
      const model = {
        weights: source,
        sizes,
        words,
        reading: options,
        tables,
        types,
        context: trained,
      } as const;
      return writeWordModel(target, model, texts);
    },
  };
}

function trainingGraph(
  weights: WeightSource,
  { sizes, reading, types }: { sizes: WordEncoderSizes; reading: WordsFeature; types: readonly string[] },
) {
  const net = createNet(weights);
  const { g } = net;
  const encoded = wordEncoder(net, declareWordInputs(g), sizes);
  g.add(
    "Concat",
    [...encoded.parts, encoded.fineTypes, encoded.classes],
    { axis: 1 },
    { outputs: [phraseVector] },
  );
  // columns in the order in which the graph above joins them
  const { characters, meaning, prefix } = sizes;
  const width = embeddingWidth(sizes);
  const logits = width + typeWidth(sizes);
  const all = logits + sizes.classes;
  const forTypes: Columns = [characters + meaning, width];
  const parts = { characters: [0, characters], phrase: [characters, forTypes[0]] } as const;
  const layout: VectorLayout = {
    ...{ embedding: [0, width], parts, gates: [parts.characters, parts.phrase, forTypes] },
    ...(prefix && {
      prefix: [[0, prefix.characters], [characters, characters + prefix.meaning], forTypes],
    }),
    logits: { types: [width, logits], classes: [logits, all] },
  };
  g.output(phraseVector, phraseVector, "float32", ["phrases", all]);
  const model = g.model();
  prune(model.graph);
  const assembled: Assembled = { model, width, features: [reading], types };
  return { assembled, layout };
}
