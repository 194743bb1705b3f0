/** `pearl models`: which models are on this machine, and what their cards say. */
import type { Command } from "commander";

export function registerModels(program: Command): void {
  program.command("models");
}
