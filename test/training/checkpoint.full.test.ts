/** The slow tests beside checkpoint.test.ts. */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { newFolder } from "../setup/new-folder.js";

describe("checkpoints", () => {
  it.skipIf(process.platform === "win32")(
    "leave the last whole one where the disk is full, and say so",
    () => {
      // a limit on file size fails in the middle of a write, like a full disk
      const folder = newFolder();
      const index = fileURLToPath(new URL("../../dist/training/checkpoint.js", import.meta.url));
      const script = `
      const { writeCheckpoint } = await import(${JSON.stringify(index)});
      const write = (step, size) => writeCheckpoint(process.argv[1], {
        step, tensors: new Map([["w", { type: "float32", dims: [size], data: new Float32Array(size) }]]),
      }, { step, version: "0", settings: {} });
      write(1, 10);
      try { write(2, 1e6); } catch (error) { console.log(error.name + ": " + error.message); }`;
      const command = `ulimit -f 64; exec "${process.execPath}" --input-type=module -e "$0" "$1"`;
      const { stdout, stderr } = spawnSync("bash", ["-c", command, script, folder], { encoding: "utf8" });
      expect(stdout + stderr).toMatch(
        /^TrainingError: .*the checkpoint of step 2 cannot be written: the disk is full.*resume from the checkpoint of step 1/,
      );
      expect(readdirSync(folder)).toEqual(["step-000001"]);
    },
  );
});
