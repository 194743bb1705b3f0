/** From a model folder to what sentence-transformers loads: config, safetensors weights, tokenizer, modules. */
import { mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { type ModelFolder, readModelFolder } from "../../architectures/model-folder.js";
import { architectureOf, conversions } from "../../architectures/registry.js";
import { modulesOf, poolingSwitches, readModules } from "../../architectures/sentence-modules.js";
import { ModelError } from "../../errors.js";
import { writeWholeJson } from "../../files/whole-file.js";
import { checkIsFree, writeWholeFolder } from "../../files/whole-folder.js";
import { writeSafetensors } from "../../onnx/io/safetensors.js";
import { elementCount } from "../../onnx/tensor.js";
import { readTokenizerFile } from "../../text/tokenizer-file.js";
import { derivedCard } from "../model-card.js";
import { type ImportReport, writeTokenizer } from "./import-model.js";
import { weightsFile } from "./weight-files.js";

/** Options of {@link exportSafetensors}. */
export interface ExportOptions {
  /**
   * "unit" adds the module that scales vectors to length 1. Default: as in the model's modules.json, or "unit"
   * without one, since pearl scales too.
   */
  readonly length?: "unit" | "raw";
}

/** What {@link exportSafetensors} wrote, and how closely it reproduces the source. */
export interface ExportReport extends Omit<ImportReport, "types" | "licence"> {
  /** How token vectors become the phrase's vector, such as "mean". */
  readonly pooling: string;
  readonly length: "unit" | "raw";
  /**
   * Largest difference between hidden states of the source's graph and of one built from what was written, as a
   * fraction of the largest state.
   */
  readonly difference: number;
}

/**
 * Writes a model folder's encoder as safetensors with the names and layout of transformers, and the files in
 * which sentence-transformers finds tokenizer, pooling and scaling. First the weights are put into a new graph,
 * which must give the source's hidden states.
 * @param source a model folder with the graph of a BERT or RoBERTa encoder, or one that pearl made of another family
 * @param target the new folder; it appears when it is complete
 * @throws ModelError for other graphs, naming the node; ArgumentError where the target is not free
 */
export async function exportSafetensors(
  source: string,
  target: string,
  options: ExportOptions = {},
): Promise<ExportReport> {
  await checkIsFree(target);
  const tokenizer = await readTokenizerFile(source);
  const scales = (await readModules(source))?.some(({ type }) => type === "Normalize") ?? true;
  const { length = scales ? "unit" : "raw" } = options;
  return writeWholeFolder(target, async (path) => {
    const { folder, ...converted } = await readExport(source, path);
    if (tokenizer === undefined)
      throw new ModelError(
        `${source}: tokenizer.json is missing. Copy it from the model that this one was made from.`,
      );
    const {
      config,
      weights,
      maximumLength,
      family,
      layers,
      dimension,
      difference,
      isStatic = false,
    } = converted;
    if (!isStatic) {
      const limits = { max_seq_length: maximumLength, do_lower_case: false };
      await writeWholeJson(join(path, "sentence_bert_config.json"), limits);
      await writeWholeJson(join(path, "1_Pooling/config.json"), poolingOf(folder, dimension));
    }
    // The source's own files, where it has them, replace these.
    await writeTokenizer(source, path, tokenizer, maximumLength);
    await writeWholeJson(
      join(path, "config.json"),
      isStatic ? { ...config, normalize: length === "unit" } : config,
    );
    const encoding = isStatic ? ["StaticEmbedding"] : ["Transformer", "Pooling"];
    const modules = modulesOf(
      [...encoding, ...(length === "unit" ? ["Normalize"] : [])],
      isStatic ? "." : "",
    );
    await writeWholeJson(join(path, "modules.json"), modules);
    if (length === "unit" && !isStatic) await mkdir(join(path, "2_Normalize"), { recursive: true });
    await writeFile(
      join(path, "README.md"),
      await card(source, folder.name, isStatic ? "model2vec" : "sentence-transformers"),
    );
    writeSafetensors(join(path, weightsFile), weights);
    return {
      ...{ path: target, family, layers, dimension, length, difference },
      parameters: [...weights.values()].reduce((sum, { dims }) => sum + elementCount(dims), 0),
      pooling: folder.pooling === "none" ? "mean" : folder.pooling,
    };
  });
}

/**
 * A model's encoder as weights with their published names, which give the source's hidden states.
 * @param work a folder for a graph that is removed again
 * @throws ModelError where the model is more than an encoder, or another one
 */
export async function readExport(source: string, work: string) {
  const odd = (await readModules(source))?.find(
    ({ type }) => !["Transformer", "Pooling", "Normalize", "Dropout", "StaticEmbedding"].includes(type),
  );
  if (odd)
    throw new ModelError(
      `${source}/modules.json: the model has a ${odd.type} module; pearl exports encoder, pooling and scaling alone. ` +
        "Export a model without it.",
    );
  const folder = await readModelFolder(source);
  const converts = folder.features.map((feature) => architectureOf(feature).convert);
  const [convert] = converts;
  if (convert === undefined || converts.length > 1)
    throw new ModelError(
      `${source}: the model is not a transformer alone: it reads words or n-grams, not only a tokenizer's tokens. ` +
        `Give an encoder of ${conversions()
          .flatMap(({ families }) => families)
          .join(", ")}.`,
    );
  const label = `${source}: ${folder.graph.slice(folder.path.length + 1)}`;
  return { folder, ...(await convert.weightsOf(folder, { label, work })) };
}

function poolingOf({ pooling }: ModelFolder, dimension: number): object {
  const own = pooling === "none" ? "mean" : pooling;
  const modes = Object.entries(poolingSwitches).map(([way, name]) => [`pooling_mode_${name}`, way === own]);
  return { word_embedding_dimension: dimension, ...Object.fromEntries(modes) };
}

function card(
  source: string,
  title: string,
  library: "sentence-transformers" | "model2vec",
): Promise<string> {
  return derivedCard(source, {
    title,
    origin:
      `\`${weightsFile}\` was written by \`pearl export\` from the ONNX graph of ${basename(source)}: the same ` +
      `weights in the layout of ${library}, which loads this folder with \`${loaders[library]}\`.`,
    metadata: { library_name: library, pipeline_tag: "sentence-similarity" },
  });
}

/** How a library loads a folder. */
const loaders = {
  "sentence-transformers": "SentenceTransformer(FOLDER)",
  model2vec: "StaticModel.from_pretrained(FOLDER)",
};
