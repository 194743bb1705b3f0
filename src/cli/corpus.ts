/** `pearl corpus`: phrases out of text into a folder to train on, and what such a folder holds. */
import type { Command } from "commander";
import type { BuildCorpusReport, BuildStage, CorpusManifest, CorpusSample } from "../corpus/index.js";
import { formatCount, formatDuration, formatTable } from "./format.js";
import { interruptionSignal } from "./interruption.js";
import { addExamples, addQuietOption, positiveInteger, repeatable } from "./options.js";
import { type Progress, startProgress } from "./progress.js";

interface BuildCommandOptions {
  readonly output: string;
  readonly column?: string;
  readonly phrases?: string[];
  readonly synonyms?: string[];
  readonly types?: string[];
  readonly nerModel?: string;
  readonly wordnet?: boolean;
  readonly minCount?: number;
  readonly maxPhrases?: number;
  readonly skip?: string[];
  readonly quotes: boolean;
  readonly threads?: number;
  readonly resume?: boolean;
  readonly quiet?: boolean;
}

export function registerCorpus(program: Command): void {
  const command = program
    .command("corpus")
    .description("find the phrases of a text, with their classes, types and counts, to train on");
  registerBuild(command);
  registerStats(command);
  addExamples(command, [
    ["pearl corpus build articles.txt -o corpus", "a corpus from text"],
    ["pearl corpus build -o corpus", "one from WordNet alone"],
    ["pearl corpus stats corpus", "what is in it"],
  ]);
}

function registerBuild(corpus: Command): void {
  const command = corpus
    .command("build")
    .description("build a corpus folder from text, tables of phrases, or WordNet where neither is given")
    .argument("[text...]", 'plain text, or .csv, .tsv, .jsonl, .parquet; also .gz; "-" is standard input')
    .requiredOption("-o, --output <folder>", "the corpus folder; nothing may be there yet")
    .option("--column <name>", "column of text in tables, name or number (default: the longest cells)")
    .option("--phrases <file>", "table of phrases with class, type, count; repeatable", repeatable)
    .option("--synonyms <file>", "table of pairs that mean the same; repeatable", repeatable)
    .option("--types <file>", "list of phrases and types (OntoNotes, CoNLL, spaCy); repeatable", repeatable)
    .option("--ner-model <model>", "token-classification model for what is left: a folder or hub id")
    .option("--wordnet", "add WordNet's lemmas, glosses and synonyms to other input")
    .option("--min-count <n>", "drop phrases of text that are met less often (default: 2)", positiveInteger)
    .option("--max-phrases <n>", "keep the most frequent only (default: 5000000)", positiveInteger)
    .option("--skip <start>", "leave out rows of tables with a cell that begins so; repeatable", repeatable)
    .option("--no-quotes", "quotes in tables are ordinary characters")
    .option("--threads <n>", "worker threads (default: all cores)", positiveInteger)
    .option("--resume", "go on with an interrupted run of the same text");
  addQuietOption(command).action(build);
  addExamples(command, [
    ["pearl corpus build articles.txt news.tsv.gz -o corpus", "phrases met twice or more"],
    ["pearl corpus build wiki.parquet --column text -o corpus", "text from a column"],
    ["pearl corpus build news.txt --types people.tsv -o corpus", "with types that you know"],
    ["pearl corpus build --phrases names.tsv --synonyms aliases.tsv -o corpus", "from tables alone"],
    ["pearl corpus build -o corpus", "WordNet: lemmas, glosses, synonyms"],
  ]);
}

function registerStats(corpus: Command): void {
  const command = corpus
    .command("stats")
    .description("what is in a corpus folder")
    .argument("<folder>", "a folder made by pearl corpus build")
    .option("--json", "print JSON");
  command.action(stats);
  addExamples(command, [
    ["pearl corpus stats corpus", "counts by class and type, with examples"],
    ["pearl corpus stats corpus --json", "the same for programs"],
  ]);
}

const stages: Record<BuildStage, { label: string; unit: "bytes" | "phrases" }> = {
  reading: { label: "finding phrases", unit: "bytes" },
  merging: { label: "merging", unit: "phrases" },
  typing: { label: "typing", unit: "phrases" },
};

