/** Graphs built by name: each call adds a value and returns its name, to be fed to the next call. */
import { ArgumentError } from "../errors.js";
import type { Attribute, Dimension, Graph, Model, Node } from "./model.js";
import { type DataType, type Tensor, type TensorData, tensor } from "./tensor.js";

/** An attribute as plain JavaScript; see {@link toAttribute}. */
export type AttributeValue = number | string | number[] | string[] | Tensor | Graph | Attribute;

export interface NodeOptions {
  /** Name of the node, and of its first output where `outputs` is not given; default a fresh one. */
  name?: string;
  /** Default "" (ONNX's own operators). */
  domain?: string;
  /** Names of the outputs; default one fresh name. */
  outputs?: string[];
}

export interface BuilderOptions {
  /** ONNX operator set of a new model; default 17. */
  opset?: number;
  /** Name of the graph; default "pearl". */
  name?: string;
}

/** The IR version of new models: the newest that operator set 17 came with. */
const irVersion = 8;

/**
 * Builds a graph, or adds to one that exists.
 *
 *     const g = new GraphBuilder();
 *     const x = g.input("x", "float32", ["batch", 3]);
 *     const w = g.weight("w", tensor("float32", [3, 2], [1, 2, 3, 4, 5, 6]));
 *     g.output("y", g.add("MatMul", [x, w]), "float32", ["batch", 2]);
 *     const model = g.model();
 */
export class GraphBuilder {
  readonly graph: Graph;
  readonly #model: Model;
  readonly #names: Set<string>;
  readonly #scalars = new Map<string, string>();
  #counter = 0;

  /** @param start options of a new model, or a model to go on with: its graph is changed in place. */
  constructor(start: BuilderOptions | Model = {}) {
    this.#model = "graph" in start ? start : emptyModel(start);
    this.graph = this.#model.graph;
    this.#names = new Set([
      ...this.graph.inputs.map((value) => value.name),
      ...this.graph.initializers.keys(),
      ...this.graph.nodes.flatMap((node) => [node.name, ...node.outputs]),
    ]);
  }

  /** Declares a graph input and returns its name. */
  input(name: string, type: DataType, shape?: Dimension[]): string {
    this.graph.inputs.push({ name: this.#claim(name), type, ...(shape && { shape }) });
    return name;
  }

  /** Declares `value` as the graph output `name`; it must have been added already. */
  output(name: string, value: string, type?: DataType, shape?: Dimension[]): void {
    if (!this.#names.has(value)) throw new ArgumentError(`output ${name}: there is no value ${value}`);
    if (name !== value) this.add("Identity", [value], {}, { outputs: [name] });
    this.graph.outputs.push({ name, ...(type && { type }), ...(shape && { shape }) });
  }

  /** Adds a named weight and returns its name. */
  weight(name: string, value: Tensor): string {
    this.graph.initializers.set(this.#claim(name), value);
    return name;
  }

  /** Adds a weight under a fresh name that begins with `stem`, and returns the name. */
  freshWeight(stem: string, value: Tensor): string {
    const name = this.fresh(stem);
    this.graph.initializers.set(name, value);
    return name;
  }

  /** A constant under a fresh name; equal small constants share one initializer. */
  constant(type: DataType, dims: readonly number[], data: TensorData | number[]): string {
    const value = tensor(type, dims, data);
    const key = value.data.length <= 8 ? `${type} [${dims}] ${bits(value)}` : undefined;
    const known = key === undefined ? undefined : this.#scalars.get(key);
    if (known) return known;
    const name = this.freshWeight("constant", value);
    if (key !== undefined) this.#scalars.set(key, name);
    return name;
  }

  /** A shared scalar constant. */
  scalar(type: DataType, value: number): string {
    return this.constant(type, [], [value]);
  }

  /** A shared one-dimensional int64 constant: axes, shapes, positions. */
  ints(...values: number[]): string {
    return this.constant("int64", [values.length], values);
  }

  /** Adds an operator and returns the name of its first output. */
  add(
    op: string,
    inputs: readonly string[],
    attributes: Record<string, AttributeValue> = {},
    options: NodeOptions = {},
  ): string {
    const node = this.node(op, inputs, attributes, options);
    this.graph.nodes.push(node);
    return node.outputs[0];
  }

  /** Adds an operator with several outputs and returns their names. */
  addMany(
    op: string,
    inputs: readonly string[],
    count: number,
    attributes: Record<string, AttributeValue> = {},
    options: NodeOptions = {},
  ): string[] {
    const outputs = Array.from({ length: count }, () => this.fresh(options.name ?? op));
    const node = this.node(op, inputs, attributes, { ...options, outputs: options.outputs ?? outputs });
    this.graph.nodes.push(node);
    return node.outputs;
  }

  /** Makes a node with fresh names without placing it: for rewrites, which choose the place themselves. */
  node(
    op: string,
    inputs: readonly string[],
    attributes: Record<string, AttributeValue> = {},
    { name, domain = "", outputs }: NodeOptions = {},
  ): Node {
    if (domain !== "") this.#model.opsets[domain] ??= 1;
    const made = outputs ?? [this.fresh(name ?? op)];
    for (const output of made) this.#names.add(output);
    return {
      name: name ?? (outputs ? this.fresh(op) : made[0]),
      op,
      domain,
      inputs: [...inputs],
      outputs: made,
      attributes: Object.fromEntries(
        Object.entries(attributes).map(([key, value]) => [key, toAttribute(key, value)]),
      ),
    };
  }

  /** A name that no value of the graph has yet. */
  fresh(stem: string): string {
    let name = stem;
    while (this.#names.has(name)) name = `${stem}_${++this.#counter}`;
    this.#names.add(name);
    return name;
  }

  model(): Model {
    return this.#model;
  }

  #claim(name: string): string {
    if (this.#names.has(name)) throw new ArgumentError(`the graph has a value ${name} already`);
    this.#names.add(name);
    return name;
  }
}

function emptyModel({ opset = 17, name = "pearl" }: BuilderOptions): Model {
  return {
    irVersion,
    opsets: { "": opset },
    producer: "pearl",
    producerVersion: "",
    metadata: {},
    graph: { name, inputs: [], outputs: [], nodes: [], initializers: new Map(), values: [] },
  };
}

/** Elements as text that tells -0 from 0. */
const bits = ({ data }: Tensor): string =>
  Array.from(data as ArrayLike<unknown>, (x) => (Object.is(x, -0) ? "-0" : String(x))).join();

/** Attributes that are floats even where the number is whole. */
const floatAttributes = new Set([
  ...["alpha", "beta", "epsilon", "gamma", "lambd", "bias", "ratio", "momentum", "threshold", "value_float"],
  ...["high", "low", "mean", "scale", "seed", "cubic_coeff_a", "mask_filter_value", "value_floats", "scales"],
]);

/**
 * A plain value as an attribute: whole numbers become ints and others floats, except for attributes that
 * ONNX defines as floats (alpha, epsilon, ...); an {@link Attribute} is taken as it is.
 */
export function toAttribute(name: string, value: AttributeValue): Attribute {
  if (typeof value === "string") return { type: "string", value };
  if (typeof value === "number")
    return { type: Number.isInteger(value) && !floatAttributes.has(name) ? "int" : "float", value };
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item === "string")) return { type: "strings", value };
    const numbers = value as number[];
    const whole = numbers.every(Number.isInteger) && !floatAttributes.has(name);
    return { type: whole ? "ints" : "floats", value: numbers };
  }
  if ("dims" in value) return { type: "tensor", value };
  if ("nodes" in value) return { type: "graph", value };
  return value;
}
