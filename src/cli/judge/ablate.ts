/** `pearl ablate`: what each part of the method contributes, on a small budget. */
import { availableParallelism } from "node:os";
import { UsageError } from "../../errors.js";
import { alignColumns } from "../../files/text-table.js";
import type { AblationReport } from "../../methods/ablate.js";
import type { RemovablePart } from "../../methods/settings/choices.js";
import { command } from "../command.js";
import { counted } from "../format.js";
import { methodOptions, methodSettings, typesFile } from "../learn/method-options.js";
import { commaSeparated, option, positiveInteger, positiveNumber, required, shared } from "../options.js";

export default command({
  name: "ablate",
  summary: "train the whole method, then once without each of its parts, and compare the scores",
  options: [
    required("--corpus <folder>", "corpus made by pearl corpus build"),
    required("-o, --output <folder>", "models and results; the same command continues an interrupted run"),
    shared.data,
    option("--task <names>", "tasks to score, separated by commas (default: all with data)", commaSeparated),
    option("--parts <names>", "parts to leave out, separated by commas (default: all)", commaSeparated),
    option("--pairs <file>", "table with the columns text and positive: additional positives"),
    ...methodOptions,
    option("--steps <n>", "steps of each run (default: 500)", positiveInteger),
    option(
      "--minutes <n>",
      "minutes to train the whole method, instead of --steps; other runs take as many steps",
      positiveNumber,
    ),
    option("--json <file>", "also write the results as JSON"),
    ...shared.run,
  ],
  examples: [
    ["pearl ablate --corpus corpus/ -o ablation --preset from-scratch", "500 steps for each part"],
    ["pearl ablate --corpus corpus/ -o ablation --parts types,characters --steps 200", "two parts only"],
  ],
  run: async (_, options, session) => {
    const { parts, output, corpus, pairs, minutes, seed, device, json } = options;
    const { removableParts } = await import("../../methods/settings/choices.js");
    const unknown = parts?.find((part) => !(removableParts as readonly string[]).includes(part));
    if (unknown !== undefined) {
      throw new UsageError(`unknown part "${unknown}": use ${removableParts.join(", ")}`);
    }
    const { ablate } = await import("../../methods/ablate.js");
    const { defaultDataFolder } = await import("../../benchmark/data-folder.js");
    let run = "training";
    const report = await ablate({
      ...{ folder: output, corpus, pairs, minutes, seed, device, types: typesFile(options) },
      ...(await methodSettings(options)),
      parts: parts as readonly RemovablePart[] | undefined,
      dataFolder: options.data ?? (await defaultDataFolder()),
      tasks: options.task,
      steps: options.steps ?? (minutes === undefined ? 500 : undefined),
      threads: options.threads ?? availableParallelism(),
      signal: session.signal,
      onNote: session.say,
      onRun: (name, state) => {
        run = name === "whole" ? "the whole method" : `without ${name}`;
        session.say(state === "known" ? `${run}: already done by an earlier run` : `${run}:`);
      },
      onStep: ({ step }, steps) => session.show(run, step, steps),
    });
    session.print(asTable(report));
    if (json === undefined) return;
    const { writeWholeJson } = await import("../../files/whole-file.js");
    await writeWholeJson(json, report);
  },
});

/** Scores × 100; the last column is the loss in the mean without the part. */
function asTable({ runs, steps }: AblationReport): string {
  const tasks = Object.keys(runs[0].scores);
  const points = (score: number | undefined) => (score === undefined ? "" : (100 * score).toFixed(1));
  const rows = runs.map(({ name, scores, mean, cost }) => [
    name === "whole" ? "whole" : `without ${name}`,
    ...tasks.map((task) => points(scores[task])),
    points(mean),
    name === "whole" ? "" : points(cost),
  ]);
  const table = alignColumns([["", ...tasks, "mean", "cost"], ...rows], (column) => column > 0);
  return `${table}\n${counted(steps, "step")} per run; scores × 100; cost: how far the mean falls without the part`;
}
