/** Loads a package that pearl does not install: found from pearl or from the working folder. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { MissingDataError, messageOf } from "../errors.js";

/**
 * The package's exports.
 * @param purpose what needs it, for the message
 * @param alternative a sentence after the cure
 * @throws MissingDataError where it is not installed or does not load
 */
export function loadOptional<Package>(name: string, purpose: string, alternative = ""): Package {
  let reason = "it is not installed";
  for (const base of [import.meta.url, join(process.cwd(), "package.json")]) {
    try {
      return createRequire(base)(name) as Package;
    } catch (error) {
      const text = messageOf(error).split("\n", 1)[0];
      if (!text.startsWith(`Cannot find module '${name}'`)) reason = text;
    }
  }
  throw new MissingDataError(
    `${purpose} needs the optional package ${name} (${reason}). ` +
      `\`pearl doctor\` shows the command that installs it.${alternative}`,
  );
}
