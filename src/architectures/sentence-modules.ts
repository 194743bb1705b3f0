/** modules.json of sentence-transformers: the steps from text to vector, of which pearl takes those up to pooling. */
import { ModelError } from "../errors.js";
import type { ModelFolder } from "./architecture.js";
import { readJson } from "./folder-json.js";

/** Kinds of modules in order: Transformer, Pooling ...; undefined without modules.json. @throws ModelError */
export async function readModules(folder: string): Promise<string[] | undefined> {
  // loaded late, as in folder-json.ts
  const { array, object, string } = await import("valibot");
  const { readJson: readFile } = await import("../files/json.js");
  const schema = array(object({ type: string() }));
  const trouble = { error: ModelError, cure: "Download it again." };
  const modules = await readFile(`${folder}/modules.json`, schema, trouble);
  return modules?.map(({ type }) => type.split(".").at(-1) as string);
}

/** What a folder of another maker says and leaves unsaid about the way from token vectors to the phrase's. @throws ModelError */
export async function moduleFacts(
  folder: string,
): Promise<Pick<ModelFolder, "oddModule" | "isPoolingAssumed" | "leavesPromptOut">> {
  const known = ["Transformer", "Pooling", "Normalize"];
  const pooling = await readJson(`${folder}/1_Pooling/config.json`);
  return {
    oddModule: (await readModules(folder))?.find((type) => !known.includes(type)),
    isPoolingAssumed: pooling === undefined,
    leavesPromptOut: pooling?.include_prompt === false,
  };
}

/** @throws ModelError that names a module that does more than pool and scale token vectors */
export function refuseModule({ path, oddModule }: Pick<ModelFolder, "path" | "oddModule">): void {
  if (oddModule !== undefined)
    throw new ModelError(
      `${path}/modules.json: the model has a ${oddModule} module, which pearl does not support; ` +
        "without it the vectors would be wrong. Use a model of Transformer, Pooling and Normalize.",
    );
}

/** @throws ModelError as {@link refuseModule} */
export async function checkModules(folder: string): Promise<void> {
  refuseModule({ path: folder, ...(await moduleFacts(folder)) });
}
