/** modules.json: the steps of sentence-transformers from text to vector. */
import { join } from "node:path";
import { array, object, string } from "valibot";
import { ModelError } from "../../errors.js";
import { readJson } from "../../files/json.js";

const modulesSchema = array(object({ type: string() }));

/**
 * The kinds of modules in their order, such as Transformer, Pooling, Normalize; undefined without modules.json.
 * @throws ModelError where the file is not a list of modules
 */
export async function readModules(folder: string): Promise<string[] | undefined> {
  const path = join(folder, "modules.json");
  const modules = await readJson(path, modulesSchema, { error: ModelError, cure: "Download it again." });
  return modules?.map(({ type }) => type.split(".").at(-1) as string);
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
      `${join(folder, "modules.json")}: the model has a ${odd} module, which pearl does not support; ` +
        "without it the vectors would be wrong. Use a model of Transformer, Pooling and Normalize.",
    );
}
