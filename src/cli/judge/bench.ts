/** `pearl bench`: measures models and baselines on the benchmark's tasks. */
import { UsageError } from "../../errors.js";
import { command } from "../command.js";
import {
  choice,
  commaSeparated,
  fileEndingIn,
  option,
  positiveInteger,
  repeatable,
  shared,
  wholeNumber,
} from "../options.js";
import { checkPartOption, checkShare, partOption, shardOption, shareWork } from "../shards/sharing.js";

export default command({
  name: "bench",
  summary: "measure models and baselines on the benchmark's tasks",
  options: [
    option(
      "-t, --task <names...>",
      "ppdb, ppdb-filtered, turney, bird, yago, umls, conll, bc5cdr, autofj, strings, misspellings, sts, er or all (default: all)",
      commaSeparated,
    ),
    shared.data,
    option(
      "-m, --model <model>",
      "embedded model, folder, hub id, word vectors (.vec), or tfidf, tfidf-2-3, tfidf-words, jaccard, levenshtein, jaro-winkler, glove; " +
        "repeatable (default: the embedded model)",
      repeatable,
    ),
    choice("--protocol <name>", "fair, or the rules of the paper's code", ["fair", "published"], "fair"),
    option("--json <file>", "also write the results as JSON"),
    option("--report <file>", "also write a page with bars and mistakes (.html)", fileEndingIn(".html")),
    option("--dataset <name>", "only one set of autofj or er, such as Drug"),
    option("--seed <n>", "random seed", wholeNumber, 0),
    option("--seeds <n>", "runs with different seeds: mean and deviation (default: 1)", positiveInteger),
    shared.truncate,
    option("--verbose", "print each of AutoFJ's datasets"),
    shardOption,
    partOption,
    shared.device,
    shared.quiet,
  ],
  examples: [
    ["pearl bench --task autofj", "the embedded model, with an untrained baseline"],
    ["pearl bench --task autofj --model tfidf --model jaccard", "compare several models"],
    ["pearl bench --task er --data bench", "match rows of bench/er/ by all columns, beside tfidf"],
    ["pearl bench --task all --data bench --json scores.json", "every task whose data is in bench/"],
    ["pearl bench --task all --data bench --report report.html", "the same as a page"],
    ["pearl bench --task strings --model levenshtein --model tfidf-2-3 --model ./strings", "misspelt words"],
    ["pearl bench --task turney,bird --protocol published", "scores by the paper's own rules"],
    ["pearl bench --task all --model cc.en.300.vec --seeds 3", "FastText's averaged vectors, three runs"],
    ["pearl bench --task autofj --dataset Drug --model ./my-model", "one dataset"],
  ],
  run: async (_, options, session) => {
    const { defaultDataFolder } = await import("../../benchmark/data-folder.js");
    const { formatReports, reportsAsJson } = await import("../../benchmark/report.js");
    const { isEncoderName } = await import("../../benchmark/models.js");
    const { benchmarkFiles, runBenchmark } = await import("../../benchmark/runner.js");
    const { protocol, dataset, seed, seeds, truncateDim, device } = options;
    const tasks = options.task ?? ["all"];
    const dataFolder = options.data ?? (await defaultDataFolder());
    const inputs = options.shard ? await benchmarkFiles({ tasks, dataFolder, dataset }) : [];
    const models = options.model ?? [undefined];
    if (truncateDim !== undefined && !models.some(isEncoderName))
      throw new UsageError(
        `--truncate-dim shortens the embeddings of models, not ${models.join(", ")}. Leave it out, or name a model.`,
      );
    const run = { command: "bench", arguments: [], options, inputs, stem: "bench" };
    checkPartOption(options);
    checkShare(run);
    const reports = await shareWork(run, undefined, session, (sharing) =>
      runBenchmark({
        ...{ protocol, dataset, seed, seeds, truncateDim, device, sharing, signal: session.signal },
        ...{ tasks, models, dataFolder },
        onTask: (model, task) => session.say(`${task}: ${model}`),
        onProgress: session.show,
        onDownload: session.onDownload,
        onNote: session.say,
      }),
    );
    if (reports === undefined) return;
    const everySet = options.verbose === true || dataset !== undefined;
    session.print(formatReports(reports, { everySet }));
    const { writeOutput } = await import("../../table/trouble.js");
    if (options.json) await writeOutput(options.json, reportsAsJson(reports));
    if (!options.report) return;
    const { reportsAsPage } = await import("../../benchmark/report-page.js");
    await writeOutput(options.report, reportsAsPage(reports));
  },
});
