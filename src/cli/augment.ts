/** `pearl augment`: twins of phrases with the rule that made each; of a table, into a table. */
import { stat } from "node:fs/promises";
import { basename, extname } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import type {
  AugmentationSettings,
  Augmenter,
  AugmentTableReport,
  PresetName,
  Probabilities,
  Twin,
} from "../corpus/augmentation/index.js";
import { rulesOfTwin } from "../corpus/augmentation/rule.js";
import { PRESETS } from "../corpus/augmentation/settings.js";
import { UsageError } from "../errors.js";
import { formatCount, formatTable } from "./format.js";
import { interruptionSignal } from "./interruption.js";
import {
  addExamples,
  addQuietOption,
  fraction,
  positiveInteger,
  repeatable,
  wholeNumber,
} from "./options.js";
import { startProgress } from "./progress.js";

interface AugmentCommandOptions {
  readonly output?: string;
  readonly column?: string;
  readonly seed: number;
  readonly count?: number;
  readonly preset: PresetName;
  readonly probabilities?: Probabilities;
  readonly draw?: boolean;
  readonly paraphrases?: readonly string[];
  readonly synonyms?: readonly string[];
  readonly acronyms?: readonly string[];
  readonly wordVectors?: number | true;
  readonly wordnet: boolean;
  readonly paraphraseModel?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function registerAugment(program: Command): void {
  const command = program
    .command("augment")
    .description(
      "make twins of phrases: typing errors, synonyms, paraphrases, each with the rule that made it",
    )
    .argument(
      "<phrase...>",
      "phrases, or a table of phrases (CSV, TSV, JSONL, Parquet, plain text; - reads standard input)",
    )
    .option("-o, --output <file>", "for a table: .csv, .tsv or .jsonl (default: NAME.twins.csv)")
    .option("-c, --column <name>", "the column that holds the phrases, by name or number from 1")
    .option("--seed <n>", "of all that is drawn", wholeNumber, 1)
    .option(
      "--count <n>",
      "twins of each rule (default: 3); drawn: of each phrase (default: 1)",
      positiveInteger,
    )
    .option("--draw", "draw twins by the probabilities, as training does, and as a table's always are")
    .addOption(
      new Option("--preset <name>", "probabilities and their manner")
        .choices(Object.keys(PRESETS))
        .default("house"),
    )
    .option("--probabilities <k=v,...>", "such as character=.3,synonym=.2,year=.1", probabilitiesOf)
    .option("--paraphrases <file>", "a table of phrase and paraphrase; may be repeated", repeatable)
    .option("--synonyms <file>", "a table of phrase and synonym, such as a corpus' synonyms.tsv", repeatable)
    .option("--acronyms <file>", "a table of short and long form; may be repeated", repeatable)
    .option(
      "--word-vectors [threshold]",
      "near words by word vectors, of at least this cosine (0.8)",
      fraction,
    )
    .option("--no-wordnet", "no synonyms from WordNet")
    .option("--paraphrase-model <model>", "write the table's paraphrases by this text-to-text model instead")
    .option("--json", "as JSON");
  addQuietOption(command).action(augment);
  addExamples(command, [
    ['pearl augment "The New York Times"', "what every rule makes of it"],
    [
      'pearl augment "heart attack" --draw --count 10 --preset pearl',
      "ten twins as PEARL's training draws them",
    ],
    [
      'pearl augment "William Jefferson Clinton" --draw --count 10 --preset names',
      "as two tables write one name differently",
    ],
    ["pearl augment phrases.csv -o twins.csv", "a twin of each phrase of a table"],
    ["pearl augment names.txt --probabilities initials=1,year=1", "by these two rules alone"],
    [
      "pearl augment phrases.csv --paraphrase-model Xenova/flan-t5-small -o para.tsv",
      "a file for --paraphrases",
    ],
  ]);
}

/** Parser of `character=.3,year=.1`; names are checked where the settings are. */
function probabilitiesOf(text: string): Probabilities {
  const entries = text.split(",").map((part) => {
    const [name, value, ...rest] = part.split("=");
    const weight = Number(value);
    if (rest.length > 0 || !value?.trim() || !(weight >= 0 && Number.isFinite(weight))) {
      throw new InvalidArgumentError(`"${part}" is not NAME=NUMBER, as in character=.3,synonym=.2.`);
    }
    return [name.trim(), weight] as const;
  });
  return Object.fromEntries(entries);
}

async function augment(phrases: string[], options: AugmentCommandOptions): Promise<void> {
  const isTable = phrases.length === 1 && (await isFile(phrases[0]));
  if (options.paraphraseModel !== undefined) {
    if (!isTable) throw new UsageError("--paraphrase-model needs a table of phrases");
    return writeModelParaphrases(phrases[0], options.paraphraseModel, options);
  }
  if (!isTable && options.output !== undefined) {
    throw new UsageError(`-o needs a table of phrases, and there is no file ${phrases[0]}`);
  }
  if (!isTable && phrases.length === 1 && /^\S+\.(?:csv|tsv|jsonl|parquet|txt|gz)$/i.test(phrases[0])) {
    tell(options, `there is no file ${phrases[0]}: it is taken as a phrase`);
  }
  if (isTable) return augmentFile(phrases[0], options);
  const augmenter = await load(options);
  await show(augmenter, phrases, options);
}

async function isFile(path: string): Promise<boolean> {
  return path === "-" || ((await stat(path).catch(() => undefined))?.isFile() ?? false);
}

async function load(options: AugmentCommandOptions): Promise<Augmenter> {
  const { createAugmenter } = await import("../corpus/augmentation/index.js");
  const { preset, probabilities, paraphrases, synonyms, acronyms, wordVectors, wordnet } = options;
  const settings: AugmentationSettings = {
    preset,
    probabilities,
    wordNet: wordnet ? undefined : "off",
    wordVectors: wordVectors === undefined ? "off" : wordVectors === true ? {} : { threshold: wordVectors },
    paraphraseFiles: paraphrases ?? [],
    synonymFiles: synonyms ?? [],
    acronymFiles: acronyms ?? [],
  };
  return createAugmenter(settings);
}

async function show(
  augmenter: Augmenter,
  phrases: readonly string[],
  options: AugmentCommandOptions,
): Promise<void> {
  const { createRandom } = await import("../random.js");
  const random = createRandom(options.seed);
  const listed = phrases.map((phrase) => ({
    phrase,
    twins: options.draw
      ? Array.from({ length: options.count ?? 1 }, () => augmenter.augment(phrase, random))
      : augmenter.all(phrase, { random, count: options.count ?? 3 }),
  }));
  if (options.json) {
    process.stdout.write(`${JSON.stringify(listed, null, 2)}\n`);
    return;
  }
  for (const { phrase, twins } of listed) {
    if (listed.length > 1) process.stdout.write(`${phrase}\n`);
    if (twins.length === 0) tell(options, `no rule applies to "${phrase}"`);
    else process.stdout.write(`${formatTwins(twins)}\n`);
  }
}

function formatTwins(twins: readonly Twin[]): string {
  const rows = twins.map((twin) => [rulesOfTwin(twin).join("+"), twin.granularity, twin.text]);
  return formatTable([["rule", "granularity", "twin"], ...rows]);
}

async function augmentFile(path: string, options: AugmentCommandOptions): Promise<void> {
  const { augmentTable } = await import("../corpus/augmentation/index.js");
  const { Table } = await import("../table/index.js");
  const table = await Table.open(path, { column: options.column });
  const progress = await startProgress({ label: "augmenting", quiet: options.quiet });
  try {
    tell(options, table.description.summary);
    const augmenter = await load(options);
    const report = await augmentTable(table, options.output ?? `${stem(path)}.twins.csv`, augmenter, {
      count: options.count,
      seed: options.seed,
      signal: interruptionSignal(),
      onProgress: progress.update,
    });
    progress.finish();
    tell(options, byRule(report));
    const line = `wrote ${report.path}: ${formatCount(report.twins)} twins of ${formatCount(report.phrases)} phrases`;
    const text = options.json ? JSON.stringify(report, null, 2) : `${line}, ${percent(report)} unchanged`;
    process.stdout.write(`${text}\n`);
  } finally {
    progress.finish();
    await table.close();
  }
}

function byRule({ byRule: counts }: AugmentTableReport): string {
  const entries = Object.entries(counts).filter(([, count]) => count > 0);
  entries.sort(([, left], [, right]) => right - left);
  return entries.map(([rule, count]) => `${rule} ${formatCount(count)}`).join(", ");
}

function percent({ twins, unchanged }: AugmentTableReport): string {
  return `${((100 * unchanged) / Math.max(twins, 1)).toFixed(1)} %`;
}

async function writeModelParaphrases(
  path: string,
  model: string,
  options: AugmentCommandOptions,
): Promise<void> {
  const { loadParaphraser, writeParaphrases } = await import("../corpus/augmentation/index.js");
  const { Table } = await import("../table/index.js");
  const table = await Table.open(path, { column: options.column });
  const phrases: string[] = [];
  try {
    for await (const chunk of table.phrases()) phrases.push(...chunk);
  } finally {
    await table.close();
  }
  const generate = await loadParaphraser(model);
  const progress = await startProgress({ label: "paraphrasing", quiet: options.quiet });
  try {
    const report = await writeParaphrases(
      phrases,
      options.output ?? `${stem(path)}.paraphrases.tsv`,
      generate,
      {
        count: options.count,
        signal: interruptionSignal(),
        onProgress: progress.update,
      },
    );
    progress.finish();
    if (report.resumed > 0)
      tell(options, `${formatCount(report.resumed)} phrases were finished by an earlier run`);
    process.stdout.write(
      `wrote ${report.path}: ${formatCount(report.pairs)} paraphrases of ${formatCount(report.phrases)} phrases\n`,
    );
  } finally {
    progress.finish();
  }
}

/** "names" of "data/names.csv.gz": the output goes into the current folder, as encode's does. */
function stem(path: string): string {
  const plain = basename(path === "-" ? "stdin" : path).replace(/\.gz$/, "");
  return plain.slice(0, plain.length - extname(plain).length) || plain;
}

function tell({ quiet }: AugmentCommandOptions, text: string): void {
  if (!quiet) process.stderr.write(`${text}\n`);
}
