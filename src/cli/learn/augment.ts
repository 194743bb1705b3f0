/** `pearl augment`: augmented versions ("twins") of phrases or of a table, with the rule that made each. */
import type { Augmenter } from "../../augmentation/augmenter.js";
import { rulesOfTwin } from "../../augmentation/rule.js";
import { PRESETS, type PresetName } from "../../augmentation/settings.js";
import { UsageError } from "../../errors.js";
import { alignColumns } from "../../files/text-table.js";
import { stemOf } from "../../table/format.js";
import { refuseStreams } from "../addresses.js";
import { command, type OptionsOf } from "../command.js";
import { counted, formatCount, formatPercent } from "../format.js";
import {
  choice,
  fraction,
  many,
  option,
  positiveInteger,
  shared,
  tableOutput,
  weights,
  wholeNumber,
} from "../options.js";
import { type Session, tableSettings } from "../session.js";
import { phrasesOrTable } from "../use/phrases-or-table.js";
import { phrasesOf } from "../use/type.js";

const options = [
  tableOutput("the twins of a table", "NAME.twins.csv"),
  shared.format,
  shared.phrase,
  ...shared.table,
  option("--seed <n>", "random seed", wholeNumber, 1),
  option("--count <n>", "twins per rule (default: 3); drawn ones per phrase (default: 1)", positiveInteger),
  option("--draw", "draw twins at random, as in training (always for a table)"),
  choice("--preset <name>", "rules and their probabilities", Object.keys(PRESETS) as PresetName[], "house"),
  option("--probabilities <k=v,...>", "your own, such as character=.3,synonym=.2,year=.1", weights),
  many("--paraphrases <file>", "table of phrase and paraphrase"),
  many("--synonyms <file>", "phrase and synonym, such as a corpus's synonyms.tsv"),
  many("--acronyms <file>", "table of short and long form"),
  option("--word-vectors [threshold]", "words of at least this word-vector cosine (default: 0.8)", fraction),
  option("--no-wordnet", "use no synonyms from WordNet"),
  option("--paraphrase-model <model>", "write paraphrases of the table by a text-to-text model instead"),
  shared.json,
  shared.quiet,
] as const;

type AugmentOptions = OptionsOf<typeof options>;

export default command({
  name: "augment",
  summary: "augment phrases with typing errors, synonyms, paraphrases; each result names its rule",
  arguments: [["[phrase...]", "phrases, or one table of phrases; - reads a table from standard input"]],
  needs: "arguments",
  options,
  examples: [
    ['pearl augment "The New York Times"', "the results of each rule"],
    ['pearl augment "heart attack" --draw --count 10 --preset pearl', "ten twins, as in PEARL's training"],
    ['pearl augment "William Jefferson Clinton" --draw --preset names', "a name as other tables spell it"],
    ["pearl augment phrases.csv -o twins.csv", "one twin for each phrase of a table"],
    ["pearl augment names.txt --probabilities initials=1,year=1", "only these two rules"],
    ["pearl augment phrases.csv --paraphrase-model Xenova/flan-t5-small -o para.tsv", "for --paraphrases"],
  ],
  run: async ([phrases], options, session) => {
    const given = await phrasesOrTable(phrases, options.phrase);
    if (options.paraphraseModel !== undefined) {
      if (!("table" in given)) throw new UsageError("--paraphrase-model needs a table of phrases");
      if (options.format !== undefined)
        throw new UsageError(
          "--paraphrase-model writes lines with tabs, as --paraphrases reads them: leave out --format",
        );
      return writeModelParaphrases(given.table, options.paraphraseModel, options, session);
    }
    if ("table" in given) return augmentFile(given.table, options, session);
    if (options.output !== undefined) {
      throw new UsageError(`-o needs a table of phrases, but there is no file ${given.phrases[0]}`);
    }
    if (options.format !== undefined)
      throw new UsageError(
        "--format is for the twins of a table; those of a phrase are printed: leave it out",
      );
    await printTwins(await load(options), given.phrases, options, session);
  },
});

