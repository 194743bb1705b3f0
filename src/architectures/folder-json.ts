/** JSON files of model folders. */
import { ModelError } from "../errors.js";

/** @returns undefined where the file does not exist @throws ModelError for a broken one */
export async function readJson(path: string): Promise<Record<string, unknown> | undefined> {
  // Loaded late: a thread that encodes words reads no JSON.
  const { record, string, unknown } = await import("valibot");
  const { readJson: readFile } = await import("../files/json.js");
  const trouble = { error: ModelError, cure: "Download or export the model again." };
  return readFile(path, record(string(), unknown()), trouble);
}

/** A positive number under that key, if there is one. */
export function numberAt(values: object, key: string): number | undefined {
  const value = (values as Record<string, unknown>)[key];
  return typeof value === "number" && value > 0 ? value : undefined;
}
