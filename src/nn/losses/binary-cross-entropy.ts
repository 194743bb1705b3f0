/**
 * Binary cross-entropy of logits x and targets y in [0, 1], in the form that cannot overflow (as PyTorch's
 * BCEWithLogitsLoss): mean max(x, 0) - x y + log(1 + exp(-|x|)).
 */
import { mean, type Net, number } from "../net.js";

/** Mean cross-entropy of yes or no. @param inputs two float32 values of the same shape @returns a scalar */
export function binaryCrossEntropy(
  net: Net,
  { logits, targets }: { logits: string; targets: string },
): string {
  const { g } = net;
  const linear = g.add("Sub", [g.add("Relu", [logits]), g.add("Mul", [logits, targets])]);
  const decay = g.add("Exp", [g.add("Neg", [g.add("Abs", [logits])])]);
  return mean(net, g.add("Add", [linear, g.add("Log", [g.add("Add", [decay, number(net, 1)])])]));
}
