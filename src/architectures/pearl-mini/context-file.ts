/** The context's encoder beside a pretrained model: what a further training with contexts begins with. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readSafetensors, writeSafetensors } from "../../onnx/io/safetensors.js";
import type { Tensor } from "../../onnx/tensor.js";
import { contextPrefix } from "./context.js";

const FILE = "context.safetensors";

export function writeContext(folder: string, weights: ReadonlyMap<string, Tensor>): void {
  const own = [...weights].filter(([name]) => name.startsWith(contextPrefix));
  if (own.length > 0) writeSafetensors(join(folder, FILE), new Map(own));
}

/** Weights by name; none where the folder has no such file. @throws ModelError for a broken file */
export function readContext(folder: string): ReadonlyMap<string, Tensor> {
  const path = join(folder, FILE);
  return existsSync(path) ? readSafetensors(path) : new Map();
}
