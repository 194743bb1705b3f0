/** modules.json: the steps that sentence-transformers takes from text to vector. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ModelError } from "../errors.js";

/**
 * The kinds of modules in their order, such as Transformer, Pooling, Normalize; undefined without modules.json.
 * @throws ModelError where the file is not a list of modules
 */
export async function readModules(folder: string): Promise<string[] | undefined> {
  const path = join(folder, "modules.json");
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return (JSON.parse(text) as { type: string }[]).map(({ type }) => type.split(".").at(-1) as string);
  } catch (error) {
    throw new ModelError(`${path}: not a list of modules, each with a type. Download it again.`, {
      cause: error,
    });
  }
}

/**
 * Refuses models whose vectors are more than pooled and scaled token vectors.
 * @throws ModelError that names the module
 */
export async function checkModules(folder: string): Promise<void> {
  const odd = (await readModules(folder))?.find(
    (type) => !["Transformer", "Pooling", "Normalize"].includes(type),
  );
  if (odd !== undefined)
    throw new ModelError(
      `${join(folder, "modules.json")}: the model goes on with a ${odd} module, which pearl does not build; ` +
        "without it the vectors would be others. Take a model of Transformer, Pooling and Normalize.",
    );
}
