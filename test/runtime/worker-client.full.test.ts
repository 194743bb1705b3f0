/** A thread starts, whatever flags its process was started with. */
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";

const client = new URL("../../dist/runtime/worker-client.js", import.meta.url).href;

/** Runs a program, given as text, that calls a thread. @returns what it printed */
function run(flags: readonly string[]) {
  const program = `
    import { startWorker } from "${client}";
    const worker = startWorker("../encoder/encode-worker.js", "${client}");
    await worker.call("encode", {}).catch(({ message }) => console.log(message));
    await worker.terminate();`;
  return spawnSync(process.execPath, [...flags, program], { encoding: "utf8" });
}

describe("startWorker", () => {
  it.each([
    [["--input-type=module", "-e"]],
    [["--input-type", "module", "--no-warnings", "--eval"]],
    [["--max-old-space-size=512", "--input-type=module", "-e"]],
  ])("starts a thread from a program given as text: node %j", (flags) => {
    const { stdout, stderr } = run(flags);
    expect(stderr).toBe("");
    expect(stdout).toBe("encode before open\n");
  });
});
