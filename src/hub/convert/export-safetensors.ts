/** From a model folder to what sentence-transformers loads: config, safetensors weights, tokenizer, modules. */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { numberAt } from "../../architectures/folder-json.js";
import { type ModelFolder, readModelFolder } from "../../architectures/model-folder.js";
import { hasTransformer, tokenLimit } from "../../architectures/transformer/architecture.js";
import { type BertConfig, encoderGraph } from "../../architectures/transformer/bert.js";
import { type FoundEncoder, readBert } from "../../architectures/transformer/read-bert.js";
import { ModelError } from "../../errors.js";
import { writeWholeJson } from "../../files/whole-file.js";
import { checkIsFree, writeWholeFolder } from "../../files/whole-folder.js";
import { readModel, writeModel } from "../../onnx/io/file.js";
import { writeSafetensors } from "../../onnx/io/safetensors.js";
import type { Model } from "../../onnx/model.js";
import { elementCount, type Tensor, tensor } from "../../onnx/tensor.js";
import { createOrtSession } from "../../runtime/ort-session.js";
import type { Feeds } from "../../runtime/tensor.js";
import { readTokenizerFile } from "../../text/tokenizer-file.js";
import { derivedCard } from "../model-card.js";
import { type ImportReport, writeTokenizer } from "./import-model.js";
import { checkModules, families, readModules } from "./pretrained.js";
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
export interface ExportReport
  extends Pick<ImportReport, "path" | "family" | "layers" | "dimension" | "parameters"> {
  /** How token vectors become the phrase's vector, such as "mean". */
  readonly pooling: string;
  readonly length: "unit" | "raw";
  /**
   * Largest difference between hidden states of the source's graph and of one built from what was written, as a
   * fraction of the largest state.
   */
  readonly difference: number;
}

/** Outputs of encoders that hold the last hidden state, as exporters name them. */
const hiddenStates = ["last_hidden_state", "token_embeddings", "hidden_states"];
/** Beyond rounding: another GELU differs by 1e-3, another number of heads by 1e-1. */
const largestDifference = 5e-5;

/**
 * Writes a model folder's encoder as safetensors with the names and layout of transformers, and the files in
 * which sentence-transformers finds tokenizer, pooling and scaling. First the weights are put into a new graph,
 * which must give the source's hidden states.
 * @param source a model folder with the graph of a BERT or RoBERTa encoder
 * @param target the new folder; it appears when it is complete
 * @throws ModelError for other graphs, naming the node; ArgumentError where the target is not free
 */
export async function exportSafetensors(
  source: string,
  target: string,
  options: ExportOptions = {},
): Promise<ExportReport> {
  await checkIsFree(target);
  await checkModules(source);
  const folder = await readModelFolder(source);
  const label = `${source}: ${folder.graph.slice(folder.path.length + 1)}`;
  if (!hasTransformer(folder))
    throw new ModelError(
      `${source}: the model has no transformer to export: it reads words or n-grams, not a tokenizer's tokens.`,
    );
  const tokenizer = await readTokenizerFile(source);
  if (tokenizer === undefined) throw new ModelError(`${source}: tokenizer.json is missing.`);
  const model = readModel(folder.graph);
  const output = hiddenStateOf(model, label);
  const found = readBert(model, { output, label, heads: numberAt(folder.config, "num_attention_heads") });
  const config = configOf(folder, found);
  const scales = (await readModules(source))?.includes("Normalize") ?? true;
  const { length = scales ? "unit" : "raw" } = options;
  const maximumLength = await tokenLimit(source, config);
  let difference = 0;
  await writeWholeFolder(target, async (path) => {
    difference = await checkEqual(folder.graph, output, found, { label, folder: path });
    const limits = { max_seq_length: maximumLength, do_lower_case: false };
    await writeWholeJson(join(path, "sentence_bert_config.json"), limits);
    await writeWholeJson(join(path, "1_Pooling/config.json"), poolingOf(folder, config.hidden_size));
    // The source's own files, where it has them, replace these.
    await writeTokenizer(source, path, tokenizer, maximumLength);
    await writeWholeJson(join(path, "config.json"), config);
    await writeWholeJson(join(path, "modules.json"), modulesOf(length));
    if (length === "unit") await mkdir(join(path, "2_Normalize"), { recursive: true });
    await writeFile(join(path, "README.md"), await card(source, folder.name));
    writeSafetensors(join(path, weightsFile), found.weights);
  });
  return {
    path: target,
    family: config.model_type as string,
    layers: config.num_hidden_layers,
    dimension: config.hidden_size,
    parameters: [...found.weights.values()].reduce((sum, { dims }) => sum + elementCount(dims), 0),
    pooling: folder.pooling === "none" ? "mean" : folder.pooling,
    length,
    difference,
  };
}