async function load(options: AugmentOptions): Promise<Augmenter> {
  const { createAugmenter } = await import("../../augmentation/augmenter.js");
  const { preset, probabilities, paraphrases, synonyms, acronyms, wordVectors, wordnet } = options;
  const threshold = typeof wordVectors === "number" ? wordVectors : undefined;
  return createAugmenter({
    ...{ preset, probabilities, wordNet: wordnet ? undefined : "off" },
    ...{ wordVectors: wordVectors === undefined ? undefined : { threshold } },
    ...{ paraphraseFiles: paraphrases, synonymFiles: synonyms, acronymFiles: acronyms },
  });
}

async function printTwins(
  augmenter: Augmenter,
  phrases: readonly string[],
  { seed, draw, count, json }: AugmentOptions,
  session: Session,
): Promise<void> {
  const { createRandom } = await import("../../random.js");
  const random = createRandom(seed);
  const listed = phrases.map((phrase) => ({
    phrase,
    twins: draw
      ? Array.from({ length: count ?? 1 }, () => augmenter.augment(phrase, random))
      : augmenter.all(phrase, { random, count: count ?? 3 }),
  }));
  if (json) return session.printJson(listed);
  for (const { phrase, twins } of listed) {
    if (listed.length > 1) session.print(phrase);
    const rows = twins.map((twin) => [rulesOfTwin(twin).join("+"), twin.granularity, twin.text]);
    if (twins.length === 0) session.say(`no rule applies to "${phrase}"`);
    else session.print(alignColumns([["rule", "granularity", "twin"], ...rows]));
  }
}

async function augmentFile(path: string, options: AugmentOptions, session: Session): Promise<void> {
  const { augmentTable } = await import("../../augmentation/augment-table.js");
  const { Table } = await import("../../table/table.js");
  const { count, seed, format, output = `${stemOf(path)}.twins.${format ?? "csv"}` } = options;
  const table = await Table.open(path, tableSettings(options, session).table);
  session.atEnd(() => table.close());
  session.say(table.description.summary);
  const report = await augmentTable(table, output, await load(options), {
    ...{ count, seed, format, signal: session.signal },
    onProgress: (done, total) => session.show("augmenting", done, total, "phrases"),
  });
  const byRule = Object.entries(report.byRule).filter(([, count]) => count > 0);
  byRule.sort(([, left], [, right]) => right - left);
  session.say(byRule.map(([rule, count]) => `${rule} ${formatCount(count)}`).join(", "));
  const unchanged = formatPercent(report.unchanged / Math.max(report.twins, 1));
  const made = `${counted(report.twins, "twin")} of ${counted(report.phrases, "phrase")}`;
  session.wrote(report.path, `${made}, ${unchanged} unchanged`, report);
}

async function writeModelParaphrases(path: string, model: string, options: AugmentOptions, session: Session) {
  const { loadParaphraser, paraphraserFingerprint, writeParaphrases } = await import(
    "../../augmentation/paraphrase-model.js"
  );
  const { count, output = `${stemOf(path)}.paraphrases.tsv` } = options;
  refuseStreams(output);
  const phrases = await phrasesOf(path, options, session);
  const kept = `finished paraphrases stay in ${output}.partial, and the same command continues from there`;
  session.signal.addEventListener("abort", () => session.say(kept), { once: true });
  const generate = await loadParaphraser(model);
  const report = await writeParaphrases(phrases, output, generate, {
    ...{ count, model: await paraphraserFingerprint(model), signal: session.signal, onNote: session.say },
    onProgress: (done, total) => session.show("paraphrasing", done, total, "phrases"),
  });
  if (report.resumed > 0) session.say(`${counted(report.resumed, "phrase")} already done by an earlier run`);
  const made = `${counted(report.pairs, "paraphrase")} of ${counted(report.phrases, "phrase")}`;
  session.wrote(output, made, report);
}
