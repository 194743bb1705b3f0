/** `pearl evaluate`: what a join or a dedupe without flags finds, beside the truth that someone holds. */
import type { Evaluation } from "../../benchmark/evaluate.js";
import { UsageError } from "../../errors.js";
import { alignColumns } from "../../files/text-table.js";
import { precisionLine } from "../../match/estimates/promise.js";
import { signed } from "../../match/explain.js";
import { rowsFormatOfName } from "../../table/format.js";
import { command, type OptionsOf } from "../command.js";
import { counted, formatCount } from "../format.js";
import { fileEndingIn, fraction, noteUnused, option, shared } from "../options.js";
import { boundedSettings, loadEncoderOrNone } from "../session.js";

const options = [
  option("--truth <file>", "pairs: left, right and, if some do not match, decision; or a reviewed file"),
  option("--truth-column <name>", "of one table: the column that names each row's group; it is not compared"),
  option("--partial", "the truth is partial: only judged pairs count (default: other pairs are wrong)"),
  option("-o, --output <file>", "write the wrong and the missed pairs with reasons, as a reviewed file"),
  option("--chart <file>", "draw precision, recall and F1 by threshold (.svg)", fileEndingIn(".svg")),
  option("--precision <p>", "share of matches that must be correct", fraction, 0.9),
  ...shared.compared,
  ...shared.rules,
  ...shared.bounded,
  shared.report,
  ...shared.tableComparing,
] as const;

type Options = OptionsOf<typeof options>;

export default command({
  name: "evaluate",
  summary: "measure a join of two tables, or a dedupe of one, against known matches",
  arguments: [
    ["<left>", "the reference table of a join, or the table of a dedupe"],
    ["[right]", "the table whose rows are looked up in it"],
  ],
  options,
  examples: [
    ["pearl evaluate companies.csv messy.csv --truth pairs.csv", "all true pairs are known"],
    ["pearl evaluate companies.csv messy.csv --truth review.csv --partial", "some pairs are judged"],
    ["pearl evaluate customers.csv --truth-column customer", "a dedupe; a column names the groups"],
    ["pearl evaluate a.csv b.csv --truth t.csv -o mistakes.csv --chart curve.svg", "also list what is wrong"],
  ],
  run: async ([left, right], options, session) => {
    checkUsage(right, options);
    noteUnused(options, session.say);
    const { truth: truthPath, output, chart } = options;
    if (output !== undefined) rowsFormatOfName(output);
    const { evaluateTables, evaluationChart } = await import("../../benchmark/evaluate.js");
    const evaluation = await evaluateTables([left, right], {
      ...{ ...options, ...boundedSettings(options, session) },
      encoder: await loadEncoderOrNone(options, session),
      ...{ truthPath, mistakesPath: output, truth: options.partial ? "partial" : "complete" },
      onProgress: (stage, done, total) => session.show(stage, done, total),
    });
    const print = output === "-" ? session.say : session.print;
    for (const line of evaluationLines(evaluation, right === undefined)) print(line);
    const wrong = counted(evaluation.pairs - evaluation.right, "wrong pair");
    const missed = counted(evaluation.truePairs - evaluation.right, "missed pair");
    if (output !== undefined) session.wrote(output, `${wrong}, ${missed}`);
    if (chart !== undefined) {
      const { writeOutput } = await import("../../table/trouble.js");
      const title = right === undefined ? left : `${left} and ${right}`;
      await writeOutput(chart, evaluationChart(evaluation, title));
      session.wrote(chart, "precision, recall and F1 by threshold");
    }
    await session.record(evaluation);
  },
});

function checkUsage(right: string | undefined, options: Options): void {
  const { truth, truthColumn, column } = options;
  if ((truth === undefined) === (truthColumn === undefined))
    throw new UsageError("name the known matches: --truth FILE or, of one table, --truth-column NAME");
  if (right !== undefined && (truthColumn ?? column) !== undefined)
    throw new UsageError("--truth-column and -c are of one table: use --truth FILE and --on LEFT=RIGHT");
}

/** What the truth is, scores, the promise beside what was measured, and scores by threshold. */
function evaluationLines(evaluation: Evaluation, isOneTable: boolean): string[] {
  const { truth, truePairs, pairs, right, promised, thresholds } = evaluation;
  const { promise, low, high } = promised;
  const digits = (value: number | undefined): string => value?.toFixed(3) ?? "-";
  const scores = (["precision", "recall", "f1"] as const).map((name) => {
    const measured = evaluation[name];
    const interval = measured === undefined ? "-" : `${digits(measured.low)} to ${digits(measured.high)}`;
    return [name === "f1" ? "F1" : name, digits(measured?.value), interval];
  });
  const value = evaluation.precision?.value ?? Number.NaN;
  const place = value < low ? "below the range" : value > high ? "above the range" : "within the range";
  const ofPairs = thresholds.map(({ threshold, pairs, precision, recall, f1 }) => [
    ...[threshold === 0 ? "all" : `${threshold}`, formatCount(pairs)],
    ...[digits(precision), digits(recall), digits(precision && f1)],
  ]);
  const kinds = ["right", "wrong", "missed"] as const;
  const ofColumns = evaluation.columns.map((column) => [
    column.name,
    ...kinds.map((kind) => (column[kind] === undefined ? "-" : signed(column[kind]))),
  ]);
  const written = isOneTable
    ? "dedupe would remove only equal rows"
    : promise.narrower && `join would write the best ${counted(promise.narrower.pairs, "pair")}`;
  const isAll = promise.established || written === undefined;
  return [
    truth === "complete"
      ? "the truth is taken as complete: pairs that it lacks are wrong (--partial: only judged pairs count)"
      : "the truth is taken as partial: only judged pairs count",
    `${counted(pairs, "pair")} found, ${formatCount(right)} right, of ${counted(truePairs, "true pair")}`,
    alignColumns([["", "measured", "95 % interval"], ...scores]),
    `intervals: Wilson's; of F1 the bootstrap over ${isOneTable ? "groups" : "right rows"}`,
    `promised: ${precisionLine(promised)}`,
    Number.isNaN(value) ? "measured: no precision" : `measured: precision ${digits(value)}, ${place}`,
    ...(isAll ? [] : [`${written}; the figures are of all likely ${isOneTable ? "groups" : "pairs"}`]),
    alignColumns([["probability", "pairs", "precision", "recall", "F1"], ...ofPairs], () => true),
    "",
    "what a column adds to the log-odds, mean of the pairs found and of true ones that were missed",
    alignColumns([["column", ...kinds], ...ofColumns], (column) => column > 0),
  ];
}
