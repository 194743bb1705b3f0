/**
 * Phrases under `never` rules. Rows of one phrase that a rule may keep apart are nodes of their own, and no link joins two nodes
 * that a rule keeps apart: a row is linked with its next best partner.
 */
import { likeArray } from "../../like-array.js";
import { Growing } from "../../match/columns/lists.js";
import {
  type Apart,
  apartRows,
  forbidding,
  isForbidden,
  type PairRules,
  ruleKey,
  rulesOfRows,
} from "../../match/rules.js";
import { placesByNumber } from "../../places-by-number.js";
import { linkedWith, linkTable } from "../linkage.js";
import type { SameTable } from "../same-table.js";

/** What rules say of the nodes of a table. */
export interface NodeRules {
  /** Which groups of nodes are kept apart, where every node is a group at first. */
  apart(): Apart | undefined;
  /** Nodes with the phrase of a node, or one linked with it, that `other` may be the same as; and how similar they are. */
  nearOf(node: number, other: number): Iterable<readonly [node: number, similarity: number]>;
  /** By rule, how many pairs of rows of at least this similarity it keeps apart. */
  keptApart(threshold: number): number[];
}

/** Of rows that are equal in the phrase and in all cells that rules are about, so many are linked. */
const mostEqual = 8;

/**
 * A table of phrases as a table of nodes.
 * @param phraseOf the phrase of each row, -1 for a row that says nothing
 * @param rules of the rows
 * @param textOf the text of a phrase
 * @returns `nodeOf`: the node of each row; -1 for a row that says nothing
 */
export function ruledPhrases(
  near: SameTable,
  { phraseOf, rules, textOf }: { phraseOf: Int32Array; rules: PairRules; textOf: (phrase: number) => string },
) {
  const nodes = nodesOf(phraseOf, rules);
  const { phrases, firstRows, nodeOf } = nodes;
  const own = rulesOfRows({ same: [], never: rules.never }, [firstRows, firstRows]);
  const rowsOf = placesByNumber(nodeOf).starts;
  const count = (node: number): number => rowsOf[node + 1] - rowsOf[node];
  const [left, right, scores] = [new Growing(Int32Array), new Growing(Int32Array), new Growing(Float64Array)];
  eachPair(near, nodes, (a, b, similarity) => {
    if (isForbidden(own, a, b)) return;
    left.push(a);
    right.push(b);
    scores.push(similarity);
  });
  const links = { left: left.added(), right: right.added(), scores: Float32Array.from(scores.added()) };
  const nodeRules: NodeRules = {
    apart: () => apartRows(own, []),
    *nearOf(node, other) {
      for (const [phrase, similarity] of equalOrLinked(near, phrases[node]))
        for (let at = nodes.starts[phrase]; at < nodes.starts[phrase + 1]; at++)
          if (at !== node && !isForbidden(own, at, other)) yield [at, similarity];
    },
    keptApart(threshold) {
      const counts = own.never.map(() => 0);
      eachPair(near, nodes, (a, b, similarity) => {
        if (similarity < threshold) return;
        for (const rule of forbidding(own, a, b)) counts[rule] += count(a) * count(b);
      });
      return counts;
    },
  };
  const table = {
    phrases: likeArray(phrases.length, (node) => textOf(phrases[node])),
    links: linkTable(phrases.length, links),
    similarity: (a: number, b: number): number =>
      phrases[a] === phrases[b] ? 1 : near.similarity(phrases[a], phrases[b]),
    rules: nodeRules,
  };
  return { table, nodeOf };
}

/** The phrases that are linked with a phrase, and itself. */
function* equalOrLinked({ phrases, links }: SameTable, phrase: number): Generator<readonly [number, number]> {
  yield [phrase, 1];
  // Those that were not compared follow the others.
  if (phrase < phrases.length) yield* linkedWith(links, phrase);
}

/** Visits the pairs of nodes whose phrases are equal or linked, each once, by the first and then by the second. */
function eachPair(
  { links: { left, right, scores } }: SameTable,
  { starts, isLinked }: ReturnType<typeof nodesOf>,
  visit: (a: number, b: number, similarity: number) => void,
): void {
  for (let phrase = 0, link = 0; phrase + 1 < starts.length; phrase++) {
    const from = link;
    while (left[link] === phrase) link++;
    for (let a = starts[phrase]; a < starts[phrase + 1]; a++) {
      if (isLinked[a] === 0) continue;
      const visitFrom = (first: number, end: number, similarity: number): void => {
        for (let b = first; b < end; b++) if (isLinked[b] === 1) visit(a, b, similarity);
      };
      visitFrom(a + 1, starts[phrase + 1], 1);
      for (let at = from; at < link; at++) visitFrom(starts[right[at]], starts[right[at] + 1], scores[at]);
    }
  }
}

/** Nodes in the order of their phrases: phrase p has those from starts[p] to starts[p + 1]. */
function nodesOf(phraseOf: Int32Array, rules: PairRules) {
  const rows = placesByNumber(phraseOf);
  const never = { same: [], never: rules.never };
  const nodeOf = new Int32Array(phraseOf.length).fill(-1);
  const [firstRows, phrases] = [new Growing(Uint32Array), new Growing(Int32Array)];
  const isLinked = new Growing(Uint8Array);
  const starts = Uint32Array.from(rows.starts, (start, phrase) => {
    const first = firstRows.length;
    const [nodes, copies] = [new Map<string, number>(), new Map<string, number>()];
    for (const row of rows.order.subarray(start, rows.starts[phrase + 1] ?? start)) {
      const key = ruleKey(never, row);
      nodeOf[row] = nodes.get(key) ?? firstRows.length;
      if (nodes.has(key)) continue;
      const cells = rules.never.map(({ left }) => left[row]).join();
      copies.set(cells, (copies.get(cells) ?? 0) + 1);
      isLinked.push(copies.get(cells)! <= mostEqual ? 1 : 0);
      nodes.set(key, firstRows.length);
      firstRows.push(row);
      phrases.push(phrase);
    }
    return first;
  });
  return {
    ...{ nodeOf, starts, isLinked: isLinked.added() },
    ...{ firstRows: firstRows.added(), phrases: phrases.added() },
  };
}
