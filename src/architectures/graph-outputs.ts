/** Outputs of graphs by name. Apart from graph.ts, as threads that run a graph need not read ONNX files. */
import { ModelError } from "../errors.js";
import type { ModelFolder } from "./architecture.js";

/** The output of pearl's own graphs that holds unit-length vectors, float32 [rows, width]. */
export const EMBEDDING = "embedding";
/** The output of type scores, float32 [rows, types], where a model has a type head. */
export const TYPE_LOGITS = "type_logits";

/** Outputs that hold a phrase's or its tokens' vectors, best first, as exporters name them. */
const OUTPUTS = [EMBEDDING, "last_hidden_state", "token_embeddings", "sentence_embedding", "hidden_states"];

/**
 * The output that a folder's vectors come from.
 * @throws ModelError where none is known as an embedding
 */
export function chooseOutput(names: readonly string[], folder: ModelFolder): string {
  const known = OUTPUTS.find((name) => names.includes(name)) ?? (names.length === 1 ? names[0] : undefined);
  if (known !== undefined) return known;
  throw new ModelError(
    `${folder.graph}: no output that pearl knows as an embedding among ${names.join(", ")} ` +
      `(known: ${OUTPUTS.join(", ")})`,
  );
}
