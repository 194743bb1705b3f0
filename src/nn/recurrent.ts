/** A recurrent layer, every step written out, with PyTorch's weights and order of gates. */
import { byInputs } from "./initialise.js";
import { type Net, number, reduce, splitEvenly, weight } from "./net.js";

/** Options of {@link lstm}: sizes, direction, and the prefix of the weights' names. */
export interface RecurrentOptions {
  /** Prefix of the weights: weight_ih_l0 [4 × width, inputs], weight_hh_l0 [4 × width, width], bias_ih_l0, bias_hh_l0. */
  name: string;
  inputs: number;
  width: number;
  /** Length of every sequence: each step is written out. */
  steps: number;
  /** "backward" reads from the end (PyTorch's weights with _reverse appended); default "forward". */
  direction?: "forward" | "backward";
}

/** Names of the two results of a recurrent layer, float32. */
export interface RecurrentResult {
  /** State after each step, [batch, steps, width]. */
  hidden: string;
  /** State after the last step read, [batch, width]. */
  last: string;
}

/** What a layer reads: x float32 [batch, steps, inputs]; mask integers [batch, steps], 1 and then 0, default all 1. */
export interface Sequences {
  x: string;
  /** Padding, where it is 0, leaves the state as it was, and costs nothing. */
  mask?: string;
}

/** Long short-term memory (Hochreiter and Schmidhuber, 1997), one layer in one direction. */
export function lstm(net: Net, { x, mask }: Sequences, options: RecurrentOptions): RecurrentResult {
  const { g } = net;
  const { name, inputs, width, steps, direction = "forward" } = options;
  const suffix = direction === "backward" ? "l0_reverse" : "l0";
  const add = (part: string, ...dims: number[]) =>
    weight(net, `${name}.${part}_${suffix}`, [4 * width, ...dims], byInputs(width));
  const [inputWeight, stateWeight] = [add("weight_ih", inputs), add("weight_hh", width)];
  const [inputBias, stateBias] = [add("bias_ih"), add("bias_hh")];

  const packed = pack(net, g.add("Reshape", [x, g.ints(-1, inputs)]), { x, mask, steps });
  // the part of all gates that depends on x alone, in one product
  const fromInput = g.add("Gemm", [packed.rows, inputWeight, inputBias], { transB: 1 });
  const ofInput = g.addMany("Split", [fromInput, packed.counts], steps, { axis: 0 });

  const batch = g.add("Shape", [x], { start: 0, end: 1 });
  const first = g.add("Expand", [number(net, 0), g.add("Concat", [batch, g.ints(width)], { axis: 0 })]);
  const open = (gate: string) => g.add("Sigmoid", [gate]);
  let [state, cell] = [first, first];
  const all: string[] = new Array(steps);
  for (let i = 0; i < steps; i++) {
    const at = direction === "backward" ? steps - 1 - i : i;
    const rows = g.add("Slice", [packed.counts, g.ints(at), g.ints(at + 1)]);
    const sizes = g.add("Concat", [rows, g.add("Sub", [batch, rows])], { axis: 0 });
    // the rows that have this step, and those that keep their states
    const [read, keptState] = g.addMany("Split", [state, sizes], 2, { axis: 0 });
    const [readCell, keptCell] = g.addMany("Split", [cell, sizes], 2, { axis: 0 });
    const fromState = g.add("Gemm", [read, stateWeight, stateBias], { transB: 1 });
    const [input, forget, candidate, output] = splitEvenly(net, g.add("Add", [ofInput[at], fromState]), 4, 1);
    const fresh = g.add("Mul", [open(input), g.add("Tanh", [candidate])]);
    const nextCell = g.add("Add", [g.add("Mul", [open(forget), readCell]), fresh]);
    const next = g.add("Mul", [open(output), g.add("Tanh", [nextCell])]);
    state = g.add("Concat", [next, keptState], { axis: 0 });
    cell = g.add("Concat", [nextCell, keptCell], { axis: 0 });
    all[at] = g.add("Unsqueeze", [state, g.ints(1)]);
  }
  const inOrder = (values: string) => g.add("Gather", [values, packed.places]);
  return { hidden: inOrder(g.add("Concat", all, { axis: 1 })), last: inOrder(state) };
}

/**
 * Sequences without their padding: the longest first, step after step, as PyTorch packs them.
 * @param flat [batch × steps, inputs]
 * @returns rows [kept, inputs]; counts int64 [steps], the rows of each step; places int64 [batch], where a sequence went
 */
function pack(
  net: Net,
  flat: string,
  { x, mask, steps }: { x: string; mask?: string; steps: number },
): { rows: string; counts: string; places: string } {
  const { g } = net;
  const batch = g.add("Shape", [x], { start: 0, end: 1 });
  const lengths = mask
    ? reduce(net, "ReduceSum", g.cast(mask, "int64"))
    : g.add("Expand", [g.ints(steps), batch]);
  const [sorted, order] = g.addMany("TopK", [lengths, batch], 2, { axis: 0 });
  // sorting the numbers of a permutation gives its inverse
  const [, places] = g.addMany("TopK", [order, batch], 2, { axis: 0, largest: 0 });
  const each = g.constant(
    "int64",
    [steps, 1],
    Array.from({ length: steps }, (_, step) => step),
  );
  const isKept = g.add("Greater", [sorted, each]);
  const counts = reduce(net, "ReduceSum", g.cast(isKept, "int64"));
  // [steps, batch]: rows of `flat`
  const numbers = g.add("Add", [g.add("Mul", [order, g.scalar("int64", steps)]), each]);
  const kept = g.add("Compress", [numbers, g.add("Reshape", [isKept, g.ints(-1)])]);
  return { rows: g.add("Gather", [flat, kept]), counts, places };
}
