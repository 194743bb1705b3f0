/** Whether two values have the same shape in each run, by how they are computed. */
import type { Graph, Node } from "../model.js";

/**
 * True if both values follow from the same value through the same operators, as in the layers of a transformer;
 * weights may differ. What a layer adds to its input is taken to have the input's shape.
 * @param makers from `producersOf`
 */
export function sameShape({ initializers }: Graph, makers: ReadonlyMap<string, Node>) {
  /** x for x + layers(x), for the norm of it, and so on. */
  function startOf(value: string): string {
    const node = makers.get(value);
    if (node?.op === "LayerNormalization") return startOf(node.inputs[0]);
    if (node?.op !== "Add") return value;
    const added = node.inputs.findIndex(isLinear);
    const input = node.inputs[1 - added];
    return added < 0 || initializers.has(input) ? value : startOf(input);
  }
  /** True for x W or x W + b. */
  function isLinear(value: string): boolean {
    const node = makers.get(value);
    if (node?.op === "Reshape") return isLinear(node.inputs[0]);
    if (node?.op === "Add")
      return node.inputs.some(isLinear) && node.inputs.some((name) => initializers.has(name));
    return (node?.op === "MatMul" || node?.op === "Gemm") && initializers.has(node.inputs[1]);
  }
  return function alike(left: string, right: string): boolean {
    const [a, b] = [startOf(left), startOf(right)];
    if (a === b) return true;
    const [x, y] = [initializers.get(a), initializers.get(b)];
    if (x && y) {
      const isSame = x.type === y.type && String(x.dims) === String(y.dims);
      // integers may be sizes
      return isSame && (x.type === "float32" || String(x.data) === String(y.data));
    }
    const [from, to] = [makers.get(a), makers.get(b)];
    if (!from || !to || from.inputs.length !== to.inputs.length) return false;
    return (
      operatorOf(from, a) === operatorOf(to, b) && from.inputs.every((input, i) => alike(input, to.inputs[i]))
    );
  };
}

/** Operator, attributes, and which of its outputs a value is. */
const operatorOf = ({ op, domain, attributes, outputs }: Node, value: string): string =>
  JSON.stringify([op, domain, outputs.indexOf(value), attributes], (_, x) =>
    typeof x === "bigint" ? Number(x) : x,
  );
