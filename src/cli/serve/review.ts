/** `pearl review`: a page in the browser to judge doubtful pairs. */
import type { Option } from "commander";
import { UsageError } from "../../errors.js";
import { joinKinds } from "../../join/options.js";
import { shellWord } from "../../shell-word.js";
import { command } from "../command.js";
import { counted } from "../format.js";
import { aborted, expectInterruption } from "../interruption.js";
import {
  choice,
  fraction,
  many,
  noteUnused,
  option,
  shared,
  type TableOptions,
  tableOptionsOf,
} from "../options.js";
import { type Session, tableSettings } from "../session.js";

/** Options of `join` and `dedupe` that decide what is found. */
const matchingOptions = [
  ...shared.compared,
  ...shared.rules,
  option("--precision <p>", "share of matches that must be correct", fraction),
  choice("--kind <kind>", "of two tables: how many matches a row may have", joinKinds),
  many("--labels <file>", "further known pairs: left, right and, if some do not match, decision"),
  shared.modelOrNone,
  ...shared.tableFormat,
] as const;

export default command({
  name: "review",
  summary: "judge doubtful pairs in the browser, one at a time",
  arguments: [
    ["<review>", "the file of --review-out; each answer is written to it at once"],
    ["[left]", "its table, or the first of two: shows what the answers change"],
    ["[right]", "the second table"],
  ],
  options: [option("--no-open", "do not open the browser"), ...matchingOptions, ...shared.run],
  examples: [
    ["pearl review review.csv", "answer with the keys y, n, ? and u (undo)"],
    ["pearl review review.csv customers.csv", "and see what the answers change in a dedupe"],
    ["pearl review review.csv companies.csv messy.csv --ignore notes", "or in a join"],
  ],
  run: async ([file, left, right], options, session) => {
    const { labels, device, threads, model, on, ignore, kindOf, same, never, aliases } = options;
    const { precision, kind } = options;
    if (kind !== undefined && right === undefined)
      throw new UsageError("--kind is about two tables: name both, or leave it out");
    noteUnused(options, session.say);
    const { startReview } = await import("../../serve/review/server.js");
    const tables = [left, right].filter((table) => table !== undefined);
    await checkTables(file, tables, options, session);
    const matching =
      left === undefined
        ? undefined
        : {
            ...{ on, ignore, kindOf, same, never, aliases, precision, kind, model, device, threads },
            tables: [left, right] as const,
            table: tableOptionsOf(options),
            decisionPaths: labels ?? [],
          };
    const apply = [...tables, ...typedAgain(matchingOptions, options), "--review", file];
    const decisions = [...(labels ?? []).flatMap((path) => ["--labels", path]), "--review", file];
    const applied = decisions.map(shellWord).join(" ");
    const next = right === undefined ? ["dedupe", ...apply] : ["join", ...apply, "-o", "joined.csv"];
    const nextCommand = tables.length === 0 ? undefined : commandLine(next);
    const review = await startReview(file, { matching, nextCommand, applied });
    session.atEnd(review.close);
    if (review.counts().pairs === 0) {
      session.print(`${file} has no pairs: no pair was doubtful, and there is nothing to decide`);
      return;
    }
    session.print(`${counted(review.counts().open, "pair")} to answer: ${review.url}`);
    if (options.open) {
      const { default: open } = await import("open");
      await open(review.url).catch(() => session.say("no browser was found: open the address in one"));
    }
    await Promise.race([review.finished, aborted(session.signal)]);
    expectInterruption();
    const { pairs, open } = review.counts();
    const application =
      nextCommand === undefined
        ? `To apply the answers, run the join or dedupe that wrote ${file} again, with ${applied}`
        : `Apply the answers with:\n\n  ${nextCommand}\n`;
    session.print(`${pairs - open} of ${counted(pairs, "pair")} answered. ${application}`);
  },
});

/** Refuses other tables than those of the review before anybody answers. @throws TableError, UsageError */
async function checkTables(
  file: string,
  tables: readonly string[],
  options: TableOptions,
  session: Session,
): Promise<void> {
  if (tables.length === 0) return;
  if (tables.includes("-"))
    throw new UsageError("a review reads its tables more than once: save standard input to a file first");
  const { checkReview } = await import("../../match/review/review-file.js");
  const { readAllColumns } = await import("../../table/whole-table.js");
  const { table } = tableSettings(options, session);
  const read = tables.map(async (path) => (await readAllColumns(path, table)).columns);
  const [left, right] = await Promise.all(read);
  const problem = await checkReview(file, { left, right }).catch((error: unknown) => error);
  if (problem === undefined) return;
  const isSwapped =
    right !== undefined &&
    (await checkReview(file, { left: right, right: left }).then(
      () => true,
      () => false,
    ));
  if (!isSwapped) throw problem;
  throw new UsageError(`${tables[1]} is the left table of ${file}. Name it first, then ${tables[0]}.`);
}

const commandLine = (words: readonly string[]): string => ["pearl", ...words].map(shellWord).join(" ");

/**
 * The command that opens a review of a join or a dedupe, with its options. With an option that a review does not have, its
 * figures would be others: the command then names no tables. The decisions of an earlier review are known pairs of this one.
 */
export function reviewCommand(
  file: string,
  tables: readonly string[],
  options: Readonly<Record<string, unknown>>,
): string {
  const others = ["threshold", "top", "int8"].some((name) => options[name] !== undefined);
  const candidates = options.candidates !== undefined && options.candidates !== 10;
  const { column, precision, labels = [], review = [], ...rest } = options;
  const known = [labels, review].flat();
  if (others || candidates || tables.includes("-"))
    return commandLine(["review", file, ...typedAgain(matchingOptions, { labels: known })]);
  const given = {
    ...{ ...rest, labels: known },
    ...(column !== undefined && { on: [column] }),
    ...(precision !== 0.9 && { precision }),
  };
  return commandLine(["review", file, ...tables, ...typedAgain(matchingOptions, given)]);
}

/** Option values as words of a command line, without defaults. */
function typedAgain(declared: readonly object[], values: Readonly<Record<string, unknown>>): string[] {
  return (declared as readonly Option[]).flatMap((option) => {
    const value = values[option.attributeName()];
    const name = option.long!;
    if (option.negate) return value === false ? [name] : [];
    if (option.isBoolean()) return value === true ? [name] : [];
    if (value === undefined) return [];
    const entries = Array.isArray(value)
      ? value
      : typeof value === "object"
        ? Object.entries(value!).map((pair) => pair.join("="))
        : [value];
    return entries.flatMap((entry) => [name, String(entry)]);
  });
}
