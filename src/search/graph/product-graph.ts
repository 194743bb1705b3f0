/** The graph of a matrix product. */
import { GraphBuilder } from "../../onnx/builder.js";
import { encodeModel } from "../../onnx/io/file.js";

/** queries [q, d] × candidatesᵀ [d, c] → scores [q, c], as the bytes of an ONNX file. */
export function productGraph(): Uint8Array {
  const graph = new GraphBuilder({ name: "exact-search" });
  const queries = graph.input("queries", "float32", ["queries", "dimension"]);
  const candidates = graph.input("candidates", "float32", ["candidates", "dimension"]);
  const scores = graph.add("Gemm", [queries, candidates], { transB: 1 });
  graph.output("scores", scores, "float32", ["queries", "candidates"]);
  return encodeModel(graph.model());
}
