/** log Σ exp, what the losses over many choices share. */
import { type Net, reduce } from "../net.js";

/**
 * log Σ exp(x) over the last axis, without overflow: the whole part of the maximum is taken out first.
 * ONNX Runtime's own ReduceLogSumExp takes nothing out on webgpu. Floor keeps gradients out of the maximum,
 * where they would cancel.
 * @param x [rows, choices] @returns [rows]
 */
export function logSumExp(net: Net, x: string): string {
  const { g } = net;
  const shift = g.add("Floor", [reduce(net, "ReduceMax", x, { keepdims: 1 })]);
  const sum = reduce(net, "ReduceSum", g.add("Exp", [g.add("Sub", [x, shift])]));
  return g.add("Add", [g.add("Log", [sum]), g.add("Squeeze", [shift, g.ints(-1)])]);
}
