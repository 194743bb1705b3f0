/** Weights in the layout of training libraries (config.json, safetensors), as an architecture reads and writes them. */
import type { Model } from "../onnx/model.js";
import type { Tensor } from "../onnx/tensor.js";
import type { ModelFolder } from "./architecture.js";

/** The cure where weights cannot be converted. */
export const exportInstead =
  "Take a repository that has onnx/model.onnx, or export the model to ONNX with its own tools.";

export interface Conversion {
  /** Values of `model_type` in config.json. */
  readonly families: readonly string[];
  /** Published weights as a graph. @throws ModelError that names the file and the tensor or key */
  graphOf(published: PublishedModel): Promise<Converted & { model: Model; types: readonly string[] }>;
  /**
   * A graph as published weights and config.json; a graph built from them computes the same, but for `difference`.
   * @throws ModelError that names the node where the graph is another encoder's
   */
  weightsOf(
    folder: ModelFolder,
    options: { readonly label: string; readonly work: string },
  ): Promise<Converted & { config: object; weights: ReadonlyMap<string, Tensor>; difference: number }>;
}

/** A folder's files, and its weights: each tensor by name with the file that holds it. */
export interface PublishedModel {
  readonly folder: string;
  readonly config: Readonly<Record<string, unknown>>;
  /** @throws ModelError for files that are missing or cut off */
  tensors(): Promise<ReadonlyMap<string, { readonly tensor: Tensor; readonly file: string }>>;
}

export interface Converted {
  /** `model_type` of config.json. */
  readonly family: string;
  readonly layers: number;
  /** Length of an embedding. */
  readonly dimension: number;
  /** Tokens it reads at most. */
  readonly maximumLength: number;
  /** A table of token vectors, which no layer changes: it has no settings of pooling. */
  readonly isStatic?: boolean;
}
