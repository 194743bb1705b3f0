/**
 * Second views of a phrase, for tables of phrases alone: two views of a phrase are a pair.
 *
 * - `dropout`: the phrase again, with other dropout masks (Gao, Yao and Chen, 2021, "SimCSE").
 * - `cutoff`: the phrase without one of its words (Shen et al., 2020, "A Simple but Tough-to-Beat Data Augmentation
 *   Approach", token cutoff).
 * - `mixup`: its vector mixed with that of another positive, λ z_i + (1 - λ) z_j with λ from ½ to 1 (Zhang et al., 2018,
 *   "mixup"); the larger share decides what it belongs to.
 * - `punctuation`: a third view beside dropout's, the phrase with punctuation marks inside (punctuation.ts).
 */
import { type Net, number } from "../../nn/net.js";
import { createRandom } from "../../random.js";
import type { Tensor } from "../../runtime/tensor.js";

export const viewNames = ["dropout", "cutoff", "mixup", "punctuation"] as const;

/** How the second view of a phrase is made. */
export type PhraseView = (typeof viewNames)[number];

/** Dropout of the views `dropout` and `punctuation`, where no other is set: SimCSE's. */
export const VIEW_DROPOUT = 0.1;

/** The phrase without each of its words in turn; the phrase itself where it has one word. */
export function cutsOf(phrase: string): string[] {
  const words = phrase.split(/\s+/);
  if (words.length === 1) return [phrase];
  return words.map((_, cut) => words.filter((_, i) => i !== cut).join(" "));
}

/** Input of the graph: λ of each pair, float32 [pairs, 1]. */
export const mixtureInput = "mixture";

/** Values of {@link mixtureInput} for a batch. */
export function mixtures(pairs: number, seed: number): Tensor {
  const random = createRandom(seed);
  const data = Float32Array.from({ length: pairs }, () => 1 - random() / 2);
  return { type: "float32", dims: [pairs, 1], data };
}

/** Each row mixed with the next one, the last with the first; a batch is in random order. */
export function mixed(net: Net, rows: string): string {
  const { g } = net;
  const share = g.input(mixtureInput, "float32", ["pairs", 1]);
  const count = g.add("Shape", [rows], { start: 0, end: 1 });
  const part = (from: string, to: string) => g.add("Slice", [rows, from, to]);
  const next = g.add("Concat", [part(g.ints(1), count), part(g.ints(0), g.ints(1))], { axis: 0 });
  const rest = g.add("Sub", [number(net, 1), share]);
  return g.add("Add", [g.add("Mul", [rows, share]), g.add("Mul", [next, rest])]);
}
