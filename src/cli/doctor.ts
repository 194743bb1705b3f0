/** `pearl doctor`: what works on this machine, and how to get the rest. */
import type { Command } from "commander";

export function registerDoctor(program: Command): void {
  program.command("doctor");
}
