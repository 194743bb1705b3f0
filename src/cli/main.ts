#!/usr/bin/env node
/** The process of the `pearl` command: it runs one of its commands, and turns every error into one line and an exit code. */
import "./interruption.js"; // first: it installs the handlers of signals

import { endWith, interruption } from "./interruption.js";
import { report, runCommand } from "./program.js";

/**
 * A reader that has gone, as in `pearl models | head -1`, is no error and ends no work: a table on standard output is not
 * written on (standard-output.ts), and a server or a training needs no reader of its notes.
 */
function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
}

async function main(): Promise<void> {
  outliveReaders();
  process.on("uncaughtException", (error) => process.exit(report(error)));
  try {
    await runCommand(process.argv.slice(2));
    if (interruption()) endWith(report(interruption()));
  } catch (error) {
    endWith(report(error));
  }
}

await main();
