/** Builds graphs by name: each call adds a value and returns its name, which is an input of later calls. */
import { madeFor } from "../by-key.js";
import { ArgumentError } from "../errors.js";
import type { Attribute, Dimension, Graph, Model, Node } from "./model.js";
import { type DataType, type Tensor, type TensorData, tensor, typeCode } from "./tensor.js";

/** An attribute as plain JavaScript. */
export type AttributeValue = number | string | number[] | string[] | Tensor | Graph | Attribute;

interface NodeOptions {
  /** Name of the node, and of its output unless `outputs` is given; default a fresh one. */
  name?: string;
  /** Default "" (ONNX's own operators). */
  domain?: string;
  /** Names of the outputs; default one fresh name. */
  outputs?: string[];
}

interface BuilderOptions {
  /** ONNX operator set of a new model; default 17. */
  opset?: number;
  /** Name of the graph; default "pearl". */
  name?: string;
}

/** The IR version of new models: the newest of operator set 17. */
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
  readonly #constants = new Map<string, string>();
  #counter = 0;

  /** @param start options of a new model, or a model to extend: its graph is changed in place */
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

  /** Declares an added value as the graph output `name`. */
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
    if (value.data.length > 8) return this.freshWeight("constant", value);
    const elements = Array.from(value.data as ArrayLike<unknown>, (x) => (Object.is(x, -0) ? "-0" : x));
    const key = `${type} [${dims}] ${elements}`;
    return madeFor(this.#constants, key, () => this.freshWeight("constant", value));
  }

  /** A shared scalar constant. */
  scalar(type: DataType, value: number): string {
    return this.constant(type, [], [value]);
  }

  /** A shared one-dimensional int64 constant: axes, shapes, positions. */
  ints(...values: number[]): string {
    return this.constant("int64", [values.length], values);
  }

  /** The values of x as another type. */
  cast(x: string, type: DataType): string {
    return this.add("Cast", [x], { to: typeCode(type) });
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
    const outputs = options.outputs ?? Array.from({ length: count }, () => this.fresh(options.name ?? op));
    this.add(op, inputs, attributes, { ...options, outputs });
    return outputs;
  }

  /** Makes a node with fresh names without adding it to the graph. */
  node(
    op: string,
    inputs: readonly string[],
    attributes: Record<string, AttributeValue> = {},
    { name, domain = "", outputs }: NodeOptions = {},
  ): Node {
    if (domain !== "") this.#model.opsets[domain] ??= 1;
    const made = outputs ?? [this.fresh(name ?? op)];
    for (const output of made) this.#names.add(output);
    const entries = Object.entries(attributes).map(([key, value]) => [key, toAttribute(key, value)]);
    return {
      name: name ?? (outputs ? this.fresh(op) : made[0]),
      op,
      domain,
      inputs: [...inputs],
      outputs: made,
      attributes: Object.fromEntries(entries),
    };
  }

  /** A name that no value of the graph has. */
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
    if (this.#names.has(name)) throw new ArgumentError(`the graph already has a value ${name}`);
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

/** Attributes that ONNX defines as floats: a whole number is a float too. */
const floatAttributes = new Set([
  ...["alpha", "beta", "epsilon", "gamma", "lambd", "bias", "ratio", "momentum", "threshold", "value_float"],
  ...["high", "low", "mean", "scale", "seed", "cubic_coeff_a", "mask_filter_value", "value_floats", "scales"],
]);

/** A plain value as an attribute. Whole numbers become ints, unless ONNX defines the attribute as a float. */
function toAttribute(name: string, value: AttributeValue): Attribute {
  const isInt = (x: unknown): boolean => Number.isInteger(x) && !floatAttributes.has(name);
  if (typeof value === "string") return { type: "string", value };
  if (typeof value === "number") return { type: isInt(value) ? "int" : "float", value };
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item === "string")) return { type: "strings", value };
    return { type: value.every(isInt) ? "ints" : "floats", value: value as number[] };
  }
  if ("dims" in value) return { type: "tensor", value };
  if ("nodes" in value) return { type: "graph", value };
  return value;
}
