/** Ctrl-C and SIGTERM: the first asks a command to stop, which ends with code 130; the second ends the process. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { pearl, runNode } from "./run-cli.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-interruption-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const modulePath = new URL("../../dist/cli/interruption.js", import.meta.url).href;

/** A program that prints when it is ready and when it receives a signal, and then runs for an hour. */
const stubborn = `
  import { expectInterruption, interruptionSignal } from ${JSON.stringify(modulePath)};
  const signal = interruptionSignal();
  signal.addEventListener("abort", () => console.log("asked:" + signal.reason.name));
  setTimeout(() => {}, 3_600_000);
  console.log("ready");`;

/** Runs `pearl` and ends it by SIGTERM once it reads a table. @returns also what is left of its temporary files */
async function endWhileReading(words: readonly string[]) {
  const temporary = mkdtempSync(join(folder, "temporary-"));
  const outcome = await pearl(words, {
    isSilent: true,
    environment: { TMPDIR: temporary },
    onStart: async (child) => {
      while (!readdirSync(temporary).some((name) => name.startsWith("pearl-table-"))) await sleep(50);
      await sleep(200);
      child.kill("SIGTERM");
    },
  });
  return { ...outcome, left: readdirSync(temporary) };
}

describe("an interruption", () => {
  it.each([
    ["of a command", stubborn],
    ["of a command that ends by a signal", `${stubborn} expectInterruption();`],
  ])("%s aborts the signal first and ends the process at once the second time", async (_, program) => {
    const { code, signal, stdout, stderr } = await runNode(["--input-type=module", "--eval", program], {
      onStart: async (child) => {
        await once(child.stdout!, "data");
        child.kill("SIGINT");
        await once(child.stdout!, "data");
        child.kill("SIGINT");
      },
    });
    expect(stdout).toBe("ready\nasked:AbortError\n");
    // what a shell reports
    expect({ code, signal, stderr }).toEqual({
      code: null,
      signal: "SIGINT",
      stderr: "pearl: interrupted by SIGINT\n",
    });
  });

  it.each(["SIGINT", "SIGTERM"] as const)(
    "%s ends a process that has not begun its work at once",
    async (name) => {
      const idle = `import ${JSON.stringify(modulePath)}; setTimeout(() => {}, 3_600_000); console.log("ready");`;
      const { code, stderr } = await runNode(["--input-type=module", "--eval", idle], {
        onStart: async (child) => {
          await once(child.stdout!, "data");
          child.kill(name);
        },
      });
      expect({ code, stderr }).toEqual({ code: 130, stderr: `pearl: interrupted by ${name}\n` });
    },
  );

  it.each(["SIGINT", "SIGTERM"] as const)(
    "%s ends a running command with code 130 and one line",
    async (name) => {
      // A table engine that hangs when it is tried keeps `pearl doctor` busy until the signal.
      const hanging = join(folder, `hang-${name}.cjs`);
      const marker = join(folder, `loading-${name}`);
      const wait = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);";
      const mark = `require("fs").writeFileSync(${JSON.stringify(marker)}, "");`;
      writeFileSync(hanging, `if (process.argv[2] === "duckdb") { ${mark} ${wait} }`);
      const { code, stdout, stderr } = await pearl(["doctor"], {
        environment: { NODE_OPTIONS: `--require ${hanging}` },
        onStart: async (child) => {
          while (!existsSync(marker)) await sleep(50);
          child.kill(name);
        },
      });
      expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
      expect(stderr).toBe(`pearl: interrupted by ${name}\n`);
    },
  );

  it("ends the reading of a table that arrives through a pipe", async () => {
    const ended = await endWhileReading(["cluster", "-", "--model", "none", "--quiet"]);
    const stderr = "pearl: interrupted by SIGTERM\n";
    expect(ended).toEqual({ code: 130, signal: null, stdout: "", stderr, left: [] });
  });

  it.skipIf(process.platform === "win32")("ends the reading of a named pipe without a writer", async () => {
    const pipe = join(folder, "pipe.csv");
    execFileSync("mkfifo", [pipe]);
    const { stderr, left } = await endWhileReading(["join", pipe, "-", "--model", "none", "--quiet"]);
    expect({ stderr, left }).toEqual({ stderr: "pearl: interrupted by SIGTERM\n", left: [] });
  });
});
