/** Processes in which usearch is absent. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Makes `require("usearch")` fail as it does on a platform without a build. */
const hook = `
import { Module } from "node:module";
const load = Module._load;
Module._load = (name, ...rest) => {
  if (name === "usearch") throw new Error("No native build was found");
  return load(name, ...rest);
};`;

/** Node's flags for such a process. @param folder where the hook is written */
export function withoutUsearch(folder: string): string[] {
  const preload = join(folder, "hook.mjs");
  writeFileSync(preload, hook);
  return ["--import", pathToFileURL(preload).href];
}
