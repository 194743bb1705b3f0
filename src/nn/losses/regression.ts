/** Mean squared error of a prediction. */
import { mean, type Net } from "../net.js";

/** Mean squared difference. @param inputs two float32 values of the same shape @returns a scalar */
export function squaredError(
  net: Net,
  { predictions, targets }: { predictions: string; targets: string },
): string {
  const difference = net.g.add("Sub", [predictions, targets]);
  return mean(net, net.g.add("Mul", [difference, difference]));
}