function hiddenStateOf({ graph }: Model, label: string): string {
  const names = graph.outputs.map(({ name }) => name);
  const output = hiddenStates.find((name) => names.includes(name));
  if (output !== undefined) return output;
  throw new ModelError(
    `${label}: no output with a vector per token (expected ${hiddenStates.join(" or ")}, found ${names.join(", ")}). ` +
      "Export the encoder without pooling.",
  );
}

/** config.json: the source's, with everything that can be read from the graph set to that. */
function configOf({ config }: ModelFolder, found: FoundEncoder): BertConfig {
  const { pearl: _, ...kept } = config;
  const shown = found.config;
  // Camembert and XLM-RoBERTa are RoBERTas by another name.
  const named = String(config.model_type);
  const isSameKind = named in families && (named === "bert") === (shown.model_type === "bert");
  const family = isSameKind ? named : (shown.model_type as string);
  const isApproximate = shown.hidden_act === "gelu_new" && /^gelu_/.test(String(config.hidden_act));
  const written = {
    ...kept,
    architectures: [families[family]],
    ...shown,
    model_type: family,
    ...(isApproximate && { hidden_act: String(config.hidden_act) }),
    position_embedding_type: "absolute",
    torch_dtype: "float32",
  };
  return written;
}

function poolingOf({ pooling }: ModelFolder, dimension: number): object {
  return {
    word_embedding_dimension: dimension,
    pooling_mode_cls_token: pooling === "cls",
    pooling_mode_mean_tokens: pooling === "mean" || pooling === "none",
    pooling_mode_max_tokens: pooling === "max",
    pooling_mode_mean_sqrt_len_tokens: false,
  };
}

function modulesOf(length: "unit" | "raw"): object[] {
  const names = ["Transformer", "Pooling", ...(length === "unit" ? ["Normalize"] : [])];
  return names.map((name, idx) => {
    const path = idx === 0 ? "" : `${idx}_${name}`;
    return { idx, name: `${idx}`, path, type: `sentence_transformers.models.${name}` };
  });
}

function card(source: string, title: string): Promise<string> {
  return derivedCard(source, {
    title,
    origin:
      `\`${weightsFile}\` was written by \`pearl export\` from the ONNX graph of ${basename(source)}: the same ` +
      "weights in the layout of sentence-transformers, which loads this folder with `SentenceTransformer(FOLDER)`.",
    metadata: { library_name: "sentence-transformers", pipeline_tag: "sentence-similarity" },
  });
}

/** Runs the source and a new graph. @throws ModelError where they differ by more than rounding */
async function checkEqual(
  graph: string,
  output: string,
  { config, weights }: FoundEncoder,
  { label, folder }: { label: string; folder: string },
): Promise<number> {
  const rebuilt = join(folder, "check.onnx");
  const newGraph = encoderGraph(config, (name) => weights.get(name) as Tensor);
  writeModel(newGraph, rebuilt);
  const feeds = sampleTokens(config);
  const [expected, given] = [await run(graph, output, feeds), await run(rebuilt, "last_hidden_state", feeds)];
  for (const leftover of [rebuilt, `${rebuilt}_data`]) await rm(leftover, { force: true });
  const largest = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const difference =
    expected.reduce((most, value, i) => Math.max(most, Math.abs(value - given[i])), 0) / largest;
  if (difference <= largestDifference && given.length === expected.length) return difference;
  const read = `${config.num_hidden_layers} layers, ${config.num_attention_heads} heads, ${config.hidden_act}`;
  throw new ModelError(
    `${label}: rebuilt as a ${config.model_type} (${read}), the model gives different vectors (by up to ` +
      `${difference.toExponential(1)} of the largest value): its graph does something that BERT and RoBERTa do not.`,
  );
}

/** Every input that an encoder may have, for three rows of tokens, none of them padding. */
function sampleTokens({ vocab_size, pad_token_id = 0, max_position_embeddings }: BertConfig): Feeds {
  const dims = [3, Math.max(1, Math.min(9, max_position_embeddings - 2))];
  const count = dims[0] * dims[1];
  const ids = Array.from({ length: count }, (_, i) => {
    const id = (7919 * (i + 1)) % vocab_size;
    return id === pad_token_id ? (id + 1) % vocab_size : id;
  });
  const int64 = (values: number[]) => tensor("int64", dims, values) as Feeds[string];
  return {
    input_ids: int64(ids),
    attention_mask: int64(ids.map(() => 1)),
    token_type_ids: int64(ids.map(() => 0)),
    position_ids: int64(ids.map((_, i) => i % dims[1])),
  };
}

async function run(graph: string, output: string, feeds: Feeds): Promise<Float32Array> {
  const session = await createOrtSession(graph, { label: graph });
  try {
    const taken = Object.entries(feeds).filter(([name]) => session.inputNames.includes(name));
    return (await session.run(Object.fromEntries(taken), [output]))[output].data as Float32Array;
  } finally {
    await session.release();
  }
}
