/**
 * Second views of a phrase, for tables of phrases alone: two views of a phrase are a pair.
 *
 * - `dropout`: the phrase again, with other dropout masks (Gao, Yao and Chen, 2021, "SimCSE").
 * - `cutoff`: the phrase without one of its words (Shen et al., 2020, "A Simple but Tough-to-Beat Data Augmentation
 *   Approach", token cutoff).
 * - `mixup`: its vector mixed with that of another positive, λ z_i + (1 - λ) z_j with λ from ½ to 1 (Zhang et al., 2018,
 *   "mixup"); the larger share decides what it belongs to.
 * - `punctuation`: a third view beside dropout's, the phrase with punctuation marks inside, as a second contrastive task
 *   (EdaCSE): L = loss_CSE + λ loss_Eda, where loss_CSE is the training's own loss and loss_Eda NT-Xent between each phrase
 *   and its punctuated form, among those of the batch. Its table 15 tests λ from 0.1 to 1; 0.6, 0.3 and 0.6 are best on
 *   three sets.
 */

import type { VectorLayout } from "../../architectures/architecture.js";
import { ArgumentError } from "../../errors.js";
import { ntXent } from "../../nn/losses.js";
import { type Net, number } from "../../nn/net.js";
import { lossOfPrefixes, type ObjectiveSettings } from "../../objectives/objective.js";
import { type ObjectiveName, objectiveNamed } from "../../objectives/registry.js";
import { columnsOf, type LossTerm, lossNames } from "../../pearl/loss/program.js";
import { createRandom, type Random } from "../../random.js";
import { float32, int32, type Tensor } from "../../runtime/tensor.js";

export const viewNames = ["dropout", "cutoff", "mixup", "punctuation"] as const;

/** How the second view of a phrase is made. */
export type PhraseView = (typeof viewNames)[number];

/** The phrase without each of its words in turn; the phrase itself where it has one word. */
export function cutsOf(phrase: string): string[] {
  const words = phrase.split(/\s+/);
  if (words.length === 1) return [phrase];
  return words.map((_, cut) => words.filter((_, i) => i !== cut).join(" "));
}

/**
 * Inputs of the graph besides the encoder's: int32 [rows], float32 [pairs], λ of each pair, float32 [pairs, 1], and the
 * teacher's vectors, float32 [rows, its dimension].
 */
export const pairInputs = {
  classes: "classes",
  scores: "scores",
  mixture: "mixture",
  teacher: "teacher",
} as const;

/** Vectors of length 1 for a sample: row i along axis i. */
function axes(rows: number, width: number): Tensor {
  const data = new Float32Array(rows * width);
  for (let row = 0; row < rows; row++) data[row * width + (row % width)] = 1;
  return { type: "float32", dims: [rows, width], data };
}

/** λ of the pairs of a batch. */
export function mixtures(pairs: number, seed: number): Tensor {
  const random = createRandom(seed);
  const data = Float32Array.from({ length: pairs }, () => 1 - random() / 2);
  return { type: "float32", dims: [pairs, 1], data };
}

/** Each row mixed with the next one, the last with the first; a batch is in random order. */
export function mixed(net: Net, rows: string): string {
  const { g } = net;
  const share = g.input(pairInputs.mixture, "float32", ["pairs", 1]);
  const part = (from: number, to: number) => g.add("Slice", [rows, g.ints(from), g.ints(to)]);
  const next = g.add("Concat", [part(1, 2 ** 31 - 1), part(0, 1)], { axis: 0 });
  const rest = g.add("Sub", [number(net, 1), share]);
  return g.add("Add", [g.add("Mul", [rows, share]), g.add("Mul", [next, rest])]);
}

/** Settings of the view `punctuation`: how many marks it inserts, and what their loss counts. */
export interface PunctuationSettings {
  /** λ. Default 0.6. */
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
  const settings = { weight: 0.6, least: 1, most: 3, marks: "all" as const, ...given };
  const { weight, least, most } = settings;
  if (!(weight >= 0 && Number.isFinite(weight)))
    throw new ArgumentError(`the weight of the view punctuation must be at least 0, not ${weight}`);
  if (![least, most].every(Number.isInteger) || least < 1 || most < least)
    throw new ArgumentError(
      `the marks of a phrase must be whole numbers from 1 on, such as 1-3, not ${least}-${most}`,
    );
  return settings;
}

/**
 * The phrase with marks between its words; between its characters where no spaces divide it, as in Chinese. Never at an
 * end; a phrase of one character stays as it is.
 */
