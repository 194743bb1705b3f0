/** `pearl models`: the models on this machine, with size, licence and scores. */
import { ModelError } from "../../errors.js";
import { alignColumns } from "../../files/text-table.js";
import type { ModelSummary } from "../../hub/inventory.js";
import type { CardScore } from "../../hub/model-card.js";
import { type AnyCommand, command } from "../command.js";
import { formatBytes } from "../format.js";
import { option } from "../options.js";
import check from "./check.js";

const list = command({
  name: "models",
  summary: "list the models on this machine: embedded, in the hub's cache, in folders you name",
  arguments: [["[folders...]", "also list these model folders"]],
  options: [option("--json", "print JSON, with all scores of the model cards")],
  examples: [
    ["pearl models", "models that --model takes without a download"],
    ["pearl models ./my-model", "include a folder"],
    ["pearl models check", "are their files undamaged?"],
    ["pearl models --json", "everything, for a program"],
  ],
  run: async ([folders], { json }, session) => {
    const { listModels } = await import("../../hub/inventory.js");
    const models = await listModels(folders);
    if (json) session.printJson({ models });
    else session.print(describe(models));
    const problems = models.flatMap(({ where, problem }) => (where === "folder" && problem ? [problem] : []));
    if (problems.length > 0) throw new ModelError(problems.join("; "));
  },
});

export default { ...list, commands: [check] } satisfies AnyCommand;

function describe(models: readonly ModelSummary[]): string {
  const heading = ["MODEL", "DIM", "SIZE", "LICENCE", "GRAPHS", "WHERE"];
  const rows = models.map((model) => [
    model.model + (model.isDefault ? " (default)" : ""),
    model.dimension === undefined ? "?" : String(model.dimension),
    model.sizeBytes === undefined ? "?" : formatBytes(model.sizeBytes),
    model.licence ?? "?",
    model.graphs.map((graph) => graph.replace(/^onnx\//, "").replace(/\.onnx$/, "")).join(" ") || "none",
    model.where === "cache" ? `cache ${model.commit?.slice(0, 8)}` : model.where,
  ]);
  const parts = [alignColumns([heading, ...rows], (column) => column === 1 || column === 2), ""];
  for (const model of models) parts.push(...details(model));
  parts.push("Other hub ids, such as intfloat/e5-small-v2, are downloaded on first use.");
  return parts.join("\n");
}

function details(model: ModelSummary): string[] {
  const lines = [model.model, `  ${model.path}`];
  if (model.problem) return [...lines, `  cannot be used: ${model.problem}`, ""];
  const facts = [model.architecture, model.pooling && `pooling ${model.pooling}`];
  if (model.maximumLength) facts.push(`up to ${model.maximumLength} tokens`);
  if (model.baseModel) facts.push(`from ${model.baseModel}`);
  lines.push(`  ${facts.filter(Boolean).join(", ")}`);
  lines.push(`  scores: ${scoreLine(model.scores)}`, "");
  return lines;
}

const shownScores = 10;

function scoreLine(scores: readonly CardScore[]): string {
  if (scores.length === 0) return "none in its card";
  const shown = scores
    .slice(0, shownScores)
    .map(
      ({ task, dataset, metric, value }) => `${dataset || task} ${metric} ${Number(value.toPrecision(4))}`,
    );
  const more = scores.length - shown.length;
  return shown.join("; ") + (more > 0 ? `; ${more} more with --json` : "");
}
