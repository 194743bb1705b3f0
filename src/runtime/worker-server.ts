/** The worker's side of worker-client.ts: answers requests one after the other, in order. */
import type { MessagePort } from "node:worker_threads";
import { listen, type Movable } from "./thread.js";
import type { WorkerReply, WorkerRequest } from "./worker-client.js";

/** A result, and the buffers in it that are moved rather than copied. */
interface Answer {
  readonly result: unknown;
  readonly transfer?: readonly Movable[];
}

/** The methods of a worker, by name; `close`, where there is one, frees what it holds before the thread is ended. */
type Methods = Record<string, (payload: never) => Promise<Answer>>;

/** @param port default: what this thread was started with */
export function serve(methods: Methods, port?: MessagePort): void {
  const all: Methods = { close: async () => ({ result: undefined }), ...methods };
  let queue: Promise<void> = Promise.resolve();
  listen((request: WorkerRequest, { post }) => {
    queue = queue.then(async () => {
      let reply: WorkerReply;
      let transfer: readonly Movable[] = [];
      try {
        const answer = await all[request.method](request.payload as never);
        reply = { id: request.id, result: answer.result };
        transfer = answer.transfer ?? [];
      } catch (error) {
        const { name, message } = error instanceof Error ? error : new Error(String(error));
        reply = { id: request.id, error: { name, message } };
      }
      post(reply, transfer);
    });
  }, port);
}
