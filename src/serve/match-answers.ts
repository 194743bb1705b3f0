/** What /match answers: rows compared with an index's or another posted table's. */
import { groupBy } from "../by-key.js";
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import { columnsOf, matchNearest, type NamedRow, type NearestRows } from "../join/match-index.js";
import {
  type MatchTablesOptions,
  matchTables,
  type RowMatch,
  type TableMatches,
} from "../join/match-tables.js";
import { pairSentence } from "../match/pair-sentence.js";

/** Options that a request may give. */
export type MatchSettings = Pick<MatchTablesOptions, "on" | "kind" | "precision">;

export async function tableAnswer({ rows, table, settings }: TwoTables, encoder: PhraseEncoder) {
  const found = await matchTables(columnsOf(table), columnsOf(rows), { ...settings, encoder });
  const byRow = groupBy(found.matches, ({ right }) => right);
  const results = rows.map((_, right) => ({
    matches: (byRow.get(right) ?? []).map((pair) => ({
      place: pair.left,
      ...described(found, table[pair.left], pair),
    })),
  }));
  return { promise: found.promise, kind: found.kind, results };
}

interface TwoTables {
  readonly rows: readonly NamedRow[];
  readonly table: readonly NamedRow[];
  readonly settings: MatchSettings;
}

export async function indexAnswer(
  { near, settings }: { readonly near: NearestRows; readonly settings: MatchSettings },
  encoder: PhraseEncoder,
) {
  const found = await matchNearest(near, { ...settings, encoder });
  const byRow = groupBy(found.matches, ({ right }) => right);
  const results = found.nearest.map((hits, right) => ({
    matches: (byRow.get(right) ?? []).flatMap((pair) => {
      const hit = hits.find(({ place }) => place === pair.left);
      return hit === undefined ? [] : [{ key: hit.key, ...described(found, hit.cells, pair) }];
    }),
    nearest: hits.map(({ key, score, cells }) => ({ key, similarity: score, cells })),
  }));
  return { promise: found.promise, kind: found.kind, results };
}

/** A match with its reasons; the left side of the comparison is what was found. */
function described({ explain }: TableMatches, cells: NamedRow, { left, right, probability }: RowMatch) {
  const explanation = explain(left, right);
  const evidence = explanation.columns.map((column) => {
    return { column: column.name, row: column.right, match: column.left, logOdds: column.logOdds };
  });
  return { cells, probability, why: pairSentence(explanation, probability), evidence };
}
