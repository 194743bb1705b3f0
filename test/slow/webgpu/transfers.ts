/** Counts what crosses between main memory and a device: tensors of each run, and copies within graphs. */
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { InferenceSession } from "onnxruntime-common";
import { loadRuntime } from "../../../src/runtime/onnx-runtime.js";

/** Named tensors with their bytes. */
type Bytes = Record<string, number>;

interface Run {
  /** Inputs that lie in main memory. */
  readonly up: Bytes;
  /** Outputs that come back to main memory. */
  readonly down: Bytes;
}

type Tensors = Record<
  string,
  { location: string; dims: readonly number[]; type: string; data: { byteLength: number } }
>;

const inMemory = (tensors: Tensors): Bytes =>
  Object.fromEntries(
    Object.entries(tensors)
      .filter(([, { location }]) => location !== "gpu-buffer")
      .map(([name, { data }]) => [name, data.byteLength]),
  );

/** Watches all sessions that open on a device in this thread until `end`. */
export function watchTransfers() {
  const { runtime } = loadRuntime();
  const sessions: InferenceSession[] = [];
  const folder = mkdtempSync(join(tmpdir(), "pearl-profile-"));
  const { create } = runtime.InferenceSession;
  let runs: Run[] = [];
  const watched = async (model: Uint8Array, options: InferenceSession.SessionOptions) => {
    if (options.executionProviders?.[0] === "cpu")
      return create.call(runtime.InferenceSession, model, options);
    const profiling = { enableProfiling: true, profileFilePrefix: join(folder, `${sessions.length}`) };
    const session = await create.call(runtime.InferenceSession, model, { ...options, ...profiling });
    sessions.push(session);
    const run = session.run.bind(session) as (...input: unknown[]) => Promise<Tensors>;
    Object.assign(session, {
      async run(feeds: Tensors, ...more: unknown[]) {
        const outputs = await run(feeds, ...more);
        runs.push({ up: inMemory(feeds), down: inMemory(outputs) });
        return outputs;
      },
    });
    return session;
  };
  Object.assign(runtime.InferenceSession, { create: watched });
  return {
    /** The runs since the last call. */
    take: (): Run[] => runs.splice(0),
    /** Copies between memories within graphs, by their operator, in all runs. */
    copies(): Bytes {
      runs = [];
      for (const session of sessions) session.endProfiling();
      const counts: Bytes = {};
      for (const file of readdirSync(folder))
        for (const { name, args } of JSON.parse(readFileSync(join(folder, file), "utf8")))
          if (name.endsWith("_kernel_time") && /^Memcpy/.test(args.op_name))
            counts[args.op_name] = (counts[args.op_name] ?? 0) + 1;
      return counts;
    },
    end: (): void => void Object.assign(runtime.InferenceSession, { create }),
  };
}
