/** A gradient as all its numbers, zeros where only rows of a table have one. */
import type { Tensor } from "../../src/onnx/tensor.js";
import type { Gradient } from "../../src/training/gradients/gradients.js";

/** @param weight of the gradient @returns as many numbers as the weight has */
export function denseGradient(gradient: Gradient, { data }: Tensor): Float32Array {
  if (gradient.kind === "dense") return gradient.values;
  const whole = new Float32Array(data.length);
  for (const [row, slot] of gradient.slots)
    whole.set(
      gradient.values.subarray(slot * gradient.width, (slot + 1) * gradient.width),
      row * gradient.width,
    );
  return whole;
}
