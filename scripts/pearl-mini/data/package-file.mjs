/** Locates data files in npm packages that only the build of pearl-mini needs. */
import { createRequire } from "node:module";

/**
 * Returns the path of a file in a package.
 * @param {string} file path that begins with the name of the package
 * @param {string} install the package as given to `npm install`
 * @returns {string}
 * @throws {Error} the file does not exist; the message holds the command that installs it
 */
export function packageFile(file, install) {
  try {
    return createRequire(import.meta.url).resolve(file);
  } catch {
    throw new Error(`${file} does not exist: run npm install --no-save ${install}`);
  }
}
