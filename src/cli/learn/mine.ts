/** `pearl mine`: hard negatives of a corpus, similar in spelling, or of pairs, similar to a model. */
import { basename, join } from "node:path";
import { UsageError } from "../../errors.js";
import type { Sharing } from "../../files/shards/shard.js";
import { command, type OptionsOf } from "../command.js";
import { counted, formatCount, formatDuration } from "../format.js";
import {
  choice,
  flagOf,
  fraction,
  fractionBelowOne,
  option,
  positiveInteger,
  shared,
  wholeNumber,
} from "../options.js";
import { loadEncoder, type Session } from "../session.js";
import { checkPartOption, checkShare, shardOption, shareWork } from "../shards/sharing.js";

const options = [
  option("--pairs <file>", "instead of a corpus: table of pairs; written with negatives to -o"),
  option(
    "-o, --output <file>",
    "with --pairs: the new table; with --shard: the part (default: NAME.I-of-N.part)",
  ),
  option("--among <file>", "with --pairs: table of candidates (default: the positives)"),
  option("--negatives <n>", "with --pairs: most negatives of a pair (default: 1)", positiveInteger),
  option(
    "--relative-margin <share>",
    "with --pairs: a negative's cosine is below the positive's by at least this fraction of it (default: 0.05)",
    fraction,
  ),
  option("--min-score <cosine>", "with --pairs: least cosine of a negative", fraction),
  option("--max-score <cosine>", "with --pairs: largest cosine of a negative", fraction),
  option("--skip <n>", "with --pairs: nearest phrases to leave out (default: 0)", wholeNumber),
  choice(
    "--sampling <name>",
    "with --pairs: top takes the nearest, random draws from the --nearest (default: top)",
    ["top", "random"],
  ),
  option("--seed <n>", "with --pairs: random seed (default: 0)", wholeNumber),
  option("--ratio <r>", "with a corpus: least edit ratio (default: 0.7)", fractionBelowOne),
  option(
    "--margin <m>",
    "least edit ratio minus scaled cosine (default: 0.3); with --pairs: least cosine of the positive minus that of a negative (default: 0)",
    fractionBelowOne,
  ),
  option("--listed <n>", "with a corpus: hard negatives per phrase, up to 12 (default: 12)", positiveInteger),
  option(
    "--nearest <n>",
    "candidates for each phrase: similarly spelled ones, or with --pairs the nearest (default: 50)",
    positiveInteger,
  ),
  shared.model,
  shardOption,
  shared.report,
  ...shared.run,
] as const;

type MineOptions = OptionsOf<typeof options>;

export default command({
  name: "mine",
  summary: "find hard negatives: phrases of a corpus that are spelled alike, or texts that a model confuses",
  arguments: [["[corpus]", "corpus folder; hard-negatives.tsv is written into it"]],
  needs: "arguments",
  options,
  examples: [
    ["pearl mine corpus/", "with the embedded model, into corpus/hard-negatives.tsv"],
    ["pearl mine corpus/ --model intfloat/e5-small-v2", "with the paper's encoder"],
    ["pearl mine --pairs pairs.csv -o mined.csv", "for pearl finetune --pairs mined.csv"],
    ["pearl mine --pairs pairs.csv --sampling random --nearest 20 -o mined.csv", "drawn from the nearest 20"],
  ],
  run: ([corpus], given, session) => {
    const { pairs, output } = given;
    if ((corpus === undefined) === (pairs === undefined))
      throw new UsageError("give one of the two: a corpus folder, or --pairs FILE with -o FILE");
    checkForm(given);
    if (corpus !== undefined) return mineCorpusFolder(corpus, given, session);
    if (output === undefined) throw new UsageError("--pairs needs a place for the negatives: add -o FILE");
    return minePairTable(pairs as string, output, given, session);
  },
});

/** Options of one form alone. */
const forms = {
  pairs: ["among", "negatives", "relativeMargin", "minScore", "maxScore", "skip", "sampling", "seed"],
  corpus: ["ratio", "listed", "shard"],
} as const;

/** @throws UsageError for an option of the other form */
function checkForm(given: MineOptions): void {
  const [other, own] =
    given.pairs === undefined ? (["pairs", "corpus"] as const) : (["corpus", "pairs"] as const);
  const wrong = forms[other].find((name) => given[name as keyof MineOptions] !== undefined);
  if (wrong === undefined) return;
  const [needs, has] = [other, own].map((form) => (form === "pairs" ? "--pairs" : "a corpus"));
  throw new UsageError(`${flagOf(wrong)} is for ${needs}, not for ${has}. Leave it out.`);
}

async function minePairTable(pairs: string, output: string, given: MineOptions, session: Session) {
  const { minePairs } = await import("../../methods/pairs/mine-pairs.js");
  const encoder = await loadEncoder(given, session);
  const report = await minePairs(pairs, output, {
    ...{ ...given, encoder, signal: session.signal, onNote: session.say },
    onProgress: ({ step, done, total }) =>
      session.show(step, done, total, step === "encoding" ? "phrases" : undefined),
  });
  await session.record(report);
  const { withNegatives, withCandidates, positiveScore, negativeScore } = report;
  if (negativeScore === undefined)
    session.say(
      withCandidates === 0
        ? "every candidate means the same as its text by the pairs or labels: name other candidates with --among FILE"
        : "no candidate is within the limits: a smaller --relative-margin or a larger --nearest may find some",
    );
  const scores = [positiveScore, negativeScore].map((score) => score?.toFixed(3) ?? "none");
  session.wrote(
    output,
    `${formatCount(withNegatives)} of ${counted(report.pairs, "pair")} got a negative; mean cosine of positives ${scores[0]}, of negatives ${scores[1]}`,
  );
}

async function mineCorpusFolder(corpus: string, options: MineOptions, session: Session): Promise<void> {
  const { CORPUS_FILES } = await import("../../corpus/corpus-folder.js");
  const { mineCorpus } = await import("../../corpus/mining/mine.js");
  const { threads, ratio, margin, listed, nearest } = options;
  const { manifest, phrases: table, synonyms } = CORPUS_FILES;
  const inputs = [manifest, table, synonyms].map((name) => join(corpus, name));
  const run = { command: "mine", arguments: [corpus], options, inputs, stem: `${basename(corpus)}.mined` };
  checkPartOption(options);
  checkShare(run);
  const encoder = await loadEncoder(options, session);
  const mine = (sharing?: Sharing) =>
    mineCorpus(corpus, {
      ...{ encoder, threads, margin, listed, nearest, sharing, signal: session.signal },
      minimumRatio: ratio,
      onProgress: ({ step, done, total }) => session.show(step, done, total, "phrases"),
      onNote: session.say,
    });
  const report = await shareWork(run, encoder, session, mine);
  if (report === undefined) return;
  await session.record(report);
  const { say, print } = session;
  const { full, negatives, withNegatives, candidates, path } = report;
  const phrases = counted(report.phrases, "phrase");
  if (full > 0) {
    say(
      `${counted(full, "phrase")} with more than ${nearest ?? 50} similarly spelled ones: only the nearest were used`,
    );
  }
  if (negatives === 0 && candidates === 0) {
    say(`no two of the ${phrases} are spelled alike: use a larger corpus`);
  } else if (negatives === 0) {
    say("similarly spelled phrases were found, but all are close in meaning: a lower --margin lists more");
  }
  const found = `${counted(negatives, "hard negative")} for ${formatCount(withNegatives)} of ${phrases}`;
  print(`wrote ${path}: ${found}, ${formatDuration(session.seconds())}`);
}
