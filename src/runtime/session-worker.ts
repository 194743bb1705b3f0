/** The thread behind session.ts: holds one ONNX Runtime session. */
import { createOrtSession, type OrtSession, type SessionFacts, type SessionOptions } from "./ort-session.js";
import type { Feeds } from "./tensor.js";
import { serve } from "./worker-server.js";

let session: OrtSession | undefined;

serve({
  async open({ model, options }: { model: string | Uint8Array; options: SessionOptions }) {
    session = await createOrtSession(model, options);
    const { device, notes, inputNames, outputNames } = session;
    return { result: { device, notes, inputNames, outputNames } satisfies SessionFacts };
  },
  async run({ feeds, fetches }: { feeds: Feeds; fetches?: readonly string[] }) {
    if (session === undefined) throw new Error("run before open");
    const result = await session.run(feeds, fetches);
    return { result, transfer: Object.values(result).map(({ data }) => data.buffer as ArrayBuffer) };
  },
  async close() {
    await session?.release();
    return { result: undefined };
  },
});
