/** Times a short step on one device and prints the result as a line of JSON: `node device-probe.js webgpu`. */
import { availableParallelism } from "node:os";
import { GraphBuilder } from "../../onnx/builder.js";
import { encodeModel } from "../../onnx/io/file.js";
import { createRandom } from "../../random.js";
import { type Device, failureReason, parseDevice } from "../device.js";
import { createOrtSession } from "../ort-session.js";
import { answerProbe, type ProbeAnswer } from "./probe.js";

/** A probe's answer with the time of a step. */
export interface DeviceAnswer extends ProbeAnswer {
  readonly milliseconds?: number;
}

/** Tokens of the step, and the widths of MiniLM and E5-small. */
const [tokens, width, inner] = [2048, 384, 1536] as const;
const layers = 3;
/** Tokens of the first runs. */
const few = 32;
/** The measurement ends with the run in which this time is over, and before the first that would take much longer. */
const [patience, hopeless] = [500, 10_000] as const;

const uniform = (count: number, scale: number, seed: number): Float32Array => {
  const random = createRandom(seed);
  return Float32Array.from({ length: count }, () => scale * (random() - 0.5));
};

/** x + Gelu(x U) V in several layers of equal weights; the mean over tokens comes back. */
function stepGraph(): Uint8Array {
  const g = new GraphBuilder();
  let x = g.input("x", "float32", ["tokens", width]);
  const up = g.constant("float32", [width, inner], uniform(width * inner, 0.1, 1));
  const down = g.constant("float32", [inner, width], uniform(inner * width, 0.1, 2));
  for (let layer = 0; layer < layers; layer++) {
    const hidden = g.add("Gelu", [g.add("MatMul", [x, up])], {}, { domain: "com.microsoft" });
    x = g.add("Add", [x, g.add("MatMul", [hidden, down])]);
  }
  g.output("y", g.add("ReduceMean", [x], { axes: [0], keepdims: 0 }));
  return encodeModel(g.model());
}

/** The fastest of some runs after a small one, which prepares kernels; and what the small one gives. */
async function timeOn(device: Device): Promise<{ milliseconds: number; values: ArrayLike<number> }> {
  const session = await createOrtSession(stepGraph(), { device, threads: availableParallelism() });
  const run = async (rows: number) => {
    const x = { type: "float32", dims: [rows, width], data: uniform(rows * width, 2, 3) } as const;
    const started = performance.now();
    const { y } = await session.run({ x });
    return { milliseconds: performance.now() - started, values: y.data as Float32Array };
  };
  const { values } = await run(few);
  let milliseconds = ((await run(few)).milliseconds * tokens) / few;
  // a Vulkan driver on the CPU would take minutes
  if (milliseconds < hopeless) {
    milliseconds = Number.POSITIVE_INFINITY;
    const end = performance.now() + patience;
    for (let runs = 0; runs < 10 && (runs === 0 || performance.now() < end); runs++)
      milliseconds = Math.min(milliseconds, (await run(tokens)).milliseconds);
  }
  await session.release();
  return { milliseconds, values };
}

/** A device that computes other numbers than the CPU does not work. */
async function tryDevice(device: Device): Promise<DeviceAnswer> {
  try {
    const { milliseconds, values } = await timeOn(device);
    const expected = device === "cpu" ? values : (await timeOn("cpu")).values;
    const off = Array.from(values).some((value, i) => !(Math.abs(value - expected[i]) < 1e-3));
    const detail = `${milliseconds.toFixed(1)} ms for a step of ${tokens} tokens`;
    return off
      ? { works: false, detail: "it computes wrong numbers" }
      : { works: true, detail, milliseconds };
  } catch (error) {
    return { works: false, detail: failureReason(error) };
  }
}

answerProbe(await tryDevice(parseDevice(process.argv[2]) as Device));
