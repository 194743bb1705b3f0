/** What a rule works with: a forward node, the gradients of its outputs, and functions that emit operators. */
import { madeFor } from "../by-key.js";
import { ModelError } from "../errors.js";
import type { AttributeValue, GraphBuilder } from "../onnx/builder.js";
import type { Node } from "../onnx/model.js";
import type { Shapes } from "../onnx/observe-shapes.js";
import { type DataType, numbersOf, type Tensor, typeCode } from "../onnx/tensor.js";

/**
 * The derivative of one operator: for each input a way to emit its gradient, called only where that gradient
 * is needed; null for an input whose gradient is always 0, undefined for one that has no rule. Gradients
 * have the shape of their input, except under {@link broadcasting}.
 */
export type Rule = (site: Site, ...inputs: string[]) => readonly (Emit | null | undefined)[];

type Emit = () => string;

/** Rule of operators that are constant wherever they are smooth, such as Floor: nothing flows back. */
export const flat: Rule = () => [];

/** A rule with gradients in the shape of the output: they are summed over the axes that were broadcast. */
export const broadcasting =
  (rule: Rule): Rule =>
  (site, ...inputs) =>
    rule(site, ...inputs).map(
      (emit, i) => emit && (() => site.sumTo(emit(), site.dims(site.y), site.dims(inputs[i]))),
    );

/** The parts of one backward graph that all its sites share. */
export interface Backward {
  readonly builder: GraphBuilder;
  readonly shapes: Shapes;
  readonly opset: number;
  /** GPUs add rows atomically; on the CPU that is a race, and a serial operator takes its place. */
  readonly device: "cpu" | "gpu";
  /** What was emitted already, by operator, inputs and attributes: nothing is computed twice. */
  readonly emitted: Map<string, string>;
  readonly constants: ReadonlyMap<string, Tensor>;
}

export class Site {
  /** Gradient of each output; undefined where none arrives. */
  readonly gradients: readonly (string | undefined)[];
  readonly node: Node;
  readonly device: "cpu" | "gpu";
  readonly #backward: Backward;

  constructor(backward: Backward, node: Node, gradients: readonly (string | undefined)[]) {
    this.#backward = backward;
    this.node = node;
    this.gradients = gradients;
    this.device = backward.device;
  }

  get y(): string {
    return this.node.outputs[0];
  }

  get dy(): string {
    return this.gradients[0] ?? this.zeros(this.y);
  }

