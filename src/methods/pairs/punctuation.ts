/**
 * The view `punctuation`: a phrase with a few punctuation marks inside, as a second contrastive task (EdaCSE).
 *
 *     L = loss_CSE + λ loss_Eda
 *
 * loss_CSE is the training's own loss, with dropout's second view for phrases alone (SimCSE); loss_Eda is NT-Xent
 * between each phrase and its punctuated form, among those of the batch.
 */
import type { VectorLayout } from "../../architectures/architecture.js";
import { ArgumentError } from "../../errors.js";
import { ntXent } from "../../nn/losses/nt-xent.js";
import type { LossTerm } from "../../pearl/loss/program.js";
import { columnsOf } from "../../pearl/loss/rows.js";
import type { Random } from "../../random.js";

/** Settings of the view `punctuation`: how many marks it inserts, and what their loss counts. */
export interface PunctuationSettings {
  /** λ. Default 0.15. */
  readonly weight: number;
  /** Fewest and most marks in a phrase. Default 1 and 3. */
  readonly least: number;
  readonly most: number;
  /** "calm" leaves out ! and ?. Default "all". */
  readonly marks: "all" | "calm";
}

const marksOf = { all: [".", ",", "!", "?", ";", ":"], calm: [".", ",", ";", ":"] } as const;

/** The settings with their defaults. @throws ArgumentError for numbers that make no view */
export function punctuationSettings(given: Partial<PunctuationSettings> = {}): PunctuationSettings {
  const settings = { weight: 0.15, least: 1, most: 3, marks: "all" as const, ...given };
  const { weight, least, most } = settings;
  if (!(weight >= 0 && Number.isFinite(weight)))
    throw new ArgumentError(`the weight of the view punctuation must be at least 0, not ${weight}`);
  if (!(Number.isInteger(least) && Number.isInteger(most) && least >= 1 && most >= least))
    throw new ArgumentError(
      `the marks of a phrase must be whole numbers from 1 on, such as 1-3, not ${least}-${most}`,
    );
  return settings;
}

/**
 * The phrase with marks between its words; between its characters where no spaces divide it, as in Chinese. Never at an
 * end; a phrase of one character stays as it is.
 */
export function punctuated(
  phrase: string,
  { least, most, marks }: PunctuationSettings,
  random: Random,
): string {
  const words = phrase.trim().split(/\s+/);
  const [parts, space] = words.length > 1 ? [words, " "] : [[...words[0]], ""];
  if (parts.length < 2) return phrase;
  const below = (count: number): number => Math.floor(random() * count);
  const behind: string[] = parts.map(() => "");
  const known = marksOf[marks];
  for (let left = least + below(most - least + 1); left > 0; left--)
    behind[below(parts.length - 1)] += `${space}${known[below(known.length)]}`;
  return parts.map((part, place) => part + behind[place]).join(space);
}

/** λ loss_Eda: the anchors against the rows behind the pairs, which are their punctuated forms. */
export const punctuationTerm = (
  { weight }: PunctuationSettings,
  { layout, temperature }: { readonly layout?: VectorLayout; readonly temperature: number },
): LossTerm => ({
  ...{ name: "nt_xent_punctuation", weight, sample: { rows: [6, 7, 0], feeds: {} } },
  add(net, rows) {
    const { g } = net;
    const pick = (values: string) => columnsOf(net, values, [layout?.embedding ?? "all"]);
    const count = g.add("Shape", [rows.anchors], { start: 0, end: 1 });
    // a punctuated phrase is of its phrase's group
    const own = g.add("Slice", [rows.groups, g.ints(0), count]);
    const groups = g.add("Concat", [own, own], { axis: 0 });
    const pairs = { anchors: pick(rows.anchors), positives: pick(rows.third as string), groups };
    return ntXent(net, pairs, { temperature });
  },
});
