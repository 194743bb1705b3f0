/** All objectives by name; docs/objectives.md is made of the heads of their files. */
import { ArgumentError } from "../errors.js";
import type { Net } from "../nn/net.js";
import { block } from "./classes/block.js";
import { gaussian } from "./classes/gaussian.js";
import { lifted } from "./classes/lifted.js";
import { softNearest } from "./classes/soft-nearest.js";
import { supCon } from "./classes/sup-con.js";
import { type Objective, type ObjectiveRows, type ObjectiveSettings, settingsOf } from "./objective.js";
import { alignUniform } from "./pairs/align-uniform.js";
import { contrastive } from "./pairs/contrastive.js";
import { debiased } from "./pairs/debiased.js";
import { hardWeighted } from "./pairs/hard-weighted.js";
import { infoNce } from "./pairs/info-nce.js";
import { nPair } from "./pairs/n-pair.js";
import { nce } from "./pairs/nce.js";
import { ntXent } from "./pairs/nt-xent.js";
import { triplet } from "./pairs/triplet.js";
import { angle } from "./scores/angle.js";
import { cosent } from "./scores/cosent.js";
import { regression } from "./scores/regression.js";
import { distill } from "./teacher/distill.js";
import { marginMse } from "./teacher/margin-mse.js";

/** Every objective by its name, in the order of docs/objectives.md. */
export const objectives = {
  "nt-xent": ntXent,
  "info-nce": infoNce,
  "n-pair": nPair,
  nce,
  triplet,
  contrastive,
  debiased,
  "hard-weighted": hardWeighted,
  "align-uniform": alignUniform,
  "sup-con": supCon,
  "soft-nearest": softNearest,
  gaussian,
  lifted,
  block,
  regression,
  cosent,
  angle,
  distill,
  "margin-mse": marginMse,
} as const satisfies Readonly<Record<string, Objective>>;

/** Name of an objective. */
export type ObjectiveName = keyof typeof objectives;

export const objectiveNames = Object.keys(objectives) as ObjectiveName[];

/** @throws ArgumentError for an unknown name */
export function objectiveNamed(name: string): Objective {
  if (Object.hasOwn(objectives, name)) return objectives[name as ObjectiveName];
  throw new ArgumentError(`there is no objective "${name}". Objectives: ${objectiveNames.join(", ")}.`);
}

/**
 * Adds an objective to a graph.
 * @param settings those that differ from the defaults of docs/objectives.md
 * @returns a scalar
 * @throws ArgumentError for an unknown name, or a setting that the objective does not have
 */
export function objectiveLoss(
  net: Net,
  rows: ObjectiveRows,
  { name, settings }: { readonly name: ObjectiveName; readonly settings?: ObjectiveSettings },
): string {
  const found = objectiveNamed(name);
  return found.build(net, rows, settingsOf(name, found, settings));
}
