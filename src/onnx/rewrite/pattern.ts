/**
 * Finds formulas in a graph. A pattern is written like the formula, from the result inwards:
 *
 *     const square = made("Mul", [any("x"), any("x")]);
 *     find(square, value, viewOf(graph))  // { x: name of the squared value }, or undefined
 *
 * A name bound twice must be the same value; Add and Mul match in either order. Constants are recognised as
 * initializers only: call constantsToInitializers first.
 */
import { producersOf } from "../graph.js";
import { type Graph, intsAttribute, type Node } from "../model.js";
import { elementCount, numbersOf, type Tensor } from "../tensor.js";

export interface View {
  producers: Map<string, Node>;
  initializers: Map<string, Tensor>;
}

export type Bindings = Readonly<Record<string, string>>;

/** All ways in which a value matches the pattern, given the names that are bound. */
export type Pattern = (value: string, view: View, bound: Bindings) => Iterable<Bindings>;

export const viewOf = (graph: Graph): View => ({
  producers: producersOf(graph),
  initializers: graph.initializers,
});

export function find(pattern: Pattern, value: string, view: View): Bindings | undefined {
  for (const bound of pattern(value, view, {})) return bound;
  return undefined;
}

export const any =
  (name: string): Pattern =>
  (value, _, bound) =>
    bind(name, value, bound);

/** A value that matches, under a name. */
export const named = (name: string, pattern: Pattern): Pattern =>
  function* (value, view, bound) {
    for (const more of bind(name, value, bound)) yield* pattern(value, view, more);
  };

export const initializer =
  (name: string): Pattern =>
  (value, view, bound) =>
    view.initializers.has(value) ? bind(name, value, bound) : [];

/** An initializer with one element close to this number (to float32's precision). */
export const scalar =
  (number: number): Pattern =>
  (value, view, bound) => {
    const found = scalarOf(value, view);
    return found !== undefined && Math.abs(found - number) <= 1e-6 * Math.abs(number) ? [bound] : [];
  };

export function scalarOf(value: string, view: View): number | undefined {
  const tensor = view.initializers.get(value);
  return tensor && elementCount(tensor.dims) === 1 ? numbersOf(tensor)[0] : undefined;
}

const commutative = new Set(["Add", "Mul"]);

/** The first output of an operator with matching inputs. `where` checks the node, and inputs without a pattern. */
export function made(
  op: string,
  inputs: Pattern[],
  where: (node: Node, view: View) => boolean = () => true,
): Pattern {
  return function* (value, view, bound) {
    const node = view.producers.get(value);
    if (node?.op !== op || node.outputs[0] !== value || !where(node, view)) return;
    yield* all(inputs, node.inputs, view, bound);
    if (commutative.has(op)) yield* all(inputs, node.inputs.toReversed(), view, bound);
  };
}

export const transposed = (of: Pattern, ...perm: number[]): Pattern =>
  made("Transpose", [of], (node) => intsAttribute(node, "perm")?.join() === perm.join());

/** From [batch, tokens, heads, width] to [batch, heads, tokens, width], and back. */
export const byHead = (of: Pattern): Pattern => transposed(of, 0, 2, 1, 3);

/** query · keyᵀ of attention. @param query, key [batch, tokens, heads, width] */
export const scoresOf = (query: Pattern, key: Pattern): Pattern =>
  made("MatMul", [byHead(query), either(transposed(key, 0, 2, 3, 1), transposed(byHead(key), 0, 1, 3, 2))]);

export const either = (...patterns: Pattern[]): Pattern =>
  function* (value, view, bound) {
    for (const pattern of patterns) yield* pattern(value, view, bound);
  };

function* all(patterns: Pattern[], values: string[], view: View, bound: Bindings): Iterable<Bindings> {
  if (patterns.length === 0) {
    yield bound;
    return;
  }
  for (const more of patterns[0](values[0] ?? "", view, bound))
    yield* all(patterns.slice(1), values.slice(1), view, more);
}

function bind(name: string, value: string, bound: Bindings): Bindings[] {
  if (bound[name] === undefined) return [{ ...bound, [name]: value }];
  return bound[name] === value ? [bound] : [];
}
