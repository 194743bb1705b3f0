/** Says what a training is going to do before its first step, and asks before one that takes long. */
import { createInterface } from "node:readline/promises";
import { PearlError } from "../../errors.js";
import { alignColumns } from "../../files/text-table.js";
import type { RunPlan } from "../../training/run.js";
import { counted, formatBytes, formatCount, formatDuration, formatPercent } from "../format.js";
import type { Session } from "../session.js";

/** Seconds that a training may take without being asked for. */
const longest = 600;

export function runPlanText({ summary, parameters, ...plan }: RunPlan): string {
  return alignColumns([
    ["model", `${summary ? `${summary.model}, ` : ""}${counted(parameters, "trainable parameter")}`],
    ...(summary ? [["data", summary.data]] : []),
    ...stepLines(plan),
  ]);
}

/** Steps, time and memory of a plan, as rows of a table. */
export const stepLines = ({
  steps,
  learningRate,
  step,
  seconds,
}: Omit<RunPlan, "summary" | "parameters">): string[][] => [
  ["steps", `${formatCount(steps)}, learning rate ${learningRate}`],
  ["one step", `${formatDuration(step.seconds)}, ${formatPercent(step.waiting, 0)} of it waiting for data`],
  ["training", `about ${formatDuration(seconds)}, after loading and preparing`],
  ["memory", formatBytes(step.memory)],
];

interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/**
 * Prints the plan. On a terminal it asks before a long training, unless the user has agreed with --yes or has set the
 * time herself; without one, as in a script, the training starts.
 * @throws PearlError where she declines
 */
export const announcePlan =
  (
    { yes, minutes }: { readonly yes?: true; readonly minutes?: number },
    { say, signal }: Pick<Session, "say" | "signal">,
    { input, output }: Terminal = { input: process.stdin, output: process.stderr },
  ) =>
  async (plan: RunPlan): Promise<void> => {
    say(runPlanText(plan));
    const isAgreed = plan.seconds <= longest || yes || minutes !== undefined;
    if (isAgreed || !input.isTTY || !output.isTTY) return;
    const question = `This takes about ${formatDuration(plan.seconds)}. Start? [y/N] `;
    if (/^y(es)?$/i.test(await ask(question, { input, output }, signal))) return;
    throw new PearlError(
      "nothing was trained or written. --yes starts without this question, --minutes 10 trains for ten minutes.",
    );
  };

/** The answer; "" at the end of input. */
async function ask(question: string, terminal: Terminal, signal: AbortSignal): Promise<string> {
  const lines = createInterface(terminal);
  // readline reads Ctrl-C as a key, so no signal arrives
  lines.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  const ended = new Promise<string>((resolve) => lines.on("close", () => resolve("")));
  try {
    return (await Promise.race([lines.question(question, { signal }), ended])).trim();
  } finally {
    lines.close();
    signal.throwIfAborted();
  }
}
