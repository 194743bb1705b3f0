/** `pearl distill`: a static model, which encodes fast, out of a transformer. */
import { refuseStandardOutput } from "../addresses.js";
import { command } from "../command.js";
import { counted, formatPercent } from "../format.js";
import { option, positiveInteger, positiveNumber, required, shared } from "../options.js";

export default command({
  name: "distill",
  summary: "make a static model (model2vec's kind) from a transformer: no training, much faster encoding",
  arguments: [["<model>", "folder or hub id of a transformer that reads subword tokens"]],
  options: [
    required("-o, --output <folder>", "the model folder; it must not exist yet"),
    option("--dims <n>", "dimensions of the vectors, at most the transformer's", positiveInteger, 256),
    option("--sif <a>", "weight of frequent tokens: less with smaller values", positiveNumber, 1e-4),
    shared.threads,
    shared.report,
    shared.quiet,
  ],
  examples: [
    ["pearl distill sentence-transformers/all-MiniLM-L6-v2 -o static", "256 dimensions"],
    ["pearl distill ./my-model -o small --dims 128", "a model trained with pearl, a smaller table"],
    ["pearl encode names.txt --model static", "use the result"],
  ],
  run: async ([model], { output, dims, sif, threads }, session) => {
    refuseStandardOutput(output, "static");
    const { distillStatic } = await import("../../methods/distill-static.js");
    const report = await distillStatic(model, output, {
      ...{ dims, sif, threads, signal: session.signal, onDownload: session.onDownload },
      onProgress: (done, total) => session.show("encoding tokens", done, total),
    });
    const { base, tokens, kept } = report;
    const facts = `${counted(tokens, "token")}, ${dims} dimensions with ${formatPercent(kept)} of the variance`;
    session.say(`${base.name}: ${facts}`);
    session.say(`licence: ${base.licence ?? "none stated; ask the authors before you share the model"}`);
    await session.record({ output, ...report });
    session.print(`wrote ${output}: use it with --model ${output}`);
  },
});
