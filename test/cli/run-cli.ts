/** Runs the compiled command line as people do: a process of its own, its streams and its exit code. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The compiled entry of the command line. */
export const entry = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** What a finished command left. */
export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where and how to run. */
export interface RunOptions {
  readonly cwd?: string;
  /** What standard input holds; default nothing. */
  readonly input?: string;
  /** Standard input is a pipe that says nothing and never ends. */
  readonly isSilent?: true;
  /** Added to this process's environment. */
  readonly environment?: Record<string, string>;
  /** Called with the running process, to send it signals or close its streams. */
  readonly onStart?: (child: ChildProcess) => void;
}

/** Runs `pearl` with arguments and waits for its end. */
export function pearl(parameters: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  return runNode([entry, ...parameters], options);
}

/** Runs node with arguments and waits for its end. */
export function runNode(parameters: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  return run(process.execPath, parameters, options);
}

/** Runs a program with arguments and waits for its end. */
export async function run(
  program: string,
  parameters: readonly string[],
  options: RunOptions = {},
): Promise<Outcome> {
  const child = spawn(program, parameters, {
    cwd: options.cwd,
    env: { ...process.env, ...options.environment },
    stdio: [options.input === undefined && !options.isSilent ? "ignore" : "pipe", "pipe", "pipe"],
  });
  if (!options.isSilent) child.stdin?.end(options.input);
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  options.onStart?.(child);
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (...ending) => resolve(ending));
  });
  return { code, signal, stdout, stderr };
}
