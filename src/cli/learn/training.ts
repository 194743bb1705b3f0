/** What the commands that train share: options of a run, progress, and the line at the end. */
import { availableParallelism } from "node:os";
import type { StepMetrics } from "../../training/metrics.js";
import type { OptionsOf } from "../command.js";
import { counted, formatDuration } from "../format.js";
import { option, positiveInteger, resumption, shared } from "../options.js";
import type { Session } from "../session.js";

/** @param every steps between two checkpoints by default */
export const trainingOptions = <Every extends number>(every: Every) =>
  [
    shared.report,
    ...shared.run,
    option("--checkpoint-every <n>", `steps between two checkpoints (default: ${every})`, positiveInteger),
    option("--resume", "continue an interrupted run from its last checkpoint"),
  ] as const;

type TrainingOptions = OptionsOf<ReturnType<typeof trainingOptions>>;

export function trainingSettings(options: TrainingOptions, { signal, say, show }: Session) {
  return {
    device: options.device,
    threads: options.threads ?? availableParallelism(),
    checkpointEvery: options.checkpointEvery,
    resume: resumption(options.resume),
    signal,
    onNote: say,
    onStep: ({ step }: StepMetrics, steps: number) => show("training", step, steps),
  };
}

interface TrainingReport {
  readonly output: string;
  readonly result: { readonly steps: number; readonly loss?: number };
  readonly resumedAt: number;
}

/** Prints what was written. @param data what was trained on, such as "20 pairs" */
export async function printTraining(
  report: TrainingReport,
  session: Session,
  ...data: string[]
): Promise<void> {
  const { output, result, resumedAt } = report;
  if (resumedAt > 0) session.say(`${counted(resumedAt, "step")} already done by an earlier run`);
  const loss = result.loss === undefined ? [] : [`loss ${result.loss.toFixed(4)}`];
  const parts = [...data, counted(result.steps, "step"), ...loss, formatDuration(session.seconds())];
  session.print(`wrote ${output}: ${parts.join(", ")}`);
  const { steps, loss: lastLoss } = result;
  await session.record({ output, steps, loss: lastLoss, resumedAt });
}
