/** Locates data in npm packages that only the build needs. */
import { createRequire } from "node:module";

/**
 * The path of a file in a package.
 * @param {string} file begins with the package's name
 * @param {string} install what npm is asked to install
 * @returns {string}
 * @throws an error with the command to install it if it is missing
 */
export function packageFile(file, install) {
  try {
    return createRequire(import.meta.url).resolve(file);
  } catch {
    throw new Error(`${file} is not here: npm install --no-save ${install}`);
  }
}
