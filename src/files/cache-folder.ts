/** Pearl's own cache, beside that of the hub. */
import { homedir } from "node:os";
import { join } from "node:path";

/** A path in pearl's cache: $XDG_CACHE_HOME or ~/.cache, then pearl and the name. */
export const cachePath = (name: string, environment = process.env): string =>
  join(environment.XDG_CACHE_HOME || join(homedir(), ".cache"), "pearl", name);
