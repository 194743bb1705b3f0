/** Runs each stage of a long build once: finished stages are recorded, and interrupted stages resume. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { cpus, platform, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeWhole } from "./training-tables.mjs";

const program = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

/** Seconds between two records of a running stage: a killed stage loses at most this much of its time. */
const RECORD_EVERY = 20;

const machine = () => ({
  processor: cpus()[0]?.model.trim(),
  cores: cpus().length,
  memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
  system: platform(),
  node: process.version,
});

/**
 * Opens the stages of a work folder, which are recorded by name in its build.json: `seconds` over all runs of the
 * stage, `sittings` (runs: one more than its interruptions), a hash of its `settings`, the `machine`, `finished`.
 */
export function openStages(folder) {
  const path = join(folder, "build.json");
  const record = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : { stages: {} };
  /**
   * Runs a stage unless it is finished; `work` resumes from the files that it finds.
   * @throws Error the stage was recorded with other settings, unless `restart`: then it runs again
   */
  async function once(name, settings, work, { restart = false } = {}) {
    const hash = createHash("sha256").update(JSON.stringify(settings)).digest("hex").slice(0, 16);
    const isOther = record.stages[name] !== undefined && record.stages[name].settings !== hash;
    if (isOther && !restart)
      throw new Error(
        `stage ${name} in ${folder} was started with other settings: give a new folder with --work`,
      );
    const before = (!isOther && record.stages[name]) || { seconds: 0, sittings: 0, finished: false };
    if (before.finished) return;
    console.error(`== ${name}`);
    const started = performance.now();
    const update = (finished) => {
      record.stages[name] = {
        seconds: before.seconds + Math.round((performance.now() - started) / 1000),
        sittings: before.sittings + 1,
        ...{ settings: hash, machine: machine(), finished },
      };
      writeWhole(path, `${JSON.stringify(record, null, 2)}\n`);
    };
    update(false);
    const clock = setInterval(update, RECORD_EVERY * 1000, false);
    await Promise.resolve(work()).finally(() => clearInterval(clock));
    update(true);
  }
  return { record, once };
}

/** Runs pearl, which writes a checkpoint when it is stopped. Rejects on an exit code other than 0. */
export function pearl(...parameters) {
  console.error(`$ pearl ${parameters.join(" ")}`);
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [program, ...parameters], { stdio: ["ignore", 2, 2] });
    const stop = () => child.kill("SIGTERM");
    process.once("SIGTERM", stop);
    child.once("error", failed);
    child.once("exit", (code, signal) => {
      process.off("SIGTERM", stop);
      const end = `pearl ${parameters[0]} ended with ${code ?? signal}`;
      if (code === 0) done();
      else failed(new Error(`${end}: run the same command again to resume`));
    });
  });
}

/** Runs stages in order. If one fails, prints why and ends the program with 1. */
export async function runStages(/** @type {readonly (() => Promise<void>)[]} */ stages) {
  try {
    for (const stage of stages) await stage();
  } catch (error) {
    console.error(`error: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
}
