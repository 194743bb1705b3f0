/** What an objective is: a loss over the embeddings of a batch, with the columns it needs and its settings. */
import { UsageError } from "../errors.js";
import type { Net } from "../nn/net.js";
import { l2Normalise } from "../nn/pooling.js";
import { times } from "./compare.js";

/** Names of the graph's values for B pairs and N hard negatives. */
export interface ObjectiveRows {
  /** float32 [B, width] */
  readonly anchors: string;
  /** float32 [B, width]: row i belongs to row i of the anchors. */
  readonly positives: string;
  /** float32 [N, width]: phrases that look alike and mean something else; default none. */
  readonly negatives?: string;
  /**
   * int32 [2B + N], of anchors, positives and negatives: rows of the same number are of the same class. An anchor
   * and its positive always are.
   */
  readonly classes: string;
  /**
   * int32 [2B + N]: rows of the same number are equal phrases, or joined by pairs, and do not repel each other in classes
   * that differ. Default: the classes alone decide.
   */
  readonly groups?: string;
  /** float32 [B]: how similar anchor and positive are, from 0 to 1; default: the pairs have no scores. */
  readonly scores?: string;
  /**
   * Vectors of length 1 that another model gives these phrases, float32 [2B + N, width of that model]: the targets of an
   * objective that needs a teacher, and a guide to others (compare.ts). Default: there is no teacher.
   */
  readonly teacher?: { readonly vectors: string; readonly width: number };
  /** Width of the vectors, for objectives with a projection. */
  readonly width: number;
}

/** Columns that an objective may need besides text and positive. */
export type ObjectiveColumn = "label" | "score" | "negative";

/** The default of a setting: a number, or words of which the first is the default. */
type Declared = number | readonly [string, ...string[]];
type SettingsOf<Settings> = {
  readonly [Name in keyof Settings]: Settings[Name] extends readonly (infer Word)[] ? Word : number;
};

/** Values of settings by name. */
export type ObjectiveSettings = Readonly<Record<string, number | string>>;

/** A loss over the embeddings of a batch. */
export interface Objective {
  /** What it needs and what it can use of the data, besides text and positive. */
  readonly needs: Readonly<Partial<Record<ObjectiveColumn | "teacher", "required" | "optional">>>;
  readonly settings: Readonly<Record<string, Declared>>;
  /** Names of learned single numbers; the engine takes others for constants. */
  readonly learns?: readonly string[];
  /** Adds the loss to a graph. @param settings all of them @returns the name of a scalar */
  build(net: Net, rows: ObjectiveRows, settings: ObjectiveSettings): string;
}

/** Declares an objective; `build` gets its settings with their types. */
export const objective = <const Settings extends Readonly<Record<string, Declared>>>(
  declared: Omit<Objective, "settings" | "build"> & {
    readonly settings: Settings;
    build(net: Net, rows: ObjectiveRows, settings: SettingsOf<Settings>): string;
  },
): Objective => declared as unknown as Objective;

/** All settings of an objective. @throws UsageError for a setting that it does not have, or a wrong value */
export function settingsOf(
  name: string,
  { settings: declared }: Objective,
  given: ObjectiveSettings = {},
): ObjectiveSettings {
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(declared, key));
  if (unknown !== undefined) {
    const known = Object.keys(declared).join(", ");
    throw new UsageError(
      `the objective ${name} has no setting ${unknown}. ${known === "" ? "It has none." : `Its settings: ${known}.`}`,
    );
  }
  return Object.fromEntries(
    Object.entries(declared).map(([key, standard]) => {
      const value = given[key] ?? (typeof standard === "number" ? standard : standard[0]);
      const wanted = fault(key, standard, value);
      if (wanted === undefined) return [key, value];
      throw new UsageError(`the setting ${key} of the objective ${name} must be ${wanted}, not ${value}`);
    }),
  );
}

type Rule = readonly [text: string, allows: (value: number) => boolean];

const aboveZero: Rule = ["above 0", (x) => x > 0];

/** What a number must be, by the setting's name, which means the same in all objectives. */
const rules: Readonly<Record<string, Rule>> = {
  ...{ temperature: aboveZero, scale: aboveZero, alpha: aboveZero, t: aboveZero, epsilon: aboveZero },
  prior: ["of at least 0 and below 1", (x) => x >= 0 && x < 1],
  width: ["without a fraction, above 0", (x) => x > 0 && Number.isInteger(x)],
};
const otherwise: Rule = ["of at least 0", (x) => x >= 0];

/** What a value must be, where it is wrong. */
function fault(key: string, standard: Declared, value: number | string): string | undefined {
  if (typeof standard !== "number")
    return standard.includes(String(value)) ? undefined : standard.join(" or ");
  const [text, allows] = rules[key] ?? otherwise;
  return typeof value === "number" && Number.isFinite(value) && allows(value)
    ? undefined
    : `a number ${text}`;
}

// An objective on several lengths of the same embedding.
//
//     L = 1/|M| Σ_{m∈M} loss(z_{1:m} / ‖z_{1:m}‖)
//
// Source: Kusupati et al. (2022), "Matryoshka Representation Learning", section 3, with equal weights; M always holds the
// whole embedding, which stays as it comes.

/**
 * Mean of a loss over prefixes of the embeddings and the whole ones. Weights that the loss adds are apart for each prefix.
 * @param dims lengths of the prefixes, each below `rows.width` @returns a scalar
 */
export function lossOfPrefixes(
  net: Net,
  rows: ObjectiveRows,
  { dims, loss }: { readonly dims: readonly number[]; loss(net: Net, rows: ObjectiveRows): string },
): string {
  const cut = (values: string, width: number) =>
    l2Normalise(net, net.g.add("Slice", [values, net.g.ints(0), net.g.ints(width), net.g.ints(1)]));
  const losses = dims.map((width) => {
    const [anchors, positives] = [cut(rows.anchors, width), cut(rows.positives, width)];
    const negatives = rows.negatives && cut(rows.negatives, width);
    const own = { ...net, prefix: `${net.prefix ?? ""}first_${width}.` };
    return loss(own, { ...rows, anchors, positives, negatives, width });
  });
  const sum = losses.reduce((total, own) => net.g.add("Add", [total, own]), loss(net, rows));
  return dims.length === 0 ? sum : times(net, sum, 1 / (dims.length + 1));
}
