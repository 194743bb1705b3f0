/** Scores the nearest rows of reconciliation queries by the evidence of all columns. */
import type { PhraseEncoder } from "../../encoder/phrase-encoder.js";
import { type IndexMatches, matchNearest, type NamedRow, type NearestRows } from "../../join/match-index.js";
import { sigmoid } from "../../match/weights/logistic.js";
import { isVisible } from "../../text/visible.js";

interface Request {
  /** The queries as rows, with their nearest rows. */
  readonly near: NearestRows;
  /** Candidates wanted, by query. */
  readonly limits: readonly number[];
}

/** The candidates of each query, best first. */
export async function scoredHits({ near, limits }: Request, encoder: PhraseEncoder) {
  const found = await matchNearest(near, { encoder });
  return limits.map((limit, query) => scored(found, query).slice(0, limit));
}

function scored(found: IndexMatches, right: number) {
  const accepted = found.matches.find((pair) => pair.right === right);
  const hits = found.nearest[right];
  const explained = hits.map((hit) => ({ hit, ...evidenceOf(found, hit, right) }));
  const equal = explained.filter(({ isEqual }) => isEqual);
  // Where the last of the nearest is as near as an equal one, more rows may be.
  const isAlone =
    equal.length === 1 && (hits.length < found.k || hits[hits.length - 1].score < equal[0].hit.score);
  const candidates = explained.map(({ hit, probability, features, isEqual, agrees }) => {
    const isAccepted = accepted?.left === hit.place;
    const likely = isAccepted ? accepted.probability : probability;
    return {
      ...{ key: hit.key, cells: hit.cells },
      score: Number((100 * likely).toFixed(2)),
      // Few rows promise no precision; then only the one row that is equal in all columns is certain.
      match: (isAccepted && agrees && found.findings.promise.established) || (isEqual && isAlone),
      features: [...features, feature("similarity", hit.score), feature("probability", likely)],
    };
  });
  const rank = ({ match, score }: (typeof candidates)[0]): number => score + (match ? 100 : 0);
  return candidates.sort((a, b) => rank(b) - rank(a));
}

function evidenceOf({ explain, rows }: IndexMatches, hit: IndexMatches["nearest"][0][0], right: number) {
  const row: NamedRow = rows[right];
  const { prior, columns } = explain(hit.place, right);
  const filled = columns.filter(({ level, isEqual }) => level >= 0 && isEqual !== undefined);
  // What tells rows apart too well or hardly at all is not compared as evidence; a cell that the query names still counts.
  const left = Object.keys(row).filter((name) => !columns.some((column) => column.name === name));
  const agrees = left.every((name) => !isVisible(row[name]) || sameText(row[name], hit.cells[name]));
  return {
    probability: sigmoid(columns.reduce((sum, { logOdds }) => sum + logOdds, prior)),
    features: columns.map(({ name, logOdds }) => feature(name, logOdds)),
    agrees,
    isEqual: agrees && filled.length > 0 && filled.every(({ isEqual }) => isEqual),
  };
}

const sameText = (a: string, b = ""): boolean => a.trim().toLowerCase() === b.trim().toLowerCase();

const feature = (name: string, value: number) => ({ id: name, name, value: Number(value.toFixed(4)) });
