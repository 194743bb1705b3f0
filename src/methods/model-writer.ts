/** Writes a trained model as a folder in the hub's layout: the files of its base, with trained weights in the graph. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Assembled, ModelFolder } from "../architectures/architecture.js";
import { classNameOf, filesOf } from "../architectures/registry.js";
import { ModelError } from "../errors.js";
import { writeModelFolder } from "../files/sealed-folder.js";
import { writeWholeJson } from "../files/whole-file.js";
import { copyPresent } from "../files/whole-folder.js";
import { companionFiles } from "../hub/convert/import-model.js";
import { untieInitializers } from "../onnx/graph.js";
import { writeModel } from "../onnx/io/file.js";
import type { Model } from "../onnx/model.js";
import type { Tensor } from "../onnx/tensor.js";

/** Files that belong to a model beside its graph and config.json. */
const companionsOf = ({ features }: ModelFolder): string[] => [
  ...filesOf(features),
  ...["sentencepiece.bpe.model", "spiece.model"],
  ...companionFiles,
];

export interface TrainedModel {
  /** Its tokenizer, configuration and licence are copied; absent: the model has no transformer. */
  readonly base?: ModelFolder;
  /** The graph with its first weights. */
  readonly assembled: Assembled;
  /** By name of the initializer, in its layout; other initializers keep their values. */
  readonly weights: ReadonlyMap<string, Tensor>;
  readonly texts?: Readonly<Record<string, string>>;
}

/** @throws ModelError if the folder cannot be written, ArgumentError if it exists */
export function writeTrainedModel(folder: string, model: TrainedModel): Promise<void> {
  return writeModelFolder(folder, (temporary) => fill(temporary, model));
}

async function fill(folder: string, { base, assembled, weights, texts = {} }: TrainedModel): Promise<void> {
  await mkdir(join(folder, "onnx"), { recursive: true });
  if (base) await copyPresent(companionsOf(base), base.path, folder);
  writeModel(withWeights(assembled.model, weights), join(folder, "onnx", "model.onnx"));
  const { width, features, types, section, files } = assembled;
  // the name is that of the folder
  const { name: _, ...config } = base?.config ?? {
    model_type: "pearl",
    architectures: [classNameOf(features)],
  };
  await writeWholeJson(join(folder, "config.json"), {
    ...config,
    pearl: {
      ...{ format: 1, dimension: width, features },
      ...(types.length > 0 && { types }),
      ...section,
    },
  });
  for (const [name, text] of Object.entries({ ...files, ...texts }))
    await writeFile(join(folder, name), text);
}

/** A graph with other values in its initializers. Equal ones that the exporter merged are split: now they differ. */
export function withWeights(model: Model, weights: ReadonlyMap<string, Tensor>): Model {
  const apart = untieInitializers(model);
  const { initializers } = apart.graph;
  for (const [name, { dims, data }] of weights) {
    const value = initializers.get(name);
    if (!value) continue;
    if (String(value.dims) !== String(dims))
      throw new ModelError(`weight ${name} is [${dims}] after training, but [${value.dims}] in the graph`);
    initializers.set(name, { ...value, data });
  }
  return apart;
}
