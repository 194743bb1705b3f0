/**
 * Sentences against those around them, by two encoders: f encodes a sentence, and g the sentences it is compared with.
 *
 *     p(j | i) = exp(f(s_i)ᵀ g(s_j)) / Σ_{k ≠ i} exp(f(s_i)ᵀ g(s_k)),   loss = mean_i D_KL[ t_i ‖ p(· | i) ],
 *
 * where t_i gives the sentences at most `contextSize` before or after s_i equal shares.
 *
 * Source: Logeswaran and Lee (2018), "An efficient framework for learning sentence representations" (QuickThoughts),
 * section 3; the targets of several neighbours as in the authors' code.
 * Here: a sentence is never compared with itself (the authors' code gives that pair the score 0), and one without a
 * neighbour in the batch does not count.
 * It needs two encoders, so that `pearl finetune --objective` does not offer it: `pearl pretrain --read neighbours` does.
 */
import { logSumExp, type Net, number } from "../nn/net.js";
import { above, hasAny, maskedMean, maskedRowMeans, plus, rowSums, safeLog, where } from "./compare.js";

/** Names of the graph's values for B sentences. */
export interface NeighbourInputs {
  /** float32 [B, width]: f of each sentence, not scaled. */
  readonly sentences: string;
  /** float32 [B, width]: g of each sentence, not scaled. */
  readonly candidates: string;
  /** int32 [B]: place of each sentence in the text, all different; texts are further apart than `contextSize`. */
  readonly places: string;
}

/** The loss of QuickThoughts. @param contextSize sentences before and after that are targets; default 1 @returns a scalar */
export function neighbourLoss(
  net: Net,
  { sentences, candidates, places }: NeighbourInputs,
  { contextSize = 1 }: { readonly contextSize?: number } = {},
): string {
  const { g } = net;
  const products = g.add("Gemm", [sentences, candidates], { transB: 1 });
  const asFloats = g.cast(places, "float32");
  const apart = g.add("Abs", [g.add("Sub", [g.add("Unsqueeze", [asFloats, g.ints(1)]), asFloats])]);
  const isNear = above(net, number(net, contextSize + 0.5), apart);
  const itself = g.add("EyeLike", [isNear]);
  const near = g.add("Sub", [isNear, itself]);
  const others = where(net, g.add("Sub", [number(net, 1), itself]), products, -1e30);
  // equal shares of n neighbours: Σ t log t = -log n
  const own = maskedRowMeans(net, products, near);
  const divergence = plus(
    net,
    plus(net, logSumExp(net, others), own, -1),
    safeLog(net, rowSums(net, near)),
    -1,
  );
  return maskedMean(net, divergence, hasAny(net, near));
}
