/** A session on a GPU: each batch is one upload, without the ids that all rows begin with, and computed without padding. */
import { GraphBuilder } from "../../onnx/builder.js";
import { encodeModel } from "../../onnx/io/file.js";
import { copyModel, intAttribute, type Model } from "../../onnx/model.js";
import { mostShort, placeTokens, tokenPlaces, tokensOf, unpad } from "../../onnx/rewrite/unpad.js";
import type { DeviceFeeds, OrtSession, SessionOptions } from "../../runtime/ort-session.js";
import { createOrtSession } from "../../runtime/ort-session.js";
import { createPackedSession } from "../../runtime/packed-session.js";
import { DeviceTensor, type Feeds, float32, int32, int64, type Tensor } from "../../runtime/tensor.js";
import type { GraphSession } from "../encode-protocol.js";

/** Inputs: first ids of all rows, int32 [tokens], which stay on the device; and their number, int64 [1]. */
const [opening, openingLength] = ["opening_ids", "opening_length"] as const;

/** @throws ModelError, DeviceError */
export async function openDeviceSession(model: Model, options: SessionOptions): Promise<GraphSession> {
  const inputNames = model.graph.inputs.map(({ name }) => name);
  // ONNX Runtime for Node keeps tensors between runs on webgpu alone
  if (options.device !== "webgpu") return createPackedSession(model, new Set(inputNames), options);
  const unpadded = (rows: "short" | "long") =>
    inputNames.includes("attention_mask") ? unpad(model, rows) : undefined;
  const batch = new Set([...inputNames, tokenPlaces, placeTokens, openingLength]);
  const open = (graph: Model) =>
    createPackedSession(withOpening(graph) ?? graph, batch, {
      ...options,
      outputs: Object.fromEntries(model.graph.outputs.map(({ name }) => [name, "device"])),
    });
  const short = unpadded("short");
  const session = await open(short ?? model);
  /** Of rows of many tokens, which need attention of another kind; opened when the first one comes. */
  let long: Promise<OrtSession> | undefined;
  const downloader = await createOrtSession(encodeModel(downloadGraph()), options);
  const pinned = withOpening(model) && (await openPinned(options));
  const start = async (feeds: Feeds, fetches?: readonly string[]) => {
    const more = { ...(short && tokenFeeds(feeds.attention_mask)), ...pinned?.feeds() };
    const isLong = short !== undefined && feeds.attention_mask.dims[1] > mostShort;
    if (isLong) long ??= open(unpadded("long") as Model);
    const own = isLong ? await (long as Promise<OrtSession>) : session;
    const results = await own.runOnDevice({ ...feeds, ...more }, fetches);
    return () => download(results, downloader);
  };
  return {
    ...session,
    ...{ start, isUnpadded: short !== undefined, ...(pinned && { pin: pinned.pin }) },
    inputNames: session.inputNames.filter((name) => inputNames.includes(name)),
    run: async (feeds, fetches) => (await start(feeds, fetches))(),
    async release() {
      await pinned?.release();
      await Promise.all([session.release(), long?.then((own) => own.release()), downloader.release()]);
    },
  };
}

function tokenFeeds({ dims, data }: Tensor): Feeds {
  const { places, tokens } = tokensOf(data);
  return { [tokenPlaces]: int32(places), [placeTokens]: { type: "int32", dims, data: tokens } };
}

/** Keeps the first ids of all rows on the device. */
async function openPinned(options: SessionOptions) {
  const uploader = await createOrtSession(encodeModel(uploadGraph()), {
    ...options,
    outputs: { [opening]: "device" },
  });
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
    ...{ pin, feeds: () => kept },
    async release() {
      await pin(new Int32Array());
      await uploader.release();
    },
  };
}

/** Copies outputs to main memory once they are computed: until then the thread waits. */
async function download(results: DeviceFeeds, downloader: OrtSession): Promise<Feeds> {
  const outputs: Feeds = {};
  for (const [name, value] of Object.entries(results))
    if (value instanceof DeviceTensor) {
      outputs[name] = (await downloader.runOnDevice({ value })).copy as Tensor;
      value.dispose();
    } else outputs[name] = value;
  return outputs;
}

/** The graph with the opening's ids before those in `input_ids` from there on, in look-ups; undefined where it has none. */
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
  const all = g.add("Concat", [spread, g.cast(own, "int32")], { axis: 1 });
  for (const { inputs } of lookups) inputs[1] = all;
  copy.graph.nodes.push(...nodes);
  return copy;
}

function uploadGraph(): Model {
  const g = new GraphBuilder();
  g.output(opening, g.cast(g.input("ids", "float32", ["tokens"]), "int32"));
  return g.model();
}

function downloadGraph(): Model {
  const g = new GraphBuilder();
  g.output("copy", g.add("Identity", [g.input("value", "float32")]), "float32");
  return g.model();
}
