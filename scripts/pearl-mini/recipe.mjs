/** Reads models/pearl-mini/recipe.yaml, where every setting of the model stands. */
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");

export const recipePath = join(root, "models/pearl-mini/recipe.yaml");
/** Where the data lies if nothing is said: beside the checkout. */
export const defaultData = resolve(root, "../shared/data");
export const program = join(root, "dist/cli/main.js");

/** @param {string} [path] @returns {any} the recipe; its keys are explained in the file */
export const readRecipe = (path = recipePath) => parse(readFileSync(path, "utf8"));
