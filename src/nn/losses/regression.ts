/**
 * Mean squared error of a prediction, or of the cosine of two embeddings (the CosineSimilarityLoss of
 * Reimers and Gurevych, 2019): mean (cos(a, b) - target)².
 */
import { mean, type Net, reduce } from "../net.js";
import { l2Normalise } from "../pooling.js";

/** Mean squared difference. @param inputs two float32 values of the same shape @returns a scalar */
export function squaredError(
  net: Net,
  { predictions, targets }: { predictions: string; targets: string },
): string {
  const difference = net.g.add("Sub", [predictions, targets]);
  return mean(net, net.g.add("Mul", [difference, difference]));
}

/**
 * Mean squared difference between the cosine of two embeddings and a target.
 * @param inputs embeddings float32 [rows, width], targets float32 [rows] in [-1, 1]
 * @returns a scalar
 */
export function cosineRegression(
  net: Net,
  { left, right, targets }: { left: string; right: string; targets: string },
): string {
  return squaredError(net, { predictions: cosine(net, left, right), targets });
}

/** Cosine of each pair of rows. @returns [rows] */
export const cosine = (net: Net, left: string, right: string): string =>
  reduce(net, "ReduceSum", net.g.add("Mul", [l2Normalise(net, left), l2Normalise(net, right)]));
