/** A training plan as text. */
import { alignColumns } from "../../files/text-table.js";
import type { TrainingPlan } from "../../methods/plan.js";
import { counted, formatBytes, formatCount, formatDuration, formatPercent } from "../format.js";

const percent = (share: number): string => formatPercent(share, share < 0.1 ? 1 : 0);

export function planText(plan: TrainingPlan): string {
  const { settings, corpus, step } = plan;
  const characters =
    settings.characters === "none"
      ? "no character encoder"
      : `character encoder: ${settings.characters.from}`;
  const types = plan.types > 0 ? counted(plan.types, "type") : "no types";
  const sizes = `${counted(corpus.phrases, "phrase")}, ${formatCount(corpus.typed)} with a type`;
  const batch = `${settings.anchors} phrases with ${settings.hardNegatives} hard negatives each`;
  return alignColumns([
    ["model", `${plan.base}, ${characters}, ${types}`],
    ["", `${plan.dimension} dimensions, ${counted(plan.parameters, "trainable parameter")}`],
    ["corpus", `${sizes}, ${counted(corpus.synonymPairs, "synonym pair")}`],
    [
      "batch",
      `${batch}, ${counted(settings.synonyms, "synonym pair")}: ${counted(plan.pairsPerBatch, "pair")}`,
    ],
    ["unchanged", `${percent(plan.unchanged)} of the first batch's phrases are not changed by augmentation`],
    ["steps", `${formatCount(plan.steps)}, learning rate ${settings.learningRate}`],
    ["one step", `${formatDuration(step.seconds)}, ${percent(step.waiting)} of it waiting for data`],
    ["total", formatDuration(plan.seconds)],
    ["memory", formatBytes(step.memory)],
    ...plan.before.map((what) => ["before", what]),
  ]);
}
