/** A session in a separate thread, so that the caller's event loop stays free while a graph runs. */
import type { SessionFacts, SessionOptions } from "./ort-session.js";
import type { Feeds } from "./tensor.js";
import { startWorker } from "./worker-client.js";

/** A graph ready to run. Runs are queued: one at a time. */
export interface Session extends SessionFacts {
  /** Runs the graph; `fetches` names the outputs wanted (default: all). Feeds are copied to the thread. */
  run(feeds: Feeds, fetches?: readonly string[]): Promise<Feeds>;
  dispose(): Promise<void>;
}

/** {@link createOrtSession} in a new thread. */
export async function createSession(
  model: string | Uint8Array,
  options: SessionOptions = {},
): Promise<Session> {
  const worker = startWorker("./session-worker.js", import.meta.url);
  try {
    const facts = await worker.call<SessionFacts>("open", { model, options });
    return {
      ...facts,
      run: (feeds, fetches) => worker.call<Feeds>("run", { feeds, fetches }),
      dispose: () => worker.terminate(),
    };
  } catch (error) {
    await worker.terminate();
    throw error;
  }
}
