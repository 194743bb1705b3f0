/** The worker that encodes with one model. */
import { loadRuntime } from "../runtime/onnx-runtime.js";
import { serve } from "../runtime/worker-server.js";
import { encode, type OpenModel, openModel, rawVectors } from "./encode-model.js";
import type { EncodeRequest, OpenRequest } from "./encode-protocol.js";

let model: OpenModel | undefined;

// The native library is loaded while the thread that started this one still reads the model.
loadRuntime();

serve({
  /** @returns the dimension of vectors */
  async open(request: OpenRequest) {
    model = await openModel(request);
    return { result: (await rawVectors(model, ["a"])).length };
  },
  async encode(request: EncodeRequest) {
    if (model === undefined) throw new Error("encode before open");
    const reply = await encode(model, request);
    return { result: reply, transfer: [reply.vectors.buffer as ArrayBuffer] };
  },
  async close() {
    await model?.session.release();
    return { result: undefined };
  },
});
