/** Counts what crosses between main memory and a device: tensors of each run, and copies within graphs. */
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { InferenceSession } from "onnxruntime-common";
import { readModel } from "../../../src/onnx/io/file.js";
import { loadRuntime } from "../../../src/runtime/onnx-runtime.js";

/** Named tensors with their bytes. */
type Bytes = Record<string, number>;

interface Run {
  /** Inputs that lie in main memory. */
  readonly up: Bytes;
  /** Outputs that come back to main memory. */
  readonly down: Bytes;
}

/** What a session on the device has copied. */
export interface Copies {
  readonly runs: number;
  /** Inputs in main memory that an operator on the device reads, in all runs, by name. */
  readonly inputs: Bytes;
  /** Copies between operators in all runs. */
  readonly toDevice: number;
  readonly toHost: number;
  /** Kernels that were compiled for the device. */
  readonly kernels: number;
}

type Tensors = Record<
  string,
  { location: string; dims: readonly number[]; type: string; data: { byteLength: number } }
>;

interface Watched {
  readonly session: InferenceSession;
  readonly folder: string;
  readonly runs: Run[];
}

const inMemory = (tensors: Tensors): Bytes =>
  Object.fromEntries(
    Object.entries(tensors)
      .filter(([, { location }]) => location !== "gpu-buffer")
      .map(([name, { data }]) => [name, data.byteLength]),
  );

/** Inputs that ONNX Runtime's operators on a GPU read in main memory: shapes, places and axes. */
const onHost: Readonly<Record<string, readonly number[]>> = {
  ...{ Slice: [1, 2, 3, 4], Reshape: [1], Expand: [1], Split: [1], Squeeze: [1], Unsqueeze: [1], Shape: [0] },
  ...{
    ReduceSum: [1],
    ReduceMean: [1],
    ReduceMax: [1],
    Tile: [1],
    ConstantOfShape: [0],
    MemcpyFromHost: [0],
  },
};

/** Watches all sessions that open on a device in this thread until `end`. */
export function watchTransfers() {
  const { runtime } = loadRuntime();
  const sessions: Watched[] = [];
  const { create } = runtime.InferenceSession;
  let runs: Run[] = [];
  const watched = async (model: Uint8Array, options: InferenceSession.SessionOptions) => {
    if (options.executionProviders?.[0] === "cpu")
      return create.call(runtime.InferenceSession, model, options);
    const folder = mkdtempSync(join(tmpdir(), "pearl-profile-"));
    const session = await create.call(runtime.InferenceSession, model, {
      ...options,
      ...{ enableProfiling: true, profileFilePrefix: join(folder, "profile") },
      // the graph as it runs, with its copies
      optimizedModelFilePath: join(folder, "model.onnx"),
    });
    const own: Watched = { session, folder, runs: [] };
    sessions.push(own);
    const run = session.run.bind(session) as (...input: unknown[]) => Promise<Tensors>;
    Object.assign(session, {
      async run(feeds: Tensors, ...more: unknown[]) {
        const outputs = await run(feeds, ...more);
        const crossed = { up: inMemory(feeds), down: inMemory(outputs) };
        runs.push(crossed);
        own.runs.push(crossed);
        return outputs;
      },
    });
    return session;
  };
  Object.assign(runtime.InferenceSession, { create: watched });
  return {
    /** The runs since the last call. */
    take: (): Run[] => runs.splice(0),
    /** The copies of each session in the order they were opened; ends their profiles. */
    copies(): Copies[] {
      runs = [];
      return sessions.map(copiesOf);
    },
    end: (): void => void Object.assign(runtime.InferenceSession, { create }),
  };
}

function copiesOf({ session, folder, runs }: Watched): Copies {
  session.endProfiling();
  const providers = new Map<string, string>();
  const counts: Bytes = {};
  const kernels = new Set<string>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".json")))
    for (const { name, args } of JSON.parse(readFileSync(join(folder, file), "utf8"))) {
      if (args?.cache_key) kernels.add(args.cache_key);
      if (!name.endsWith("_kernel_time")) continue;
      providers.set(name.replace(/_kernel_time$/, ""), args.provider);
      counts[args.op_name] = (counts[args.op_name] ?? 0) + 1;
    }
  const { nodes } = readModel(join(folder, "model.onnx")).graph;
  const isUploaded = (input: string) =>
    nodes.some(
      ({ name, op, inputs }) =>
        providers.get(name) === "WebGpuExecutionProvider" &&
        inputs.some((read, i) => read === input && !onHost[op]?.includes(i)),
    );
  const inputs: Bytes = {};
  for (const { up } of runs)
    for (const name of Object.keys(up)) if (isUploaded(name)) inputs[name] = (inputs[name] ?? 0) + 1;
  const { MemcpyFromHost: toDevice = 0, MemcpyToHost: toHost = 0 } = counts;
  return { runs: runs.length, inputs, toDevice, toHost, kernels: kernels.size };
}