async function build(texts: string[], options: BuildCommandOptions): Promise<void> {
  const { buildCorpus } = await import("../corpus/build-corpus.js");
  const { quiet } = options;
  const say = (text: string): void => {
    if (!quiet) process.stderr.write(`${text}\n`);
  };
  const bars = {} as Record<BuildStage, Progress>;
  for (const stage of Object.keys(stages) as BuildStage[])
    bars[stage] = await startProgress({ ...stages[stage], quiet });
  let current: BuildStage | undefined;
  const started = performance.now();
  try {
    const report = await buildCorpus({
      ...{ output: options.output, texts, column: options.column, phrases: options.phrases },
      ...{ synonyms: options.synonyms, types: options.types, nerModel: options.nerModel },
      ...{ minimumCount: options.minCount, maximumPhrases: options.maxPhrases, skip: options.skip },
      wordnet: options.wordnet ? "included" : undefined,
      quote: options.quotes ? "double" : "none",
      threads: options.threads,
      resume: options.resume ? "continue" : "start-over",
      signal: interruptionSignal(),
      onNote: say,
      onProgress: (stage, done, total) => {
        if (current !== undefined && current !== stage) bars[current].finish();
        current = stage;
        bars[stage].update(done, total);
      },
    });
    for (const bar of Object.values(bars)) bar.finish();
    sayReport(report, say);
    const { phrases, occurrences, byType } = report.manifest.counts;
    const typed = phrases - byType.unknown;
    process.stdout.write(
      `wrote ${options.output}: ${formatCount(phrases)} phrases, met ${formatCount(occurrences)} times, ` +
        `${formatCount(typed)} with a type, ${formatDuration((performance.now() - started) / 1000)}\n`,
    );
  } finally {
    for (const bar of Object.values(bars)) bar.finish();
  }
}

function sayReport(report: BuildCorpusReport, say: (text: string) => void): void {
  if (report.resumedBlocks > 0)
    say(`${formatCount(report.resumedBlocks)} blocks of text were counted by an earlier run`);
  if (report.words > 0)
    say(
      `${formatCount(report.words)} words read; ${formatCount(report.droppedRare)} phrases met too seldom were dropped`,
    );
  if (report.droppedBeyond > 0)
    say(`${formatCount(report.droppedBeyond)} of the rarest phrases were left out (--max-phrases)`);
  const shares = Object.entries(report.typedBy).sort((left, right) => right[1] - left[1]);
  if (shares.length > 0)
    say(`types from: ${shares.map(([source, count]) => `${source} ${formatCount(count)}`).join(", ")}`);
}

async function stats(folder: string, { json }: { readonly json?: boolean }): Promise<void> {
  const { readCorpus, sampleCorpus } = await import("../corpus/index.js");
  const corpus = await readCorpus(folder);
  const sample = sampleCorpus(corpus);
  process.stdout.write(
    json
      ? `${JSON.stringify({ ...corpus.manifest, ...sample }, null, 2)}\n`
      : `${statsText(folder, corpus.manifest, sample)}\n`,
  );
}

function statsText(folder: string, manifest: CorpusManifest, sample: CorpusSample): string {
  const { counts, sources, fingerprint } = manifest;
  const share = (count: number): string => `${((100 * count) / Math.max(counts.phrases, 1)).toFixed(1)} %`;
  const table = (
    heading: string,
    rows: Readonly<Record<string, number>>,
    examples: Readonly<Record<string, string[]>>,
  ): string =>
    formatTable(
      [
        [heading, "phrases", "share", "most frequent"],
        ...Object.entries(rows)
          .filter(([, count]) => count > 0)
          .map(([name, count]) => [
            name,
            formatCount(count),
            share(count),
            (examples[name] ?? []).join(" | "),
          ]),
      ],
      { right: [1, 2] },
    );
  const words = sample.byWords.map(
    (count, index) => `${index + 1}${index + 1 === sample.byWords.length ? "+" : ""}: ${share(count)}`,
  );
  const [least, lower, median, upper, most] = sample.countQuartiles.map(formatCount);
  return [
    `${folder}: ${formatCount(counts.phrases)} phrases, met ${formatCount(counts.occurrences)} times, ` +
      `${formatCount(counts.synonymPairs)} pairs of synonyms; fingerprint ${fingerprint}`,
    `made from: ${sources.map(({ name, kind }) => `${name} (${kind})`).join(", ") || "nothing recorded"}`,
    `words in a phrase: ${words.join(", ")}`,
    `times met: least ${least}, quarter ${lower}, median ${median}, three quarters ${upper}, most ${most}`,
    "",
    table("class", counts.byClass, sample.frequentByClass),
    "",
    table("type", counts.byType, sample.frequentByType),
  ].join("\n");
}
