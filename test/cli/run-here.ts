/** Runs commands within the test's process, which saves the start of a process for each: their words in, streams and exit code out. */
import { setMaxListeners } from "node:events";
import { Readable, Writable } from "node:stream";
import { setEnvironment } from "../setup/environment.js";
import type { Outcome, RunOptions } from "./run-cli.js";

/** The commands leave signals to the process of the tests. */
const signals = ["SIGINT", "SIGTERM"] as const;
const before = signals.map((name) => new Set(process.listeners(name)));
const { interruptionSignal } = await import("../../src/cli/interruption.js");
const { report, runCommand } = await import("../../src/cli/program.js");
signals.forEach((name, at) => {
  for (const listener of process.listeners(name)) if (!before[at].has(listener)) process.off(name, listener);
});

// All commands of a process listen to one signal.
setMaxListeners(0, interruptionSignal());

/** Runs `pearl` as {@link import("./run-cli.js").pearl} does, one command at a time. */
export async function pearl(
  parameters: readonly string[],
  {
    cwd = process.cwd(),
    input = "",
    environment = {},
    isTerminal,
  }: Omit<RunOptions, "onStart"> & { /** Standard input is typed. */ readonly isTerminal?: true } = {},
): Promise<Outcome> {
  const undo: (() => void)[] = [];
  const replace = (name: string, value: unknown): void => {
    const own = Object.getOwnPropertyDescriptor(process, name)!;
    Object.defineProperty(process, name, { value, configurable: true, writable: true });
    undo.push(() => Object.defineProperty(process, name, own));
  };
  const streams = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    const write = (part: Buffer, _: unknown, done: () => void): void => {
      streams[name] += part;
      done();
    };
    replace(name, new Writable({ write }));
  }
  const stdin = Readable.from(input === "" ? [] : [Buffer.from(input)]);
  replace("stdin", Object.assign(stdin, { isTTY: isTerminal }));
  replace("argv", [process.argv[0], "pearl", ...parameters]);
  const folder = process.cwd();
  process.chdir(cwd);
  undo.push(setEnvironment(environment));
  process.exitCode = undefined;
  try {
    const failed = await runCommand(parameters).then(() => undefined, report);
    return { code: failed ?? Number(process.exitCode ?? 0), signal: null, ...streams };
  } finally {
    process.exitCode = undefined;
    process.chdir(folder);
    for (const restore of undo.reverse()) restore();
  }
}
