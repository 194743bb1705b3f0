/** What `join`, `dedupe`, `cluster` and `link` report alike: the columns they compared, and how precise the result is. */
import { groupBy } from "../../by-key.js";
import { alignColumns } from "../../files/text-table.js";
import type { GoldenRecords } from "../../group/golden-records.js";
import type { DroppedColumn } from "../../match/columns/fields.js";
import { type ColumnReport, signed } from "../../match/explain.js";
import type { LabelEffect } from "../../match/review/label-effect.js";
import type { RulesReport } from "../../match/rules.js";
import { oneLine } from "../../text/visible.js";
import { counted, formatCount, formatPercent } from "../format.js";

const shownDropped = 8;

/**
 * A line for each compared column: kind, filled, distinct, and the log-odds of agreement and of disagreement. Evidence across
 * columns is left out.
 */
function columnLines(columns: readonly ColumnReport[], dropped: readonly DroppedColumn[]): string[] {
  const rows = columns.flatMap(({ name, other, kind, comparison, filled = 0, distinct = 0, weights }) => {
    if (kind === undefined) return [];
    const what = comparison === undefined ? kind : `${kind} ${comparison}`;
    const names = name === other ? name : `${name} = ${other}`;
    const [differs, agrees] = [weights[0], weights[weights.length - 1]].map(signed);
    return [[names, what, formatPercent(filled, 0), formatCount(distinct), agrees, differs]];
  });
  const heading = ["column", "kind", "filled", "distinct", "agrees", "differs"];
  const lines = alignColumns([heading, ...rows], (column) => column > 1).split("\n");
  const legend = "agrees, differs: +2.3 makes a match 10 times likelier, -2.3 makes it 10 times less likely";
  return [...lines, legend, ...rolesLine(columns), ...notComparedLine(dropped)];
}

/** Which columns rows of one thing seldom differ in, where that was learned. */
function rolesLine(columns: readonly ColumnReport[]): string[] {
  const having = (role: boolean): string =>
    columns.flatMap(({ name, identifies }) => (identifies === role ? [name] : [])).join(", ") || "none";
  if (columns.every(({ identifies }) => identifies === undefined)) return [];
  const cure = "--kind-of COLUMN=identifies or COLUMN=shared changes it";
  return [`identify: ${having(true)}; may be shared by several: ${having(false)} (${cure})`];
}

/** The same where one column of phrases was compared, without weights. If pearl chose it, the others follow in a line. */
export function comparedLines(
  {
    columns,
    dropped,
  }: { readonly columns: readonly ColumnReport[]; readonly dropped: readonly DroppedColumn[] },
  named: string | readonly string[] | undefined,
): string[] {
  const [{ name, other, weights }] = columns;
  if (weights.length > 0) return columnLines(columns, dropped);
  const compared = `compared ${name === other ? name : `${name} = ${other}`}`;
  return [compared, ...(named === undefined ? notComparedLine(dropped) : [])];
}

/** Names the columns that were left out, with the reasons; no line where there are none. */
function notComparedLine(dropped: readonly DroppedColumn[]): string[] {
  const reasons = [...new Set(dropped.map(({ name, reason }) => `${name} (${reason})`))];
  const more = reasons.length > shownDropped ? ` and ${reasons.length - shownDropped} more` : "";
  return reasons.length === 0 ? [] : [`not compared: ${reasons.slice(0, shownDropped).join(", ")}${more}`];
}

/** How many pairs each rule decided, and a line where rules contradict each other. */
export function rulesLines({ same, never, between, contradicted, example }: RulesReport): string[] {
  const bySame = Object.entries(same).map(
    ([rule, pairs]) => `--same ${rule} makes ${counted(pairs, "pair")} the same`,
  );
  const byNever = Object.entries(never).map(
    ([rule, pairs]) => `--never ${rule} keeps ${counted(pairs, "likely pair")} apart`,
  );
  const bySource =
    between === undefined ? [] : [`--between keeps ${counted(between, "likely pair")} of one table apart`];
  const lines = [[...bySame, ...byNever, ...bySource].join("; ")];
  if (example !== undefined)
    lines.push(
      `both apply to ${counted(contradicted, "pair")}, such as rows ${example.left + 1} and ${example.right + 1}: ${between === undefined ? "--never decides" : "rows are kept apart"}`,
    );
  return lines;
}

/** By which rules golden records took their cells. */
export function survivorLine(survivors: GoldenRecords["rules"] = {}): string {
  const rules = groupBy(Object.entries(survivors), ([, rule]) => rule);
  const listed = [...rules].map(([rule, names]) => `${rule} (${names.map(([name]) => name).join(", ")})`);
  return `their cells by rule: ${oneLine(listed.join(", "))}; --survivor COLUMN=RULE changes one`;
}

export const relatedLine = (path: string, related: number): string =>
  `wrote ${path}: ${counted(related, "pair")} of different things that look alike`;

/** What the known pairs changed, in how many rows, and why. */
export function effectLine(
  { decided, gained, lost, replaced }: LabelEffect,
  what: "match" | "group",
): string {
  const others = gained + lost + replaced;
  if (decided + others === 0) return `the known pairs changed no ${what}`;
  const several = what === "match" ? "matches" : "groups";
  const itself = `the known pairs changed the ${several} of ${counted(decided, "row")} that they judge`;
  if (others === 0) return itself;
  const causes = `${formatCount(gained)} gained a ${what}, ${formatCount(lost)} lost it, ${formatCount(replaced)} changed it`;
  return `${itself}, and of ${counted(others, "other row")}, because all probabilities are estimated with them: ${causes}`;
}
