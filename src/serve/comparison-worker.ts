/** The worker that compares rows for the routes: whatever a comparison costs, the thread that answers stays free. */
import type { MessagePort } from "node:worker_threads";
import type { EncodeOptions, PhraseEncoder } from "../encoder/phrase-encoder.js";
import { clientOf } from "../runtime/worker-client.js";
import { serve } from "../runtime/worker-server.js";
import { indexAnswer, tableAnswer } from "./match-answers.js";
import { scoredHits } from "./reconcile/scoring.js";

const works = { table: tableAnswer, index: indexAnswer, reconcile: scoredHits };
export type Works = typeof works;

/** What the thread that has the model sends once. */
export interface Opening extends Pick<PhraseEncoder, "dimension"> {
  readonly types: readonly string[];
  /** Its end answers {@link EncodeCall}s by the names of the encoder's methods. */
  readonly port: MessagePort;
}

export interface EncodeCall {
  readonly phrases: readonly string[];
  readonly options: Omit<EncodeOptions, "signal" | "onProgress">;
}

let encoder: PhraseEncoder;

serve({
  async open({ port, dimension, types }: Opening) {
    const { call } = clientOf(({ message }) => {
      port.on("message", (reply) => message(reply as never));
      return { post: (request) => port.postMessage(request), hold: () => {}, terminate: async () => {} };
    });
    const encode =
      (method: string) =>
      (phrases: readonly string[], { signal, onProgress, ...options }: EncodeOptions = {}) =>
        call(method, { phrases, options } satisfies EncodeCall);
    // of the model's encoder, what comparing rows reads
    const used = {
      ...{ dimension, model: { types } },
      ...{ encodeMatrix: encode("encodeMatrix"), encodeWithTypes: encode("encodeWithTypes") },
    };
    encoder = used as unknown as PhraseEncoder;
    return { result: undefined };
  },
  ...Object.fromEntries(
    Object.entries(works).map(([name, work]) => [
      name,
      async (given: never) => ({ result: await work(given, encoder) }),
    ]),
  ),
});
