/** Writes a trained model as a folder in the hub's layout: the files of its base, trained weights, and a model card. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import {
  type Assembled,
  dimsSection,
  type ModelFolder,
  type ModelPart,
} from "../architectures/architecture.js";
import { assembleModel } from "../architectures/compose.js";
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
import { gainText, type RunResult, weightsText } from "../training/run.js";

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

/** Writes a model of one part. @param options.seed of weights that are missing */
export function writePart(
  folder: string,
  part: ModelPart,
  { seed, ...model }: Omit<TrainedModel, "assembled"> & { readonly seed: number },
): Promise<void> {
  const assembled = assembleModel({ characters: part, types: [], seed });
  return writeTrainedModel(folder, { assembled, ...model });
}

/** @throws ModelError if the folder cannot be written, ArgumentError if it exists */
export function writeTrainedModel(
  folder: string,
  { base, assembled, weights, texts = {} }: TrainedModel,
): Promise<void> {
  const { width: dimension, features, types, section, files, dims } = assembled;
  // the name is that of the folder, and prefixes that were not trained no longer hold
  const {
    name: _,
    matryoshka_dimensions: __,
    ...config
  } = base?.config ?? {
    model_type: "pearl",
    architectures: [classNameOf(features)],
  };
  const pearl = { format: 1, dimension, features, ...(types.length > 0 && { types }), ...section };
  return writeModelFolder(folder, async (temporary) => {
    await mkdir(join(temporary, "onnx"), { recursive: true });
    if (base) await copyPresent(companionsOf(base), base.path, temporary);
    writeModel(withWeights(assembled.model, weights), join(temporary, "onnx", "model.onnx"));
    await writeWholeJson(join(temporary, "config.json"), {
      ...config,
      ...dimsSection(dims, dimension),
      pearl,
    });
    for (const [name, text] of Object.entries({ ...files, ...texts }))
      await writeFile(join(temporary, name), text);
  });
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

/** The model that a training started from. */
export interface BaseModel {
  /** A hub id, or a folder's name. */
  readonly name: string;
  /** Of its graph. */
  readonly fingerprint: string;
  readonly licence?: string;
}

export interface CardParts {
  readonly metadata: object;
  readonly opening: string;
  readonly commands: readonly string[];
  readonly use?: string;
  /** Facts about the training; false ones are left out. */
  readonly training: readonly (string | false)[];
  readonly limits: string;
}

export function cardText(name: string, parts: CardParts): string {
  const { metadata, opening, commands, use, training, limits } = parts;
  return `---
${stringify(metadata).trimEnd()}
---

# ${name}

${opening}

## Use

${commands.map((line) => `    ${line}`).join("\n")}
${use === undefined ? "" : `\n${use}\n`}
## Training

${training
  .filter((fact) => fact !== false)
  .map((fact) => `- ${fact}`)
  .join("\n")}

training.json holds every setting.

## Quality and limits

${limits}
`;
}

/** Metadata and limits of a model of phrases. @param taught what it was trained on, such as "these pairs" */
export function phraseModel(
  taught: string,
  library: string,
  { base, result }: { readonly base?: BaseModel; readonly result: RunResult },
): Pick<CardParts, "metadata" | "limits"> {
  const { best } = result;
  const quality = best
    ? `The weights are those of ${weightsText(best)}, which scored best while training: ${gainText(result)}.`
    : unmeasured("pearl bench");
  const licence = base?.licence
    ? `The licence is the base's (${base.licence}).`
    : base
      ? "The base states no licence; its terms apply here too."
      : "You choose the licence; mind the corpus's.";
  return {
    metadata: {
      ...(base?.licence && { license: base.licence }),
      ...(base && { base_model: base.name }),
      pipeline_tag: "feature-extraction",
      library_name: library,
      tags: ["pearl", "phrase-embeddings", "onnx"],
    },
    limits:
      `${quality} The model knows what ${base ? "its base and " : ""}${taught} taught it; expect lower quality on ` +
      `phrases of other fields or languages. ${licence}`,
  };
}

/** The sentence of a model without scores. @param command measures it */
export const unmeasured = (command: string): string =>
  `No score was measured while training: \`${command}\` measures the model.`;
