/** Writes what a command makes beside tables, such as a report or a map: a failure names its cure. */
import { isSystemError, writeWholeFile } from "../../files/whole-file.js";
import { writeTrouble } from "../trouble.js";

/** {@link writeOutput} of a value as JSON, indented. */
export const writeJsonOutput = (path: string, value: unknown): Promise<void> =>
  writeOutput(path, `${JSON.stringify(value, null, 2)}\n`);

/** Writes a file, or an object in object storage, whole. @throws TableError; ObjectStorageError */
export const writeOutput = (path: string, content: string | NodeJS.ArrayBufferView): Promise<void> =>
  writeWholeFile(path, content).catch((error: unknown) => {
    throw isSystemError(error) ? writeTrouble(error, path) : error;
  });