export function punctuated(phrase: string, { least, most, marks }: PunctuationSettings, random: Random) {
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
const punctuationTerm = ({ weight }: PunctuationSettings, { layout, objective }: TermOptions): LossTerm => ({
  ...{ name: "nt_xent_punctuation", weight, sample: { rows: [6, 7, 0], feeds: {} } },
  add(net, rows) {
    const { g } = net;
    const pick = (values: string) => columnsOf(net, values, [layout?.embedding ?? "all"]);
    const count = g.add("Shape", [rows.anchors], { start: 0, end: 1 });
    // a punctuated phrase is of its phrase's groups
    const own = (numbers: string) => g.add("Slice", [numbers, g.ints(0), count]);
    const groups = [rows.groups, pairInputs.classes].map((numbers) =>
      g.add("Concat", [own(numbers), own(numbers)], { axis: 0 }),
    );
    const pairs = { anchors: pick(rows.anchors), positives: pick(rows.third as string), groups };
    return ntXent(net, pairs, { temperature: Number(objective.settings.temperature ?? 0.07) });
  },
});

/** An objective with all its settings. */
export interface ChosenObjective {
  readonly name: ObjectiveName;
  readonly settings: ObjectiveSettings;
}

export interface TermOptions {
  readonly objective: ChosenObjective;
  readonly view?: PhraseView;
  readonly punctuation?: PunctuationSettings;
  readonly scores: "used" | "none";
  readonly negatives: "used" | "none";
  /** The model that the objective learns from, or is guided by. */
  readonly teacher?: { readonly dimension: number };
  /** Shorter lengths of the embedding that are trained too; default none. */
  readonly dims?: readonly number[];
  /** Width of the model's output, and which of its columns are the embedding. */
  readonly width: number;
  readonly layout?: VectorLayout;
}

/** PEARL's terms with an objective in the place of its NT-Xent, and the term of a view that has one. */
export const withObjective =
  (options: TermOptions) =>
  (terms: readonly LossTerm[]): readonly LossTerm[] => [
    ...terms.map((term) => (term.name === lossNames.contrastive ? objectiveTerm(options) : term)),
    ...(options.punctuation?.weight ? [punctuationTerm(options.punctuation, options)] : []),
  ];

function objectiveTerm(options: TermOptions): LossTerm {
  const { objective, view, scores, negatives, teacher, dims = [], layout } = options;
  const { name, settings } = objective;
  const { build, learns = [] } = objectiveNamed(name);
  const columns = layout?.embedding ?? "all";
  const width = columns === "all" ? options.width : columns[1] - columns[0];
  // cosines are the same in any order
  const isOrdered = teacher !== undefined || dims.length > 0;
  const picked = (isOrdered && layout?.order) || ([columns] as const);
  const pick = (net: Net, values: string) => columnsOf(net, values, picked);
  // three pairs, and three hard negatives where they are used
  const sampleRows = negatives === "used" ? 9 : 6;
  return {
    ...{ name: name.replaceAll("-", "_"), weight: 1 },
    add(net, rows) {
      const positives = pick(net, rows.positives);
      const batch = {
        anchors: pick(net, rows.anchors),
        positives: view === "mixup" ? mixed(net, positives) : positives,
        ...(negatives === "used" && rows.third && { negatives: pick(net, rows.third) }),
        classes: net.g.input(pairInputs.classes, "int32", ["rows"]),
        groups: rows.groups,
        ...(scores === "used" && { scores: net.g.input(pairInputs.scores, "float32", ["pairs"]) }),
        ...(teacher && {
          teacher: {
            vectors: net.g.input(pairInputs.teacher, "float32", ["rows", teacher.dimension]),
            width: teacher.dimension,
          },
        }),
        width,
      };
      const shorter = dims.filter((length) => length < width);
      return lossOfPrefixes(net, batch, { dims: shorter, loss: (own, rows) => build(own, rows, settings) });
    },
    sample: {
      feeds: {
        [pairInputs.classes]: int32([0, 1, 1, 0, 1, 1, 2, 3, 4].slice(0, sampleRows)),
        [pairInputs.scores]: float32([1, 0, 0.5]),
        [pairInputs.mixture]: mixtures(3, 0),
        ...(teacher && { [pairInputs.teacher]: axes(sampleRows, teacher.dimension) }),
      },
    },
    ...(learns.length > 0 && {
      trained: ({ graph }) =>
        [...graph.initializers].flatMap(([weight, { type, data }]) =>
          type === "float32" && (data.length > 1 || learns.some((own) => weight.endsWith(own)))
            ? [weight]
            : [],
        ),
    }),
  };
}
