/** Runs each stage of a long build once: finished stages are recorded, and interrupted stages resume. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { cpus, platform, totalmem } from "node:os";
import { join } from "node:path";
import { program } from "./recipe.mjs";

/**
 * @typedef {object} Stage
 * @property {number} seconds over all runs of the stage
 * @property {number} sittings runs of the stage: one more than its interruptions
 * @property {string} settings hash of its settings
 * @property {object} machine
 * @property {boolean} finished
 */

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
 * Opens the stages of a work folder, which are recorded in its build.json.
 * @param {string} folder
 */
export function openStages(folder) {
  const path = join(folder, "build.json");
  /** @type {{ stages: Record<string, Stage> }} */
  const record = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : { stages: {} };
  const save = () => {
    writeFileSync(`${path}.partial`, `${JSON.stringify(record, null, 2)}\n`);
    renameSync(`${path}.partial`, path);
  };
  /**
   * Runs a stage unless it is finished.
   * @param {string} name
   * @param {unknown} settings
   * @param {() => Promise<unknown>} work resumes from the files that it finds
   * @param {{ restart?: boolean }} [options] `restart`: if the settings have changed, run the stage again
   * @throws {Error} the stage was recorded with other settings, and `restart` is not set
   */
  async function once(name, settings, work, { restart = false } = {}) {
    const hash = createHash("sha256").update(JSON.stringify(settings)).digest("hex").slice(0, 16);
    const hasChanged = record.stages[name] !== undefined && record.stages[name].settings !== hash;
    const before = hasChanged ? undefined : record.stages[name];
    if (hasChanged && !restart)
      throw new Error(
        `stage ${name} in ${folder} was started with other settings: give a new folder with --work`,
      );
    if (before?.finished) return;
    console.error(`== ${name}`);
    const started = performance.now();
    const update = (/** @type {boolean} */ finished) => {
      record.stages[name] = {
        seconds: (before?.seconds ?? 0) + Math.round((performance.now() - started) / 1000),
        sittings: (before?.sittings ?? 0) + 1,
        ...{ settings: hash, machine: machine(), finished },
      };
      save();
    };
    update(false);
    const clock = setInterval(update, RECORD_EVERY * 1000, false);
    try {
      await work();
      clearInterval(clock);
      update(true);
    } finally {
      clearInterval(clock);
    }
  }
  return { record, once };
}

/** Runs pearl. Rejects on an exit code other than 0. @param {string[]} parameters @returns {Promise<void>} */
export function pearl(...parameters) {
  console.error(`$ pearl ${parameters.join(" ")}`);
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [program, ...parameters], { stdio: ["ignore", 2, 2] });
    // pearl writes a checkpoint when it receives the signal
    const stop = () => child.kill("SIGTERM");
    process.once("SIGTERM", stop);
    child.once("error", failed);
    child.once("exit", (code, signal) => {
      process.off("SIGTERM", stop);
      if (code === 0) done();
      else
        failed(
          new Error(
            `pearl ${parameters[0]} ended with ${code ?? signal}: run the same command again to resume`,
          ),
        );
    });
  });
}
