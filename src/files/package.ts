/** Packages: this one's version and cache folder, and those that pearl does not install. */
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { MissingDataError, messageOf } from "../errors.js";

/** The version of this package, which records and cards name. */
export const packageVersion = (): string => createRequire(import.meta.url)("../../package.json").version;

/** A path in pearl's cache, beside that of the hub: $XDG_CACHE_HOME or ~/.cache, then pearl and the name. */
export const cachePath = (name: string, environment = process.env): string =>
  join(environment.XDG_CACHE_HOME || join(homedir(), ".cache"), "pearl", name);

/** Find packages that pearl does not install: from pearl's own place, and from the working folder. */
export const finders = (): NodeJS.Require[] =>
  [import.meta.url, join(process.cwd(), "package.json")].map((place) => createRequire(place));

/**
 * The exports of a package that pearl does not install.
 * @param purpose what needs it, for the message
 * @param alternative a sentence after the cure
 * @throws MissingDataError where it is not installed or does not load
 */
export function loadOptional<Package>(name: string, purpose: string, alternative = ""): Package {
  let reason = "it is not installed";
  for (const find of finders()) {
    try {
      return find(name) as Package;
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
