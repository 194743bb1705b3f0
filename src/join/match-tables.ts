/** Matches the rows of two tables by all their columns, without labels. */
import { ArgumentError } from "../errors.js";
import { checkMatching } from "../match/check-tables.js";
import type { TableColumns } from "../match/columns/align.js";
import { comparedTables, type TwoTables } from "../match/columns/composed.js";
import { rowsOf } from "../match/columns/fields.js";
import { asStage, type RowMatch } from "../match/compare-tables.js";
import type { ScoredPairs } from "../match/estimates/scored-pairs.js";
import { type MatchedRows, type MatchMethod, type MatchRowsOptions, matchRows } from "../match/match-rows.js";
import { once } from "../match/once.js";
import { partnersOfRight } from "../match/review/label-effect.js";
import { readRules } from "../match/rules.js";
import { type Learned, learnWeights } from "../match/weights/learn.js";
import type { Relation } from "../match/weights/pair-table.js";
import { alikeAsWritten, decidedPairs, type Fit, fitPairs } from "./fit-pairs.js";
import { type JoinKind, joinKinds } from "./options.js";

/** Options of {@link matchTables}. */
export interface MatchTablesOptions extends MatchRowsOptions {
  /**
   * How many partners a row may have: "many-to-one" means that each right row has at most one left row, and a left row
   * may have several right rows. Default: found from the tables.
   */
  readonly kind?: JoinKind;
}

interface Matches {
  /** By left row. If the promise is refused, the likely pairs, not verified. */
  readonly matches: readonly RowMatch[];
  readonly kind: JoinKind;
  /** One sentence: what the kind was found from. */
  readonly kindReason: string;
}

/** What {@link matchTables} found. */
export interface TableMatches extends Matches, MatchedRows<TableMatches> {}

/**
 * Matches the rows of two tables by all columns that carry evidence, or by those named. Names in different scripts are compared
 * in Latin letters.
 *
 *     const { matches, promise } = await matchTables({ name: ["IBM"], city: ["Armonk"] }, { name: ["I.B.M."], city: ["Armonk"] });
 *
 * @throws ArgumentError for an unknown column, and cells that are not strings; an aborted call rejects with the reason of its signal
 */
export async function matchTables(
  left: TableColumns,
  right: TableColumns,
  options: MatchTablesOptions = {},
): Promise<TableMatches> {
  checkMatching([left, right], options);
  const rules = options.rules ?? readRules(left, right, options);
  return matchComposed(await comparedTables({ left, right }, options), { ...options, rules });
}

/** The same of tables as they are compared, which were checked. */
export function matchComposed(tables: TwoTables, options: MatchTablesOptions): Promise<TableMatches> {
  if (options.kind !== undefined && !joinKinds.includes(options.kind))
    throw new ArgumentError(`kind must be ${joinKinds.join(" or ")}, not ${options.kind}`);
  const method: MatchMethod<ScoredPairs, Fit, Matches> = {
    learner: (compared, run, isSwapped) => {
      const settings = asStage(run, "learning weights");
      const learned = new Map<Relation, () => Promise<Learned>>();
      /** Weights without answers, learned once for each relation that is asked for. */
      const learn = (relation: Relation): Promise<Learned> => {
        const found = learned.get(relation) ?? once(() => learnWeights(compared, { ...settings, relation }));
        learned.set(relation, found);
        return found();
      };
      const { signal } = run;
      const columns = [tables.left, tables.right] as const;
      const alike = alikeAsWritten(isSwapped ? [columns[1], columns[0]] : columns, compared.tables);
      const { kind } = options;
      return (known, table) => fitPairs(table, learn, known, { kind, isSwapped, alike, signal });
    },
    nothing: {
      ...{ matches: [], kind: options.kind ?? "many-to-one", kindReason: "one of the tables has no rows" },
    },
    decided: decidedPairs,
    show: ({ kind, kindReason }, { table, accepted, ruled = [], probability }, { given }) => {
      const matches = [...accepted, ...ruled].map((pair): RowMatch => {
        const rows = given({ left: table.left.at(pair)!, right: table.right[pair] });
        return { ...rows, probability: probability.at(pair)! };
      });
      return { kind, kindReason, matches: matches.sort((x, y) => x.left - y.left || x.right - y.right) };
    },
    partners: (before, after) => partnersOfRight(rowsOf(tables.right), before.matches, after.matches),
    judgedRows: (pair) => [pair.right],
  };
  return matchRows(tables.left, tables.right, options, method);
}
