#!/usr/bin/env node
/** The process of the `pearl` command: it runs one of its commands, and turns every error into one line and an exit code. */
import "./interruption.js"; // first: it installs the handlers of signals

import { endWith, interruption } from "./interruption.js";
import { report, runCommand } from "./program.js";

/** Exits without an error when the reader closes the pipe, as in `pearl models | head -1`. */
function endQuietlyWithoutReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      // What is under way may remove its temporary files first.
      setTimeout(() => process.exit(process.exitCode ?? 0), 1_000).unref();
    });
  }
}

async function main(): Promise<void> {
  endQuietlyWithoutReader();
  process.on("uncaughtException", (error) => process.exit(report(error)));
  try {
    await runCommand(process.argv.slice(2));
    if (interruption()) endWith(report(interruption()));
  } catch (error) {
    endWith(report(error));
  }
}

await main();
