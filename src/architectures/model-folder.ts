/** A model folder in the hub's layout, read from disk: what its files say about inputs, output and size. */
import { ModelError } from "../errors.js";
import { exists, fileSize, kindOf, wholePath } from "../files/disk.js";
import { externalFiles } from "../onnx/io/external-files.js";
import { hubFeature } from "./all.js";
import type { Feature, ModelFolder } from "./architecture.js";
import { numberAt, readJson } from "./folder-json.js";
import { architectureOf, inheritArchitectures } from "./registry.js";
import { moduleFacts } from "./sentence-modules.js";

export type { Feature, ModelFolder, Pooling } from "./architecture.js";

/** The section `pearl` of config.json, which only models made by pearl have. */
interface PearlSection {
  readonly features: readonly Feature[];
  readonly dimension: number;
  /** Phrase types in the order of the graph's output `type_logits`; absent: there is no such output. */
  readonly types?: readonly string[];
  /** Where the model runs fastest, for `--device auto`; absent: wherever it can. */
  readonly device?: "cpu";
}

const GRAPHS = ["onnx/model.onnx", "model.onnx"];
const QUANTIZED_GRAPHS = ["onnx/model_quantized.onnx", "onnx/model_int8.onnx", "model_quantized.onnx"];

/** Reads a model folder. @throws ModelError that names the missing or broken file */
export async function readModelFolder(folder: string): Promise<ModelFolder> {
  const path = wholePath(folder);
  const kind = await kindOf(path);
  if (kind === undefined) throw new ModelError(`${folder}: no such model folder`);
  if (kind === "file")
    throw new ModelError(`${folder}: a model is a folder with config.json and onnx/model.onnx`);
  const config = await readJson(`${path}/config.json`);
  if (config === undefined)
    throw new ModelError(`${folder}: config.json is missing; a model folder needs one`);
  const full = await firstThatExists(path, GRAPHS);
  const quantizedGraph = await firstThatExists(path, QUANTIZED_GRAPHS);
  const graph = full ?? quantizedGraph;
  if (graph === undefined) {
    throw new ModelError(
      `${folder}: onnx/model.onnx is missing; export the model to ONNX, or make it from model.safetensors: ` +
        "pearl import FOLDER -o OUT",
    );
  }
  await inheritArchitectures();
  const pearl = pearlSection(config, folder);
  const features = pearl?.features ?? [await hubFeature(path, config)];
  // a transformer alone pools as its sentence-transformers files say
  const recorded = recordedDims(config);
  const [first, ...others] = features.map((feature) => architectureOf(feature));
  const facts = pearl === undefined ? await moduleFacts(path) : undefined;
  return {
    path,
    name:
      typeof config.name === "string"
        ? config.name
        : path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1),
    config,
    architecture: architectureName(config),
    dimension:
      pearl?.dimension ??
      ["hidden_size", "dim", "hidden_dim"].map((key) => numberAt(config, key)).find(Boolean),
    ...facts,
    ...(recorded && { dims: recorded }),
    features,
    pooling: others.length === 0 && first.pooling ? await first.pooling(path) : "none",
    types: pearl?.types ?? [],
    graph,
    quantizedGraph,
    preferredDevice: pearl?.device,
    sizeBytes: await graphSize(graph),
  };
}

function recordedDims({
  matryoshka_dimensions: dims,
}: Record<string, unknown>): readonly number[] | undefined {
  const isList =
    Array.isArray(dims) && dims.length > 0 && dims.every((one) => Number.isInteger(one) && one > 0);
  return isList ? dims : undefined;
}

/** A graph and the files beside it that hold its weights. */
export function filesOfGraph(graph: string): string[] {
  const folder = graph.slice(0, graph.lastIndexOf("/"));
  const beside = externalFiles(graph).sort();
  return [graph, ...beside.map((name) => `${folder}/${name}`)];
}

/** A folder may hold much that no graph needs: other exports, PyTorch's weights, the history of a git repository. */
const graphSize = async (graph: string): Promise<number> =>
  (await Promise.all(filesOfGraph(graph).map(fileSize))).reduce((sum, bytes) => sum + bytes, 0);

/** True where the folder has an ONNX graph that can be run. */
export const hasGraph = async (folder: string): Promise<boolean> =>
  (await firstThatExists(folder, [...GRAPHS, ...QUANTIZED_GRAPHS])) !== undefined;

async function firstThatExists(folder: string, names: readonly string[]): Promise<string | undefined> {
  for (const name of names) if (await exists(`${folder}/${name}`)) return `${folder}/${name}`;
  return undefined;
}

function architectureName(config: Record<string, unknown>): string {
  const names = config.architectures;
  if (Array.isArray(names) && typeof names[0] === "string") return names[0];
  return typeof config.model_type === "string" ? config.model_type : "unknown";
}

function pearlSection(config: Record<string, unknown>, folder: string): PearlSection | undefined {
  if (config.pearl === undefined) return undefined;
  const section = config.pearl as Partial<PearlSection> | null;
  const label = `${folder}/config.json`;
  const features: unknown[] = Array.isArray(section?.features) ? section.features : [];
  const isList = features.length > 0 && features.every((feature) => feature instanceof Object);
  if (!isList || !(Number(section?.dimension) > 0))
    throw new ModelError(`${label}: the "pearl" section must list features and a dimension`);
  for (const feature of features) architectureOf(feature as Feature, label);
  return section as PearlSection;
}
