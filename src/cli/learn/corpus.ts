/** `pearl corpus`: extracts phrases from text into a folder to train on, and describes such a folder. */
import type { BuildCorpusReport } from "../../corpus/build-corpus.js";
import type { CorpusManifest, CorpusSample } from "../../corpus/corpus-folder.js";
import { UsageError } from "../../errors.js";
import type { Sharing } from "../../files/shards/shard.js";
import { alignColumns } from "../../files/text-table.js";
import { formatOfName } from "../../table/format.js";
import { refuseStandardOutput } from "../addresses.js";
import { type AnyCommand, command } from "../command.js";
import { counted, formatCount, formatDuration, formatPercent } from "../format.js";
import { many, option, positiveInteger, required, shared } from "../options.js";
import type { Session } from "../session.js";
import { checkShare, shardOption, shareWork } from "../shards/sharing.js";

/** @throws UsageError for a column where every text is plain */
export function checkColumn(column: string | undefined, texts: readonly string[]): void {
  if (column === undefined || texts.some((path) => ![undefined, "text"].includes(formatOfName(path)))) return;
  throw new UsageError(
    "--column is for tables of text (.csv, .tsv, .jsonl, .parquet); plain text has no columns. Leave it out.",
  );
}

const stages = {
  reading: ["finding phrases", "bytes"],
  merging: ["merging", "phrases"],
  typing: ["typing", "phrases"],
} as const;

const build = command({
  name: "build",
  summary: "build a corpus folder from text, from tables of phrases, or without either from WordNet",
  arguments: [["[text...]", "plain text, .csv, .tsv, .jsonl or .parquet, also .gz; - reads standard input"]],
  options: [
    required("-o, --output <folder>", "the corpus folder; it must not exist yet"),
    option("--column <name>", "column of text in tables (default: the one with the longest cells)"),
    many("--phrases <file>", "table of phrases with class, type, count"),
    many("--synonyms <file>", "table of pairs that mean the same"),
    many("--types <file>", "list of phrases and types (OntoNotes, CoNLL, spaCy)"),
    option("--ner-model <model>", "token-classification model for phrases without a type: folder or hub id"),
    option("--wordnet", "also add WordNet's lemmas, glosses and synonyms"),
    option("--min-count <n>", "drop phrases that occur less often in the text (default: 2)", positiveInteger),
    option(
      "--max-phrases <n>",
      "keep the n most frequent, first those of tables (default: 5000000)",
      positiveInteger,
    ),
    many("--skip <start>", "skip table rows with a cell that starts with this"),
    shared.noQuotes,
    shardOption,
    shared.report,
    shared.threads,
    shared.quiet,
  ],
  examples: [
    ["pearl corpus build articles.txt news.tsv.gz -o corpus", "phrases that occur at least twice"],
    ["pearl corpus build wiki.parquet --column text -o corpus", "text from a column"],
    ["pearl corpus build news.txt --types people.tsv -o corpus", "with types that you know"],
    ["pearl corpus build --phrases names.tsv --synonyms aliases.tsv -o corpus", "from tables alone"],
    ["pearl corpus build -o corpus", "WordNet: lemmas, glosses, synonyms"],
  ],
  run: async ([texts], options, session) => {
    const { buildCorpus } = await import("../../corpus/build-corpus.js");
    const { output, column, phrases, synonyms, types, nerModel, skip, threads } = options;
    const inputs = [texts, phrases, synonyms, types].flatMap((files) => files ?? []);
    checkColumn(column, texts);
    refuseStandardOutput(output, "corpus");
    const run = { command: "corpus build", arguments: [texts], options, inputs, stem: "corpus" };
    checkShare(run);
    const build = (sharing?: Sharing) =>
      buildCorpus({
        // A shard's folder never appears under its name.
        output: sharing?.kind === "shard" ? `${output}.folder` : output,
        ...{ sharing, texts, column, phrases, synonyms, types, nerModel, skip, threads },
        ...{ minimumCount: options.minCount, maximumPhrases: options.maxPhrases },
        wordnet: options.wordnet ? "included" : undefined,
        quote: options.quotes ? "double" : "none",
        signal: session.signal,
        onNote: session.say,
        onProgress: (stage, done, total) => session.show(stages[stage][0], done, total, stages[stage][1]),
      });
    const report = await shareWork(run, undefined, session, build);
    if (report === undefined) return;
    sayReport(report, session);
    await session.record(report);
    const { counts } = report.manifest;
    const found = `${counted(counts.phrases, "phrase")}, ${counted(counts.occurrences, "occurrence")}`;
    const typed = `${formatCount(counts.phrases - counts.byType.unknown)} with a type`;
    session.print(`wrote ${output}: ${found}, ${typed}, ${formatDuration(session.seconds())}`);
  },
});

