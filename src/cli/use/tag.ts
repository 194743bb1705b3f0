/** `pearl tag`: learns tags of spans from a few sentences, and tags other sentences. */
import { refuseStandardOutput } from "../addresses.js";
import { type AnyCommand, command } from "../command.js";
import { counted, formatPercent } from "../format.js";
import { choice, option, required, shared } from "../options.js";
import { loadEncoder, sourceOf } from "../session.js";

const train = command({
  name: "train",
  summary: "learn tags of spans from a few sentences",
  arguments: [
    ["<support>", "tagged sentences: CoNLL columns (token first, tag last), or .jsonl with text and spans"],
  ],
  options: [
    required("-o, --output <file>", "JSON file of the tagger"),
    option("--source <file>", "many sentences with other tags, which give transitions from tag to tag"),
    ...([shared.encoding, shared.report, shared.model, ...shared.run] as const),
  ],
  examples: [
    ["pearl tag train support.tsv -o tagger.json", "about five sentences of each tag"],
    ["pearl tag train support.tsv --source news.conll -o tagger.json", "with transitions from other tags"],
  ],
  run: async ([path], options, session) => {
    const { readTagged } = await import("../../fewshot/tag/sentences.js");
    const { trainTagger, writeTagger } = await import("../../fewshot/tag/tagger.js");
    const { output, source, encoding } = options;
    refuseStandardOutput(output, "tagger.json");
    const read = (file: string) => readTagged(file, "required", { encoding, onNote: session.say });
    const { sentences } = await read(path);
    const other = source === undefined ? undefined : (await read(source)).sentences;
    const encoder = await loadEncoder(options, session);
    const settings = { encoder, source: other, signal: session.signal };
    const { tagger, estimate } = await trainTagger(sentences, settings);
    await writeTagger(output, { ...tagger, model: { ...tagger.model, ...sourceOf(options) } });
    if (estimate === undefined) session.say("give a second sentence to estimate how often it is right");
    else {
      const { f1, precision, recall } = estimate;
      const parts = `precision ${formatPercent(precision)}, recall ${formatPercent(recall)}`;
      session.print(`F1 of spans ${formatPercent(f1)}, ${parts} (each sentence left out once)`);
    }
    const labels = [...new Set(sentences.flatMap(({ tags }) => tags))].filter((tag) => tag !== "O").sort();
    await session.record({ sentences: sentences.length, labels, estimate });
    session.wrote(output, `${counted(labels.length, "tag")} from ${counted(sentences.length, "sentence")}`);
  },
});

const apply = command({
  name: "sentences",
  runs: "default",
  summary: "tag the sentences of a file; the word itself can be left out",
  arguments: [["<file>", "sentences: CoNLL columns (token first), or .jsonl with text"]],
  options: [
    required("--with <file>", "the tagger that `pearl tag train` wrote"),
    option("-o, --output <file>", "the sentences with a last column of tags, or with spans (default: print)"),
    choice(
      "--decoding <name>",
      "nearest token, or the likeliest sequence by the transitions of the source (default: viterbi if the tagger has a source)",
      ["viterbi", "nearest"],
    ),
    option("-m, --model <model>", "the model that the tagger learned with (default: as recorded)"),
    ...([shared.encoding, shared.report, ...shared.run] as const),
  ],
  examples: [
    ["pearl tag sentences.tsv --with tagger.json", "print the lines with one more column"],
    ["pearl tag articles.jsonl --with tagger.json -o tagged.jsonl", "texts, with spans"],
  ],
  run: async ([path], options, session) => {
    const { readTagged, spansOf } = await import("../../fewshot/tag/sentences.js");
    const { readTagger, tagSentences } = await import("../../fewshot/tag/tagger.js");
    const { output, decoding, encoding } = options;
    const file = await readTagged(path, "optional", { encoding, onNote: session.say });
    const tagger = await readTagger(options.with);
    const encoder = await loadEncoder({ ...options, model: options.model ?? tagger.model.source }, session);
    const tags = await tagSentences(file.sentences, tagger, {
      ...{ encoder, decoding, signal: session.signal },
      onProgress: (done, total) => session.show("tagging", done, total),
    });
    const text = file.write(tags);
    const spans = tags.flatMap((own) => spansOf(own)).length;
    await session.record({ sentences: tags.length, spans });
    if (output === undefined) session.print(text.trimEnd());
    else {
      const { writeText } = await import("../../table/write/text-rows.js");
      await writeText(output, [text]);
      session.wrote(output, `${counted(spans, "span")} in ${counted(tags.length, "sentence")}`);
    }
  },
});

export default {
  name: "tag",
  summary: "learn tags of spans from a few sentences, and tag other sentences",
  commands: [train, apply],
  examples: [
    ["pearl tag train support.tsv -o tagger.json", "learn from tagged sentences"],
    ["pearl tag sentences.tsv --with tagger.json", "tag others"],
  ],
} satisfies AnyCommand as AnyCommand;
