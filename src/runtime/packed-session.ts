/** A session on a GPU whose batch is uploaded in one piece; see onnx/rewrite/pack.ts. */
import { DeviceError } from "../errors.js";
import { encodeModel } from "../onnx/io/file.js";
import type { Model } from "../onnx/model.js";
import { outputOf, packed, packInputs, placeOf } from "../onnx/rewrite/pack.js";
import type { DataType } from "../onnx/tensor.js";
import { createOrtSession, type DeviceFeeds, type OrtSession, type SessionOptions } from "./ort-session.js";
import { type Feeds, int64, type Tensor } from "./tensor.js";

/** float32 holds all integers up to this one. */
const largest = 2 ** 24;

/**
 * Takes feeds by the names of the model's inputs, like a session of the model itself.
 * @param batch inputs that lie in main memory and differ from run to run
 * @throws ModelError, DeviceError
 */
export async function createPackedSession(
  model: Model,
  batch: ReadonlySet<string>,
  options: SessionOptions,
): Promise<OrtSession> {
  const { host, device, values } = packInputs(model, batch);
  if (values.size === 0) return createOrtSession(encodeModel(model), options);
  const main = await createOrtSession(encodeModel(device), options);
  const first = await createOrtSession(encodeModel(host), { threads: 1, label: options.label });
  const inputsOf = async (feeds: DeviceFeeds): Promise<DeviceFeeds> => {
    const own = Object.entries(feeds).filter(([name]) => first.inputNames.includes(name));
    const all = { ...feeds, ...pack(values, await first.run(Object.fromEntries(own) as Feeds)) };
    return Object.fromEntries(main.inputNames.map((name) => [name, all[name]]));
  };
  return {
    ...{ device: main.device, outputNames: main.outputNames },
    inputNames: model.graph.inputs
      .map(({ name }) => name)
      .filter((name) => !model.graph.initializers.has(name)),
    run: async (feeds, fetches) => main.run((await inputsOf(feeds)) as Feeds, fetches),
    runOnDevice: async (feeds, fetches) => main.runOnDevice(await inputsOf(feeds), fetches),
    release: async () => {
      await Promise.all([main.release(), first.release()]);
    },
  };
}

/** All values as one tensor, and where each one lies in it. @throws DeviceError for integers that float32 does not hold */
function pack(values: ReadonlyMap<string, DataType>, outputs: Feeds): Feeds {
  const tensors = [...values.keys()].map((name) => outputs[outputOf(name)] as Tensor<"float32">);
  const data = new Float32Array(tensors.reduce((count, { data }) => count + data.length, 0));
  const feeds: Feeds = { [packed]: { type: "float32", dims: [data.length], data } };
  let start = 0;
  for (const [i, [name, type]] of [...values].entries()) {
    const { data: own, dims } = tensors[i];
    if (type !== "float32" && own.some((x) => Math.abs(x) > largest))
      throw new DeviceError(`${name} has integers above ${largest}, which do not fit the upload`);
    data.set(own, start);
    const end = start + own.length;
    placeOf(name).forEach((input, part) => {
      feeds[input] = int64([[start], [end], dims][part]);
    });
    start = end;
  }
  return feeds;
}