const stats = command({
  name: "stats",
  summary: "describe a corpus folder",
  arguments: [["<folder>", "a folder made by pearl corpus build"]],
  options: [shared.json],
  examples: [
    ["pearl corpus stats corpus", "counts by class and type, with examples"],
    ["pearl corpus stats corpus --json", "the same for a program"],
  ],
  run: async ([folder], { json }, session) => {
    const { readCorpus, sampleCorpus } = await import("../../corpus/corpus-folder.js");
    const corpus = await readCorpus(folder);
    const sample = sampleCorpus(corpus);
    if (json) session.printJson({ ...corpus.manifest, ...sample });
    else session.print(statsText(folder, corpus.manifest, sample));
  },
});

export default {
  name: "corpus",
  summary: "extract phrases from text, with class, type and count, to train on",
  commands: [build, stats],
  examples: [
    ["pearl corpus build articles.txt -o corpus", "a corpus from text"],
    ["pearl corpus build -o corpus", "a corpus from WordNet alone"],
    ["pearl corpus stats corpus", "what it contains"],
  ],
} satisfies AnyCommand;

function sayReport(report: BuildCorpusReport, { say }: Session): void {
  const { words, droppedRare, droppedBeyond } = report;
  if (words > 0)
    say(`${counted(words, "word")} read; ${counted(droppedRare, "rare phrase")} dropped (--min-count)`);
  if (droppedBeyond > 0) say(`${counted(droppedBeyond, "less frequent phrase")} dropped (--max-phrases)`);
  const sources = Object.entries(report.typedBy).sort((left, right) => right[1] - left[1]);
  if (sources.length === 0) return;
  say(`types from: ${sources.map(([source, count]) => `${source} ${formatCount(count)}`).join(", ")}`);
}

function statsText(folder: string, manifest: CorpusManifest, sample: CorpusSample): string {
  const { counts, sources, fingerprint } = manifest;
  const share = (count: number): string => formatPercent(count / Math.max(counts.phrases, 1));
  const table = (
    heading: string,
    rows: Readonly<Record<string, number>>,
    examples: Readonly<Record<string, string[]>>,
  ): string => {
    const cells = Object.entries(rows)
      .filter(([, count]) => count > 0)
      .map(([name, count]) => [name, formatCount(count), share(count), (examples[name] ?? []).join(" | ")]);
    const isNumber = (column: number) => column === 1 || column === 2;
    return alignColumns([[heading, "phrases", "share", "most frequent"], ...cells], isNumber);
  };
  const last = sample.byWords.length - 1;
  const words = sample.byWords.map((count, row) => `${row + 1}${row === last ? "+" : ""}: ${share(count)}`);
  const [least, lower, median, upper, most] = sample.countQuartiles.map(formatCount);
  return [
    `${folder}: ${counted(counts.phrases, "phrase")}, ${counted(counts.occurrences, "occurrence")}, ` +
      `${counted(counts.synonymPairs, "synonym pair")}; fingerprint ${fingerprint}`,
    `made from: ${sources.map(({ name, kind }) => `${name} (${kind})`).join(", ") || "nothing recorded"}`,
    `words per phrase: ${words.join(", ")}`,
    `occurrences per phrase: least ${least}, first quartile ${lower}, median ${median}, third quartile ${upper}, most ${most}`,
    "",
    table("class", counts.byClass, sample.frequentByClass),
    "",
    table("type", counts.byType, sample.frequentByType),
  ].join("\n");
}
