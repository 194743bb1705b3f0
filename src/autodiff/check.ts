/** Numeric gradients: central differences, the judge of every rule. */
import { encodeModel } from "../onnx/io/file.js";
import type { Model } from "../onnx/model.js";
import { type OpenSession, observeShapes } from "../onnx/observe-shapes.js";
import type { Tensor } from "../onnx/tensor.js";
import { type DifferentiateOptions, differentiate } from "./gradient.js";

interface CheckOptions extends Pick<DifferentiateOptions, "loss" | "device"> {
  weights: readonly string[];
  /** Inputs of the graph; default none. */
  feeds?: Record<string, Tensor>;
  open: OpenSession;
  /** Step of the differences; default 1e-5, for graphs in float64. Take about 1e-2 in float32. */
  step?: number;
}

/**
 * Compares the gradients of {@link differentiate} with (f(w + h) - f(w - h)) / 2h at every entry.
 * @returns by weight the largest difference, relative to the largest numeric entry where that is above 1.
 */
export async function checkGradients(model: Model, options: CheckOptions): Promise<Map<string, number>> {
  const { loss, weights, device, feeds = {}, open, step = 1e-5 } = options;
  const shapes = await observeShapes(model, feeds, open);
  const { model: trained, gradients } = differentiate(model, { loss, weights, shapes, device });
  const session = await open(encodeModel(trained));
  const values = weights.map((name) => [name, copyOf(model.graph.initializers.get(name) as Tensor)] as const);
  const inputs = { ...feeds, ...Object.fromEntries(values) };
  const lossOf = async () => Number((await session.run(inputs, [loss]))[loss].data[0]);
  try {
    const exact = await session.run(inputs);
    const errors = new Map<string, number>();
    for (const [name, { data }] of values) {
      const analytic = exact[gradients.get(name) as string].data as Float64Array;
      const numbers = data as Float64Array;
      let [worst, largest] = [analytic.length === numbers.length ? 0 : Number.POSITIVE_INFINITY, 1];
      for (let i = 0; i < numbers.length; i++) {
        const centre = numbers[i];
        numbers[i] = centre + step;
        const above = await lossOf();
        numbers[i] = centre - step;
        const numeric = (above - (await lossOf())) / (2 * step);
        numbers[i] = centre;
        const error = Math.abs(numeric - analytic[i]);
        worst = Math.max(worst, error);
        largest = Math.max(largest, Math.abs(numeric));
      }
      errors.set(name, worst / largest);
    }
    return errors;
  } finally {
    await session.release();
  }
}

const copyOf = ({ type, dims, data }: Tensor): Tensor => ({ type, dims, data: data.slice() as Float64Array });
