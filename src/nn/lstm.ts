/** Long short-term memory (Hochreiter and Schmidhuber, 1997), unrolled; PyTorch's weights and order of gates. */
import { typeCode } from "../onnx/tensor.js";
import { byInputs } from "./initialise.js";
import { type Net, number, reduce, splitEvenly, weight } from "./net.js";

/** Options of {@link lstm}: sizes, direction, and the prefix of its weights' names. */
export interface LstmOptions {
  /** Prefix of the weights: weight_ih_l0 [4 × width, inputs], weight_hh_l0 [4 × width, width], bias_ih_l0, bias_hh_l0. */
  name: string;
  inputs: number;
  width: number;
  /** Length of every sequence: each step is written out. */
  steps: number;
  /** "backward" reads from the end (PyTorch's weights with _reverse appended); default "forward". */
  direction?: "forward" | "backward";
}

/** Names of the two results of {@link lstm}, float32. */
export interface LstmResult {
  /** State after each step, [batch, steps, width]. */
  hidden: string;
  /** State after the last step read, [batch, width]. */
  last: string;
}

/**
 * One LSTM layer in one direction.
 * @param x [batch, steps, inputs]
 * @param mask integers [batch, steps], 1 and then 0: padding leaves the state as it was, and costs nothing; default all 1
 */
export function lstm(net: Net, { x, mask }: { x: string; mask?: string }, options: LstmOptions): LstmResult {
  const { g } = net;
  const { name, inputs, width, steps, direction = "forward" } = options;
  const suffix = direction === "backward" ? "l0_reverse" : "l0";
  const add = (part: string, dims: number[]) =>
    weight(net, `${name}.${part}_${suffix}`, dims, byInputs(width));
  const [inputWeight, stateWeight] = [
    add("weight_ih", [4 * width, inputs]),
    add("weight_hh", [4 * width, width]),
  ];
  const [inputBias, stateBias] = [add("bias_ih", [4 * width]), add("bias_hh", [4 * width])];

  const packed = pack(net, g.add("Reshape", [x, g.ints(-1, inputs)]), { x, mask, steps });
  // the part of all gates that depends on x alone, in one product
  const fromInput = g.add("Gemm", [packed.rows, inputWeight, inputBias], { transB: 1 });
  const gates = g.addMany("Split", [fromInput, packed.counts], steps, { axis: 0 });

  const batch = g.add("Shape", [x], { start: 0, end: 1 });
  let state = g.add("Expand", [number(net, 0), g.add("Concat", [batch, g.ints(width)], { axis: 0 })]);
  let cell = state;
  const states: string[] = new Array(steps);
  for (let i = 0; i < steps; i++) {
    const step = direction === "backward" ? steps - 1 - i : i;
    const count = g.add("Slice", [packed.counts, g.ints(step), g.ints(step + 1)]);
    const sizes = g.add("Concat", [count, g.add("Sub", [batch, count])], { axis: 0 });
    // the rows that have this step, and those that keep their state
    const [read, keptState] = g.addMany("Split", [state, sizes], 2, { axis: 0 });
    const [readCell, keptCell] = g.addMany("Split", [cell, sizes], 2, { axis: 0 });
    const fromState = g.add("Gemm", [read, stateWeight, stateBias], { transB: 1 });
    const sum = g.add("Add", [gates[step], fromState]);
    const [input, forget, candidate, output] = splitEvenly(net, sum, 4, 1);
    const open = (gate: string) => g.add("Sigmoid", [gate]);
    const fresh = g.add("Mul", [open(input), g.add("Tanh", [candidate])]);
    const nextCell = g.add("Add", [g.add("Mul", [open(forget), readCell]), fresh]);
    const nextState = g.add("Mul", [open(output), g.add("Tanh", [nextCell])]);
    state = g.add("Concat", [nextState, keptState], { axis: 0 });
    cell = g.add("Concat", [nextCell, keptCell], { axis: 0 });
    states[step] = g.add("Unsqueeze", [state, g.ints(1)]);
  }
  const inOrder = (values: string) => g.add("Gather", [values, packed.places]);
  return { hidden: inOrder(g.add("Concat", states, { axis: 1 })), last: inOrder(state) };
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
    ? reduce(net, "ReduceSum", g.add("Cast", [mask], { to: typeCode("int64") }))
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
  const counts = reduce(net, "ReduceSum", g.add("Cast", [isKept], { to: typeCode("int64") }));
  // [steps, batch]: rows of `flat`
  const numbers = g.add("Add", [g.add("Mul", [order, g.scalar("int64", steps)]), each]);
  const kept = g.add("Compress", [numbers, g.add("Reshape", [isKept, g.ints(-1)])]);
  return { rows: g.add("Gather", [flat, kept]), counts, places };
}
