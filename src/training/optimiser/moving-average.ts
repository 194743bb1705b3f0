/** Exponential moving average of weights over the steps of a run. */
import { ArgumentError } from "../../errors.js";
import type { Tensor } from "../../onnx/tensor.js";

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
