/** Reads models/pearl-mini/recipe.yaml, which holds every setting of the model. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");

export const recipePath = join(root, "models/pearl-mini/recipe.yaml");
/**
 * Returns the settings of each mixture of pairs: the common settings, overridden by the mixture's own.
 * Objects such as `synonymShares` are merged key by key.
 * @param {{ settings: Record<string, any>, mixtures?: readonly Record<string, any>[] }} finetune
 * @returns {Record<string, any>[]}
 */
export function mixedSettings({ settings, mixtures = [{}] }) {
  return mixtures.map((own) => {
    const all = { ...settings };
    for (const [name, value] of Object.entries(own))
      all[name] = isObject(value) && isObject(settings[name]) ? { ...settings[name], ...value } : value;
    return all;
  });
}

const isObject = (/** @type {unknown} */ value) =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** @param {string} [path] @returns {any} the recipe; its keys are explained in the file */
export const readRecipe = (path = recipePath) => parse(readFileSync(path, "utf8"));
