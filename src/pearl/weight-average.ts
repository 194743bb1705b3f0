/** PEARL's last step: the average of two models' weights (Wortsman et al., 2022, WiSE-FT). */
import { ArgumentError } from "../errors.js";
import type { Tensor } from "../onnx/tensor.js";

/**
 * The average of two models' weights: share · a + (1 - share) · b. Weights of `a` alone, such as a new type head, stay
 * as they are.
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
