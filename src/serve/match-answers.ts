/** What /match answers: rows compared with an index's or another posted table's. */
import { groupBy } from "../by-key.js";
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import { columnsOf, matchNearest, type NamedRow, type NearestRows } from "../join/match-index.js";
import type { MatchTablesOptions } from "../join/match-tables.js";
import { type Joined, joinRows } from "../join/roads.js";
import type { RowMatch } from "../match/compare-tables.js";

/** Options that a request may give. */
export type MatchSettings = Pick<MatchTablesOptions, "on" | "kind" | "precision">;

export async function tableAnswer({ rows, table, settings }: TwoTables, encoder: PhraseEncoder) {
  const found = await joinRows(columnsOf(table), columnsOf(rows), { ...settings, encoder });
  const byRow = groupBy(found.matches, ({ right }) => right);
  const results = rows.map((_, right) => ({
    matches: (byRow.get(right) ?? []).map((pair) => ({
      place: pair.left,
      ...described(found, table[pair.left], pair),
    })),
  }));
  return { promise: found.findings.promise, kind: found.findings.kind, results };
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
  return { promise: found.findings.promise, kind: found.findings.kind, results };
}

/** A match with its reasons; the left side of the comparison is what was found. */
function described(found: Joined, cells: NamedRow, pair: RowMatch) {
  const { columns } = found.explain(pair.left, pair.right);
  const evidence = columns.map(({ name, left, right, logOdds }) => {
    return { column: name, row: right, match: left, logOdds };
  });
  return { cells, probability: pair.probability, why: found.why(pair), evidence };
}
