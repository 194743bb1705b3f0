/** Matches the rows of two tables by all their columns, without labels: columns, candidates, weights, partners, promise. */
import { PhraseEncoder } from "../encoder/phrase-encoder.js";
import { type ColumnReport, columnReports, explainPair } from "../match/column-report.js";
import type { TableColumns } from "../match/columns/align.js";
import { canonicalSides } from "../match/columns/canonical.js";
import { type ColumnOptions, type DroppedColumn, prepareTables } from "../match/columns/fields.js";
import { type ComparedTables, compareTables, type KnownPair } from "../match/compare-tables.js";
import {
  type AcceptedLevel,
  contradiction,
  keepPrecision,
  type PrecisionReport,
} from "../match/estimates/promise.js";
import { silentColumns, withoutColumns, withSilent } from "../match/estimates/silent-columns.js";
import { matchingBeliefs } from "../match/weights/competition.js";
import {
  knownPlaces,
  type Learned,
  learnWeights,
  type Relation,
  type Weights,
} from "../match/weights/learn.js";
import { partnersPerRow } from "./row-relation.js";

export interface MatchTablesOptions extends ColumnOptions {
  /** The promised precision. Default 0.9. */
  readonly precision?: number;
  /** Default: the embedded model, loaded for the call. "none": without a model. */
  readonly encoder?: PhraseEncoder | "none";
  /** How many partners a row may have. Default: found from the tables. */
  readonly kind?: Relation;
  /** Judged pairs of rows. */
  readonly known?: readonly KnownPair[];
  readonly signal?: AbortSignal;
}

export interface RowMatch {
  readonly left: number;
  readonly right: number;
  readonly probability: number;
}

export interface TableMatches extends PrecisionReport {
  /** By left row. If the promise is refused, the likely pairs, not verified. */
  readonly matches: readonly RowMatch[];
  readonly kind: Relation;
  readonly columns: readonly ColumnReport[];
  readonly dropped: readonly DroppedColumn[];
  /** What each column says about a pair of rows. */
  explain(left: number, right: number): ReturnType<typeof explainPair>;
  /** The matches at another promise, without comparing the rows again. */
  atPrecision(target: number): TableMatches;
}

/** Floors of probability, from the widest. */
const floors = [0.02, 0.05, 0.1, 0.25, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99];
const evenOdds = 0.5;
/** Share of rows with several partners from which a join is not one-to-one. */
const severalPartners = 0.25;

/** @throws ArgumentError for an unknown column; an aborted call rejects with the reason of its signal */
export async function matchTables(
  left: TableColumns,
  right: TableColumns,
  options: MatchTablesOptions = {},
): Promise<TableMatches> {
  const encoder = options.encoder === undefined ? await PhraseEncoder.load() : options.encoder;
  try {
    const isSwapped = canonicalSides(left, right) === "swapped";
    const [first, second] = isSwapped ? [right, left] : [left, right];
    const tables = prepareTables(first, second, isSwapped ? swappedOptions(options) : options);
    const known = preparedPairs(options.known ?? [], tables.order, isSwapped);
    const model = encoder === "none" ? undefined : encoder;
    const compared = await compareTables(tables, { encoder: model, signal: options.signal, known });
    const fit = fitPairs(compared, knownPlaces(compared, known), options.kind);
    const { kind, weights, accept } = fit;
    const silent = options.on === undefined ? silentColumns(tables, fit.likely) : [];
    if (silent.length > 0) {
      const sides = isSwapped ? (["other", "name"] as const) : (["name", "other"] as const);
      const rest = [withoutColumns(left, silent, sides[0]), withoutColumns(right, silent, sides[1])] as const;
      return withSilent(await matchTables(...rest, { ...options, encoder }), silent, sides[0]);
    }
    const columns = columnReports(compared, weights).map((column) =>
      isSwapped ? { ...column, name: column.other, other: column.name } : column,
    );
    const places = tables.order.map(inverse);
    const atPrecision = (target: number): TableMatches => {
      const { level, report } = accept(target);
      const matches = acceptedRows(compared, level, isSwapped);
      return {
        ...{ ...report, matches, kind, columns, dropped: tables.dropped, atPrecision },
        explain: (leftRow, rightRow) => {
          const [x, y] = isSwapped ? [rightRow, leftRow] : [leftRow, rightRow];
          const { prior, columns: found } = explainPair(compared, weights, places[0][x], places[1][y]);
          const turned = found.map((column, index) => {
            return { ...column, name: columns[index].name, left: column.right, right: column.left };
          });
          return { prior, columns: isSwapped ? turned : found };
        },
      };
    };
    return atPrecision(options.precision ?? 0.9);
  } finally {
    if (options.encoder === undefined && encoder !== "none") await encoder.dispose();
  }
}

