/** JSON files of model folders. */
import { record, string, unknown } from "valibot";
import { ModelError } from "../errors.js";
import { readJson as readFile } from "../files/json.js";

const object = record(string(), unknown());

/** @returns undefined where the file does not exist @throws ModelError for a broken one */
export const readJson = (path: string): Promise<Record<string, unknown> | undefined> =>
  readFile(path, object, { error: ModelError, cure: "Download or export the model again." });

/** A positive number under that key, if there is one. */
export function numberAt(values: object, key: string): number | undefined {
  const value = (values as Record<string, unknown>)[key];
  return typeof value === "number" && value > 0 ? value : undefined;
}
