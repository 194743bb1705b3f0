/** A session on a GPU: each batch is one upload, without the ids that all rows begin with, such as a prompt's. */
import { GraphBuilder } from "../../onnx/builder.js";
import { encodeModel } from "../../onnx/io/file.js";
import { copyModel, intAttribute, type Model } from "../../onnx/model.js";
import { typeCode } from "../../onnx/tensor.js";
import { createOrtSession, type DeviceFeeds, type SessionOptions } from "../../runtime/ort-session.js";
import { createPackedSession } from "../../runtime/packed-session.js";
import { DeviceTensor, type Feeds, float32, int64 } from "../../runtime/tensor.js";
import type { GraphSession } from "./graph-source.js";

/** Inputs: the ids that all rows begin with, int32 [tokens], which stay on the device; and their number, int64 [1]. */
const [opening, openingLength] = ["opening_ids", "opening_length"] as const;

/** @throws ModelError, DeviceError */
export async function openDeviceSession(model: Model, options: SessionOptions): Promise<GraphSession> {
  const inputs = model.graph.inputs.map(({ name }) => name);
  // ONNX Runtime for Node keeps tensors between runs on webgpu alone
  const pinned = options.device === "webgpu" ? withOpening(model) : undefined;
  const session = await createPackedSession(pinned ?? model, new Set([...inputs, openingLength]), options);
  if (pinned === undefined) return session;
  const uploader = await createOrtSession(encodeModel(uploadGraph()), {
    ...options,
    outputs: { [opening]: "device" },
  });
  let ids: Int32Array = new Int32Array();
  let kept: DeviceFeeds = { [opening]: { type: "int32", dims: [0], data: ids }, [openingLength]: int64([0]) };
  const release = () => {
    if (kept[opening] instanceof DeviceTensor) kept[opening].dispose();
  };
  return {
    ...session,
    inputNames: session.inputNames.filter((name) => name !== opening && name !== openingLength),
    run: async (feeds, fetches) => (await session.runOnDevice({ ...feeds, ...kept }, fetches)) as Feeds,
    async pin(next) {
      if (String(next) === String(ids)) return;
      const uploaded = next.length > 0 && (await uploader.runOnDevice({ ids: float32(next) }));
      release();
      ids = next;
      kept = {
        [opening]: { type: "int32", dims: [0], data: next },
        ...uploaded,
        [openingLength]: int64([next.length]),
      };
    },
    async release() {
      release();
      await Promise.all([session.release(), uploader.release()]);
    },
  };
}

/**
 * The graph with those ids before each row's own where they choose rows of the embeddings; undefined where it has no such
 * lookup. All else that depends on ids is computed on the host.
 */
export function withOpening(model: Model): Model | undefined {
  const copy = copyModel(model);
  const g = new GraphBuilder(copy);
  const { nodes } = copy.graph;
  const all = "input_ids";
  const lookups = nodes.filter(
    (node) => node.op === "Gather" && node.inputs[1] === all && intAttribute(node, "axis", 0) === 0,
  );
  if (lookups.length === 0) return undefined;
  copy.graph.nodes = [];
  const first = g.input(opening, "int32", ["opening"]);
  const length = g.input(openingLength, "int64", [1]);
  const own = g.add("Slice", [all, length, g.ints(Number.MAX_SAFE_INTEGER), g.ints(1)]);
  const rows = g.add("Slice", [g.add("Shape", [all]), g.ints(0), g.ints(1)]);
  const openings = g.add("Expand", [first, g.add("Concat", [rows, length], { axis: 0 })]);
  const joined = g.add("Concat", [openings, g.add("Cast", [own], { to: typeCode("int32") })], { axis: 1 });
  for (const { inputs } of lookups) inputs[1] = joined;
  copy.graph.nodes.push(...nodes);
  return copy;
}

function uploadGraph(): Model {
  const g = new GraphBuilder();
  g.output(opening, g.add("Cast", [g.input("ids", "float32", ["tokens"])], { to: typeCode("int32") }));
  return g.model();
}
