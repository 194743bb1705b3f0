/** Entity types from the user's token-classification model (BERT NER and the like), through transformers.js. */
import { existsSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type * as Transformers from "@huggingface/transformers";
import { ModelError, messageOf } from "../../errors.js";
import { loadOptional } from "../../files/package.js";
import type { FineType } from "./fine-types.js";
import { fineTypeOf, KNOWN_LABELS } from "./labels.js";

/**
 * Loads a model from a folder (config.json, tokenizer.json, onnx/model.onnx) or, where there is a network, the hub.
 * A phrase gets the type that has the largest sum of scores over its tokens, "O" counting as OTHER.
 * @throws MissingDataError where @huggingface/transformers is not installed; ModelError for a model that cannot be used
 */
export async function loadTokenClassifier(model: string) {
  const transformers = loadOptional<typeof Transformers>(
    "@huggingface/transformers",
    "typing phrases with a model",
  );
  const isFolder = existsSync(model);
  transformers.env.allowRemoteModels = !isFolder;
  if (isFolder) {
    transformers.env.allowLocalModels = true;
    transformers.env.localModelPath = dirname(resolve(model));
  }
  const name = isFolder ? basename(resolve(model)) : model;
  const options = { device: "cpu", dtype: "fp32" } as const;
  const classify = await transformers.pipeline("token-classification", name, options).catch((error) => {
    throw new ModelError(
      `${model} cannot be used to type phrases (${messageOf(error)}). ` +
        "Give a folder with config.json, tokenizer.json and onnx/model.onnx, or a hub id of such a model.",
      { cause: error },
    );
  });
  const { id2label = {} } = classify.model.config as { readonly id2label?: Readonly<Record<string, string>> };
  refuseUnknownLabels(model, Object.values(id2label));
  return {
    async types(phrases: readonly string[]): Promise<FineType[]> {
      const found = await classify([...phrases], { ignore_labels: [] });
      return found.map(strongest);
    },
    dispose: () => classify.dispose(),
  };
}

function strongest(tokens: readonly { readonly entity: string; readonly score: number }[]): FineType {
  const scores = new Map<FineType, number>();
  for (const { entity, score } of tokens) {
    const type = fineTypeOf(entity) as FineType;
    scores.set(type, (scores.get(type) ?? 0) + score);
  }
  let best: FineType = "OTHER";
  for (const [type, score] of scores) if (score > (scores.get(best) ?? 0)) best = type;
  return best;
}

function refuseUnknownLabels(model: string, labels: readonly string[]): void {
  const strange = labels.filter((label) => fineTypeOf(label) === undefined);
  if (labels.length > 0 && strange.length === 0) return;
  throw new ModelError(
    labels.length === 0
      ? `${model} has no labels (id2label in config.json): it is not a model for token classification.`
      : `${model}: unknown labels ${strange.join(", ")}. Known labels: ${KNOWN_LABELS.join(", ")}.`,
  );
}
