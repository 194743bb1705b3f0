/** `pearl mine`: hard negatives of a corpus, similar in spelling and different in meaning. */
import { basename, join } from "node:path";
import type { Sharing } from "../../files/shards/shard.js";
import { command } from "../command.js";
import { counted, formatCount, formatDuration } from "../format.js";
import { fractionBelowOne, option, positiveInteger, shared } from "../options.js";
import { loadEncoder } from "../session.js";
import { checkPartOption, checkShare, partOption, shardOption, shareWork } from "../shards/sharing.js";

export default command({
  name: "mine",
  summary: "find the hard negatives of a corpus: similarly spelled phrases that mean something else",
  arguments: [["<corpus>", "corpus folder; hard-negatives.tsv is written into it"]],
  options: [
    shared.model,
    option("--ratio <r>", "least edit ratio of a hard negative (default: 0.7)", fractionBelowOne),
    option("--margin <m>", "least edit ratio minus scaled cosine (default: 0.3)", fractionBelowOne),
    option("--listed <n>", "hard negatives per phrase, up to 12 (default: 12)", positiveInteger),
    option("--nearest <n>", "similarly spelled phrases compared with each (default: 50)", positiveInteger),
    shardOption,
    partOption,
    shared.report,
    ...shared.run,
  ],
  examples: [
    ["pearl mine corpus/", "with the embedded model, into corpus/hard-negatives.tsv"],
    ["pearl mine corpus/ --model intfloat/e5-small-v2", "with the paper's encoder"],
  ],
  run: async ([corpus], options, session) => {
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
  },
});
