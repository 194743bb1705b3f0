/** The trainings that an ablation compares: without each part, at the points of a grid, and from other bases. */
import { ArgumentError } from "../../errors.js";
import { type MethodChoices, type RemovablePart, withChoices, without } from "./choices.js";
import type { MethodSettings } from "./method-settings.js";

/** A training of an ablation. */
export interface Variant {
  /** Also the name of its files. */
  readonly name: string;
  readonly settings: MethodSettings;
  /** The run that it is compared with; absent for those that others are compared with. */
  readonly against?: string;
  /** The base is scored as it is. */
  readonly untrained?: true;
  readonly point?: GridPoint;
}

/** A value of a setting on a grid. */
export interface GridPoint {
  readonly setting: GridSetting;
  readonly value: number;
}

const choosing = (name: keyof MethodChoices) => (settings: MethodSettings, value: number) =>
  withChoices(settings, { [name]: value });

/** What a grid may vary: the paper's figure 5 (temperature, batch size, weights of the losses, dimensions), and the rest. */
const changes = {
  temperature: choosing("temperature"),
  anchors: choosing("anchors"),
  "type-weight": (settings, typeWeight) => ({ ...settings, typeWeight }),
  "character-width": choosing("characterWidth"),
  "hard-negatives": choosing("hardNegatives"),
  lr: choosing("learningRate"),
  dropout: choosing("dropout"),
  average: choosing("averageWithBase"),
} as const satisfies Record<string, (settings: MethodSettings, value: number) => MethodSettings>;

/** Name of a setting on a grid. */
export type GridSetting = keyof typeof changes;
export const gridSettings = Object.keys(changes) as GridSetting[];

const counts: readonly GridSetting[] = ["anchors", "character-width", "hard-negatives"];
const fractions: readonly GridSetting[] = ["dropout", "average"];
const mayBeZero: readonly GridSetting[] = ["type-weight", "hard-negatives", ...fractions];

/** One change at a time, each compared with the whole. @throws ArgumentError for a value that the setting cannot have */
export function gridVariants(settings: MethodSettings, points: readonly GridPoint[]): Variant[] {
  return points.map((point) => {
    const { setting, value } = point;
    const isValid =
      (mayBeZero.includes(setting) ? value >= 0 : value > 0) &&
      (!counts.includes(setting) || Number.isInteger(value)) &&
      (!fractions.includes(setting) || value <= 1);
    if (!isValid) throw new ArgumentError(`the grid cannot set ${setting} to ${value}`);
    if (setting === "character-width" && settings.characters === "none")
      throw new ArgumentError(
        "a grid of character-width needs a character encoder, which these settings lack",
      );
    return {
      name: `${setting}=${value}`,
      settings: changes[setting](settings, value),
      against: "whole",
      point,
    };
  });
}

export const partVariants = (settings: MethodSettings, parts: readonly RemovablePart[]): Variant[] =>
  parts.map((part) => ({ name: part, settings: without(settings, part), against: "whole" }));

/** Each base as it is, and trained (the paper's table 4); "none" has no model of its own. */
export const baseVariants = (settings: MethodSettings, bases: readonly string[]): Variant[] =>
  bases.flatMap((base): Variant[] => {
    const own = { ...settings, base };
    const name = base.replaceAll(/[^\w.-]+/g, "-");
    const trained = { name: `${name}-trained`, settings: own };
    if (base === "none") return [trained];
    return [
      { name, settings: own, untrained: true },
      { ...trained, against: name },
    ];
  });