/** The accepted pairs by the rows of the given tables. */
function acceptedRows(
  { tables, left, right }: ComparedTables,
  level: AcceptedLevel,
  isSwapped: boolean,
): RowMatch[] {
  const [a, b] = tables.order;
  const matches: RowMatch[] = [];
  level.accepted.forEach((flag, pair) => {
    if (flag === 0) return;
    const [x, y] = [a[left[pair]], b[right[pair]]];
    const rows = isSwapped ? { left: y, right: x } : { left: x, right: y };
    matches.push({ ...rows, probability: level.probability[pair] });
  });
  return matches.sort((x, y) => x.left - y.left || x.right - y.right);
}

interface Fit {
  readonly kind: Relation;
  readonly weights: Weights;
  readonly likely: AcceptedLevel;
  accept(target: number): { level: AcceptedLevel; report: PrecisionReport };
}

/**
 * Learns for one partner per row first; where rows turn out to have several, once more for many. If those contradict
 * each other, rows are only alike, and the one-to-one matches are returned as not verified.
 */
function fitPairs(compared: ComparedTables, known: ReadonlyMap<number, number>, asked?: Relation): Fit {
  const many = (): Fit & { doubt?: string } =>
    acceptMany(compared, learnWeights(compared, { known, relation: "many-to-many" }));
  if (asked === "many-to-many") return many();
  const one = acceptOne(compared, learnWeights(compared, { known }));
  if (asked === "one-to-one" || one.doubt === undefined) return one;
  const second = many();
  return second.doubt === undefined ? second : one;
}

function acceptOne(compared: ComparedTables, { weights, logOdds }: Learned): Fit & { doubt?: string } {
  const probability = matchingBeliefs(compared, logOdds, weights.matches);
  const order = [...probability.keys()]
    .filter((pair) => probability[pair] >= floors[0])
    .sort((x, y) => probability[y] - probability[x] || logOdds[y] - logOdds[x] || x - y);
  const levelAt = (floor: number): AcceptedLevel => {
    const accepted = new Uint8Array(probability.length);
    const [takenLeft, takenRight] = compared.rows.map((rows) => new Uint8Array(rows));
    let count = 0;
    for (const pair of order) {
      const [a, b] = [compared.left[pair], compared.right[pair]];
      if (probability[pair] < floor) break;
      if (takenLeft[a] === 1 || takenRight[b] === 1) continue;
      takenLeft[a] = 1;
      takenRight[b] = 1;
      accepted[pair] = 1;
      count++;
    }
    return { table: compared, relation: "one-to-one", weights, logOdds, probability, accepted, count };
  };
  const likely = levelAt(evenOdds);
  const relation = partnersPerRow(likely);
  const isMany = Math.max(relation.left, relation.right) > severalPartners;
  const shares = `${percent(relation.left)} of the left, ${percent(relation.right)} of the right rows`;
  const doubt = isMany ? `rows have several likely partners (${shares})` : undefined;
  return { kind: "one-to-one", weights, likely, doubt, accept: acceptAt(levelAt, doubt) };
}

function acceptMany(compared: ComparedTables, learned: Learned): Fit & { doubt?: string } {
  const { weights, logOdds, probability } = learned;
  const levelAt = (floor: number): AcceptedLevel => {
    const accepted = Uint8Array.from(probability, (value) => (value >= floor ? 1 : 0));
    const count = accepted.reduce((sum, flag) => sum + flag, 0);
    return { table: compared, relation: "many-to-many", weights, logOdds, probability, accepted, count };
  };
  const likely = levelAt(evenOdds);
  const doubt = contradiction(likely)?.reason;
  return { kind: "many-to-many", weights, likely, doubt, accept: acceptAt(levelAt, doubt) };
}

/** Accepts pairs at a promise by trying the floors, from the widest. */
function acceptAt(levelAt: (floor: number) => AcceptedLevel, doubt: string | undefined): Fit["accept"] {
  function* levels(): Generator<AcceptedLevel> {
    for (const floor of floors) yield levelAt(floor);
  }
  return (target) => keepPrecision({ target, levels: levels(), fallback: () => levelAt(evenOdds), doubt });
}

const percent = (share: number): string => `${Math.round(100 * share)} %`;

/** "name=title" where the tables are exchanged: "title=name". */
const swappedOptions = ({ on, ...rest }: ColumnOptions): ColumnOptions => ({
  ...rest,
  on: on?.map((text) => text.split("=").reverse().join("=")),
});

function preparedPairs(
  known: readonly KnownPair[],
  order: readonly [Uint32Array, Uint32Array],
  isSwapped: boolean,
): KnownPair[] {
  const [a, b] = order.map(inverse);
  return known.map(({ left, right, match }) =>
    isSwapped ? { left: a[right], right: b[left], match } : { left: a[left], right: b[right], match },
  );
}

/** For each given row its place among the prepared ones. */
function inverse(order: Uint32Array): Uint32Array {
  const places = new Uint32Array(order.length);
  order.forEach((row, place) => {
    places[row] = place;
  });
  return places;
}
