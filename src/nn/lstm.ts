/** Long short-term memory (Hochreiter and Schmidhuber, 1997), unrolled; PyTorch's weights and order of gates. */
import { typeCode } from "../onnx/tensor.js";
import { byInputs } from "./initialise.js";
import { type Net, number, splitEvenly, weight } from "./net.js";

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
 * @param mask integers [batch, steps]: where it is 0 the state stays as it was; default all 1
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

  // the part of all gates that depends on x alone, in one product
  const flat = g.add("Reshape", [x, g.ints(-1, inputs)]);
  const fromInput = g.add("Gemm", [flat, inputWeight, inputBias], { transB: 1 });
  const eachStep = (values: string) => splitEvenly(net, values, steps, 1);
  const gates = eachStep(g.add("Reshape", [fromInput, g.ints(-1, steps, 4 * width)]));
  const kept = mask ? eachStep(g.add("Cast", [mask], { to: typeCode("bool") })) : [];

  const rows = g.add("Shape", [x], { start: 0, end: 1 });
  let state = g.add("Expand", [number(net, 0), g.add("Concat", [rows, g.ints(width)], { axis: 0 })]);
  let cell = state;
  const states: string[] = new Array(steps);
  for (let i = 0; i < steps; i++) {
    const step = direction === "backward" ? steps - 1 - i : i;
    const fromState = g.add("Gemm", [state, stateWeight, stateBias], { transB: 1 });
    const sum = g.add("Add", [g.add("Squeeze", [gates[step], g.ints(1)]), fromState]);
    const [input, forget, candidate, output] = splitEvenly(net, sum, 4, 1);
    const open = (gate: string) => g.add("Sigmoid", [gate]);
    const fresh = g.add("Mul", [open(input), g.add("Tanh", [candidate])]);
    const nextCell = g.add("Add", [g.add("Mul", [open(forget), cell]), fresh]);
    const nextState = g.add("Mul", [open(output), g.add("Tanh", [nextCell])]);
    const choose = (next: string, old: string) => (mask ? g.add("Where", [kept[step], next, old]) : next);
    [state, cell] = [choose(nextState, state), choose(nextCell, cell)];
    states[step] = g.add("Unsqueeze", [state, g.ints(1)]);
  }
  return { hidden: g.add("Concat", states, { axis: 1 }), last: state };
}
