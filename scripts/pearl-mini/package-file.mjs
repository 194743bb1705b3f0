/** Data that lies in packages of npm which are wanted for building alone. */
import { createRequire } from "node:module";

/**
 * Where a package's file lies.
 * @param {string} file begins with the package's name
 * @param {string} install what npm is asked to install
 * @returns {string} an error that says how to get it where it is not here
 */
export function packageFile(file, install) {
  try {
    return createRequire(import.meta.url).resolve(file);
  } catch {
    throw new Error(`${file} is not here: npm install --no-save ${install}`);
  }
}