  op(op: string, inputs: readonly string[], attributes: Record<string, AttributeValue> = {}): string {
    const { builder, emitted } = this.#backward;
    return madeFor(emitted, JSON.stringify([op, inputs, attributes]), () =>
      builder.add(op, inputs, attributes, { outputs: this.#names(op, 1) }),
    );
  }

  add = (a: string, b: string): string => this.op("Add", [a, b]);
  sub = (a: string, b: string): string => this.op("Sub", [a, b]);
  mul = (a: string, b: string): string => this.op("Mul", [a, b]);
  div = (a: string, b: string): string => this.op("Div", [a, b]);
  neg = (a: string): string => this.op("Neg", [a]);
  shape = (value: string): string => this.op("Shape", [value]);
  reshape = (value: string, shape: string): string => this.op("Reshape", [value, shape], { allowzero: 1 });
  flatten = (value: string): string => this.op("Reshape", [value, this.ints(-1)]);
  expand = (value: string, shape: string): string => this.op("Expand", [value, shape]);
  transpose = (value: string, perm: number[]): string => this.op("Transpose", [value], { perm });
  where = (condition: string, yes: string, no: string): string => this.op("Where", [condition, yes, no]);
  /** `value` converted to the element type of `other`. */
  cast = (value: string, other: string): string =>
    this.op("Cast", [value], { to: typeCode(this.type(other)) });
  /** Number of elements, a scalar int64. (Size itself would copy the value from the GPU.) */
  size = (value: string): string => this.op("ReduceProd", [this.shape(value)], { keepdims: 0 });
  number = (value: number): string => this.#backward.builder.scalar(this.type(this.y), value);
  ints = (...values: number[]): string => this.#backward.builder.ints(...values);
  zeros = (value: string): string =>
    this.expand(this.#backward.builder.scalar(this.type(value), 0), this.shape(value));

  /** Observed dimensions: 1 means 1 in every run, other sizes may change unless they are a weight's. */
  dims = (value: string): readonly number[] => this.#observed(value).dims;
  rank = (value: string): number => this.dims(value).length;
  type = (value: string): DataType => this.#observed(value).type;
  axis = (axis: number, value: string): number => (axis < 0 ? axis + this.rank(value) : axis);

  /** True for a weight or a constant, whose dimensions never change. */
  isStored = (value: string): boolean => this.#backward.builder.graph.initializers.has(value);

  #observed(value: string) {
    const observed = this.#backward.shapes.get(value);
    if (!observed) throw this.unsupported(`the shape of ${value} was not observed`);
    return observed;
  }

  many(op: string, inputs: readonly string[], count: number, attributes: Record<string, AttributeValue>) {
    return this.#backward.builder.addMany(op, inputs, count, attributes, { outputs: this.#names(op, count) });
  }

  #names(op: string, count: number): string[] {
    const stem = `${this.node.name || this.y}/gradient/${op}`;
    return Array.from({ length: count }, () => this.#backward.builder.fresh(stem));
  }

  /** The numbers of a value that is known before the run (an initializer, a Constant node), else undefined. */
  constant(value: string): number[] | undefined {
    const known = this.#backward.constants.get(value);
    return known && numbersOf(known);
  }

  /** Names the optional output `i`, which the forward pass then also computes. */
  output(i: number): string {
    const { outputs } = this.node;
    for (let k = outputs.length; k <= i; k++) outputs.push("");
    outputs[i] ||= this.#backward.builder.fresh(`${this.y}/output${i}`);
    return outputs[i];
  }

  /** Emits an operator into the forward pass, just before the node. */
  ahead(op: string, inputs: readonly string[], attributes: Record<string, AttributeValue> = {}): string {
    const { builder } = this.#backward;
    const name = builder.fresh(`${this.y}/${op}`);
    const { nodes } = builder.graph;
    nodes.splice(nodes.indexOf(this.node), 0, builder.node(op, inputs, attributes, { outputs: [name] }));
    return name;
  }

  /** Replaces the node's operator by one that computes the same result from values that the gradient needs anyway. */
  become(op: string, inputs: readonly string[]): void {
    Object.assign(this.node, { op, domain: "", inputs: [...inputs], attributes: {} });
  }

  /** 0, 1, 2, ... below a scalar int64. */
  range(end: string): string {
    const { builder } = this.#backward;
    return this.op("Range", [builder.scalar("int64", 0), end, builder.scalar("int64", 1)]);
  }

  /** A reduction over known axes; ReduceSum has always taken them as input, the others since opset 18. */
  reduce(op: string, value: string, axes: readonly number[], keepdims: 0 | 1 = 1): string {
    if (axes.length === 0) return value;
    return op === "ReduceSum" || this.#backward.opset >= 18
      ? this.op(op, [value, this.ints(...axes)], { keepdims })
      : this.op(op, [value], { axes: [...axes], keepdims });
  }

  /** The one place that undoes broadcasting: sums `value` of shape `from` to the shape `to`. */
  sumTo(value: string, from: readonly number[], to: readonly number[]): string {
    const lead = from.length - to.length;
    const missing = Array.from({ length: lead }, (_, axis) => axis);
    const stretched = to.flatMap((size, axis) =>
      size === 1 && from[lead + axis] !== 1 ? [lead + axis] : [],
    );
    if (stretched.length === 0 && to.length === 1 && lead > 0) return this.#columnSums(value, from.length);
    if (stretched.length === 0) return this.reduce("ReduceSum", value, missing, 0);
    const sum = this.reduce("ReduceSum", value, [...missing, ...stretched]);
    return lead === 0 ? sum : this.op("Squeeze", [sum, this.ints(...missing)]);
  }

  /** Sums over all axes but the last. On the CPU a product with ones: it takes half the time of ReduceSum. */
  #columnSums(value: string, rank: number): string {
    const axes = Array.from({ length: rank - 1 }, (_, axis) => axis);
    if (this.device === "gpu") return this.reduce("ReduceSum", value, axes, 0);
    const rows = rank === 2 ? value : this.op("Flatten", [value], { axis: rank - 1 });
    const ones = this.expand(this.number(1), this.op("Shape", [rows], { end: 1 }));
    return this.op("MatMul", [ones, rows]);
  }

  unsupported(what: string): ModelError {
    const { name, op } = this.node;
    return new ModelError(`node ${name} (${op}): ${what}, so pearl cannot differentiate it`);
  }
}
