/** Averages of weights: over the steps of a run (EMA), and between two models (Wortsman et al., 2022, WiSE-FT). */
import { ArgumentError } from "../errors.js";
import type { Tensor } from "../onnx/index.js";

/** Exponential moving average of weights: average = decay · average + (1 - decay) · weight after each step. */
export class MovingAverage {
  readonly decay: number;
  /** By weight, in its layout. */
  readonly values: ReadonlyMap<string, Float32Array>;

  /** Starts from the weights as they are. @param decay in [0, 1), such as 0.999 */
  constructor(weights: ReadonlyMap<string, Tensor>, decay: number) {
    if (!(decay >= 0 && decay < 1))
      throw new ArgumentError(`the average's decay must lie in [0, 1), not ${decay}`);
    this.decay = decay;
    this.values = new Map([...weights].map(([name, { data }]) => [name, (data as Float32Array).slice()]));
  }

  /** Takes the weights of one more step in. */
  update(weights: ReadonlyMap<string, Tensor>): void {
    const { decay } = this;
    for (const [name, average] of this.values) {
      const data = weights.get(name)?.data as Float32Array;
      for (let i = 0; i < data.length; i++) average[i] = decay * average[i] + (1 - decay) * data[i];
    }
  }
}

/**
 * Weights between two models: share · a + (1 - share) · b, where b has them; weights of `a` alone, such as a new
 * type head, stay as they are, since averaging with what was never trained adds only noise.
 * @param share default 0.5, as PEARL averages with E5
 */
export function averageWeights(
  a: ReadonlyMap<string, Tensor>,
  b: ReadonlyMap<string, Tensor>,
  { share = 0.5 }: { share?: number } = {},
): Map<string, Tensor> {
  return new Map(
    [...a].map(([name, tensor]) => {
      const other = b.get(name);
      if (!other) return [name, tensor];
      if (String(other.dims) !== String(tensor.dims))
        throw new ArgumentError(
          `weight ${name} is [${tensor.dims}] in one model and [${other.dims}] in the other`,
        );
      const [x, y] = [tensor.data as Float32Array, other.data as Float32Array];
      return [name, { ...tensor, data: x.map((value, i) => share * value + (1 - share) * y[i]) }];
    }),
  );
}
