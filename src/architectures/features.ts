/** Opens what turns phrases into the integer tensors that a graph asks for. */
import { ModelError } from "../errors.js";
import type { ModelFolder, SharedGraph } from "./architecture.js";
import type { Featurizer } from "./feature-rows.js";
import { architectureOf, inheritArchitectures } from "./registry.js";

/**
 * The featurizers of a model folder, which together feed every input of its graph.
 * @param inputNames inputs of the folder's graph
 * @param shared the graph that workers share, where it is one
 * @throws ModelError for a missing or broken file, or an input that pearl does not know
 */
export async function openFeaturizers(
  folder: ModelFolder,
  inputNames: readonly string[],
  shared?: SharedGraph,
): Promise<Featurizer[]> {
  await inheritArchitectures();
  const fed = folder.features.flatMap((feature) => architectureOf(feature).inputs(feature, shared));
  const unknown = inputNames.filter((name) => !fed.includes(name));
  if (unknown.length > 0)
    throw new ModelError(
      `${folder.graph}: the graph asks for inputs that pearl does not know: ${unknown.join(", ")}. ` +
        `Known are ${fed.join(", ")}.`,
    );
  return Promise.all(
    folder.features.map((feature) => architectureOf(feature).open(feature, { folder, inputNames, shared })),
  );
}
