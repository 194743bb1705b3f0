/** Runs the stages of a long build once each: finished stages are recorded, and an interrupted one resumes. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { cpus, platform, totalmem } from "node:os";
import { join } from "node:path";
import { program } from "./recipe.mjs";

/**
 * @typedef {object} Stage
 * @property {number} seconds over all sittings
 * @property {number} sittings one, and one for each time it was cut off
 * @property {string} settings hash of what it was done with
 * @property {object} machine
 * @property {boolean} finished
 */

/** Seconds between two records of a stage that runs: so much is lost from the sum when it is killed. */
const RECORD_EVERY = 20;

const machine = () => ({
  processor: cpus()[0]?.model.trim(),
  cores: cpus().length,
  memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
  system: platform(),
  node: process.version,
});

/**
 * The stages of a work folder, recorded in its build.json.
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
   * Does a stage unless it is finished.
   * @param {string} name @param {unknown} settings an error where it was begun with others
   * @param {() => Promise<unknown>} work continues from the files that it finds
   * @param {{ anew?: boolean }} [options] `anew`: work that is quick begins again with other settings instead
   */
  async function once(name, settings, work, { anew = false } = {}) {
    const hash = createHash("sha256").update(JSON.stringify(settings)).digest("hex").slice(0, 16);
    const others = record.stages[name] !== undefined && record.stages[name].settings !== hash;
    const before = others ? undefined : record.stages[name];
    if (others && !anew)
      throw new Error(`${name} was begun with other settings in ${folder}: give a new folder with --work`);
    if (before?.finished) return;
    console.error(`== ${name}`);
    const started = performance.now();
    const note = (/** @type {boolean} */ finished) => {
      record.stages[name] = {
        seconds: (before?.seconds ?? 0) + Math.round((performance.now() - started) / 1000),
        sittings: (before?.sittings ?? 0) + 1,
        ...{ settings: hash, machine: machine(), finished },
      };
      save();
    };
    note(false);
    const clock = setInterval(note, RECORD_EVERY * 1000, false);
    try {
      await work();
      clearInterval(clock);
      note(true);
    } finally {
      clearInterval(clock);
    }
  }
  return { record, once };
}

/** Runs pearl; an exit code other than 0 is an error. @param {string[]} parameters @returns {Promise<void>} */
export function pearl(...parameters) {
  console.error(`$ pearl ${parameters.join(" ")}`);
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [program, ...parameters], { stdio: ["ignore", 2, 2] });
    // pearl gets the signal too, and writes a checkpoint
    const stop = () => child.kill("SIGTERM");
    process.once("SIGTERM", stop);
    child.once("error", failed);
    child.once("exit", (code, signal) => {
      process.off("SIGTERM", stop);
      if (code === 0) done();
      else
        failed(
          new Error(
            `pearl ${parameters[0]} ended with ${code ?? signal}; run the same command again to continue`,
          ),
        );
    });
  });
}
