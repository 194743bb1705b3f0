/** `pearl mine`: hard negatives of a corpus, near in spelling and far in meaning. */
import type { Command } from "commander";
import type { MiningProgress } from "../corpus/mining/index.js";
import { formatCount, formatDuration } from "./format.js";
import { interruptionSignal } from "./interruption.js";
import { type EncoderChoice, loadEncoder } from "./load-encoder.js";
import { addDeviceOption, addExamples, addQuietOption, fraction, positiveInteger } from "./options.js";
import { type Progress, startProgress } from "./progress.js";

interface MineCommandOptions extends EncoderChoice {
  readonly ratio?: number;
  readonly margin?: number;
  readonly listed?: number;
  readonly nearest?: number;
  readonly resume?: boolean;
}

export function registerMine(program: Command): void {
  const command = program
    .command("mine")
    .description("find hard negatives of a corpus: phrases spelt alike that mean something else")
    .argument("<corpus>", "corpus folder; its hard-negatives.tsv is written")
    .option("-m, --model <model>", "folder or hub id of the encoder (default: the embedded model)")
    .option("--ratio <r>", "a negative's edit ratio is above this (default: 0.7)", fraction)
    .option("--margin <m>", "edit ratio less scaled cosine is above this (default: 0.3)", fraction)
    .option("--listed <n>", "negatives of a phrase at most, up to 12 (default: 12)", positiveInteger)
    .option("--nearest <n>", "near phrases weighed for each, the nearest (default: 50)", positiveInteger)
    .option("--threads <n>", "CPU threads (default: all)", positiveInteger)
    .option("--resume", "go on where an interrupted run ended");
  addDeviceOption(command);
  addQuietOption(command).action(mine);
  addExamples(command, [
    ["pearl mine corpus/", "with the embedded model, into corpus/hard-negatives.tsv"],
    ["pearl mine corpus/ --model intfloat/e5-small-v2", "the paper's encoder"],
    ["pearl mine corpus/ --resume", "after Ctrl-C or a crash"],
  ]);
}

async function mine(corpus: string, options: MineCommandOptions): Promise<void> {
  const { mineCorpus } = await import("../corpus/mining/index.js");
  const { quiet, threads } = options;
  const say = (text: string): void => {
    if (!quiet) process.stderr.write(`${text}\n`);
  };
  const signal = interruptionSignal();
  const bars: Record<MiningProgress["step"], Progress> = {
    encoding: await startProgress({ label: "encoding", quiet }),
    mining: await startProgress({ label: "mining", quiet }),
  };
  const started = performance.now();
  const finish = (): void => {
    for (const bar of Object.values(bars)) bar.finish();
  };
  try {
    const encoder = await loadEncoder(options, signal);
    const report = await mineCorpus(corpus, {
      ...{ encoder, threads, signal },
      ...{ minimumRatio: options.ratio, margin: options.margin, listed: options.listed },
      nearest: options.nearest,
      resume: options.resume ? "continue" : "start-over",
      onProgress: ({ step, done, total }) => {
        if (step === "mining") bars.encoding.finish();
        bars[step].update(done, total);
      },
      onNote: say,
    });
    await encoder.dispose();
    finish();
    if (report.resumedAt > 0) say(`${formatCount(report.resumedAt)} phrases were done by an earlier run`);
    if (report.full > 0) {
      const nearest = options.nearest ?? 50;
      say(
        `${formatCount(report.full)} phrases have ${nearest} near phrases or more: the nearest were weighed`,
      );
    }
    if (report.negatives === 0) say(nothingFound(report));
    process.stdout.write(
      `wrote ${report.path}: ${formatCount(report.negatives)} hard negatives of ` +
        `${formatCount(report.withNegatives)} of ${formatCount(report.phrases)} phrases, ` +
        `${formatDuration((performance.now() - started) / 1000)}\n`,
    );
  } finally {
    finish();
  }
}

function nothingFound({ phrases, candidates }: { phrases: number; candidates: number }): string {
  return candidates === 0
    ? `no two of the ${formatCount(phrases)} phrases are spelt alike: a larger corpus has hard negatives`
    : "phrases spelt alike were found, but none is far in meaning: lower --margin lists more";
}
