/** `pearl ablate`: what each part of the method, each setting of a grid, or each base contributes, on a small budget. */
import { availableParallelism } from "node:os";
import { InvalidArgumentError } from "commander";
import { UsageError } from "../../errors.js";
import { alignColumns } from "../../files/text-table.js";
import type { AblationReport, AblationRun } from "../../methods/ablate.js";
import type { GridPoint, GridSetting, RemovablePart } from "../../methods/settings/choices.js";
import { refuseStreams } from "../addresses.js";
import { command, type OptionsOf } from "../command.js";
import { counted } from "../format.js";
import { checkShape, checkTypes, methodSettings, recipeOptions } from "../learn/training.js";
import {
  commaSeparated,
  fileEndingIn,
  many,
  option,
  positiveInteger,
  positiveNumber,
  required,
  shared,
} from "../options.js";

/** Parser of `temperature=0.03,0.07,0.2`; repeatable. */
function gridAxis(text: string, previous: readonly GridPoint[] = []): GridPoint[] {
  const [setting, list = "", ...rest] = text.split("=");
  const values = list.split(",").map((value) => (value.trim() === "" ? Number.NaN : Number(value)));
  if (rest.length > 0 || values.some((value) => !Number.isFinite(value)))
    throw new InvalidArgumentError("It must be SETTING=VALUE,VALUE,..., such as temperature=0.03,0.07,0.2.");
  return [...previous, ...values.map((value) => ({ setting: setting as GridSetting, value }))];
}

const options = [
  required("--corpus <folder>", "corpus made by pearl corpus build"),
  required("-o, --output <folder>", "models and results; the same command continues an interrupted run"),
  shared.data,
  option("--task <names>", "tasks to score, separated by commas (default: all with data)", commaSeparated),
  option("--parts <names>", "parts to leave out, separated by commas (default: all)", commaSeparated),
  option("--grid <setting=values>", "settings instead, as temperature=0.03,0.07,0.2; repeatable", gridAxis),
  many("--base <model>", "model to start from; two or more are compared, as they are and trained"),
  option("--seeds <n>", "trainings of each run, for mean and deviation (default: 1)", positiveInteger),
  option("--pairs <file>", "table with the columns text and positive: additional positives"),
  option("--types <file>", "table of phrase and type, for pairs without a type"),
  ...recipeOptions,
  option("--steps <n>", "steps of each run (default: 500)", positiveInteger).conflicts(["epochs", "minutes"]),
  option(
    "--minutes <n>",
    "time of the whole method; other runs take as many steps",
    positiveNumber,
  ).conflicts("epochs"),
  option("--json <file>", "also write the results as JSON"),
  option("--plot <file>", "also draw the grid (.svg)", fileEndingIn(".svg")),
  ...shared.run,
] as const;

export default command({
  name: "ablate",
  summary:
    "train the whole method, then without each part, on a grid, or from other bases, and compare the scores",
  options,
  examples: [
    ["pearl ablate --corpus corpus/ -o ablation --preset from-scratch", "500 steps for each part"],
    ["pearl ablate --corpus corpus/ -o ablation --parts types,characters --steps 200", "two parts only"],
    ["pearl ablate --corpus corpus/ -o grid --grid temperature=0.03,0.2 --seeds 3", "three trainings each"],
    ["pearl ablate --corpus corpus/ -o bases --base ./bert --base ./e5", "two bases, before and after"],
  ],
  run: async (_, options, session) => {
    refuseStreams(options.output);
    checkTypes(options);
    await checkUse(options);
    const { parts, minutes, epochs, json, base: bases = [] } = options;
    const { ablate, gridChart } = await import("../../methods/ablate.js");
    const { defaultDataFolder } = await import("../../benchmark/data-folder.js");
    const chosen = await methodSettings({ ...options, base: bases[0] });
    checkShape({ ...options, base: bases[0] }, bases.length > 0 ? bases : [chosen.settings.base]);
    let run = "training";
    const report = await ablate({
      ...{ ...options, folder: options.output },
      ...chosen,
      bases: bases.length > 1 ? bases : undefined,
      parts: parts as readonly RemovablePart[] | undefined,
      dataFolder: options.data ?? (await defaultDataFolder()),
      tasks: options.task,
      steps: options.steps ?? ((minutes ?? epochs) === undefined ? 500 : undefined),
      threads: options.threads ?? availableParallelism(),
      signal: session.signal,
      onNote: session.say,
      onRun: (name, state) => {
        run = titleOf({ name, against: parts?.includes(name) ? "whole" : undefined });
        session.say(state === "known" ? `${run}: already done by an earlier run` : `${run}:`);
      },
      onStep: ({ step }, steps) => session.show(run, step, steps),
    });
    session.print(asTable(report));
    const { writeJsonOutput, writeOutput } = await import("../../table/trouble.js");
    if (json !== undefined) await writeJsonOutput(json, report);
    if (options.plot !== undefined) await writeOutput(options.plot, gridChart(report));
  },
});

/** Refuses unknown names and combinations before anything is trained. */
async function checkUse({ parts, grid = [], base = [], plot }: OptionsOf<typeof options>): Promise<void> {
  const { gridSettings, removableParts } = await import("../../methods/settings/choices.js");
  const unknown = parts?.find((part) => !(removableParts as readonly string[]).includes(part));
  if (unknown !== undefined)
    throw new UsageError(`unknown part "${unknown}": use ${removableParts.join(", ")}`);
  const odd = grid.find(({ setting }) => !gridSettings.includes(setting));
  if (odd !== undefined)
    throw new UsageError(`a grid cannot vary "${odd.setting}": use ${gridSettings.join(", ")}`);
  if (base.length > 1 && (parts !== undefined || grid.length > 0))
    throw new UsageError("several --base are compared with each other: leave out --parts and --grid");
  if (plot !== undefined && grid.length === 0)
    throw new UsageError("--plot draws a grid: add --grid SETTING=VALUES");
}

const titleOf = ({ name, against, point }: Pick<AblationRun, "name" | "against" | "point">): string => {
  if (name === "whole") return "the whole method";
  if (name.endsWith("-trained")) return `${name.slice(0, -"-trained".length)}, trained`;
  return against === undefined || point ? name : `without ${name}`;
};

/** Scores × 100, with the deviation over seeds; the last column is the loss in the mean against the run compared with. */
function asTable({ runs, steps, seeds }: AblationReport): string {
  const tasks = Object.keys(runs[0].scores);
  const points = (score: number | undefined, deviation?: number) =>
    score === undefined
      ? ""
      : `${(100 * score).toFixed(1)}${deviation === undefined ? "" : ` ± ${(100 * deviation).toFixed(1)}`}`;
  const rows = runs.map((run) => [
    run.name === "whole" ? "whole" : titleOf(run),
    ...tasks.map((task) => points(run.scores[task], run.deviations?.[task])),
    points(run.mean, run.deviation),
    run.against === undefined ? "" : points(run.cost),
  ]);
  const table = alignColumns([["", ...tasks, "mean", "cost"], ...rows], (column) => column > 0);
  const trainings = seeds > 1 ? `, ${seeds} trainings each (mean ± standard deviation)` : "";
  const cost = "cost: how far the mean falls, against the whole method or the untrained base";
  return `${table}\n${counted(steps, "step")} per run${trainings}; scores × 100; ${cost}`;
}
