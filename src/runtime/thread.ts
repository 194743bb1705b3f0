/** What pearl needs of the system's threads; thread.browser.ts gives the same with web workers. */
import { fileURLToPath } from "node:url";
import { type MessagePort, parentPort, type ResourceLimits, Worker } from "node:worker_threads";
import { silenceTelemetry } from "./onnx-runtime.js";

export { availableParallelism } from "node:os";
export { getEnvironmentData as inherited, setEnvironmentData as bequeath } from "node:worker_threads";

/** A buffer that a message moves instead of copying it. */
export type Movable = ArrayBuffer | MessagePort;

export interface Thread {
  post(message: unknown, transfer: readonly Movable[]): void;
  /** Whether the thread keeps the program alive. */
  hold(state: "busy" | "idle"): void;
  terminate(): Promise<unknown>;
}

export interface ThreadEvents {
  message(message: never): void;
  /** The thread failed or ended. */
  end(reason: Error): void;
}

/** The folder of compiled files for a module's address: under a test runner the caller is a .ts file in src. */
export const compiledFolder = (base: string): string =>
  base.endsWith(".ts") ? base.replace(/\/src\/(?!.*\/src\/)/, "/dist/") : base;

/** Starts the compiled script next to `base`. */
export function startThread(
  script: string,
  base: string,
  events: ThreadEvents,
  resourceLimits?: ResourceLimits,
): Thread {
  silenceTelemetry();
  // a program given as text has a flag that is not allowed for a thread's file: the thread then gets no flags
  const isText = process.execArgv.some((flag) => /^--input-type(=|$)/.test(flag));
  const flags = isText ? { execArgv: [] } : {};
  const worker = new Worker(fileURLToPath(new URL(script, compiledFolder(base))), {
    resourceLimits,
    ...flags,
  });
  worker.on("message", (message) => events.message(message as never));
  worker.on("error", (error) => events.end(error instanceof Error ? error : new Error(String(error))));
  worker.on("exit", (code) => events.end(new Error(`the worker thread ended (code ${code})`)));
  return {
    post: (message, transfer) => worker.postMessage(message, transfer as ArrayBuffer[]),
    hold: (state) => (state === "busy" ? worker.ref() : worker.unref()),
    terminate: () => worker.terminate(),
  };
}

/** The other end, in the thread or at a port: hears requests and answers them. */
export function listen(
  hear: (message: never, answer: Pick<Thread, "post">) => void,
  port: MessagePort | null = parentPort,
): void {
  if (port === null) throw new Error("this file runs in a worker thread");
  const post: Thread["post"] = (message, transfer) => port.postMessage(message, transfer as ArrayBuffer[]);
  port.on("message", (message) => hear(message as never, { post }));
}
