/** This package: its version, which records and cards name, and the folder of what it can make again. */
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

export const packageVersion = (): string => createRequire(import.meta.url)("../../package.json").version;

/** A path in pearl's cache, beside that of the hub: $XDG_CACHE_HOME or ~/.cache, then pearl and the name. */
export const cachePath = (name: string, environment = process.env): string =>
  join(environment.XDG_CACHE_HOME || join(homedir(), ".cache"), "pearl", name);
