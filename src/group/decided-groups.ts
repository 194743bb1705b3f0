/** Applies what is sure about a table's rows to its groups: equal rows, and the decisions of a person. */
import { groupBy } from "../by-key.js";
import { disjointSets, numberedRows } from "../disjoint-sets.js";
import { ArgumentError } from "../errors.js";
import { fnv } from "../files/checksums/fnv.js";
import type { KnownPair } from "../match/compare-tables.js";
import { apartRows, type PairRules, ruleKey, samePartners } from "../match/rules.js";

/** @throws ArgumentError for decisions that make rejected pairs the same by way of confirmed ones */
export function refuseContradictions(size: number, known: readonly KnownPair[]): void {
  confirmedClasses(size, known);
}

/**
 * Labels rows by the first row of a class: rows that are equal, confirmed or the same by a rule. Equal rows are not brought
 * together against a decision or a rule.
 *
 * @param keyOf equal for rows that are equal; undefined for a row that is not to be compared
 * @throws ArgumentError for decisions that contradict each other
 */
export function sureRows(
  size: number,
  keyOf: (row: number) => string | undefined,
  known: readonly KnownPair[],
  rules?: PairRules,
): Int32Array {
  const { rootOf, unite, roots } = confirmedClasses(size, known);
  const foesOf = foesByLabel(known, rootOf);
  const apart = apartRows(rules, known);
  const join = (row: number, other: number): void => {
    const [a, b] = [rootOf(row), rootOf(other)];
    if (a === b || foesOf.get(a)?.has(b) || apart?.unite(a, b) === false) return;
    unite(a, b);
    // The smaller label stays.
    inheritFoes(foesOf, Math.max(a, b), Math.min(a, b));
  };
  for (const { left, right } of samePartners(rules)) join(left, right);
  const joinEqual = (key: typeof keyOf): void =>
    firstEqual(size, key).forEach((first, row) => {
      if (first >= 0 && first !== row) join(first, row);
    });
  // The first equal row may be one that a rule keeps apart.
  if (rules !== undefined)
    joinEqual((row) => {
      const key = keyOf(row);
      return key && JSON.stringify([key, ruleKey(rules, row)]);
    });
  joinEqual(keyOf);
  return roots();
}

/** By label, the labels that rejected pairs keep apart from it. */
type Foes = Map<number, Set<number>>;

function foesByLabel(known: readonly KnownPair[], labelOf: (row: number) => number): Foes {
  const foes: Foes = new Map();
  for (const { left, right, match } of known) if (!match) makeFoes(foes, labelOf(left), labelOf(right));
  return foes;
}

function makeFoes(foes: Foes, a: number, b: number): void {
  foes.set(a, (foes.get(a) ?? new Set()).add(b));
  foes.set(b, (foes.get(b) ?? new Set()).add(a));
}

/** A label goes; its foes are those of another from now on. */
function inheritFoes(foes: Foes, from: number, to: number): void {
  const inherited = foes.get(from) ?? [];
  foes.delete(from);
  for (const foe of inherited) {
    foes.get(foe)!.delete(from);
    makeFoes(foes, foe, to);
  }
}

/** The first row with the key of each row, -1 without one. Of each key only a hash is kept: keys of many rows are large. */
export function firstEqual(size: number, keyOf: (row: number) => string | undefined): Int32Array {
  const firstOf = new Int32Array(size).fill(-1);
  const hashes = new Uint32Array(size);
  // Open addressing; -1 is free.
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * size + 1))).fill(-1);
  for (let row = 0; row < size; row++) {
    const key = keyOf(row);
    if (key === undefined) continue;
    const hash = fnv(key);
    hashes[row] = hash;
    let slot = (hash ^ (hash >>> 15)) & (slots.length - 1);
    while (slots[slot] >= 0 && (hashes[slots[slot]] !== hashes[row] || keyOf(slots[slot]) !== key))
      slot = (slot + 1) & (slots.length - 1);
    if (slots[slot] < 0) slots[slot] = row;
    firstOf[row] = slots[slot];
  }
  return firstOf;
}

function confirmedClasses(size: number, known: readonly KnownPair[]) {
  const classes = disjointSets(size);
  for (const { left, right, match } of known) if (match) classes.unite(left, right);
  for (const { left, right, match } of known)
    if (!match && classes.rootOf(left) === classes.rootOf(right))
      throw new ArgumentError(
        `rows ${left + 1} and ${right + 1} are decided to differ, but other decisions make them the same. ` +
          "Correct one of these decisions.",
      );
  return classes;
}

/**
 * The groups after decisions, numbered by first row: rows that are sure are together, rejected pairs are apart.
 * @param groupOf below the number of rows
 * @param probabilityOf decides which part of a divided group a row belongs to
 */
export function decidedGroups(
  groupOf: ArrayLike<number>,
  sureOf: Int32Array,
  known: readonly KnownPair[],
  probabilityOf: (a: number, b: number) => number,
  rules?: PairRules,
): Int32Array {
  const firstOf = new Int32Array(sureOf.length).fill(-1);
  const classes = disjointSets(sureOf.length);
  const apart =
    rules &&
    apartRows(
      rules,
      Array.from(sureOf, (left, right) => ({ left, right, match: true })),
    );
  sureOf.forEach((label, row) => {
    if (firstOf[groupOf[row]] < 0) firstOf[groupOf[row]] = row;
    classes.unite(label, row);
    const first = firstOf[groupOf[row]];
    if (apart?.unite(first, row) !== false) classes.unite(first, row);
  });
  const merged = classes.roots();
  const foes = foesByLabel(known, (row) => sureOf[row]);
  const divided = new Set([...foes.keys()].map((label) => merged[label]));
  const partOf = new Map<number, number>();
  const inDivided = new Set(divided.size === 0 ? [] : sureOf.filter((label) => divided.has(merged[label])));
  for (const labels of groupBy(inDivided, (label) => merged[label]).values())
    for (const part of dividedLabels(labels, foes, probabilityOf))
      for (const label of part) partOf.set(label, part[0]);
  return numberedRows(sureOf.map((label, row) => partOf.get(label) ?? merged[row]));
}

/** Divides labels into parts without foes; each joins the part whose first row it equals most likely. */
function dividedLabels(
  labels: readonly number[],
  foes: ReadonlyMap<number, ReadonlySet<number>>,
  probabilityOf: (a: number, b: number) => number,
): number[][] {
  const parts: number[][] = [];
  for (const label of labels) {
    const open = parts.filter((part) => !part.some((other) => foes.get(label)?.has(other)));
    if (open.length === 0) parts.push([label]);
    else {
      const likelihood = open.map((part) => probabilityOf(part[0], label));
      open[likelihood.indexOf(Math.max(...likelihood))].push(label);
    }
  }
  return parts;
}
