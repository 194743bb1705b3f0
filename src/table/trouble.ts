/** Failures to write, as messages with a cure; and what is written beside tables, such as a report or a map. */
import { isDiskFull, messageOf, TableError } from "../errors.js";
import { isSystemError, writeWholeFile } from "../files/whole-file.js";

/**
 * A failure to write, as a TableError.
 * @param resume the option that continues an unfinished run, if there is one
 * @param kept the folder that holds what is done
 */
export function writeTrouble(error: unknown, place: string, resume?: "--resume", kept?: string): TableError {
  const { code = "" } = error as NodeJS.ErrnoException;
  const rest = kept === undefined ? "" : `: ${kept} holds what is done`;
  const retry = resume === undefined ? "try again" : `continue with ${resume}${rest}`;
  const message = isDiskFull(error)
    ? `no space left on the disk. Free some, then ${retry}.`
    : ["EACCES", "EPERM", "EROFS"].includes(code)
      ? "no permission to write here. Choose another output folder."
      : ["ENOTDIR", "EEXIST"].includes(code)
        ? "its folder is a file. Choose another output name."
        : code === "EISDIR"
          ? "it is a folder. Choose another output name."
          : `cannot be written (${messageOf(error)}).`;
  return new TableError(`${place}: ${message}`, { cause: error });
}

/** {@link writeOutput} of a value as JSON, indented. */
export const writeJsonOutput = (path: string, value: unknown): Promise<void> =>
  writeOutput(path, `${JSON.stringify(value, null, 2)}\n`);

/** Writes a file, or an object in object storage, whole. @throws TableError; ObjectStorageError */
export const writeOutput = (path: string, content: string | NodeJS.ArrayBufferView): Promise<void> =>
  writeWholeFile(path, content).catch((error: unknown) => {
    throw isSystemError(error) ? writeTrouble(error, path) : error;
  });
