/** Calls into a worker thread; errors cross over with their class. */
import type { ResourceLimits } from "node:worker_threads";
import * as errors from "../errors.js";
import { type Movable, startThread, type Thread, type ThreadEvents } from "./thread.js";

export interface WorkerRequest {
  readonly id: number;
  readonly method: string;
  readonly payload: unknown;
}

export type WorkerReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: { readonly name: string; readonly message: string } };

export interface WorkerClient {
  /** True once the thread has failed or ended: every further call is rejected. */
  readonly ended: boolean;
  /** Posts a request and waits for its answer. `transfer` moves buffers instead of copying them. */
  call<Result>(method: string, payload: unknown, transfer?: readonly Movable[]): Promise<Result>;
  /** Ends the thread; calls still open are rejected. An idle thread first frees what it holds. */
  terminate(): Promise<void>;
}

/** Workers end one after another: WebGPU sessions freed at the same time corrupt the heap (ONNX Runtime 1.30). */
let lastEnd: Promise<void> = Promise.resolve();

/** Starts the worker script next to `base`. */
export const startWorker = (script: string, base: string, resourceLimits?: ResourceLimits): WorkerClient =>
  clientOf((events) => startThread(script, base, events, resourceLimits));

/** Calls into a thread that runs worker-server.ts. */
export function clientOf(start: (events: ThreadEvents) => Thread): WorkerClient {
  const open = new Map<number, { resolve(value: unknown): void; reject(reason: Error): void }>();
  let nextId = 0;
  let ended: Error | undefined;

  const endWith = (reason: Error): void => {
    ended ??= reason;
    for (const call of open.values()) call.reject(ended);
    open.clear();
  };
  const message = (reply: WorkerReply): void => {
    const call = open.get(reply.id);
    if (call === undefined) return;
    open.delete(reply.id);
    if (open.size === 0) worker.hold("idle");
    if ("error" in reply) call.reject(revive(reply.error));
    else call.resolve(reply.result);
  };
  const worker = start({ message, end: (reason) => endWith(revive(reason)) });
  // An idle worker must not keep the program alive.
  worker.hold("idle");

  const call = <Result>(method: string, payload: unknown, transfer: readonly Movable[] = []) =>
    new Promise<Result>((resolve, reject) => {
      if (ended !== undefined) return reject(ended);
      const id = nextId++;
      worker.post({ id, method, payload } satisfies WorkerRequest, transfer);
      open.set(id, { resolve: resolve as (value: unknown) => void, reject });
      return worker.hold("busy");
    });
  const end = async (idle: boolean): Promise<void> => {
    if (idle) await call("close", undefined).catch(() => {});
    endWith(new errors.DeviceError("the worker was shut down"));
    await worker.terminate();
  };
  return {
    get ended() {
      return ended !== undefined;
    },
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
