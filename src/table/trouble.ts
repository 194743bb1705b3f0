/** Failures to write a table's files, as messages with a cure. */
import { isDiskFull, messageOf, TableError } from "../errors.js";

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
