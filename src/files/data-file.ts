/** The files that come with pearl beside its code, read when they are needed. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { MissingDataError } from "../errors.js";

/** @param name from the root of the package @returns its text, and its name in error messages */
export function dataFile(name: string): { readonly text: string; readonly place: string } {
  const place = fileURLToPath(new URL(`../../${name}`, import.meta.url));
  if (!existsSync(place))
    throw new MissingDataError(`${place} is missing. Install pearl-embeddings again, outside of any bundle.`);
  return { text: readFileSync(place, "utf8"), place };
}
