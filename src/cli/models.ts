/** `pearl models`: which models are on this machine, and what their cards say. */
import type { Command } from "commander";
import type { ModelSummary } from "../encoder/inventory.js";
import type { CardScore } from "../encoder/model-card.js";
import { ModelError } from "../errors.js";
import { formatBytes, formatTable } from "./format.js";
import { addExamples } from "./options.js";

interface ModelsOptions {
  readonly json?: boolean;
}

export function registerModels(program: Command): void {
  const command = program
    .command("models")
    .description("list the models on this machine: embedded, in the hub's cache, in folders you name")
    .argument("[folders...]", "further model folders to look at")
    .option("--json", "print JSON, with every score of the cards")
    .action(async (folders: string[], options: ModelsOptions) => {
      const { listModels } = await import("../encoder/inventory.js");
      const models = await listModels({ folders });
      process.stdout.write(options.json ? `${JSON.stringify({ models }, null, 2)}\n` : describe(models));
      const problems = models.flatMap(({ where, problem }) =>
        where === "folder" && problem ? [problem] : [],
      );
      if (problems.length > 0) throw new ModelError(problems.join("; "));
    });
  addExamples(command, [
    ["pearl models", "what --model can name without a download"],
    ["pearl models ./my-model", "look at a folder too"],
    ["pearl models --json", "everything, for a program"],
  ]);
}

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
  const parts = [formatTable([heading, ...rows], { right: [1, 2] }), ""];
  for (const model of models) parts.push(...details(model));
  parts.push("A hub id that is not listed, such as intfloat/e5-small-v2, is downloaded on its first use.");
  return `${parts.join("\n")}\n`;
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
  if (scores.length === 0) return "its card states none";
  const shown = scores
    .slice(0, shownScores)
    .map(
      ({ task, dataset, metric, value }) => `${dataset || task} ${metric} ${Number(value.toPrecision(4))}`,
    );
  const more = scores.length - shown.length;
  return shown.join("; ") + (more > 0 ? `; ${more} more with --json` : "");
}
