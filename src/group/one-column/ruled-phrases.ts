/**
 * Phrases under `never` rules. Rows of one phrase that a rule may keep apart are nodes of their own, and no link joins two nodes
 * that a rule keeps apart: a row is linked with its next best partner.
 */
import { likeArray } from "../../like-array.js";
import { Growing } from "../../match/columns/lists.js";
import {
  type Apart,
  apartRows,
  countApart,
  isForbidden,
  type PairRules,
  ruleKey,
  rulesOfRows,
} from "../../match/rules.js";
import { placesByNumber } from "../../places-by-number.js";
import { linkedWith, linkTable } from "../links.js";
import type { SameTable } from "../same-table.js";
import type { CountedTable } from "./promised-threshold.js";

/** What rules say of the nodes of a table. */
export interface NodeRules {
  /** Which groups of nodes are kept apart, where every node is a group at first. */
  apart(): Apart | undefined;
  /** Nodes with the phrase of a node, or one linked with it, that `other` may be the same as; and how similar they are. */
  nearOf(node: number, other: number): Iterable<readonly [node: number, similarity: number]>;
  /** By rule, how many pairs of rows of at least this similarity it keeps apart. */
  keptApart(threshold: number): number[];
}

export interface RuledPhrases {
  readonly table: CountedTable;
  /** The node of each row; -1 for a row that says nothing. */
  readonly nodeOf: Int32Array;
}

interface PhraseRows {
  /** The phrase of each row, -1 for a row that says nothing. */
  readonly phraseOf: Int32Array;
  readonly rules: PairRules;
  /** Number of occurrences that each row stands for. Default: 1 each. */
  readonly weights?: ArrayLike<number>;
  textOf(phrase: number): string;
}

/** Of rows that are equal in the phrase and in all cells that rules are about, so many are linked. */
const mostEqual = 8;

/** A table of phrases as a table of nodes. */
export function ruledPhrases(near: SameTable, given: PhraseRows): RuledPhrases {
  const nodes = nodesOf(given);
  const { phrases, starts, counts, nodeOf } = nodes;
  const rows = Uint32Array.from(nodes.firstRows);
  const own = rulesOfRows({ same: [], never: given.rules.never }, [rows, rows]);
  const [left, right, scores] = [new Growing(Int32Array), new Growing(Int32Array), new Growing(Float64Array)];
  for (const [a, b, similarity] of nodePairs(near, nodes)) {
    if (isForbidden(own, a, b)) continue;
    left.push(a);
    right.push(b);
    scores.push(similarity);
  }
  const links = { left: left.added(), right: right.added(), scores: Float32Array.from(scores.added()) };
  function* similarPairs(threshold: number) {
    for (const [a, b, similarity] of nodePairs(near, nodes))
      if (similarity >= threshold) yield [a, b, counts[a] * counts[b]] as const;
  }
  const rules: NodeRules = {
    apart: () => apartRows(own, []),
    *nearOf(node, other) {
      const phrase = phrases[node];
      // Phrases that were not compared follow the others.
      const linked = phrase < near.phrases.length ? linkedWith(near.links, phrase) : [];
      for (const [found, similarity] of [[phrase, 1] as const, ...linked])
        for (let at = starts[found]; at < starts[found + 1]; at++)
          if (at !== node && !isForbidden(own, at, other)) yield [at, similarity];
    },
    keptApart: (threshold) => countApart(own, similarPairs(threshold)),
  };
  const similarity = (a: number, b: number): number =>
    phrases[a] === phrases[b] ? 1 : near.similarity(phrases[a], phrases[b]);
  const texts = likeArray(phrases.length, (node) => given.textOf(phrases[node]));
  return {
    table: { phrases: texts, links: linkTable(phrases.length, links), similarity, counts, rules },
    nodeOf,
  };
}

/** The pairs of nodes whose phrases are equal or linked, each once, by the first and then by the second. */
function* nodePairs(
  { links: { left, right, scores } }: SameTable,
  { starts, isLinked }: ReturnType<typeof nodesOf>,
) {
  let [from, link] = [0, 0];
  for (let phrase = 0; phrase + 1 < starts.length; phrase++, from = link) {
    while (left[link] === phrase) link++;
    for (let a = starts[phrase]; a < starts[phrase + 1]; a++)
      for (let at = from - 1; at < link && isLinked[a]; at++) {
        const [other, similarity] = at < from ? [phrase, 1] : [right[at], scores[at]];
        for (let b = Math.max(a + 1, starts[other]); b < starts[other + 1]; b++)
          if (isLinked[b]) yield [a, b, similarity] as const;
      }
  }
}

/** Nodes in the order of their phrases: phrase p has those from starts[p] to starts[p + 1]. */
function nodesOf({ phraseOf, rules, weights }: PhraseRows) {
  const { starts: rowStarts, order } = placesByNumber(phraseOf);
  const never = { same: [], never: rules.never };
  const nodeOf = new Int32Array(phraseOf.length).fill(-1);
  const [firstRows, phrases, counts, isLinked]: [number[], number[], number[], boolean[]] = [[], [], [], []];
  const starts = Uint32Array.from(rowStarts, (start, phrase) => {
    const first = firstRows.length;
    const [nodes, copies] = [new Map<string, number>(), new Map<string, number>()];
    for (const row of order.subarray(start, rowStarts[phrase + 1] ?? start)) {
      const key = ruleKey(never, row);
      const node = nodes.get(key) ?? firstRows.length;
      nodeOf[row] = node;
      counts[node] = (counts[node] ?? 0) + (weights?.[row] ?? 1);
      if (nodes.has(key)) continue;
      const cells = rules.never.map(({ left }) => left[row]).join();
      copies.set(cells, (copies.get(cells) ?? 0) + 1);
      isLinked.push(copies.get(cells)! <= mostEqual);
      nodes.set(key, firstRows.push(row) - 1);
      phrases.push(phrase);
    }
    return first;
  });
  return { nodeOf, starts, firstRows, phrases, counts, isLinked };
}
