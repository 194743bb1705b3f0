/** A training's plan as people read it. */
import type { TrainingPlan } from "../training/index.js";
import { formatBytes, formatCount, formatDuration, formatTable } from "./format.js";

const percent = (share: number): string => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;

export function planText(plan: TrainingPlan): string {
  const { settings, corpus, step } = plan;
  const characters =
    settings.characters === "none" ? "no character encoder" : `characters: ${settings.characters.from}`;
  const rows: string[][] = [
    ["model", `${plan.base}, ${characters}, ${plan.types > 0 ? `${plan.types} types` : "no types"}`],
    ["", `${plan.dimension} dimensions, ${formatCount(plan.parameters)} numbers to train`],
    [
      "corpus",
      `${formatCount(corpus.phrases)} phrases, ${formatCount(corpus.typed)} typed, ${formatCount(corpus.synonymPairs)} pairs of synonyms`,
    ],
    [
      "a batch",
      `${settings.anchors} phrases with ${settings.hardNegatives} hard negatives each, ${settings.synonyms} synonyms: ${plan.pairsPerBatch} pairs`,
    ],
    ["unchanged", `${percent(plan.unchanged)} of the first batch's phrases have themselves as twin`],
    ["steps", `${formatCount(plan.steps)}, learning rate ${settings.learningRate}`],
    ["a step", `${formatDuration(step.seconds)}, ${percent(step.waiting)} of it waiting for data`],
    ["in all", formatDuration(plan.seconds)],
    ["memory", formatBytes(step.memory)],
    ...plan.before.map((what) => ["before", what]),
  ];
  return `${formatTable(rows)}\n`;
}
