/** A session on a GPU: each batch is one upload, without the ids that all rows begin with, such as a prompt's. */
import { GraphBuilder } from "../../onnx/builder.js";
import { encodeModel } from "../../onnx/io/file.js";
import { copyModel, intAttribute, type Model } from "../../onnx/model.js";
import { typeCode } from "../../onnx/tensor.js";
import { createOrtSession, type DeviceFeeds, type SessionOptions } from "../../runtime/ort-session.js";
import { createPackedSession } from "../../runtime/packed-session.js";
import { DeviceTensor, type Feeds, float32, int32, int64 } from "../../runtime/tensor.js";
import type { GraphSession } from "../encode-protocol.js";

/** Inputs: first ids of all rows, int32 [tokens], which stay on the device; and their number, int64 [1]. */
const [opening, openingLength] = ["opening_ids", "opening_length"] as const;

/** @throws ModelError, DeviceError */
export async function openDeviceSession(model: Model, options: SessionOptions): Promise<GraphSession> {
  // ONNX Runtime for Node keeps tensors between runs on webgpu alone
  const pinned = options.device === "webgpu" ? withOpening(model) : undefined;
  const batch = new Set([...model.graph.inputs.map(({ name }) => name), openingLength]);
  const session = await createPackedSession(pinned ?? model, batch, options);
  if (pinned === undefined) return session;
  const outputs = { [opening]: "device" } as const;
  const uploader = await createOrtSession(encodeModel(uploadGraph()), { ...options, outputs });
  let ids: Int32Array = new Int32Array();
  let kept: DeviceFeeds = { [opening]: int32(ids), [openingLength]: int64([0]) };
  const pin = async (next: Int32Array) => {
    if (String(next) === String(ids)) return;
    const last = kept[opening];
    const uploaded = next.length > 0 ? await uploader.runOnDevice({ ids: float32(next) }) : {};
    ids = next;
    kept = { [opening]: int32(next), ...uploaded, [openingLength]: int64([next.length]) };
    if (last instanceof DeviceTensor) last.dispose();
  };
  return {
    ...{ ...session, pin },
    inputNames: session.inputNames.filter((name) => name !== opening && name !== openingLength),
    run: async (feeds, fetches) => (await session.runOnDevice({ ...feeds, ...kept }, fetches)) as Feeds,
    async release() {
      await pin(new Int32Array());
      await Promise.all([session.release(), uploader.release()]);
    },
  };
}

/** The graph with them before the ids in `input_ids` from there on, in look-ups; undefined where it has none. */
export function withOpening(model: Model): Model | undefined {
  const copy = copyModel(model);
  const { nodes } = copy.graph;
  const lookups = nodes.filter(
    (node) => node.op === "Gather" && node.inputs[1] === "input_ids" && intAttribute(node, "axis", 0) === 0,
  );
  if (lookups.length === 0) return undefined;
  const g = new GraphBuilder(copy);
  copy.graph.nodes = [];
  const first = g.input(opening, "int32", ["opening"]);
  const length = g.input(openingLength, "int64", [1]);
  const own = g.add("Slice", ["input_ids", length, g.ints(Number.MAX_SAFE_INTEGER), g.ints(1)]);
  const rows = g.add("Slice", [g.add("Shape", ["input_ids"]), g.ints(0), g.ints(1)]);
  const spread = g.add("Expand", [first, g.add("Concat", [rows, length], { axis: 0 })]);
  const all = g.add("Concat", [spread, g.add("Cast", [own], { to: typeCode("int32") })], { axis: 1 });
  for (const { inputs } of lookups) inputs[1] = all;
  copy.graph.nodes.push(...nodes);
  return copy;
}

function uploadGraph(): Model {
  const g = new GraphBuilder();
  g.output(opening, g.add("Cast", [g.input("ids", "float32", ["tokens"])], { to: typeCode("int32") }));
  return g.model();
}
