/** Comparisons of rows in a worker that encodes with the server's model; with its request a comparison ends at once. */
import { MessageChannel } from "node:worker_threads";
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import { WorkerPool } from "../runtime/worker-pool.js";
import { serve } from "../runtime/worker-server.js";
import type { EncodeCall, Opening, Works } from "./comparison-worker.js";

export type Compare = <Kind extends keyof Works>(
  kind: Kind,
  given: Parameters<Works[Kind]>[0],
) => ReturnType<Works[Kind]>;

/** One comparison at a time. The worker starts with the first. */
export function openComparisons(encoder: PhraseEncoder) {
  let current: AbortSignal | undefined;
  const pool = new WorkerPool({
    ...{ script: "./comparison-worker.js", base: import.meta.url, limit: 1 },
    async open(worker) {
      const { port1, port2 } = new MessageChannel();
      const encode = (method: "encodeMatrix" | "encodeWithTypes") => async (call: EncodeCall) => {
        return { result: await encoder[method](call.phrases, { ...call.options, signal: current }) };
      };
      serve({ encodeMatrix: encode("encodeMatrix"), encodeWithTypes: encode("encodeWithTypes") }, port1);
      // It must not keep the program alive.
      port1.unref();
      const { dimension, model } = encoder;
      const opening: Opening = { port: port2, dimension, types: model.types };
      await worker.call("open", opening, [port2]);
    },
  });
  return {
    /** @throws the reason of the signal; what the work throws */
    compareUntil: (signal: AbortSignal): Compare =>
      (async (kind: string, given: unknown) => {
        current = signal;
        const worker = await pool.worker(0);
        const stop = (): void => void worker.terminate();
        signal.addEventListener("abort", stop);
        try {
          signal.throwIfAborted();
          return await worker.call(kind, given);
        } catch (error) {
          signal.throwIfAborted();
          throw error;
        } finally {
          signal.removeEventListener("abort", stop);
        }
      }) as Compare,
    close: () => pool.close(),
  };
}
