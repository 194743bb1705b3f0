/** Calls into a worker thread; errors cross over with their class. */
import { fileURLToPath } from "node:url";
import { type ResourceLimits, type TransferListItem, Worker } from "node:worker_threads";
import * as errors from "../errors.js";
import { silenceTelemetry } from "./onnx-runtime.js";

export interface WorkerRequest {
  readonly id: number;
  readonly method: string;
  readonly payload: unknown;
}

export type WorkerReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: { readonly name: string; readonly message: string } };

export interface WorkerClient {
  /** Posts a request and waits for its answer. `transfer` moves buffers instead of copying them. */
  call<Result>(method: string, payload: unknown, transfer?: readonly TransferListItem[]): Promise<Result>;
  /** Ends the thread; calls still open are rejected. An idle thread first frees what it holds. */
  terminate(): Promise<void>;
}

/** Workers end one after another: WebGPU sessions freed at the same time corrupt the heap (ONNX Runtime 1.30). */
let lastEnd: Promise<void> = Promise.resolve();

/**
 * Starts the compiled worker script next to `base`. Under a test runner the caller is a .ts file in src; threads always
 * run the compiled file in dist.
 */
export function startWorker(script: string, base: string, resourceLimits?: ResourceLimits): WorkerClient {
  const directory = base.endsWith(".ts") ? base.replace(/\/src\/(?!.*\/src\/)/, "/dist/") : base;
  silenceTelemetry();
  // a program given as text has a flag that is not allowed for a thread's file: the thread then gets no flags
  const isText = process.execArgv.some((flag) => /^--input-type(=|$)/.test(flag));
  const flags = isText ? { execArgv: [] } : {};
  const worker = new Worker(fileURLToPath(new URL(script, directory)), { resourceLimits, ...flags });
  const open = new Map<number, { resolve(value: unknown): void; reject(reason: Error): void }>();
  let nextId = 0;
  let ended: Error | undefined;

  const endWith = (reason: Error): void => {
    ended ??= reason;
    for (const call of open.values()) call.reject(ended);
    open.clear();
  };
  worker.on("message", (reply: WorkerReply) => {
    const call = open.get(reply.id);
    if (call === undefined) return;
    open.delete(reply.id);
    if (open.size === 0) worker.unref();
    if ("error" in reply) call.reject(revive(reply.error));
    else call.resolve(reply.result);
  });
  worker.on("error", (error) => endWith(revive(error instanceof Error ? error : new Error(String(error)))));
  worker.on("exit", (code) => endWith(new Error(`the worker thread ended (code ${code})`)));
  // An idle worker must not keep the program alive.
  worker.unref();

  const call = <Result>(method: string, payload: unknown, transfer: readonly TransferListItem[] = []) =>
    new Promise<Result>((resolve, reject) => {
      if (ended !== undefined) return reject(ended);
      const id = nextId++;
      worker.postMessage({ id, method, payload } satisfies WorkerRequest, transfer);
      open.set(id, { resolve: resolve as (value: unknown) => void, reject });
      return worker.ref();
    });
  const end = async (idle: boolean): Promise<void> => {
    if (idle) await call("close", undefined).catch(() => {});
    endWith(new errors.DeviceError("the worker was shut down"));
    await worker.terminate();
  };
  return {
    call,
    terminate() {
      const idle = open.size === 0;
      if (!idle) endWith(new errors.DeviceError("the worker was shut down"));
      lastEnd = lastEnd.then(() => end(idle));
      return lastEnd;
    },
  };
}

/** Rebuilds an error that crossed the thread boundary, with pearl's class where it has one. */
function revive({ name, message }: { name: string; message: string }): Error {
  const known = (errors as Record<string, unknown>)[name];
  if (typeof known === "function" && known.prototype instanceof errors.PearlError) {
    return new (known as new (message: string) => Error)(message);
  }
  return Object.assign(new Error(message), { name });
}
