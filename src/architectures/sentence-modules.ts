/** What the files of sentence-transformers, versions 2 to 6, say of the steps from text to vector, and of prompts. */
import { ModelError } from "../errors.js";
import type { ModelFolder, Pooling } from "./architecture.js";
import { numberAt, readJson } from "./folder-json.js";

export interface SentenceModule {
  /** The class without its package: Transformer, Pooling, Dense, Normalize ... */
  readonly type: string;
  /** The folder of its files, below the model's. */
  readonly path: string;
}

/** The modules in order; undefined without modules.json. @throws ModelError */
export async function readModules(folder: string): Promise<SentenceModule[] | undefined> {
  // loaded late, as in folder-json.ts
  const { array, object, optional, pipe, regex, string, transform } = await import("valibot");
  const { readJson: readFile } = await import("../files/json.js");
  const place = pipe(
    string(),
    // model2vec's place of its only files
    transform((path) => (path === "." ? "" : path)),
    regex(/^(?!\.+$)[\w.-]*$/, "it is not the name of a folder below the model"),
  );
  const schema = array(object({ type: string(), path: optional(place, "") }));
  const trouble = { error: ModelError, cure: "Download modules.json again." };
  const modules = await readFile(`${folder}/modules.json`, schema, trouble);
  return modules?.map(({ type, path }) => ({ type: type.split(".").at(-1) as string, path }));
}

/** Contents of modules.json. @param first the folder of the first module's files */
export const modulesOf = (names: readonly string[], first = ""): object[] =>
  names.map((name, idx) => ({
    ...{ idx, name: `${idx}`, path: idx === 0 ? first : `${idx}_${name}` },
    type: `sentence_transformers.models.${name}`,
  }));

/** Names of files below the folder that its modules need: settings, and the weights of Dense modules. @throws ModelError */
export async function moduleFiles(
  folder: string,
): Promise<{ readonly settings: readonly string[]; readonly weights: readonly string[] }> {
  const modules = ((await readModules(folder)) ?? []).filter(({ path }) => path !== "");
  const below = (types: readonly string[], file: string) =>
    modules.filter(({ type }) => types.includes(type)).map(({ path }) => `${path}/${file}`);
  return {
    settings: below(["Pooling", "Dense"], "config.json"),
    weights: below(["Dense"], "model.safetensors"),
  };
}

/** Ways to pool by their names in version 6, and each one's switch `pooling_mode_*` in files of earlier versions. */
export const poolingSwitches: Readonly<Record<Exclude<Pooling, "none">, string>> = {
  ...{ mean: "mean_tokens", cls: "cls_token", max: "max_tokens", lasttoken: "lasttoken" },
  ...{ weightedmean: "weightedmean_tokens", mean_sqrt_len_tokens: "mean_sqrt_len_tokens" },
};

/** Where the pooling's settings are, and these settings; undefined where there is no such file. @throws ModelError */
export async function readPooling(folder: string) {
  const module = (await readModules(folder))?.find(({ type }) => type === "Pooling");
  const file = `${folder}/${module?.path || "1_Pooling"}/config.json`;
  return { file, settings: await readJson(file) };
}

/** What a folder of another maker says and leaves unsaid about the way from text to the phrase's vector. @throws ModelError */
export async function moduleFacts(folder: string) {
  const { settings } = await readPooling(folder);
  const modules = (await readModules(folder)) ?? [];
  const known = ["Transformer", "StaticEmbedding", "Pooling", "Normalize", "Dropout"];
  const dense = modules.findLast(({ type }) => type === "Dense");
  const width =
    dense && numberAt((await readJson(`${folder}/${dense.path}/config.json`)) ?? {}, "out_features");
  return {
    oddModule: modules.find(({ type }) => !known.includes(type))?.type,
    isPoolingAssumed: settings === undefined && !modules.some(({ type }) => type === "StaticEmbedding"),
    leavesPromptOut: settings?.include_prompt === false,
    ...(await readPrompts(folder)),
    ...(width !== undefined && { dimension: width }),
  } satisfies Partial<ModelFolder>;
}

/** Prompts by name, and the one that every phrase gets where none is asked for. @throws ModelError */
async function readPrompts(folder: string): Promise<Pick<ModelFolder, "prompts" | "defaultPrompt">> {
  const settings = await readJson(`${folder}/config_sentence_transformers.json`);
  const texts = Object.entries(Object(settings?.prompts)).filter(([, text]) => typeof text === "string");
  const prompts = Object.fromEntries(texts) as Record<string, string>;
  const name = String(settings?.default_prompt_name);
  const defaultPrompt = Object.hasOwn(prompts, name) ? prompts[name] : undefined;
  return { ...(texts.length > 0 && { prompts }), ...(defaultPrompt && { defaultPrompt }) };
}

/** @throws ModelError that names a module that does more than pool and scale token vectors */
export function refuseModule({ path, oddModule }: Pick<ModelFolder, "path" | "oddModule">): void {
  if (oddModule === undefined) return;
  const cure =
    oddModule === "Dense"
      ? "which the graph lacks; without it the vectors would be wrong. Make a graph with it, from the model's " +
        "safetensors: pearl import MODEL -o OUT"
      : "which pearl does not support; without it the vectors would be wrong. Use a model of Transformer, Pooling, " +
        "Dense and Normalize.";
  throw new ModelError(`${path}/modules.json: the model has a ${oddModule} module, ${cure}`);
}
