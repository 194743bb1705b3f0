/**
 * Products of many rows with a weight, cut into blocks of rows for the CPU: ONNX Runtime passes over all rows for
 * each tile of the weight, and a block stays in the cache between these passes. A step of E5's shape in one pass takes
 * 0.85 times the time. Products have the same bits; a bias is added after rounding.
 */
import { madeFor } from "../../by-key.js";
import type { GraphBuilder } from "../../onnx/builder.js";
import { rewriteNodes } from "../../onnx/graph.js";
import { intAttribute, isPlainGemm, type Model, type Node } from "../../onnx/model.js";

/** Rows of a block at least: each block packs the weight again. */
const leastRows = 256;
/** Possible numbers of blocks; the largest one that divides the rows is used. */
const counts = [1, 2, 4, 8, 16, 32, 64, 128];

/** A copy of a model with blocked products. Weights are initializers, or inputs of known shape. */
export function inRowBlocks(model: Model): Model {
  const matrices = matricesOf(model);
  const known = new Map<string, Blocks>();
  return rewriteNodes(model, (node, g) => {
    const product = productOf(node, matrices);
    if (product) addBlocked(g, product, node.outputs[0], known);
    return product !== undefined;
  });
}

/** Names and sizes of float matrices: initializers, and inputs of known shape. */
function matricesOf({ graph }: Model): Map<string, readonly [number, number]> {
  const stored = [...graph.initializers].map(([name, { type, dims }]) => ({ name, type, shape: dims }));
  return new Map(
    [...stored, ...graph.inputs].flatMap(({ name, type, shape }) => {
      const [rows, columns] = shape ?? [];
      const isMatrix = type === "float32" && shape?.length === 2;
      return isMatrix && typeof rows === "number" && typeof columns === "number"
        ? [[name, [rows, columns]] as const]
        : [];
    }),
  );
}

/** left · right, or left · rightᵀ, plus a bias. */
interface Product {
  readonly left: string;
  readonly right: string;
  readonly bias?: string;
  readonly turned: boolean;
  /** Columns of left and of the product. */
  readonly sizes: readonly [number, number];
}

function productOf(node: Node, matrices: ReturnType<typeof matricesOf>): Product | undefined {
  const { op, domain, inputs } = node;
  const [left, right, bias] = inputs;
  const dims = matrices.get(right);
  if (!dims || domain !== "") return undefined;
  if (op === "MatMul") return { left, right, turned: false, sizes: dims };
  if (!isPlainGemm(node)) return undefined;
  const turned = intAttribute(node, "transB", 0) === 1;
  return { left, right, bias: bias || undefined, turned, sizes: turned ? [dims[1], dims[0]] : dims };
}

/** A value in blocks [count, rows, width], and its leading dimensions. */
interface Blocks {
  readonly blocks: string;
  readonly leading: string;
}

function addBlocked(
  g: GraphBuilder,
  { left, right, bias, turned, sizes }: Product,
  output: string,
  known: Map<string, Blocks>,
): void {
  const { blocks, leading } = madeFor(known, left, () => inBlocks(g, left, sizes[0]));
  // one axis more than the blocks have: otherwise ONNX Runtime would join them again
  const matrix = g.add("Unsqueeze", [right, g.ints(0, 1)]);
  const product = turned
    ? g.add("FusedMatMul", [blocks, matrix], { transB: 1 }, { domain: "com.microsoft" })
    : g.add("MatMul", [blocks, matrix]);
  const shape = g.add("Concat", [leading, g.ints(sizes[1])], { axis: 0 });
  const named = { outputs: [output] };
  if (bias === undefined) g.add("Reshape", [product, shape], { allowzero: 1 }, named);
  else g.add("Add", [g.add("Reshape", [product, shape], { allowzero: 1 }), bias], {}, named);
}

function inBlocks(g: GraphBuilder, left: string, width: number): Blocks {
  const rows = g.add("Div", [g.add("Size", [left]), g.ints(width)]);
  const divides = g.add("Equal", [g.add("Mod", [rows, g.ints(...counts)]), g.ints(0)]);
  const enough = g.add("GreaterOrEqual", [rows, g.ints(...counts.map((count) => count * leastRows))]);
  const possible = g.add("Where", [g.add("And", [divides, enough]), g.ints(...counts), g.ints(1)]);
  const count = g.add("ReduceMax", [possible], { keepdims: 1 });
  const shape = g.add("Concat", [count, g.ints(-1, width)], { axis: 0 });
  return {
    blocks: g.add("Reshape", [left, shape]),
    leading: g.add("Shape", [left], { start: 0, end: -1 }),
  };
}
