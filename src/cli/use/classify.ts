/** `pearl classify`: learns kinds of phrases from a few examples, and finds the kind of other phrases. */
import { InvalidArgumentError } from "commander";
import { UsageError } from "../../errors.js";
import type { KindOfPhrase } from "../../fewshot/classify/kinds.js";
import type { KindsTraining } from "../../fewshot/classify/train.js";
import { alignColumns } from "../../files/text-table.js";
import { refuseStandardOutput } from "../addresses.js";
import { type AnyCommand, command } from "../command.js";
import { counted, formatCount, formatPercent } from "../format.js";
import { checkFormat, choice, fraction, option, required, shared, tableOutput } from "../options.js";
import { loadEncoder, type Session, sourceOf, tableSettings } from "../session.js";
import { phrasesOrTable } from "./phrases-or-table.js";

/** Parser of `1,5,20`. */
function counts(text: string): number[] {
  const found = text.split(",").map((part) => Number(part));
  if (found.every((count) => Number.isSafeInteger(count) && count >= 1)) return found;
  throw new InvalidArgumentError("It must be whole numbers of at least 1, separated by commas: 1,5,20.");
}

const train = command({
  name: "train",
  summary: "learn kinds of phrases from a table of examples",
  arguments: [["<examples>", "a table with columns of phrases and of kinds; - reads standard input"]],
  options: [
    required("-o, --output <file>", "JSON file of the learned kinds"),
    option("--kind-column <name>", "the column of kinds (default: kind, label, class, category or type)"),
    choice(
      "--method <name>",
      "the mean of each kind, or logistic regression; auto takes the latter from 20 examples of a kind on",
      ["auto", "mean", "logistic"],
      "auto",
    ),
    option("--reject <p>", "also estimate answers of at least this probability", fraction),
    option("--examples-per-class <n,...>", "also print the accuracy after n examples of each kind", counts),
    shared.seed,
    shared.report,
    ...shared.tableEncoding,
  ],
  examples: [
    ["pearl classify train examples.csv -o kinds.json", "columns phrase and kind"],
    ["pearl classify train examples.csv -o kinds.json --examples-per-class 1,5,20", "do more examples help?"],
    ["pearl classify train names.tsv -c name --kind-column group -o kinds.json", "other names of columns"],
  ],
  run: async ([file], options, session) => {
    const { readExamples, writeKinds } = await import("../../fewshot/classify/kinds.js");
    const { trainKinds } = await import("../../fewshot/classify/train.js");
    const { output, kindColumn } = options;
    refuseStandardOutput(output, "kinds.json");
    const settings = tableSettings(options, session);
    const examples = await readExamples(file, { ...settings, kindColumn });
    const encoder = await loadEncoder(options, session);
    const training = await trainKinds(examples, { ...options, ...settings, encoder });
    const { kinds, sizes, ...report } = training;
    await writeKinds(output, { ...kinds, model: { ...kinds.model, ...sourceOf(options) } });
    printTraining(training, session, options.reject);
    const named = kinds.names.map((name, kind) => ({ name, examples: sizes[kind] }));
    await session.record({ ...report, kinds: named });
    const size = `${counted(kinds.names.length, "kind")} from ${counted(training.examples, "example")}`;
    session.wrote(output, size);
  },
});

function printTraining({ method, estimate, curve }: KindsTraining, { print, say }: Session, reject?: number) {
  const { examples, accuracy, low, high, answered, precision } = estimate;
  const [how, left] =
    method === "mean"
      ? ["the mean of each kind", "each example left out once"]
      : ["logistic regression", "each fifth of the examples left out once"];
  if (examples === 0) say(`${how}; give a second example of a kind to estimate how often it is right`);
  else
    print(
      `${how}: ${formatPercent(accuracy)} right, probably ${formatPercent(low)} to ${formatPercent(high)} (${left})`,
    );
  if (examples > 0 && reject !== undefined) {
    const ofThem = precision === undefined ? "" : `, ${formatPercent(precision)} of them right`;
    print(`at --reject ${reject}: ${formatPercent(answered)} get a kind${ofThem}`);
  }
  if (curve.length === 0) return;
  const rows = curve.map(({ perClass, accuracy, deviation }) => [
    ...[String(perClass), formatPercent(accuracy), formatPercent(deviation)],
  ]);
  print(alignColumns([["examples of a kind", "right", "deviation over 10 draws"], ...rows], () => true));
}

const apply = command({
  name: "phrases",
  runs: "default",
  summary: "find the kind of phrases, or of each row of a table; the word itself can be left out",
  arguments: [["[phrases...]", "phrases, or one table of phrases; - reads a table from standard input"]],
  needs: "arguments",
  options: [
    required("--with <file>", "kinds that `pearl classify train` learned"),
    tableOutput("all rows with kind and probability", "print"),
    shared.format,
    option("--reject <p>", "no kind for a phrase whose most probable kind has less than this", fraction),
    shared.phrase,
    shared.json,
    option("-m, --model <model>", "the model that the kinds were learned with (default: as recorded)"),
    ...shared.table,
    ...shared.run,
  ],
  examples: [
    ["pearl classify names.csv --with kinds.json", "print the kind of each row"],
    ["pearl classify names.csv --with kinds.json --reject 0.6 -o kinds.csv", "leave doubtful ones empty"],
    ['pearl classify "Lake Garda" "Verona" --with kinds.json --json', "phrases, with all probabilities"],
  ],
  run: async ([given], options, session) => {
    checkFormat(options);
    const { classify, classifyTable, readKinds } = await import("../../fewshot/classify/kinds.js");
    const { output, format, phrase, reject, json } = options;
    const input = await phrasesOrTable(given, phrase);
    if (output !== undefined && !("table" in input))
      throw new UsageError("-o writes the rows of a table: give one");
    const kinds = await readKinds(options.with);
    const encoder = await loadEncoder({ ...options, model: options.model ?? kinds.model.source }, session);
    const settings = { ...tableSettings(options, session), encoder, reject };
    const { phrases, found } =
      "table" in input
        ? await classifyTable(input.table, output, kinds, { ...settings, format })
        : { phrases: input.phrases, found: await classify(input.phrases, kinds, settings) };
    const known = found.filter(({ kind }) => kind !== undefined).length;
    if (output !== undefined)
      session.wrote(output, `${counted(found.length, "row")}, ${formatCount(known)} of them with a kind`, {
        ...{ rows: found.length, found: known },
      });
    else if (json) found.forEach((one, row) => session.print(asJson(phrases[row], kinds.names, one)));
    else {
      const rows = found.map((one, row) => [phrases[row], one.kind ?? "", one.probability.toFixed(3)]);
      session.print(alignColumns([["phrase", "kind", "probability"], ...rows], (column) => column === 2));
    }
  },
});

function asJson(phrase: string, names: readonly string[], found: KindOfPhrase): string {
  const rounded = (probability: number) => Number(probability.toFixed(6));
  return JSON.stringify({
    ...{ phrase, kind: found.kind ?? null, probability: rounded(found.probability) },
    probabilities: Object.fromEntries(names.map((name, i) => [name, rounded(found.probabilities[i])])),
  });
}

export default {
  name: "classify",
  summary: "learn kinds of phrases from a few examples, and find the kind of other phrases",
  commands: [train, apply],
  examples: [
    ["pearl classify train examples.csv -o kinds.json", "learn from columns phrase and kind"],
    ["pearl classify names.csv --with kinds.json --reject 0.6", "find the kind of each row"],
  ],
} satisfies AnyCommand as AnyCommand;
